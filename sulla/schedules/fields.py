"""A schedule as the fields with which it could be made anew. Pure."""

from __future__ import annotations

from sulla.schedules.hours import local_time
from sulla.schedules.rows import ScheduleFields
from sulla.schedules.spec import At, Cron, Every, MessageAction, PlaybookAction, Spec, ToolAction, zone_of


def fields_of(spec: Spec) -> ScheduleFields | None:
    """The fields of `schedule.add` that make this schedule; None if none do: a beat or a reminder is made otherwise.

    Args:
        spec: the schedule.

    Raises:
        InvalidInput: nobody knows its zone here.
    """
    when, action = spec.when, spec.action
    if not isinstance(action, MessageAction | ToolAction | PlaybookAction):
        return None
    return ScheduleFields(
        every_s=when.period_s if isinstance(when, Every) else None,
        jitter_s=when.jitter_s if isinstance(when, Every) else 0,
        cron=when.text if isinstance(when, Cron) else None,
        at=_local(when, spec.zone) if isinstance(when, At) else None,
        zone=spec.zone,
        active_hours=str(spec.hours) if spec.hours is not None else "",
        missed=spec.missed,
        message=action.text if isinstance(action, MessageAction) else None,
        thread_id=(action.thread or None) if isinstance(action, MessageAction) else None,
        agent=(action.agent or None) if isinstance(action, MessageAction | ToolAction) else None,
        tool=action.name if isinstance(action, ToolAction) else None,
        args=dict(action.args) if isinstance(action, ToolAction) else {},
        playbook=action.name if isinstance(action, PlaybookAction) else None,
        inputs=dict(action.inputs) if isinstance(action, PlaybookAction) else {},
    )


def _local(when: At, zone: str) -> str:
    return local_time(when.at_ms, zone_of(zone)).isoformat(timespec="milliseconds" if when.at_ms % 1000 else "seconds")
