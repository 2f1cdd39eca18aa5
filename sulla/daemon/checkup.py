"""A store looked at from end to end: by the daemon when `doctor` asks it, by `doctor` itself when no daemon runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict, fields
from typing import Protocol

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import Busy, StoreUnavailable
from sulla.core.jsontypes import JsonObject
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.threads.archive.audit import Readable, audit_threads

BUDGET_S = 20.0
"""How long a running daemon looks: it has other things to do, and its clients wait 30 s for an answer."""


class Structure(Protocol):
    """What a file's own library says of it."""

    @property
    def faults(self) -> tuple[str, ...]:
        """The first of them, in its words."""

    @property
    def finished(self) -> bool:
        """Whether all of it was looked at in time."""


Ask = Callable[[str], Awaitable[JsonObject]]
"""Does a method without parameters, as a client would have it."""


class StoreFile(Readable, Protocol):
    """A store's file, opened to be looked at."""

    async def open(self) -> bool:
        """Open it; whether its tables are this version's."""

    async def structure(self, deadline_s: float) -> Structure:
        """Look for damage below the tables."""

    async def close(self) -> None:
        """Let go of it."""


@dataclass(frozen=True, slots=True)
class StoreReport:
    """What was found."""

    unusable: str = ""
    """Why nothing could be looked at at all."""
    outdated: bool = False
    """Whether the file has an earlier version's tables, so that its records were left alone."""
    structure: tuple[str, ...] = ()
    """What the file's library complains of."""
    structure_finished: bool = True
    logs: int = 0
    records: int = 0
    damaged: int = 0
    """How many heads and records cannot be read."""
    named: tuple[str, ...] = ()
    """The first of them."""
    newest_ms: int = 0
    """When the newest record was made, UTC milliseconds; 0 if there is none."""
    finished: bool = True
    """Whether all heads and records were looked at."""
    broke_off: str = ""
    """Why not, if it was not the time."""

    def to_json(self) -> JsonObject:
        """As it travels."""
        return asdict(self) | {"structure": list(self.structure), "named": list(self.named)}


def report_from_json(value: JsonObject) -> StoreReport:
    """The report that `to_json` was given; what a later daemon adds is passed over.

    Raises:
        TypeError: it is none.
    """
    known = {field.name: type(field.default) for field in fields(StoreReport)}
    found = {name: tuple(item) if isinstance(item, list) else item for name, item in value.items() if name in known}
    wrong = sorted(name for name, item in found.items() if type(item) is not known[name])
    if wrong:
        raise TypeError(f"a report on a store with {', '.join(wrong)} of another type")
    return StoreReport(**found)  # type: ignore[arg-type]  # the types were looked at


async def check_store(file: StoreFile | None, kept: Readable | None, clock: Clock, budget_s: float) -> StoreReport:
    """Look at everything that a store keeps; nothing changes.

    Args:
        file: the store's file; None if it has none.
        kept: where to read without a file.
        clock: for the budget.
        budget_s: for each of the two parts, structure and content, half of it.
    """
    if file is None:
        return await _content(StoreReport(), kept, clock, budget_s) if kept is not None else StoreReport()
    try:
        current = await file.open()
    except StoreUnavailable as error:
        return StoreReport(unusable=error.message)
    try:
        found = await file.structure(budget_s / 2)
        report = StoreReport(structure=found.faults, structure_finished=found.finished, outdated=not current)
        return await _content(report, file, clock, budget_s / 2) if current else report
    except StoreUnavailable as error:
        return StoreReport(unusable=error.message)
    finally:
        await file.close()


async def _content(report: StoreReport, kept: Readable, clock: Clock, budget_s: float) -> StoreReport:
    found = await audit_threads(kept, THREAD_SCHEMA, clock, budget_s)
    return StoreReport(
        outdated=report.outdated,
        structure=report.structure,
        structure_finished=report.structure_finished,
        logs=found.logs,
        records=found.records,
        damaged=found.damaged,
        named=tuple(found.named),
        newest_ms=found.newest_ms,
        finished=found.finished,
        broke_off=found.broke_off,
    )


class Checkup:
    """The daemon's own look at its store, one at a time.

    Args:
        check: looks.
    """

    def __init__(self, check: Callable[[], Awaitable[StoreReport]]) -> None:
        self._check = check
        self._running = False

    async def run(self) -> JsonObject:
        """Look, and say what was found.

        Raises:
            Busy: somebody else's look is going on.
        """
        if self._running:
            raise Busy("the store is being looked at already: ask again when that is over", retry_after_s=BUDGET_S)
        self._running = True
        try:
            return (await self._check()).to_json()
        finally:
            self._running = False
