"""What is kept of a turn that took a route, read off its thread's log. It holds no word that anybody said. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord
from sulla.core.ids import ThreadId, derived_id
from sulla.core.jsontypes import JsonObject
from sulla.core.units import DAY_MS
from sulla.routes.plan import RoutePlan, plan_from
from sulla.routes.slice import RouteEnded, RouteMoved, RouteTaken
from sulla.rpc.row import Time
from sulla.store.sealing import seal, unseal
from sulla.store.values import Draft, Record
from sulla.threads.log.codec import Entry
from sulla.threads.log.forms import Fielded, form_of
from sulla.threads.log.records import RunError, RunFinished, RunStarted

KIND: Final = "ROUTE_AUDIT"
LOG_KIND: Final = "route_audit"
_PREFIX: Final = "routes.audit:"


@dataclass(frozen=True, slots=True)
class AuditRow(Fielded):
    """One turn that took a route."""

    id: str
    """The same for the same turn, also where that is not told."""
    at: Time
    """When the turn began."""
    route: str
    kind: str
    gate: str = ""
    """What led there; empty for the default route, or one that a call has led to."""
    first_route: str = ""
    """The route that the turn took before a call led it to this one."""
    mode: str = ""
    """`model`, `tool` or `fixed`: whose words the reply is; empty where there was none."""
    style: str = ""
    agent: str = ""
    made: bool = False
    """Whether a required call was made in the model's place."""
    fixed_why: str = ""
    """Why the fixed text was said."""
    outcome: str = ""
    """How the turn ended."""
    took_ms: int = 0
    run_id: str = ""
    """Empty where the route says that nobody is named."""
    thread_id: str = ""
    """The same."""


def day_key(at_ms: int) -> str:
    """The log that a moment's rows are in: one for each day (UTC), so that old ones can go.

    Args:
        at_ms: UTC milliseconds.
    """
    return f"{_PREFIX}{at_ms // DAY_MS:06d}"


def ends_ms(key: str) -> int:
    """When the day of a log was over, UTC milliseconds.

    Args:
        key: as `day_key` gave it.
    """
    return (int(key.removeprefix(_PREFIX)) + 1) * DAY_MS


def encode(row: AuditRow) -> Draft:
    """A row as a record."""
    return Draft(KIND, seal(KIND, json.dumps(row.data()).encode()))


def decode(record: Record, key: str) -> AuditRow:
    """The inverse of `encode`.

    Args:
        record: what the store gave.
        key: the log that it is from.

    Raises:
        CorruptRecord: it is not what was written.
    """
    where = f"{key} record {record.seq}"
    try:
        data: JsonObject = json.loads(unseal(record.kind, record.body, where))
    except json.JSONDecodeError as error:
        raise CorruptRecord(f"{where}: {error}") from None
    return form_of(AuditRow).read(data)


class AuditReader:
    """Makes the rows of one thread from its records, in their order.

    Args:
        thread_id: the thread.
        after: the last record that needs not be read again.
    """

    def __init__(self, thread_id: ThreadId, after: int) -> None:
        self._thread_id = thread_id
        self.after = after
        """Behind the last turn that is over: what is read again after a restart begins here."""
        self._row: AuditRow | None = None
        self._plan: RoutePlan | None = None
        self._began = 0
        self._open = False

    def read(self, page: Iterable[Entry]) -> list[AuditRow]:
        """The turns that are over by now.

        Args:
            page: the next records.
        """
        return [row for entry in page if (row := self._take(entry)) is not None]

    def _take(self, entry: Entry) -> AuditRow | None:
        row = None
        match entry.fact:
            case RunStarted(agent=agent):
                run = entry.origin.run_id or ""
                named = AuditRow(derived_id("audit", run), entry.origin.at_ms, "", "", agent=agent, run_id=run)
                self._row, self._plan, self._open = named, None, True
            case RouteTaken(plan=plan) if self._row is not None:
                self._plan = plan_from(plan)
            case RouteMoved() as moved if self._row is not None and self._plan is not None:
                self._move(moved)
            case RouteEnded() as ended if self._row is not None:
                said = (ended.mode, ended.style, ended.agent)
                self._row = replace(self._row, mode=said[0], style=said[1], agent=said[2])
            case RunFinished() | RunError() as end if self._ends(entry):
                row = self._over(end.outcome.status if end.outcome is not None else "failed", entry.origin.at_ms)
            case _:
                pass
        if not self._open:
            self.after = entry.seq
        return row

    def _ends(self, entry: Entry) -> bool:
        return self._row is not None and entry.origin.run_id == self._row.run_id

    def _move(self, moved: RouteMoved) -> None:
        if self._row is None or self._plan is None:
            return
        match moved.what:
            case "made":
                self._row = replace(self._row, made=True)
            case "fixed":
                self._row = replace(self._row, fixed_why=moved.why)
            case "rerouted":
                self._row = replace(self._row, first_route=self._row.first_route or self._plan.route.name)
                self._plan = plan_from(moved.plan)
            case _:
                pass

    def _over(self, outcome: str, at_ms: int) -> AuditRow | None:
        row, plan = self._row, self._plan
        self._row, self._plan, self._open = None, None, False
        if row is None or plan is None or plan.route.audit == "none":
            return None
        full = plan.route.audit == "full"
        return replace(
            row,
            route=plan.route.name,
            kind=plan.route.kind,
            gate=plan.gate,
            outcome=outcome,
            took_ms=max(0, at_ms - row.at),
            run_id=row.run_id if full else "",
            thread_id=self._thread_id if full else "",
        )
