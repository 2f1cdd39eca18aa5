"""What agents and playbooks used, by day: sums that several homes add to. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from sulla.core.errors import CorruptRecord
from sulla.core.jsontypes import Json, JsonObject
from sulla.threads.log.usage import Usage

MOST_NAMES: Final = 64
"""Agents, and playbooks, of one day that are told apart; what others used is one sum, under an empty name."""
MOST_MARKS: Final = 64
"""Homes of which it is known what they added last."""
Sums = dict[str, "Use"]


class Use:
    """A sum of tokens and money; changed in place.

    Args:
        tokens_in: those that models read, caches included.
        tokens_out: those that they wrote.
        tokens: all of them.
        cost_micro: millionths of the currency's unit; None where nothing has a price.
    """

    __slots__ = ("cost_micro", "tokens", "tokens_in", "tokens_out")

    def __init__(self, tokens_in: int = 0, tokens_out: int = 0, tokens: int = 0, cost_micro: int | None = None) -> None:
        self.tokens_in = tokens_in
        self.tokens_out = tokens_out
        self.tokens = tokens
        self.cost_micro = cost_micro

    def add(self, more: Use) -> None:
        """Add another sum to this one."""
        self.tokens_in += more.tokens_in
        self.tokens_out += more.tokens_out
        self.tokens += more.tokens
        if more.cost_micro is not None:
            self.cost_micro = (self.cost_micro or 0) + more.cost_micro


def use_of(usage: Usage) -> Use:
    """What a model call used.

    Args:
        usage: as its service counted it.
    """
    read = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    return Use(read, usage.output_tokens, usage.total, usage.cost_micro)


class UseDay:
    """One day's sums."""

    __slots__ = ("agents", "marks", "playbooks", "total")

    def __init__(self) -> None:
        self.total = Use()
        self.agents: Sums = {}
        self.playbooks: Sums = {}
        self.marks: dict[str, str] = {}
        """What each home added last, by its name: so nothing is added twice where it was not known whether it was
        kept."""

    def put(self, agent: str, playbook: str, use: Use) -> None:
        """Add what an agent used, for a playbook if its name is not empty."""
        self.total.add(use)
        _put(self.agents, agent, use)
        if playbook:
            _put(self.playbooks, playbook, use)

    def merge(self, more: UseDay, home: str, mark: str) -> bool:
        """Add what a home has to add, once.

        Args:
            more: it.
            home: the home's name.
            mark: names what is added; the same one is added once, if nothing else of that home comes in between.

        Returns:
            Whether it was not in here before.
        """
        if self.marks.get(home) == mark:
            return False
        self.marks.pop(home, None)
        self.marks[home] = mark
        while len(self.marks) > MOST_MARKS:
            del self.marks[next(iter(self.marks))]
        self.total.add(more.total)
        for name, use in more.agents.items():
            _put(self.agents, name, use)
        for name, use in more.playbooks.items():
            _put(self.playbooks, name, use)
        return True

    def to_bytes(self) -> bytes:
        """As it is kept."""
        kept: JsonObject = {
            "total": _kept(self.total),
            "agents": {name: _kept(use) for name, use in self.agents.items()},
            "playbooks": {name: _kept(use) for name, use in self.playbooks.items()},
            "marks": {**self.marks},
        }
        return json.dumps(kept, separators=(",", ":")).encode()


def read_day(value: bytes | None) -> UseDay:
    """A day as it was kept; an empty one for nothing.

    Raises:
        CorruptRecord: it is none.
    """
    day = UseDay()
    if value is None:
        return day
    try:
        kept: Json = json.loads(value)
    except ValueError as error:
        raise CorruptRecord(f"not what was used on a day: {error}") from None
    match kept:
        case {
            "total": list() as total,
            "agents": dict() as agents,
            "playbooks": dict() as plays,
            "marks": dict() as marks,
        }:
            day.total = _read(total)
            day.agents = {name: _read(use) for name, use in agents.items()}
            day.playbooks = {name: _read(use) for name, use in plays.items()}
            day.marks = {home: str(mark) for home, mark in marks.items()}
            return day
    raise CorruptRecord(f"not what was used on a day: {str(kept)[:200]!r}")


def most_first(sums: Mapping[str, Use]) -> list[tuple[str, Use]]:
    """Sums by name, whoever used most first."""
    return sorted(sums.items(), key=lambda one: (-one[1].tokens, one[0]))


def _put(sums: Sums, name: str, use: Use) -> None:
    known = name if name in sums or len(sums) < MOST_NAMES else ""
    sums.setdefault(known, Use()).add(use)


def _kept(use: Use) -> Json:
    return [use.tokens_in, use.tokens_out, use.tokens, use.cost_micro]


def _read(kept: Json) -> Use:
    match kept:
        case [int(tokens_in), int(tokens_out), int(tokens), int() | None as cost_micro]:
            return Use(tokens_in, tokens_out, tokens, cost_micro)
    raise CorruptRecord(f"not a sum of tokens: {str(kept)[:200]!r}")
