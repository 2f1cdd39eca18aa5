"""What schedules and beats have done and will do, for a calendar."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, Literal

from sulla.core.redact import Redactor
from sulla.gateway.methods.calendar import MOST_ROWS, CalendarRow, CalendarRows
from sulla.heartbeat.rpc_forms import tick_row
from sulla.heartbeat.service import HeartbeatService
from sulla.schedules.calendar import Happening
from sulla.schedules.service import ScheduleService
from sulla.schedules.spec import BeatAction, action_text

_PAGE: Final = 100
_MOST_PAGES: Final = 5
"""Of one agent's wakes that are looked through, the newest first."""
_BY: Final = "schedule "


class Calendar:
    """Does `gateway.methods.calendar`. It lives as long as the daemon.

    Args:
        schedules: what is done at its time.
        beats: what became of agents' own time.
        agents: the ids of those that there are now.
        redactor: takes the daemon's secrets out of what is shown.
    """

    def __init__(
        self,
        schedules: ScheduleService,
        beats: HeartbeatService,
        agents: Callable[[], Sequence[str]],
        redactor: Redactor,
    ) -> None:
        self._schedules = schedules
        self._beats = beats
        self._agents = agents
        self._redactor = redactor

    async def list(self, since_ms: int, until_ms: int) -> CalendarRows:
        """See `CalendarService`."""
        found = await asyncio.to_thread(self._schedules.between, since_ms, until_ms, MOST_ROWS + 1)
        rows = [
            _row(one, self._redactor) for one in found if one.what == "due" or not isinstance(one.action, BeatAction)
        ]
        more = False
        for agent in self._agents():
            beaten, whole = await self._beaten(agent, since_ms, until_ms)
            rows += beaten
            more = more or not whole
        rows.sort(key=lambda row: (row.at_ms, row.schedule, row.agent))
        return CalendarRows(tuple(rows[:MOST_ROWS]), more or len(rows) > MOST_ROWS)

    async def _beaten(self, agent: str, since_ms: int, until_ms: int) -> tuple[Sequence[CalendarRow], bool]:
        """An agent's beats and why there were none, and whether these are all of the span."""
        rows: list[CalendarRow] = []
        before: int | None = None
        for _ in range(_MOST_PAGES):
            page = await self._beats.log(agent, _PAGE, before)
            for tick in page.ticks:
                if tick.at_ms < since_ms:
                    return rows, True
                if tick.at_ms < until_ms:
                    told = tick_row(tick)
                    schedule = told.by.removeprefix(_BY) if told.by.startswith(_BY) else ""
                    thread = told.cycles[-1].thread_id if told.cycles else ""
                    why = told.summary if told.status == "done" else told.reason or told.why
                    rows.append(CalendarRow(told.at_ms, "beat", schedule, agent, told.focus, told.status, why, thread))
            before = page.next
            if before is None:
                return rows, True
        return rows, False


def _row(one: Happening, redactor: Redactor) -> CalendarRow:
    beats = isinstance(one.action, BeatAction)
    agent = one.action.agent if isinstance(one.action, BeatAction) else ""
    title = redactor.text(one.title or action_text(one.action))
    kind: Literal["schedule", "beat"] = "beat" if beats else "schedule"
    return CalendarRow(one.at_ms, kind, one.schedule, agent, title, one.what, one.said, one.thread_id)
