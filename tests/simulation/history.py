"""What a stretch of time left behind (logs, ledgers, what clients were told), and every promise that it breaks. Pure.

`breaches` knows nothing of how the history came about: kill tests, the simulation and a test's own few records all ask
it. It reads the log on its own terms and uses nothing of the fold that wrote it, so that the two check each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sulla.threads.log.codec import Entry
from sulla.threads.log.usage import Usage
from tests.simulation.history_family import FamilyReading, check_families
from tests.simulation.history_ledgers import (
    Asked,
    Effect,
    Leased,
    Leasing,
    Wrote,
    check_asked,
    check_effects,
    check_leases,
)
from tests.simulation.history_log import read_log
from tests.simulation.history_play import PlayLog, check_plays
from tests.simulation.history_reading import Breach, LogReading

__all__ = [
    "Acknowledged",
    "Asked",
    "Breach",
    "Effect",
    "History",
    "Kept",
    "Leased",
    "Leasing",
    "Seen",
    "ThreadHistory",
    "Wrote",
    "breaches",
]


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """A message that a client was told is kept."""

    message_id: str
    run_id: str
    seq: int | None = None
    """Its number, if the client was told."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What one client was shown of a thread, over any number of connections."""

    events: tuple[tuple[int, str], ...]
    """Number and kind, in the order in which they came."""
    after: int = 0
    """It had all up to here."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What the thread's head says was used; it is as old as the newest decision."""

    usage: Usage
    """Of all runs that have ended, and of summaries."""
    day: int
    """UTC days since 1970."""
    day_tokens: int
    """Charged on that day."""


@dataclass(frozen=True, slots=True)
class ThreadHistory:
    """One thread; what nobody wrote down is left empty, and proves nothing."""

    thread_id: str
    log: tuple[Entry, ...]
    acknowledged: tuple[Acknowledged, ...] = ()
    earlier: tuple[tuple[Entry, ...], ...] = ()
    """The log as it was read at earlier times."""
    leases: tuple[Leasing, ...] = ()
    """Grants and writes, in the order in which the store carried them out."""
    seen: tuple[Seen, ...] = ()
    kept: Kept | None = None


@dataclass(frozen=True, slots=True)
class History:
    """Everything."""

    threads: tuple[ThreadHistory, ...]
    effects: tuple[Effect, ...] = ()
    """What tools did, in order."""
    asked: tuple[Asked, ...] | None = None
    """What models were asked, in order; None if nobody wrote it down."""
    at_rest: bool = True
    """Whether everybody has had the time to finish what there is to do."""


def breaches(history: History) -> list[Breach]:
    """Every promise that the history breaks, each with its thread, its record and what was expected.

    Returns:
        Nothing if all held.
    """
    found: list[Breach] = []
    readings: list[LogReading] = []
    families: list[FamilyReading] = []
    plays: list[PlayLog] = []
    for thread in history.threads:
        reading, family, play = read_log(thread.thread_id, thread.log, at_rest=history.at_rest)
        readings.append(reading)
        families.append(family)
        plays.append(play)
        found += reading.breaches
        for check in _OF_A_THREAD:
            found += check(thread, reading)
    found += check_families(families)
    found += check_plays(plays)
    found += check_effects(history.effects, readings)
    if history.asked is not None:
        found += check_asked(history.asked, readings)
    return found


def _acknowledged(thread: ThreadHistory, reading: LogReading) -> Iterator[Breach]:
    """What a client was told is kept is kept, as it was told; that it is answered once is read off the log."""
    for told in thread.acknowledged:
        seq = reading.messages.get(told.message_id)
        if seq is None:
            expected = f"message {told.message_id}, which was acknowledged"
            yield Breach(thread.thread_id, told.seq, "acknowledged", expected, "no such record")
            continue
        if told.seq not in (None, seq):
            expected = f"message {told.message_id} at {told.seq}, as its sender was told"
            yield Breach(thread.thread_id, seq, "acknowledged", expected, f"it at {seq}")
        run_id = reading.runs.get(seq)
        if run_id != told.run_id:
            expected = f"run {told.run_id} for message {told.message_id}, as its sender was told"
            yield Breach(thread.thread_id, seq, "acknowledged", expected, f"run {run_id}")


def _unchanged(thread: ThreadHistory, reading: LogReading) -> Iterator[Breach]:
    """What was in the log once is there for ever, unaltered."""
    for earlier in thread.earlier:
        for place, before in enumerate(earlier):
            now = thread.log[place] if place < len(thread.log) else None
            if now != before:
                found = "nothing" if now is None else f"{now.seq} {now.kind} {dict(now.data)}"
                expected = f"{before.seq} {before.kind} {dict(before.data)}, as it was read before"
                yield Breach(thread.thread_id, before.seq, "unchanged", expected, found)
                break


def _seen(thread: ThreadHistory, reading: LogReading) -> Iterator[Breach]:
    """A client was shown each record once, in order, as it is in the log."""
    for seen in thread.seen:
        kept = [(entry.seq, entry.kind) for entry in thread.log if entry.seq > seen.after]
        for place, event in enumerate(seen.events):
            expected = kept[place] if place < len(kept) else None
            if event != expected:
                wanted = f"event {place + 1} of a client that had all up to {seen.after} to be {expected}"
                yield Breach(thread.thread_id, event[0], "seen", wanted, str(event))
                break


def _accounts(thread: ThreadHistory, reading: LogReading) -> Iterator[Breach]:
    """The head counts what the records say."""
    if thread.kept is None:
        return
    sums = reading.sums
    for name, expected, found in (
        ("usage", sums.usage, thread.kept.usage),
        ("day", sums.day, thread.kept.day),
        ("day_tokens", sums.day_tokens, thread.kept.day_tokens),
    ):
        if expected != found:
            yield Breach(
                thread.thread_id, None, "accounts", f"{name} of the head {expected}, as the log says", str(found)
            )


def _leases(thread: ThreadHistory, reading: LogReading) -> Iterator[Breach]:
    return check_leases(thread.thread_id, thread.log, thread.leases)


_OF_A_THREAD: tuple[Callable[[ThreadHistory, LogReading], Iterator[Breach]], ...] = (
    _acknowledged,
    _unchanged,
    _seen,
    _accounts,
    _leases,
)
