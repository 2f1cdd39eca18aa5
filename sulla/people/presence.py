"""Which people are there, and when they last did something: what each daemon says of it, put together. Pure.

That a client is connected, and that its person did something, are two things, and the second never follows from the
first: a window that is left open says nothing about who sits before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, field
from typing import Final

from sulla.core.dataclass import dataclass

HERE_S: Final = 30.0
"""How long what a daemon says holds, in seconds: so soon a daemon that was killed takes its clients with it."""
KEPT_S: Final = 90 * 86_400.0
"""How long it is known when somebody was last active, in seconds."""

MOST_CLIENTS: Final = 64
"""People at clients that one daemon tells of, those that were active last."""
MOST_DAEMONS: Final = 64
MOST_PEOPLE: Final = 64
"""People whose last activity is known, those that were active last."""
MOST_ACTIVITY: Final = 80
"""Characters of what somebody says to be doing."""


@dataclass(frozen=True, slots=True)
class Attendance:
    """One person at one kind of client, as one daemon sees them."""

    person: str
    """The name of their token."""
    client: str
    """What the client calls itself."""
    connected: int = 0
    """How many such clients are connected."""
    active_ms: int = 0
    """When they last did something there, UTC milliseconds; 0 for never."""
    available: bool = True
    """Whether they may be disturbed, as far as they say."""
    activity: str = ""
    """What they say to be doing."""


@dataclass(frozen=True, slots=True)
class DaemonPresence:
    """The people that one daemon sees, and until when that holds."""

    until_ms: int
    """When it holds no more, UTC milliseconds."""
    there: tuple[Attendance, ...]


@dataclass(frozen=True, slots=True)
class PresenceTable:
    """What all daemons on a store see, and who was there before."""

    said: Mapping[str, DaemonPresence] = field(default_factory=dict)
    """By the daemon: ``<home id>:<boot nonce>``."""
    before: tuple[Attendance, ...] = ()
    """When each person was last active, wherever that was."""


@dataclass(frozen=True, slots=True)
class PersonInfo:
    """One person, as all daemons know them."""

    name: str
    clients: tuple[str, ...]
    """What they are connected with; empty if they are not."""
    active_ms: int
    """When they last did something, UTC milliseconds; 0 if that is not known."""
    client: str
    """Where that was; empty if it is not known."""
    available: bool = True
    activity: str = ""

    def idle_s(self, now_ms: int) -> float | None:
        """For how long they have done nothing, in seconds; None if they never did anything.

        Args:
            now_ms: UTC milliseconds.
        """
        return max(0, now_ms - self.active_ms) / 1000 if self.active_ms else None


def merged(known: PresenceTable, daemon: str, rows: Iterable[Attendance], now_ms: int) -> PresenceTable:
    """What is known once a daemon has said what it sees.

    Args:
        known: what was known.
        daemon: who says it, ``<home id>:<boot nonce>``; earlier boots of the same home say nothing any more.
        rows: what it sees: who is connected, and who was active.
        now_ms: UTC milliseconds.
    """
    home = daemon.partition(":")[0]
    said = {
        name: one
        for name, one in known.said.items()
        if name.partition(":")[0] != home and now_ms < one.until_ms <= now_ms + 2 * HERE_S * 1000
    }
    here = sorted(rows, key=_latest)
    connected = tuple(row for row in here if row.connected)[:MOST_CLIENTS]
    newest: dict[str, Attendance] = {}
    old = (row for one in known.said.values() for row in one.there)
    for row in sorted((*here, *old, *known.before), key=_latest):
        if row.active_ms and now_ms - row.active_ms < KEPT_S * 1000:
            newest.setdefault(row.person, Attendance(row.person, row.client, 0, row.active_ms))
    told = sorted(said.items(), key=lambda item: -item[1].until_ms)[: MOST_DAEMONS - 1]
    if connected:
        told.append((daemon, DaemonPresence(now_ms + round(HERE_S * 1000), connected)))
    return PresenceTable(dict(told), tuple(newest.values())[:MOST_PEOPLE])


def people(known: PresenceTable, now_ms: int) -> tuple[PersonInfo, ...]:
    """Everybody who is there or was, who was active last first.

    Args:
        known: what is known.
        now_ms: UTC milliseconds.
    """
    there = [row for one in known.said.values() if now_ms < one.until_ms for row in one.there]
    rows: dict[str, list[Attendance]] = {}
    for row in sorted((*there, *known.before), key=_latest):
        rows.setdefault(row.person, []).append(row)
    return tuple(_person(name, found) for name, found in rows.items())


def _person(name: str, rows: list[Attendance]) -> PersonInfo:
    """Rows come with the latest activity first."""
    connected = [row for row in rows if row.connected]
    last, says = rows[0], (connected or rows)[0]
    clients = tuple(dict.fromkeys(row.client for row in connected))
    client = last.client if last.active_ms else ""
    return PersonInfo(name, clients, last.active_ms, client, says.available, says.activity)


def _latest(row: Attendance) -> tuple[int, bool, str, str]:
    return -row.active_ms, not row.connected, row.person, row.client


# ------------------------------------------------------------------------------------------------------------ keeping


def encode(known: PresenceTable) -> bytes:
    """What is known, to be kept."""
    said = {name: [one.until_ms, [asdict(row) for row in one.there]] for name, one in known.said.items()}
    return json.dumps({"said": said, "before": [asdict(row) for row in known.before]}, separators=(",", ":")).encode()


def decode(value: bytes) -> PresenceTable:
    """The inverse of `encode`.

    Raises:
        ValueError: it did not write this.
    """
    match json.loads(value):
        case {"said": dict(said), "before": list(before)}:
            return PresenceTable({str(name): _said(one) for name, one in said.items()}, tuple(map(_row, before)))
    raise ValueError("not what this version writes")


def _said(value: object) -> DaemonPresence:
    match value:
        case [int(until_ms), list(rows)]:
            return DaemonPresence(until_ms, tuple(map(_row, rows)))
    raise ValueError("not what this version writes")


def _row(value: object) -> Attendance:
    match value:
        case {
            "person": str(person),
            "client": str(client),
            "connected": int(connected),
            "active_ms": int(active_ms),
            "available": bool(available),
            "activity": str(activity),
        }:
            return Attendance(person, client, connected, active_ms, available, activity)
    raise ValueError("not what this version writes")
