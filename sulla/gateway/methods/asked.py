"""How clients are told of what people are asked, without asking for it again and again."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Final, Protocol

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.gateway.wire import QuestionRow
from sulla.rpc.caller import Context
from sulla.rpc.form import Params
from sulla.rpc.method import Method, Methods
from sulla.rpc.watch import Watch, WatchEnded

MOST_ASKING: Final = 500
"""Threads whose questions are told."""


class ApprovalWatch(Params):
    """`approval.watch`."""


class ApprovalUnwatch(Params):
    """`approval.unwatch`."""


@dataclass(frozen=True, slots=True)
class AskedNow:
    """The answer to `approval.watch`: what people are asked at this moment."""

    questions: tuple[QuestionRow, ...]
    more: bool
    """Whether further threads ask, too."""


@dataclass(frozen=True, slots=True)
class QuestionGone:
    """A question that is not asked any more, and how it was answered."""

    thread_id: str
    id: str
    verdict: str = ""
    """As in `approval.answer`; empty where nobody answered: its time is over, or its run has ended."""
    text: str = ""
    """What was answered in words or chosen, its first 300 characters."""
    by: str = ""
    """The name of the token that it was answered with; empty where no person did."""


@dataclass(frozen=True, slots=True)
class AskedNews:
    """The parameters of the `approvals` notification."""

    added: tuple[QuestionRow, ...]
    """What is asked now and was not before, or was in other words."""
    gone: tuple[QuestionGone, ...]
    """What is not asked any more: somebody has answered, or its time is over."""
    more: bool


class AskedService(Protocol):
    """Knows what people are asked."""

    async def now(self) -> JsonObject:
        """All that is asked, as `AskedNow`.

        Raises:
            StoreUnavailable: the store does not answer.
        """

    def follow(self, told: JsonObject) -> AsyncGenerator[JsonObject, None]:
        """What changes from then on, each time as `AskedNews`.

        Args:
            told: what `now` gave.
        """


async def _watch(service: AskedService, params: ApprovalWatch, context: Context) -> JsonObject:
    return await service.now()


async def _unwatch(service: AskedService, params: ApprovalUnwatch, context: Context) -> WatchEnded:
    return WatchEnded(ended=False)  # whoever watches knows better


def _follow(service: AskedService, told: JsonObject) -> AsyncGenerator[JsonObject, None]:
    return service.follow(told)


METHODS: Final[Methods[AskedService]] = Methods(
    "asked",
    (
        Method(
            "approval.watch",
            ApprovalWatch,
            AskedNow,
            "read",
            _watch,
            needs="store",
            watch=Watch("approvals", AskedNews, ApprovalUnwatch, _follow),
        ),
        Method("approval.unwatch", ApprovalUnwatch, WatchEnded, "read", _unwatch),
    ),
)
