"""What threads tell whoever watches them: each fact once, when it is kept, and each moment as it is shown. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sulla.core.dataclass import dataclass
from sulla.core.event import Fact, Moment
from sulla.core.ids import RunId, ThreadId
from sulla.threads.log.codec import Origin


@dataclass(frozen=True, slots=True)
class CommittedFact:
    """A fact that this process wrote down."""

    fact: Fact
    origin: Origin
    """Whose it is, and when it was."""


class Watcher(Protocol):
    """Is told what this process does to threads. Must return at once, and never raises."""

    def kept(self, thread_id: ThreadId, kept: Sequence[CommittedFact]) -> None:
        """These facts are in the log now, in this order; a write that had to be repeated is told once."""

    def shown(self, run_id: RunId, moment: Moment) -> None:
        """Somebody who listens may see this now; called for every piece of every reply."""
