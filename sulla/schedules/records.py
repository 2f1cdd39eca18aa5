"""What happens to a schedule, and how it is kept. Pure.

All but `Moved` are offered by anyone, and what counts is decided by whoever folds them (`sulla.schedules.state`): so
any number of daemons may offer the same firing. A kind's name is stable for ever; a new field needs a default.
"""

from __future__ import annotations

import json
from typing import ClassVar, Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord
from sulla.core.jsontypes import JsonObject
from sulla.schedules.forms import from_json, to_json
from sulla.store.sealing import seal, unseal
from sulla.store.values import Draft, Record


@dataclass(frozen=True, slots=True)
class ScheduleSet:
    """The schedule is as it says from here on."""

    kind: ClassVar[str] = "SCHEDULE_SET"
    spec: JsonObject
    by: str
    """The name of the token that asked for it; ``settings`` for one that settings ask for."""
    at_ms: int


@dataclass(frozen=True, slots=True)
class SchedulePaused:
    """It fires no more until it is resumed."""

    kind: ClassVar[str] = "SCHEDULE_PAUSED"
    by: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class ScheduleResumed:
    """It fires again; what was due meanwhile is over."""

    kind: ClassVar[str] = "SCHEDULE_RESUMED"
    by: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class ScheduleDeleted:
    """It is no more."""

    kind: ClassVar[str] = "SCHEDULE_REMOVED"
    by: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Fired:
    """A time has come: what the schedule does is to be done for it."""

    kind: ClassVar[str] = "SCHEDULE_FIRED"
    slot: str
    """Its name, the same in every daemon."""
    at_ms: int
    revision: int
    """Of the schedule that it is a time of."""
    first_ms: int = 0
    """The first of the times that this settles, UTC milliseconds."""
    upto_ms: int = 0
    """Up to which time nothing else is due any more."""
    due_ms: int = 0
    missed: int = 0
    """How many times were missed that this one makes up for."""
    asked_by: str = ""
    """Who asked for it, where it is none of the schedule's own times."""


@dataclass(frozen=True, slots=True)
class Missed:
    """No daemon ran when it was due, and it is not made up for."""

    kind: ClassVar[str] = "SCHEDULE_MISSED"
    first_ms: int
    upto_ms: int
    count: int
    at_ms: int
    revision: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """A time was passed over."""

    kind: ClassVar[str] = "SCHEDULE_SKIPPED"
    slot: str
    first_ms: int
    upto_ms: int
    why: str
    at_ms: int
    revision: int


@dataclass(frozen=True, slots=True)
class Rewound:
    """The clock was far ahead when this schedule fired last: it would stay silent until that time comes."""

    kind: ClassVar[str] = "SCHEDULE_REWOUND"
    from_ms: int
    to_ms: int


@dataclass(frozen=True, slots=True)
class Delivered:
    """What a firing does was begun."""

    kind: ClassVar[str] = "SCHEDULE_DELIVERED"
    slot: str
    at_ms: int
    thread_id: str = ""
    run_id: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """It could not be begun, or ended badly."""

    kind: ClassVar[str] = "SCHEDULE_FAILED"
    slot: str
    at_ms: int
    why: str
    begun: bool = False
    """Whether it was begun."""


@dataclass(frozen=True, slots=True)
class Succeeded:
    """What was begun ended well."""

    kind: ClassVar[str] = "SCHEDULE_SUCCEEDED"
    slot: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The playbook that was begun has ended. It puts no next time off: what follows a failure the playbook says."""

    kind: ClassVar[str] = "SCHEDULE_ENDED"
    slot: str
    at_ms: int
    how: str
    """`succeeded`, `failed`, `cancelled`, or `skipped` where there was no place for it."""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Moved:
    """The log ends here; it goes on in one with the next number."""

    kind: ClassVar[str] = "SCHEDULE_MOVED"


@dataclass(frozen=True, slots=True)
class LogStarted:
    """What the log before this one came to."""

    kind: ClassVar[str] = "SCHEDULE_BEGUN"
    state: JsonObject


SlotFact = Fired | Missed | Skipped
Fact = (
    ScheduleSet | SchedulePaused | ScheduleResumed | ScheduleDeleted
    | SlotFact | Rewound | Delivered | Failed | Succeeded | Ended | Moved | LogStarted
)  # fmt: skip

_FACTS: Final[dict[str, type[Fact]]] = {
    fact.kind: fact
    for fact in (
        *(ScheduleSet, SchedulePaused, ScheduleResumed, ScheduleDeleted, Fired, Missed, Skipped, Rewound, Delivered),
        *(Failed, Succeeded, Ended, Moved, LogStarted),
    )
}


def encode(fact: Fact) -> Draft:
    """A fact as a record to be kept."""
    return Draft(fact.kind, seal(fact.kind, json.dumps(to_json(fact), separators=(",", ":")).encode()))


def decode(record: Record, key: str) -> Fact:
    """The fact of a record.

    Args:
        record: the record.
        key: its log.

    Raises:
        CorruptRecord: it is damaged, or of a kind that only a later version knows.
    """
    where = f"{key} record {record.seq} ({record.kind})"
    payload = unseal(record.kind, record.body, where)
    if record.kind not in _FACTS:
        raise CorruptRecord(f"{where}: not what this version writes")
    try:
        value = json.loads(payload)
    except ValueError as error:
        raise CorruptRecord(f"{where}: {error}") from None
    return from_json(_FACTS[record.kind], value, where)
