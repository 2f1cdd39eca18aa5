"""What people are told beside the answers, and who has seen it: the facts, and what they add up to. Pure.

Each day has a log of its own, so that what is too old goes with its log, and nothing else has to be looked through.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import ClassVar, Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord
from sulla.core.ids import derived_id
from sulla.core.stamp import stamp
from sulla.core.units import DAY_MS
from sulla.store.sealing import seal, unseal
from sulla.store.values import Draft, Head, Record

KIND: Final = "notices"
HEAD: Final = Head(KIND)
"""Never due and never open, so that nobody looks for work in it."""
_BEFORE: Final = f"{KIND}:"
KEPT_DAYS: Final = 30
"""How long a notice is kept, seen or not."""
MOST_A_DAY: Final = 200
"""Notices of one day; an agent that has more to say has to say it in its summary."""
FOR_ALARMS: Final = 50
"""So many of those are kept for urgent ones: whatever else is told all day, an alarm is heard."""
MOST_OF_PLAYBOOKS: Final = 100
"""So many playbooks may tell by themselves that are not urgent, all together: the rest is for agents and schedules."""

Urgency = Literal["low", "normal", "high"]
_URGENCY: Final[Mapping[str, Urgency]] = {"low": "low", "normal": "normal", "high": "high"}


@dataclass(frozen=True, slots=True)
class NoticeKept:
    """Somebody has something to tell people."""

    kind: ClassVar[str] = "NOTICE_KEPT"
    id: str
    thread_id: str
    run_id: str
    agent: str
    """Whose it is; empty for the daemon's own."""
    text: str
    urgency: Urgency
    tainted: bool
    """Whether it may have been made from what nobody trusts."""
    at_ms: int


@dataclass(frozen=True, slots=True)
class NoticeRead:
    """Somebody has seen it."""

    kind: ClassVar[str] = "NOTICE_SEEN"
    id: str
    by: str
    """The name of their token."""
    at_ms: int


@dataclass(frozen=True, slots=True)
class NoticesForgotten:
    """The conversation is gone that they were about: they are shown no more."""

    kind: ClassVar[str] = "NOTICES_FORGOTTEN"
    thread_id: str
    at_ms: int


Fact = NoticeKept | NoticeRead | NoticesForgotten


@dataclass(frozen=True, slots=True)
class NoticeInfo:
    """One notice, as it is now."""

    id: str
    thread_id: str
    run_id: str
    agent: str
    text: str
    urgency: Urgency
    tainted: bool
    at_ms: int
    number: int
    """Its place among all that this daemon has read: later ones have higher ones."""
    day: str
    """The log that it is in."""
    seen: Mapping[str, int]
    """When each person saw it, UTC milliseconds."""


def notice_id(thread_id: str, call_key: str) -> str:
    """The id of what a call tells: the same, however often the call is made.

    Args:
        thread_id: where it is told.
        call_key: the call.
    """
    return derived_id("ntc", thread_id, call_key)


def key_of(at_ms: int) -> str:
    """The log of a day, by UTC."""
    return _BEFORE + stamp(at_ms)[:10]


def is_over(key: str, now_ms: int) -> bool:
    """Whether a day's log is too old."""
    return key < key_of(now_ms - KEPT_DAYS * DAY_MS)


_TIMES: Final = re.compile(
    r"\b\d{4}-\d{1,2}-\d{1,2}(?:[t ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?z?)?\b"
    r"|\b\d{1,2}[./]\d{1,2}[./](?:\d{4}|\d{2})\b"
    r"|\b\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?: ?[ap]m\b|\b)"
)


def sameness(text: str) -> str:
    """What of a text says the same: its letters, without case, blanks, and the dates and times in it.

    Args:
        text: what is told.
    """
    return _TIMES.sub("#", " ".join(text.casefold().split()))


class NoticeFold:
    """The notices that the logs add up to. The same records give the same in every daemon, but for the numbers."""

    def __init__(self) -> None:
        self._days: dict[str, dict[str, NoticeInfo]] = {}
        self._read: dict[str, int] = {}
        self._number = 0

    def read(self, key: str) -> int:
        """The number of the last record of a log that is in the book."""
        return self._read.get(key, 0)

    def apply(self, key: str, seq: int, fact: Fact) -> None:
        """Take one more record of a log in; records of one log come in order."""
        self._read[key] = seq
        day = self._days.setdefault(key, {})
        match fact:
            case NoticeKept():
                if fact.id not in day and len(day) < MOST_A_DAY:
                    self._number += 1
                    given = {name: getattr(fact, name) for name in fact.__slots__}
                    day[fact.id] = NoticeInfo(**given, number=self._number, day=key, seen={})
            case NoticeRead():
                if (known := day.get(fact.id)) is not None and fact.by not in known.seen:
                    day[fact.id] = replace(known, seen={**known.seen, fact.by: fact.at_ms})
            case NoticesForgotten():
                for gone in [one for one in day.values() if one.thread_id == fact.thread_id]:
                    day[gone.id] = replace(gone, text="")

    def drop(self, key: str) -> None:
        """A log is gone."""
        self._days.pop(key, None)
        self._read.pop(key, None)

    @property
    def keys(self) -> frozenset[str]:
        """The logs that are in it."""
        return frozenset(self._read)

    def most(self, key: str, note: NoticeKept) -> int:
        """How many of a notice's kind a day may hold, if it has no room for this one; 0 if it has.

        Args:
            key: the day's log.
            note: what is to be told.
        """
        day = self._days.get(key, {}).values()
        if len(day) >= MOST_A_DAY:
            return MOST_A_DAY
        calm = [one for one in day if one.urgency != "high"]
        if note.urgency == "high":
            return 0
        if len(calm) >= MOST_A_DAY - FOR_ALARMS:
            return MOST_A_DAY - FOR_ALARMS
        if not note.agent and sum(not one.agent for one in calm) >= MOST_OF_PLAYBOOKS:
            return MOST_OF_PLAYBOOKS
        return 0

    def get(self, id_: str) -> NoticeInfo | None:
        """The notice of that id."""
        return next((day[id_] for day in self._days.values() if id_ in day and day[id_].text), None)

    def all(self) -> list[NoticeInfo]:
        """All that there are, the newest first."""
        return sorted(self._shown(), key=lambda one: (one.at_ms, one.id), reverse=True)

    def unseen(self, by: str = "", after: int = 0) -> list[NoticeInfo]:
        """What somebody has not seen, the oldest first.

        Args:
            by: the name of their token; empty for what nobody has seen.
            after: only those with a higher number.
        """
        found = (one for one in self._shown() if one.number > after and (by not in one.seen if by else not one.seen))
        return sorted(found, key=lambda one: one.number)

    def _shown(self) -> Iterator[NoticeInfo]:
        return (one for day in self._days.values() for one in day.values() if one.text)


# ------------------------------------------------------------------------------------------------------------ keeping


def encode(fact: Fact) -> Draft:
    """A fact as a record to be kept."""
    return Draft(fact.kind, seal(fact.kind, json.dumps(asdict(fact), separators=(",", ":")).encode()))


def decode(record: Record, key: str) -> Fact:
    """The fact of a record.

    Raises:
        CorruptRecord: it is damaged, or of a kind that only a later version knows.
    """
    where = f"{key} record {record.seq} ({record.kind})"
    payload = unseal(record.kind, record.body, where)
    try:
        value = json.loads(payload)
        if (read := _READ.get(record.kind)) is not None and (fact := read(value)) is not None:
            return fact
    except ValueError as error:
        raise CorruptRecord(f"{where}: {error}") from None
    raise CorruptRecord(f"{where}: not what this version writes")


def _kept(value: object) -> Fact | None:
    match value:
        case {
            "id": str(id_),
            "thread_id": str(thread_id),
            "run_id": str(run_id),
            "agent": str(agent),
            "text": str(text),
            "urgency": str(urgency),
            "tainted": bool(tainted),
            "at_ms": int(at_ms),
        } if urgency in _URGENCY:
            return NoticeKept(id_, thread_id, run_id, agent, text, _URGENCY[urgency], tainted, at_ms)
    return None


def _seen(value: object) -> Fact | None:
    match value:
        case {"id": str(id_), "by": str(by), "at_ms": int(at_ms)}:
            return NoticeRead(id_, by, at_ms)
    return None


def _forgotten(value: object) -> Fact | None:
    match value:
        case {"thread_id": str(thread_id), "at_ms": int(at_ms)}:
            return NoticesForgotten(thread_id, at_ms)
    return None


_READ: Final[Mapping[str, Callable[[object], Fact | None]]] = {
    NoticeKept.kind: _kept,
    NoticeRead.kind: _seen,
    NoticesForgotten.kind: _forgotten,
}
