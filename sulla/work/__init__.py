"""The door to what runs jobs: the queue, the worker of one process, and the switch that pauses all work."""

from sulla.work.base import Group, GroupOf, Handler, Inspection, Job, JobKind
from sulla.work.local import LocalWork
from sulla.work.pauses import MAX_REASON, WorkPause
from sulla.work.queue import JobCaps, JobQueue
from sulla.work.switch import WorkSwitch

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
    "WorkPause",
    "WorkSwitch",
]
