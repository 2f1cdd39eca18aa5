"""Which of a playbook's runs go on, and which wait for others to end (`concurrency`). Pure.

Runs that count together share a *lane*: those that go on, and behind them those that wait, the oldest first. A lane is
one value that all daemons on a store see. It is only ever replaced by one that was decided on the value before, so two
runs never take the same place.
"""

from __future__ import annotations

import json
from typing import Final, Literal, NamedTuple

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord
from sulla.core.jsontypes import Json
from sulla.playbooks.definition import Concurrency

MOST_IN_LANE: Final = 1_000
"""Runs that a lane holds: whatever comes when there are as many is skipped."""

SKIPPED: Final = "skipped: "
"""How it begins why a run has ended for which there was no place."""
REPLACED: Final = "a newer run of this playbook took its place"
"""What a run is told that makes room for another one."""


class LanePlace(NamedTuple):
    """One run in a lane."""

    run: str
    """The run's thread."""
    turn: str
    """The thread's run that walks it: one that was resumed comes anew."""
    since_ms: int
    """When it was to begin, UTC milliseconds."""
    goes: bool = False
    """Whether it goes on; else it waits."""


Lane = tuple[LanePlace, ...]


@dataclass(frozen=True, slots=True)
class LaneVerdict:
    """What becomes of a run."""

    lane: Lane
    """The lane from now on."""
    what: Literal["go", "wait", "skip"]
    behind: tuple[str, ...] = ()
    """The runs that it waits for, or that there was no place beside; the first is to end first."""
    cancels: tuple[str, ...] = ()
    """The runs that are to be cancelled for it."""


def ahead(lane: Lane, me: LanePlace) -> list[LanePlace]:
    """Those that come before a run: all that go on, then those that wait for longer.

    Args:
        lane: the lane.
        me: the run, whether it is in there or not.
    """
    others = sorted(place for place in lane if place.run != me.run)
    going = sorted((place for place in others if place.goes), key=_age)
    return [*going, *sorted((place for place in others if not place.goes and _age(place) < _age(me)), key=_age)]


def decided(lane: Lane, me: LanePlace, wanted: Concurrency, *, may_skip: bool = True) -> LaneVerdict:
    """What becomes of a run that is to begin. Asked again it is told the same, until one before it has left.

    Args:
        lane: the lane, without runs that are over.
        me: the run.
        wanted: what its playbook says.
        may_skip: whether it may be told to end; else it waits: a run that a person has resumed.
    """
    known = next((place for place in lane if (place.run, place.turn) == (me.run, me.turn)), None)
    others = tuple(place for place in lane if place.run != me.run)
    if known is not None and known.goes:
        return LaneVerdict(lane, "go")
    before = ahead(lane, me)
    if len(before) < wanted.limit:
        return LaneVerdict((*others, me._replace(goes=True)), "go")
    behind = tuple(place.run for place in before)
    may_skip = may_skip and wanted.when_full == "skip"
    if known is None and (may_skip or len(others) >= MOST_IN_LANE):
        return LaneVerdict(others, "skip", behind)
    # Said at each look: whoever decided it may have been killed before anybody was told.
    oldest = sorted(before, key=_age)[: len(before) - wanted.limit + 1] if wanted.when_full == "cancel_old" else []
    return LaneVerdict((*others, me._replace(goes=False)), "wait", behind, tuple(place.run for place in oldest))


def without(lane: Lane, run: str, turn: str) -> Lane:
    """A lane that a run has left.

    Args:
        lane: the lane.
        run: the run's thread.
        turn: the thread's run.
    """
    return tuple(place for place in lane if (place.run, place.turn) != (run, turn))


def waiting(lane: Lane) -> list[LanePlace]:
    """Those that wait, in the order in which they may go."""
    return sorted((place for place in lane if not place.goes), key=_age)


def lane_key(playbook: str, value: Json) -> str:
    """What runs have in common that count together.

    Args:
        playbook: its name.
        value: what `key` comes to; None where there is none.
    """
    return json.dumps([playbook, value], sort_keys=True, ensure_ascii=False)


def kept(lane: Lane) -> bytes:
    """A lane as it is kept."""
    return json.dumps([list(place) for place in lane]).encode()


def read_lane(value: bytes | None) -> Lane:
    """The lane that was kept.

    Raises:
        CorruptRecord: it is none.
    """
    try:
        rows = json.loads(value or b"[]")
        return tuple(LanePlace(str(run), str(turn), int(since_ms), bool(goes)) for run, turn, since_ms, goes in rows)
    except (ValueError, TypeError) as wrong:
        raise CorruptRecord(f"a lane of runs cannot be read ({wrong}): {value!r:.80}") from None


def _age(place: LanePlace) -> tuple[int, str]:
    return place.since_ms, place.run
