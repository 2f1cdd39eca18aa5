"""What a connection asks of whoever knows the language that its client speaks. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from sulla.access.principal import Principal
from sulla.core.dataclass import dataclass
from sulla.core.errors import SullaError
from sulla.core.jsontypes import JsonObject
from sulla.gateway.feed.follower import EventSink
from sulla.gateway.rpc import RequestId
from sulla.rpc.caller import Way
from sulla.rpc.form import Params


@dataclass(frozen=True, slots=True)
class SendFrame:
    """Send this frame."""

    frame: bytes


@dataclass(frozen=True, slots=True)
class Authenticate:
    """Find out who this is, then tell by `ProtocolMachine.admit` or `ProtocolMachine.refuse`."""

    id: RequestId
    token: str | None
    session: str | None = None
    """A page's half of its session, which counts where there is no token."""


@dataclass(frozen=True, slots=True)
class CallMethod:
    """Have the daemon do this, then tell by `ProtocolMachine.answered` or `ProtocolMachine.failed`.

    What is to be followed (a thread, a person's notices) is followed from when that answer was sent; if it was refused,
    tell `ProtocolMachine.forget` or `ProtocolMachine.untold` first.
    """

    id: RequestId
    params: Params
    principal: Principal
    """Whose token it came with."""
    patience_s: float = 0.0
    """For how long to try again what may succeed later; for clients that cannot do that themselves."""


@dataclass(frozen=True, slots=True)
class Then:
    """When what came before is done, ask what comes next."""

    ask: Callable[[], Sequence[Effect]]


@dataclass(frozen=True, slots=True)
class Close:
    """End the connection, after what was to be sent before."""

    code: int
    reason: str


@dataclass(frozen=True, slots=True)
class Own:
    """The root of what only one language's connection knows how to carry out."""


Effect = SendFrame | Authenticate | CallMethod | Then | Close | Own


class Out(EventSink, Protocol):
    """The way out to one client."""

    def add(self, frame: bytes) -> bool:
        """A frame, if it can be taken without waiting; whether it was."""

    async def emptied(self) -> None:
        """Return when everything that was added has been sent on."""


class ProtocolMachine(Protocol):
    """One connection as a state machine: what its client says in, effects out."""

    @property
    def way(self) -> Way:
        """How observers call this language."""

    @property
    def id(self) -> str:
        """Names the connection."""

    @property
    def client(self) -> str:
        """What the client calls itself."""

    @property
    def open(self) -> bool:
        """Whether it is known who the client is."""

    @property
    def principal(self) -> Principal | None:
        """Who that is, as far as it is known."""

    def begin(self) -> Sequence[Effect]:
        """The connection is there; nothing was heard yet."""

    def hear(self, text: str) -> Sequence[Effect]:
        """Take a text frame."""

    def hear_binary(self) -> Sequence[Effect]:
        """Take a binary frame."""

    def admit(self, id_: RequestId, principal: Principal) -> Sequence[Effect]:
        """Whoever asked under `id_` may come in."""

    def refuse(self, id_: RequestId, error: SullaError) -> Sequence[Effect]:
        """Whoever asked under `id_` may not."""

    def answered(self, id_: RequestId, result: JsonObject) -> Sequence[Effect]:
        """What was asked for under `id_` is done."""

    def failed(self, id_: RequestId, error: SullaError) -> Sequence[Effect]:
        """What was asked for under `id_` was refused."""

    def ended(self, thread_id: str, error: SullaError) -> Sequence[Effect]:
        """A thread can no longer be followed: frames, and perhaps a close."""

    def gap(self, thread_id: str, after: int, following: int) -> bytes:
        """A hole in a thread's log as a frame."""

    def sink(self, out: Out, end: Callable[[Close], None]) -> EventSink:
        """Where the events of a followed thread go.

        Args:
            out: to the client.
            end: closes the connection.
        """

    def forget(self, thread_id: str) -> None:
        """The thread is not followed any more."""

    def untold(self) -> None:
        """Nobody tells it of notices: it may ask again."""
