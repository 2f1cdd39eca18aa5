"""How clients tell how people are, and ask who is there."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.people.presence import PersonInfo
from sulla.people.registry import PresenceRegistry
from sulla.rpc.caller import Context
from sulla.rpc.form import LINE_PATTERN, Params
from sulla.rpc.limits import ACTIVITY_CHARS, IDLE_S
from sulla.rpc.method import Example, Method, Methods, Rest
from sulla.rpc.row import Time


class PresenceReport(Params):
    """`presence.report`."""

    available: bool | None = None
    """Whether the person may be disturbed; left out for as before."""
    activity: Annotated[str, Field(max_length=ACTIVITY_CHARS, pattern=LINE_PATTERN)] | None = None
    """What they do, in a few words; left out for as before."""
    idle_s: Annotated[float, Field(ge=0, le=IDLE_S)] | None = None
    """For how long they have done nothing, in seconds; left out if the client does not know."""


@dataclass(frozen=True, slots=True)
class PresenceReported:
    """The answer to `presence.report`."""

    taken: bool
    """False where there is no connection that it could be about: over REST only `idle_s` counts."""


class PresenceList(Params):
    """`presence.list`."""


@dataclass(frozen=True, slots=True)
class PersonRow:
    """One person."""

    person: str
    """The name of their token."""
    connected: tuple[str, ...]
    """The clients that they are connected with, in any daemon on the store."""
    active_ms: Annotated[Time | None, Field(alias="active_at")]
    """When they last did something; null if that is not known."""
    idle_s: float | None
    """How long ago that was, in seconds."""
    client: str
    """Where it was; empty if that is not known."""
    available: bool
    activity: str


@dataclass(frozen=True, slots=True)
class Persons:
    """The answer to `presence.list`: who was active last comes first."""

    people: tuple[PersonRow, ...]


async def _report(service: PresenceRegistry, params: PresenceReport, context: Context) -> PresenceReported:
    caller = context.caller
    service.report(caller.session, params.available, params.activity)
    return PresenceReported(taken=caller.way == "ws" or params.idle_s is not None)


async def _list(service: PresenceRegistry, params: PresenceList, context: Context) -> Persons:
    return Persons(tuple(_person(one, context.at_ms) for one in await service.look()))


def _person(one: PersonInfo, now_ms: int) -> PersonRow:
    return PersonRow(
        person=one.name,
        connected=one.clients,
        active_ms=one.active_ms or None,
        idle_s=one.idle_s(now_ms),
        client=one.client,
        available=one.available,
        activity=one.activity,
    )


def _idle_s(params: PresenceReport) -> float | None:
    return params.idle_s


_PERSON: Final[JsonObject] = {
    "person": "owner",
    "connected": ["desktop"],
    "active_at": "2027-01-15T08:00:01.000Z",
    "idle_s": 42.0,
    "client": "desktop",
    "available": True,
    "activity": "",
}

METHODS: Final[Methods[PresenceRegistry]] = Methods(
    "presence",
    (
        Method(
            "presence.report",
            PresenceReport,
            PresenceReported,
            "write",
            _report,
            Rest("POST", "/presence", "Tell how the person is."),
            Example({"taken": True}, {"idle_s": 0}),
            idle_s=_idle_s,
        ),
        Method(
            "presence.list",
            PresenceList,
            Persons,
            "read",
            _list,
            Rest("GET", "/presence", "Who is there, and when each was last active."),
            Example({"people": [_PERSON]}),
        ),
    ),
)
