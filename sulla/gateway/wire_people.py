"""What travels over ``sulla.v1`` about people: who is there, and what they are told, as strict models. Pure."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sulla.gateway.limits import ACTIVITY_CHARS, IDLE_S, NOTICE_IDS
from sulla.gateway.wire_form import LINE_PATTERN, Id, Wire


class PresenceReport(Wire):
    """`presence.report`."""

    available: bool | None = None
    """Whether the person may be disturbed; left out for as before."""
    activity: Annotated[str, Field(max_length=ACTIVITY_CHARS, pattern=LINE_PATTERN)] | None = None
    """What they do, in a few words; left out for as before."""
    idle_s: Annotated[float, Field(ge=0, le=IDLE_S)] | None = None
    """For how long they have done nothing, in seconds; left out if the client does not know."""


class PresenceReported(Wire):
    """The answer to `presence.report`."""

    taken: bool
    """False where there is no connection that it could be about: over REST only `idle_s` counts."""


class PresenceList(Wire):
    """`presence.list`."""


class PersonRow(Wire):
    """One person."""

    person: str
    """The name of their token."""
    connected: list[str]
    """The clients that they are connected with, in any daemon on the store."""
    active_at: str | None
    """When they last did something; null if that is not known."""
    idle_s: float | None
    """How long ago that was, in seconds."""
    client: str
    """Where it was; empty if that is not known."""
    available: bool
    activity: str


class Persons(Wire):
    """The answer to `presence.list`: who was active last comes first."""

    people: list[PersonRow]


class NoticeSubscribe(Wire):
    """`notice.subscribe`."""


class NoticeSubscribed(Wire):
    """The answer to `notice.subscribe`."""

    waiting: int
    """How many this person has not seen; the newest of them come now."""


class NoticeList(Wire):
    """`notice.list`."""

    after: Id | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    unseen: Literal["mine"] | None = None
    """`mine` for those alone that this person has not seen."""


class NoticeSight(Wire):
    """Who saw a notice, and when."""

    person: str
    at: str


class NoticeRow(Wire):
    """One notice: an entry of `notice.list`, and the parameters of the `notice` notification."""

    id: str
    thread_id: str
    run_id: str
    agent: str
    """Whose it is; empty for the daemon's own."""
    text: str
    urgency: Literal["low", "normal", "high"]
    tainted: bool
    """Whether it may have been made from what nobody trusts."""
    at: str
    seen: list[NoticeSight]


class NoticeRows(Wire):
    """The answer to `notice.list`: the newest first."""

    notices: list[NoticeRow]
    next: str | None
    """What to give as `after` for the next page; null if this was the last."""


class NoticeSeen(Wire):
    """`notice.seen`."""

    ids: Annotated[list[Id], Field(min_length=1, max_length=NOTICE_IDS)]


class NoticesSeen(Wire):
    """The answer to `notice.seen`."""

    new: int
    """How many of them this person had not seen before."""
