"""How the kill switch is turned."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from sulla.core.dataclass import dataclass
from sulla.rpc.caller import Context
from sulla.rpc.form import Params, Title
from sulla.rpc.method import Example, Method, Methods, Rest
from sulla.rpc.row import Time
from sulla.work.switch import WorkSwitch

"""What travels over ``sulla.v1`` about the kill switch, as strict models. Pure."""


class SystemPause(Params):
    """`system.pause`: have all work stand still, in every daemon on the store, until it is resumed."""

    reason: Title = ""
    """Why, in a line; people are shown it."""


class SystemResume(Params):
    """`system.resume`: have work go on where it was."""


@dataclass(frozen=True, slots=True)
class SwitchState:
    """The answer to `system.pause` and `system.resume`: how it stands, and that is kept."""

    paused: bool
    since_ms: Annotated[Time | None, Field(alias="since")]
    """When the pause began that holds; null for none."""
    by: str
    """The name of the token that it was asked for with."""
    reason: str


async def _pause(service: WorkSwitch, params: SystemPause, context: Context) -> SwitchState:
    pause = await service.pause(context.caller.name, params.reason)
    return SwitchState(True, pause.since_ms, pause.by, pause.reason)


async def _resume(service: WorkSwitch, params: SystemResume, context: Context) -> SwitchState:
    await service.resume(context.caller.name)
    return SwitchState(False, None, "", "")


METHODS: Final[Methods[WorkSwitch]] = Methods(
    "switch",
    (
        Method(
            "system.pause",
            SystemPause,
            SwitchState,
            "admin",
            _pause,
            Rest("POST", "/pause", "Have all work stand still until it is resumed."),
            Example(
                {"paused": True, "since": "2027-01-15T08:00:00.000Z", "by": "owner", "reason": "it orders pizza"},
                {"reason": "it orders pizza"},
            ),
        ),
        Method(
            "system.resume",
            SystemResume,
            SwitchState,
            "admin",
            _resume,
            Rest("POST", "/resume", "Have work go on where it was."),
            Example({"paused": False, "since": None, "by": "", "reason": ""}),
        ),
    ),
)
