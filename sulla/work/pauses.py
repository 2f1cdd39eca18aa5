"""The log of the kill switch: what people have asked for, as records. Pure.

The newest record says how it stands, so nothing has to be added up, and a record that cannot be read is outlived by the
next one.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord, InvalidInput
from sulla.core.jsontypes import JsonObject
from sulla.core.stamp import stamp
from sulla.store.sealing import seal, unseal
from sulla.store.values import Draft, Head, Record

KEY: Final = "system:switch"
"""The log. No thread can be called so: a client's ids have no colon."""
HEAD: Final = Head("switch")
"""Never due and never open, so that nobody looks for work in it."""
MAX_REASON: Final = 200
"""The most characters of a reason."""

PAUSED: Final = "PAUSED"
RESUMED: Final = "RESUMED"

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class WorkPause:
    """All work stands still until somebody resumes it."""

    since_ms: int
    """UTC milliseconds."""
    by: str
    """The name of the token that it was asked for with."""
    reason: str = ""

    def text(self) -> str:
        """Who paused it, since when and why, for people."""
        why = f": {self.reason}" if self.reason else ""
        return f"paused by {self.by} since {stamp(self.since_ms)}{why}; `sulla resume` has work go on"

    def shown(self) -> JsonObject:
        """The same for programs."""
        return {"since": stamp(self.since_ms), "by": self.by, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class SwitchTurned:
    """One turn of the switch, as it stands in the log: work was paused or resumed."""

    paused: bool
    at_ms: int
    """UTC milliseconds."""
    by: str
    reason: str = ""

    @property
    def kind(self) -> str:
        """The record's kind."""
        return PAUSED if self.paused else RESUMED

    @property
    def pause(self) -> WorkPause | None:
        """What holds from here on; None for no pause."""
        return WorkPause(self.at_ms, self.by, self.reason) if self.paused else None


def check_reason(reason: str) -> str:
    """A reason, if it is a good one.

    Raises:
        InvalidInput: it is not one line, or too long.
    """
    if len(reason) > MAX_REASON or _CONTROL.search(reason):
        raise InvalidInput(f"reason: expected one line of at most {MAX_REASON} characters without control characters")
    return reason


def encode(turned: SwitchTurned) -> Draft:
    """A turn of the switch as a record to be kept."""
    value = {name: item for name, item in asdict(turned).items() if name != "paused"}
    return Draft(turned.kind, seal(turned.kind, json.dumps(value, separators=(",", ":")).encode()))


def decode(record: Record) -> SwitchTurned:
    """The inverse of `encode`.

    Raises:
        CorruptRecord: it is damaged, or of a kind that only a later version knows.
    """
    where = f"{KEY} record {record.seq} ({record.kind})"
    payload = unseal(record.kind, record.body, where)
    try:
        match record.kind, json.loads(payload):
            case ("PAUSED" | "RESUMED") as kind, {"at_ms": int(at_ms), "by": str(by), "reason": str(reason)}:
                return SwitchTurned(kind == PAUSED, at_ms, by, reason)
    except ValueError as error:
        raise CorruptRecord(f"{where}: {error}") from None
    raise CorruptRecord(f"{where}: not what this version writes")
