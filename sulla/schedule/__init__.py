"""The door to schedules: what happens at its time, whichever daemon is there, and happens once."""

from sulla.schedule.acts import Acts, BeatThread, BeginPlaybook, no_beats, no_playbooks
from sulla.schedule.book import ScheduleBook
from sulla.schedule.facts import Fired
from sulla.schedule.hours import Hours, parse_hours
from sulla.schedule.office import PLAYBOOKS, SETTINGS, ScheduleInfo, ScheduleOffice, Schedules
from sulla.schedule.scheduler import Act, Begun, Scheduler
from sulla.schedule.spec import (
    Action,
    At,
    BeatAction,
    Cron,
    Every,
    MessageAction,
    MissedPolicy,
    PlaybookAction,
    Spec,
    ToolAction,
    When,
    check_spec,
    duration,
    explain,
    parse_at,
)
from sulla.schedule.state import Note, State

__all__ = [
    "PLAYBOOKS",
    "SETTINGS",
    "Act",
    "Action",
    "Acts",
    "At",
    "BeatAction",
    "BeatThread",
    "BeginPlaybook",
    "Begun",
    "Cron",
    "Every",
    "Fired",
    "Hours",
    "MessageAction",
    "MissedPolicy",
    "Note",
    "PlaybookAction",
    "ScheduleBook",
    "ScheduleInfo",
    "ScheduleOffice",
    "Scheduler",
    "Schedules",
    "Spec",
    "State",
    "ToolAction",
    "When",
    "check_spec",
    "duration",
    "explain",
    "no_beats",
    "no_playbooks",
    "parse_at",
    "parse_hours",
]
