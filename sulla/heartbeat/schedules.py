"""The schedules that the settings ask for. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from sulla.core.errors import InvalidInput, SettingsError
from sulla.heartbeat.settings import BeatSettings, HeartbeatSettings
from sulla.schedules.hours import parse_hours
from sulla.schedules.spec import BeatAction, Cron, Every, Spec, check_spec


def wanted_by(beats: HeartbeatSettings, agents: Sequence[str], zone: str = "UTC") -> dict[str, Spec]:
    """The schedules that the settings ask for, by id; the ids stay as long as the names do.

    Args:
        beats: the section `[heartbeat]`.
        agents: the ids of those that there are, the home's own first.
        zone: the home's time zone, for those that name none.

    Raises:
        SettingsError: one cannot be.
    """
    if not beats.enabled:
        return {}
    own = BeatSettings(agent=beats.agent)
    given = {f"heartbeat_{beats.agent or agents[0]}": ("heartbeat", own)}
    given |= {f"heartbeat.{name}": (f"heartbeat.schedules.{name}", one) for name, one in beats.schedules.items()}
    found: dict[str, Spec] = {}
    for schedule_id, (where, one) in given.items():
        agent = one.agent or agents[0]
        if agent not in agents:
            raise SettingsError(f"{where}.agent: no agent {agent!r} (known: {', '.join(agents)})")
        try:
            found[schedule_id] = _spec(beats, one, agent, zone)
            check_spec(found[schedule_id])
        except InvalidInput as error:
            raise SettingsError(f"{where}: {error.message}") from None
    return found


def _spec(beats: HeartbeatSettings, one: BeatSettings, agent: str, zone: str) -> Spec:
    """What is not said of one is as it is said of all."""
    cron = one.cron or ("" if one.period_s else beats.cron)
    every = Every(one.period_s or beats.period_s, jitter_s=beats.jitter_s if one.jitter_s is None else one.jitter_s)
    hours = one.active_hours or beats.active_hours
    return Spec(
        Cron(cron) if cron else every,
        BeatAction(agent, one.project),
        one.zone or beats.zone or zone,
        parse_hours(hours) if hours else None,
        one.missed or beats.missed,
    )
