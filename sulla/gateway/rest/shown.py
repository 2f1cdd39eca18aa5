"""What a stream shows, to whom, and what that looks like."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from starlette.types import Receive, Scope, Send

from sulla.access.principal import Principal
from sulla.core.dataclass import dataclass
from sulla.core.errors import SullaError
from sulla.gateway.commands import Event
from sulla.gateway.feed.outbox import WaitingFrames
from sulla.gateway.problems import Headers, Problem
from sulla.gateway.rest.models import Reason
from sulla.rpc.family_place import FamilyPlace


@dataclass(frozen=True, slots=True)
class HttpExchange:
    """One request, as ASGI has it; its body was read."""

    scope: Scope
    receive: Receive
    send: Send
    request_id: str
    """Names it in the log."""

    @property
    def names(self) -> Headers:
        """The header by which the client learns that name."""
        return [(b"x-request-id", self.request_id.encode())]


Settle = Callable[[], Awaitable[object]]


class Telling(Protocol):
    """How a stream tells what happens. Pure, and of one stream; kept by `sse.Blocks` and by dialects."""

    @property
    def opening(self) -> bytes:
        """Sent before anything has happened; empty for nothing, and then the head is not sent yet either."""

    @property
    def keep_alive(self) -> bytes:
        """Sent when nothing was for a while; empty for nothing."""

    @property
    def begun(self) -> bool:
        """Whether somebody works on the turn, or did."""

    @property
    def over(self) -> bool:
        """Whether the turn is over."""

    def head(self) -> tuple[int, Headers]:
        """The status and the headers; asked for once, before the first bytes are sent."""

    def backlog(self, finish: Callable[[], None]) -> WaitingFrames:
        """What waits to be sent; is asked for once.

        Args:
            finish: to be called when nothing is to come any more.
        """

    def learn(self, event: Event) -> None:
        """See an event that nobody is shown."""

    def gap(self, thread_id: str, after: int, following: int) -> bytes:
        """A hole in the log; may be empty."""

    def child_ended(self, thread_id: str, error: SullaError) -> bytes:
        """A sub-agent can be followed no longer; may be empty."""

    @property
    def told(self) -> bool:
        """Whether what comes next are its last bytes."""

    def end(self, reason: Reason, problem: Problem | None = None) -> bytes:
        """What is said last, behind all that waits, where the turn's own end was not; empty if it was put there."""

    def cut(self, reason: Reason, problem: Problem) -> bytes:
        """The same, in the place of all that waits."""


@dataclass(frozen=True, slots=True)
class StreamedThread:
    """What a stream shows, and to whom."""

    principal: Principal
    thread_id: str
    after: int
    """The last number of the log that need not be looked at."""
    telling: Telling
    """What it looks like."""
    abandon: Settle | None = None
    """Stops the turn, if that is to be done when the client leaves."""
    before_last: Settle | None = None
    """Done before the last bytes of a turn's end are sent: whatever the client asks next finds it done."""
    family: FamilyPlace | None = None
    """What the client has of the thread's sub-agents, if they are shown, too."""
