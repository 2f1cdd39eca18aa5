"""The door to whoever runs what, where and when."""

from sulla.work.base import Group, GroupOf, Handler, Inspection, Job, JobKind, Work
from sulla.work.desk import Caps, JobDesk
from sulla.work.local import LocalWork
from sulla.work.pauses import MAX_REASON, Pause
from sulla.work.switch import Switch, SwitchOffice

__all__ = [
    "MAX_REASON",
    "Caps",
    "Group",
    "GroupOf",
    "Handler",
    "Inspection",
    "Job",
    "JobDesk",
    "JobKind",
    "LocalWork",
    "Pause",
    "Switch",
    "SwitchOffice",
    "Work",
]
