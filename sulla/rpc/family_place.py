"""How far somebody has been told of a thread and of those that it has set to work. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from sulla.core.errors import InvalidInput
from sulla.rpc.form import ID_PATTERN, MOST_SEQ
from sulla.rpc.limits import ID_CHARS

CHILD_STARTED: Final = "CHILD_STARTED"
MOST_NAMED: Final = 64
"""Sub-agents that a place in text form names: as many as a request may."""
_REPORTED: Final = "CHILD_REPORTED"
_ENDS: Final = frozenset({"RUN_FINISHED", "RUN_ERROR"})
_NUMBER: Final = re.compile("[0-9]{1,16}", re.ASCII)
_ID: Final = ID_PATTERN.strip("^$")
PLACE_PATTERN: Final = f"^[0-9]{{1,15}}(,{_ID}=[0-9]{{1,15}}){{0,{MOST_NAMED}}}$"
"""The texts that `FamilyPlace.text` gives, for documents: it allows no number that is too large."""


class FamilyPlace:
    """The last number that somebody has of a thread, and of each of its sub-agents that is not done with: from there
    they can be told the rest, once. It lives as long as they are told.

    A sub-agent is done with when it has reported and nothing of it is open. One that waits for a person may have
    reported that, and goes on when it has an answer.

    Args:
        thread_id: the thread.
        after: its last number that they have.
        children: the same by the threads of sub-agents, and of theirs.
    """

    __slots__ = ("_open", "_reported", "after", "children", "thread_id")

    def __init__(self, thread_id: str, after: int = 0, children: Mapping[str, int] | None = None) -> None:
        self.thread_id = thread_id
        self.after = after
        self.children = dict(children or {})
        self._open: set[str] = set()
        self._reported: set[str] = set()

    def take(self, thread_id: str, seq: int, type_: str, data: Mapping[str, object]) -> None:
        """Somebody is told of a kept event; what is no event of the family changes nothing.

        Args:
            thread_id: whose it is.
            seq: its number.
            type_: what happened.
            data: the rest.
        """
        if thread_id == self.thread_id:
            self.after = max(self.after, seq)
        elif thread_id in self.children:
            self.children[thread_id] = max(self.children[thread_id], seq)
            self.recall(thread_id, type_)
        else:
            return
        child = data.get("thread_id") if type_ == CHILD_STARTED else None
        if isinstance(child, str) and child != self.thread_id:
            self.children.setdefault(child, 0)

    def recall(self, thread_id: str, type_: str) -> None:
        """Learn from an event of a sub-agent that they have already.

        Args:
            thread_id: the sub-agent's.
            type_: what happened.
        """
        if type_ == "SUSPENDED":
            self._open.add(thread_id)
        elif type_ in _ENDS:
            self._open.discard(thread_id)
        elif type_ == _REPORTED:
            self._reported.add(thread_id)
        if thread_id in self._reported and thread_id not in self._open:
            self.forget(thread_id)

    def forget(self, thread_id: str) -> None:
        """Nothing more is told of a sub-agent.

        Args:
            thread_id: it.
        """
        self.children.pop(thread_id, None)
        self._open.discard(thread_id)
        self._reported.discard(thread_id)

    @property
    def text(self) -> str:
        """The place in a line, for clients that hold nothing but a text, e.g. ``12,thr_51c0=7``.
        It names `MOST_NAMED` sub-agents at the most, those first of which most is known.
        """
        named = sorted(self.children.items(), key=lambda one: -one[1])[:MOST_NAMED]
        return ",".join([str(self.after), *(f"{thread_id}={seq}" for thread_id, seq in named)])


def place_of_text(thread_id: str, text: str) -> FamilyPlace:
    """Read a place back.

    Args:
        thread_id: the thread that it is in.
        text: as `FamilyPlace.text` gave it; a number alone is a place without sub-agents. Of one that is named twice
            the last number counts.

    Raises:
        InvalidInput: it is no such text.
    """
    after, *named = text.split(",")
    children = {child: seq for child, _, seq in (one.rpartition("=") for one in named)}
    good = all(map(_is_seq, (after, *children.values()))) and len(named) <= MOST_NAMED
    if not good or not all(len(one) <= ID_CHARS and re.fullmatch(ID_PATTERN, one) for one in children):
        raise InvalidInput(f"got {text[:40]!r}, expected the number of an event, or the id that a stream gave it")
    return FamilyPlace(thread_id, int(after), {child: int(seq) for child, seq in children.items()})


def _is_seq(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None and int(text) <= MOST_SEQ
