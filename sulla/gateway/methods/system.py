"""How clients ask how the daemon is."""

from __future__ import annotations

from typing import Final, Protocol

from pydantic import BaseModel, ConfigDict

from sulla.core.jsontypes import JsonObject
from sulla.rpc.caller import Context
from sulla.rpc.form import Params
from sulla.rpc.method import Example, Method, Methods, Rest


class SystemStatus(Params):
    """`system.status`."""


class SystemCheck(Params):
    """`system.check`."""

    everything: bool = False
    """Whether to look at all that `sulla doctor` looks at, and not at the store alone."""


class Status(BaseModel):
    """The answer to `system.status` and `system.check`: open, because it is for people."""

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)


class StatusService(Protocol):
    """Knows how the daemon is."""

    async def status(self) -> JsonObject:
        """How the daemon is, for people."""

    async def check(self, everything: Context | None) -> JsonObject:
        """Look at everything that is kept, and say what cannot be read.

        Args:
            everything: whose request it is to look at all that `sulla doctor` looks at; None for the store alone.

        Raises:
            Busy: somebody else's look is going on.
        """


async def _status(service: StatusService, params: SystemStatus, context: Context) -> JsonObject:
    return await service.status()


async def _check(service: StatusService, params: SystemCheck, context: Context) -> JsonObject:
    return await service.check(context if params.everything else None)


METHODS: Final[Methods[StatusService]] = Methods(
    "system",
    (
        Method(
            "system.status",
            SystemStatus,
            Status,
            "read",
            _status,
            Rest("GET", "/status", "How the daemon is."),
            Example({"version": "0.1.0", "model": "offline", "running": 0, "queued": 0, "degraded": None}),
        ),
        Method(
            "system.check",
            SystemCheck,
            Status,
            "admin",
            _check,
        ),
    ),
)
