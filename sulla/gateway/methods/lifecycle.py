"""How a running daemon is told to stop, and to read its settings again."""

from __future__ import annotations

from typing import Final, Protocol

from sulla.core.dataclass import dataclass
from sulla.rpc.caller import Context
from sulla.rpc.form import Params
from sulla.rpc.method import Method, Methods


class SystemStop(Params):
    """`system.stop`: take no new work, let turns reach a step border, and end."""

    now: bool = False
    """Whether turns in progress are cut off; they go on at the next start."""


class SystemReload(Params):
    """`system.reload`: take up what has changed of the settings and the agents."""


@dataclass(frozen=True, slots=True)
class Stopping:
    """The answer to `system.stop`: the daemon is about to end."""

    pid: int
    running: int
    """How many threads are at work."""
    drain_s: float
    """How long these get to reach a step border, in seconds; 0 if they are cut off."""


@dataclass(frozen=True, slots=True)
class Reloaded:
    """The answer to `system.reload`."""

    taken: tuple[str, ...]
    """What has changed and holds from now on: settings by name, and `agents`."""
    waiting: tuple[str, ...]
    """The settings that have changed and hold from the next start on."""
    doubtful: tuple[str, ...] = ()
    """What in the agents' folders may be a slip of the pen, e.g. the name of a tool that there is not."""
    faults: tuple[str, ...] = ()
    """Which agents' folders, and other files that are looked at before turns, cannot be used, each with what is wrong
    and what is in force instead; the others are taken up."""


class LifecycleService(Protocol):
    """Stops the daemon, and has it read its settings."""

    async def stop(self, *, now: bool) -> Stopping:
        """See `SystemStop`. Returns before the end has begun."""

    async def reload(self) -> Reloaded:
        """See `SystemReload`.

        Raises:
            Refused: something in the settings is wrong. All of it is said, and nothing has changed.
        """


async def _stop(service: LifecycleService, params: SystemStop, context: Context) -> Stopping:
    return await service.stop(now=params.now)


async def _reload(service: LifecycleService, params: SystemReload, context: Context) -> Reloaded:
    return await service.reload()


METHODS: Final[Methods[LifecycleService]] = Methods(
    "lifecycle",
    (
        Method("system.stop", SystemStop, Stopping, "admin", _stop),
        Method("system.reload", SystemReload, Reloaded, "admin", _reload),
    ),
)
