"""What clients can ask about what people are told."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.people.inbox import NoticeInbox
from sulla.people.notices import NoticeInfo
from sulla.rpc.caller import Context
from sulla.rpc.form import Id, Params
from sulla.rpc.limits import NOTICE_IDS
from sulla.rpc.method import Example, Method, Methods, Rest
from sulla.rpc.row import Time


class NoticeSubscribe(Params):
    """`notice.subscribe`."""


@dataclass(frozen=True, slots=True)
class NoticeSubscribed:
    """The answer to `notice.subscribe`."""

    waiting: int
    """How many this person has not seen; the newest of them come now."""


class NoticeList(Params):
    """`notice.list`."""

    after: Id | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    unseen: Literal["mine"] | None = None
    """`mine` for those alone that this person has not seen."""


@dataclass(frozen=True, slots=True)
class NoticeSight:
    """Who saw a notice, and when."""

    person: str
    at_ms: Annotated[Time, Field(alias="at")]


@dataclass(frozen=True, slots=True)
class NoticeRow:
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
    at_ms: Annotated[Time, Field(alias="at")]
    seen: tuple[NoticeSight, ...]


@dataclass(frozen=True, slots=True)
class NoticeRows:
    """The answer to `notice.list`: the newest first."""

    notices: tuple[NoticeRow, ...]
    next: str | None
    """What to give as `after` for the next page; null if this was the last."""


class NoticeSeen(Params):
    """`notice.seen`."""

    ids: Annotated[list[Id], Field(min_length=1, max_length=NOTICE_IDS)]


@dataclass(frozen=True, slots=True)
class NoticesSeen:
    """The answer to `notice.seen`."""

    new: int
    """How many of them this person had not seen before."""


def notice_row(one: NoticeInfo) -> NoticeRow:
    """A notice as clients are told it."""
    return NoticeRow(
        id=one.id,
        thread_id=one.thread_id,
        run_id=one.run_id,
        agent=one.agent,
        text=one.text,
        urgency=one.urgency,
        tainted=one.tainted,
        at_ms=one.at_ms,
        seen=tuple(NoticeSight(person, at_ms) for person, at_ms in one.seen.items()),
    )


async def _subscribe(service: NoticeInbox, params: NoticeSubscribe, context: Context) -> NoticeSubscribed:
    return NoticeSubscribed(await service.waiting(context.caller.name))


async def _list(service: NoticeInbox, params: NoticeList, context: Context) -> NoticeRows:
    limit = params.limit
    found = list(await service.list(params.after or "", limit + 1, context.caller.name if params.unseen else ""))
    following = found[limit - 1].id if len(found) > limit else None
    return NoticeRows(tuple(map(notice_row, found[:limit])), following)


async def _seen(service: NoticeInbox, params: NoticeSeen, context: Context) -> NoticesSeen:
    return NoticesSeen(await service.seen(params.ids, context.caller.name))


_NOTICE: Final[JsonObject] = {
    "id": "ntc_4c1d",
    "thread_id": "thr_9b2d",
    "run_id": "run_77aa",
    "agent": "sulla",
    "text": "The report is ready.",
    "urgency": "normal",
    "tainted": False,
    "at": "2027-01-15T08:00:01.000Z",
    "seen": [{"person": "owner", "at": "2027-01-15T08:05:00.000Z"}],
}

METHODS: Final[Methods[NoticeInbox]] = Methods(
    "notices",
    (
        Method(
            "notice.subscribe",
            NoticeSubscribe,
            NoticeSubscribed,
            "read",
            _subscribe,
        ),
        Method(
            "notice.list",
            NoticeList,
            NoticeRows,
            "read",
            _list,
            Rest("GET", "/notices", "What people were told, a page at a time."),
            Example({"notices": [_NOTICE], "next": None}),
        ),
        Method(
            "notice.seen",
            NoticeSeen,
            NoticesSeen,
            "read",
            _seen,
            Rest("POST", "/notices/seen", "Mark some as seen."),
            Example({"new": 1}, {"ids": ["ntc_4c1d"]}),
        ),
    ),
)
