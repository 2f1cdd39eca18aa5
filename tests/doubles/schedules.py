"""Schedules that never fire."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sulla.core.errors import NotFound
from sulla.schedules.rows import NoteRow, ScheduleRow
from sulla.schedules.service import ScheduleService
from sulla.schedules.spec import Spec, check_spec, explain

_NOTE = NoteRow(1_800_000_000_000, "set", "", "owner")
_KNOWN = ScheduleRow("sch_1", "", "Every 1h", "message", "active", "", "owner", (), (_NOTE,), 0, 0, 0, 0)


class MemorySchedules(ScheduleService):
    """Schedules in a dictionary, which knows `sch_1` from the beginning."""

    def __init__(self) -> None:
        self.zone = "UTC"
        self.fired: list[str] = []
        self.infos: dict[str, ScheduleRow] = {}
        self.make(_KNOWN.schedule)

    def make(self, schedule_id: str) -> None:
        """There is one of that id."""
        self.infos[schedule_id] = replace(_KNOWN, schedule=schedule_id)

    async def add(
        self, spec: Spec, schedule_id: str | None, request_id: str | None, by: str, asked_ms: int | None = None
    ) -> ScheduleRow:
        """Remember one."""
        check_spec(spec)
        made = schedule_id or f"sch_{request_id or len(self.infos)}"
        note = NoteRow(1_800_000_000_000, "set", "", by)
        self.infos[made] = ScheduleRow(
            made, spec.title, explain(spec), "message", "active", "", by, (1_800_000_060_000,), (note,), 0, 0, 0, 0
        )
        return self.infos[made]

    async def update(self, spec: Spec, schedule_id: str, by: str, asked_ms: int) -> ScheduleRow:
        """Remember it as changed."""
        return self._set(schedule_id, replace(self._get(schedule_id), title=spec.title, explain=explain(spec)))

    async def list(self, after: str, limit: int) -> Sequence[ScheduleRow]:
        """Those that it was told of."""
        return [self.infos[name] for name in sorted(self.infos) if name > after][:limit]

    async def remove(self, schedule_id: str, by: str) -> None:
        """Forget one."""
        self._get(schedule_id)
        del self.infos[schedule_id]

    async def fire(self, schedule_id: str, request_id: str | None, by: str) -> str:
        """Remember that it was asked to."""
        self._get(schedule_id)
        self.fired.append(schedule_id)
        return f"now:{request_id or len(self.fired)}"

    async def pause(self, schedule_id: str, by: str) -> ScheduleRow:
        """Show it as paused."""
        return self._set(schedule_id, replace(self._get(schedule_id), status="paused", why="paused"))

    async def resume(self, schedule_id: str, by: str) -> ScheduleRow:
        """Show it as active."""
        return self._set(schedule_id, replace(self._get(schedule_id), status="active", why=""))

    def _set(self, schedule_id: str, info: ScheduleRow) -> ScheduleRow:
        self.infos[schedule_id] = info
        return info

    def _get(self, schedule_id: str) -> ScheduleRow:
        if schedule_id not in self.infos:
            raise NotFound(f"no schedule {schedule_id!r}")
        return self.infos[schedule_id]
