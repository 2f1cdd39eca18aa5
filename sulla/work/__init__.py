"""The door to whoever runs what, where and when."""

from sulla.work.base import Group, GroupOf, Handler, Inspection, Job, JobKind, Work
from sulla.work.desk import JobCaps, JobQueue
from sulla.work.local import LocalWork
from sulla.work.pauses import MAX_REASON, WorkPause
from sulla.work.switch import SwitchOffice, WorkSwitch

__all__ = [
    "MAX_REASON",
    "Group",
    "GroupOf",
    "Handler",
    "Inspection",
    "Job",
    "JobCaps",
    "JobKind",
    "JobQueue",
    "LocalWork",
    "SwitchOffice",
    "Work",
    "WorkPause",
    "WorkSwitch",
]
