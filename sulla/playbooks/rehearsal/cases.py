"""The tests of a playbook: what its steps come to in each case, and what has to come of it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Final, Literal

from sulla.agent.spec import SULLA
from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import FrozenJson, Json
from sulla.playbooks.definition import AgentStep, PlaybookStep, RespondStep, ToolStep
from sulla.playbooks.rehearsal.base import BEGINS_MS, RehearsedAnswer, RehearsedAsk, kind_of_step

What = Literal["status", "reason", "outputs", "path", "skipped", "failed", "calls", "told", "took"]
"""What can be expected."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """What a step, a tool or an agent comes to."""

    line: int
    entries: tuple[RehearsedAnswer, ...]
    each: bool
    """Whether each entry stands for one attempt or pass, and there are no more; else one stands for all."""


@dataclass(frozen=True, slots=True)
class ExpectedOutcome:
    """One thing that is expected."""

    what: What
    value: Json
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Case:
    """One test."""

    name: str
    line: int
    column: int
    inputs: FrozenJson = field(default_factory=dict)
    trigger: str = "manual"
    payload: Json = None
    request: FrozenJson = field(default_factory=dict)
    """The ``headers`` and the ``query`` of a webhook's message."""
    at_ms: int = BEGINS_MS
    fixtures: Mapping[str, Fixture] = field(default_factory=dict)
    """By step, ``tool:<name>`` or ``agent:<id>``."""
    expect: tuple[ExpectedOutcome, ...] = ()


_ADDRESS: Final = re.compile(r"(?:\w+(?:@\d+(?:\.\d+)*)?/)*\w+(?:@\d+(?:\.\d+)*)?", re.ASCII)

FOR_TOOL: Final = "tool:"
FOR_AGENT: Final = "agent:"


class Fixtures:
    """Says what steps come to, as a case does. For one rehearsal.

    Args:
        fixtures: of the case.
    """

    def __init__(self, fixtures: Mapping[str, Fixture]) -> None:
        self._fixtures = fixtures
        self._taken: dict[str, int] = {}

    def answer(self, ask: RehearsedAsk) -> RehearsedAnswer | None:
        """What a step comes to: its own fixture's, else that of its tool or agent.

        Raises:
            InvalidInput: there is none, or no further entry of it.
        """
        does = ask.step.does
        for key in keys_of(ask):
            fixture = self._fixtures.get(key)
            if fixture is not None:
                return self._next(key, fixture, ask)
        if isinstance(does, PlaybookStep):
            return None
        if isinstance(does, RespondStep):
            return RehearsedAnswer(ask.given.get("text"))
        *others, last = [repr(key) for key in dict.fromkeys(keys_of(ask)) if "@" not in key]
        named = f"{', '.join(others)} or {last}" if others else last
        raise InvalidInput(
            f"the step {ask.at!r} ({kind_of_step(ask.step)}) has no fixture: say under `fixtures` what it comes to,"
            f" as {named}"
        )

    def _next(self, key: str, fixture: Fixture, ask: RehearsedAsk) -> RehearsedAnswer:
        number = self._taken.get(key, 0)
        self._taken[key] = number + 1
        if not fixture.each:
            return fixture.entries[0]
        if number >= len(fixture.entries):
            raise InvalidInput(
                f"the fixture {key!r} in line {fixture.line} has {len(fixture.entries)} entries,"
                f" and {ask.at!r} asks for another one"
            )
        return fixture.entries[number]


def keys_of(ask: RehearsedAsk) -> tuple[str, ...]:
    """What a step's fixture may be called, the first that there is counts."""
    match ask.step.does:
        case ToolStep(tool):
            return ask.at, ask.place, FOR_TOOL + tool
        case AgentStep(agent=agent):
            return ask.at, ask.place, FOR_AGENT + (agent or SULLA.id)
    return ask.at, ask.place


def split_route(word: str) -> tuple[str, str]:
    """``kind@2.sales`` as the step's address and the way that it went; the way is empty where none is named."""
    found = _ADDRESS.match(word)
    if found is None:
        return word, ""
    rest = word[found.end() :]
    return (found[0], rest[1:]) if rest.startswith(".") else (word, "")
