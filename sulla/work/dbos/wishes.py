"""What DBOS is told of a wish that a log be looked at. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sulla.core.dataclass import dataclass

QUEUE: Final = "sulla"
"""The one queue: partitioned by log, so that one job of a log runs at a time in the whole cluster."""
JOB: Final = "sulla.job"
"""The name of the one workflow."""
VERSION: Final = "1"
"""What a job's arguments mean. It is no version of Sulla: those of a rolling upgrade do each other's jobs."""
SCHEMA: Final = "sulla_dbos"
"""Where DBOS keeps its tables."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Somebody wants a log looked at."""

    key: str
    """The log."""
    last_seq: int
    """Its newest record when that was asked for."""
    although_held: bool = False
    """Also while everything stands still: see `Work.heed`."""
    delay_s: float = 0.0
    """Not before so many seconds."""

    def ids(self) -> Iterator[str]:
        """Names for it, the first one first. Those who want the same of one state of a log take the same name, so that
        their wishes are one for as long as it waits. A name whose job has begun or ended is no good for a wish that
        comes after it: what that job has not seen would not be looked at. Then the next one is.
        """
        prefix = "heed:" if self.although_held else ""
        yield f"{prefix}{self.key}:{self.last_seq}"
        number = 1
        while True:
            number += 1
            yield f"{prefix}{self.key}:{self.last_seq}:{number}"
