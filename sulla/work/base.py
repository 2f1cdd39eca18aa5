"""The port through which anything gets run: it decides where and when a log is worked on, never what is done to it.
Pure.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, Protocol

from sulla.core.control import Control
from sulla.core.dataclass import dataclass
from sulla.store.values import LogInfo

JobKind = Literal["turn", "beat", "playbook", "child", "resume"]


@dataclass(frozen=True, slots=True)
class Job:
    """A hint that a log wants to be looked at.

    Losing one costs a second, until the sweep finds the log; doubling one costs nothing.
    """

    key: str
    """The log."""
    kind: JobKind = "turn"
    mark: str = ""
    """The name of the wish that it comes from, where wishes have names."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a worker is doing, and what it has seen of all that there is to do."""

    running: tuple[str, ...]
    queued: tuple[str, ...]
    """Logs that wait for a place in this process. Several workers may have heard of the same one."""
    failing: tuple[str, ...]
    """Logs whose last job raised; they are tried again later and later."""
    waiting: int = 0
    """In how many logs of the whole store something was to be done that nobody did, when it was looked for last: every
    daemon on it sees the same."""
    workers: int | None = None
    """How many processes of the cluster take turns, as one sees that takes none itself; None where this one does, or
    where that cannot be seen now."""


Handler = Callable[[Job], Awaitable[None]]
"""Does all there is to do for a log now. Must be safe to call at any time, also when there is nothing to do."""


GroupKind = Literal["turn", "child", "step", "play"]
"""What is worked on: a conversation's turn or a beat, a run that another one asked for, a step of a playbook that an
agent does, or a playbook itself."""


@dataclass(frozen=True, slots=True)
class Group:
    """What the caps count a log by."""

    agent: str
    """Whose it is."""
    kind: GroupKind = "turn"
    parent: str = ""
    """The log that asked for it: a step's playbook is at work while the step is."""


GroupOf = Callable[[str], Awaitable[Group]]
"""Whose log it is."""


class Work(Protocol):
    """Says when and by whom logs are worked on."""

    @property
    def held(self) -> tuple[LogInfo, ...]:
        """The logs that somebody worked on when they were looked for last, in every daemon on this store."""

    async def open(self) -> None:
        """Find out whether this process may work, and make what is to be there; before anybody is let in.

        Raises:
            SettingsError: it may not.
            StoreUnavailable: what says so does not answer.
        """

    def enqueue(self, job: Job) -> None:
        """Have a log looked at soon; never blocks. While stopping or held it does nothing: the next start finds the
        log, and so does the first sweep when it is held no more.
        """

    async def pass_to(self, key: str, agent: str, control: Control) -> None:
        """A turn goes on with another agent: wait for a place among those of that agent. It also returns when the turn
        is to be put down; the end of its time aborts the wait.

        Args:
            key: the log.
            agent: who goes on.
            control: how the turn is told to end.
        """

    def hold(self, held: bool) -> None:
        """Start nothing more until this is called with False; what runs is not cut off here."""

    async def heed(self, job: Job) -> None:
        """Have a log looked at at once although nothing is begun: somebody has ended what waits in it. One that is just
        being put down finds it when it is taken up again.

        Args:
            job: the log; its handler begins nothing while all stands still.
        """

    def inspect(self) -> Inspection:
        """What is going on in this process right now."""

    async def run(self) -> None:
        """Take over what the store says is unfinished, then work until `stop`; run this as one task."""

    async def stop(self, patience_s: float) -> None:
        """Start nothing more, wait for the running jobs, and cancel what is left after `patience_s` seconds."""
