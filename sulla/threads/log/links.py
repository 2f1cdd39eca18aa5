"""What ties a thread to other logs. Pure."""

from __future__ import annotations

from sulla.core.dataclass import dataclass
from sulla.core.ids import RunId


@dataclass(frozen=True, slots=True)
class RunRef:
    """A pointer to work that is kept in another log, e.g. a playbook's run: the reference, not the thing."""

    kind: str
    id: str
    running: bool
    run_id: RunId = RunId("")
    """The run that started it, and ends with that; empty for a person."""
