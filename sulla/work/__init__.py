"""The door to whoever runs what, where and when."""

from sulla.work.base import GroupOf, Handler, Inspection, Job, JobKind, Work
from sulla.work.desk import Caps, JobDesk
from sulla.work.local import LocalWork

__all__ = ["Caps", "GroupOf", "Handler", "Inspection", "Job", "JobDesk", "JobKind", "LocalWork", "Work"]
