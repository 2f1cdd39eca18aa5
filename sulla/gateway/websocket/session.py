"""One connection as a state machine: frames in, effects out. What a token allows is looked at in `calls`. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sulla.access.principal import Principal
from sulla.core.errors import Busy, Conflict, Forbidden, SullaError
from sulla.core.jsontypes import JsonObject
from sulla.gateway import rpc, wire
from sulla.gateway.feed.follower import EventSink
from sulla.gateway.methods.table import METHODS
from sulla.gateway.rpc import Fault, Request, RequestId
from sulla.gateway.websocket.machine import Authenticate, CallMethod, Close, Effect, Out, SendFrame
from sulla.people.notices_rpc import NoticeSubscribe
from sulla.rpc.caller import Way
from sulla.rpc.form import Params
from sulla.rpc.limits import ID_CHARS, SUBSCRIPTIONS, TEXT_CHARS, TITLE_CHARS, Limits
from sulla.rpc.row import dump

NORMAL = 1000
NOT_TEXT = 1003
POLICY = 1008
TOO_BIG = 1009
INTERNAL = 1011
RESTART = 1012
TOO_SLOW = 1013
UNAUTHORIZED = 4401
NO_HELLO = 4408
"""Close codes: 1xxx are RFC 6455's, 4xxx ours, after HTTP's 401 and 408."""


class JsonRpcSession:
    """What a connection may say next; keeps `Talk` for ``sulla.v1``.

    Args:
        id: names the connection.
        version: the daemon's.
        limits: sizes.
        principal: who it is, if the upgrade request has shown that already.
    """

    way: Final[Way] = "ws"

    def __init__(self, id: str, version: str, limits: Limits, principal: Principal | None = None) -> None:
        self.id = id
        self._version = version
        self._limits = limits
        self._principal = principal
        self._open = False
        self._followed: set[str] = set()
        self._told = False
        self.client = ""
        """What the client calls itself."""

    @property
    def open(self) -> bool:
        """Whether hello is over and went well."""
        return self._open

    @property
    def principal(self) -> Principal | None:
        """Who it is, as far as that is known."""
        return self._principal

    def begin(self) -> list[Effect]:
        """It is for the client to speak first."""
        return []

    def hear(self, text: str) -> list[Effect]:
        """Take a text frame."""
        if (close := too_big(text, self._limits, known=self._open)) is not None:
            return [close]
        request = rpc.parse(text)
        if isinstance(request, Fault):
            return self._refused(request)
        if (who := self._principal) is None or not self._open:
            return self._first(request)
        params = rpc.read_params(request)
        if isinstance(params, Fault):
            scope = METHODS[request.method].scope if request.method in METHODS else None
            if scope is not None and scope not in who.scopes:  # who may not do it need not know what it takes
                return self.failed(request.id, Forbidden(f"{request.method!r} needs a token with the scope {scope!r}"))
            return self._refused(params)
        if (error := self._unfit(params)) is not None:
            return self.failed(request.id, error)
        return [CallMethod(request.id, params, who)]

    def hear_binary(self) -> list[Effect]:
        """Take a binary frame."""
        return [Close(NOT_TEXT, "sulla.v1 is text frames only")]

    def admit(self, id_: RequestId, principal: Principal) -> list[Effect]:
        """Whoever said hello under `id_` may come in."""
        self._principal = principal
        self._open = True
        welcome = wire.Welcome(
            server=wire.Server(name="sulla", version=self._version),
            protocol=wire.PROTOCOL,
            session=self.id,
            scopes=tuple(sorted(principal.scopes)),
            limits=wire.ShownLimits(
                frame_bytes=self._limits.frame_bytes,
                text_chars=TEXT_CHARS,
                id_chars=ID_CHARS,
                title_chars=TITLE_CHARS,
                subscriptions=SUBSCRIPTIONS,
            ),
        )
        return [SendFrame(rpc.reply_frame(id_, dump(wire.Welcome, welcome)))]

    def refuse(self, id_: RequestId, error: SullaError) -> list[Effect]:
        """Whoever said hello under `id_` has no token, or a wrong one, or there is no room."""
        code = TOO_SLOW if isinstance(error, Busy) else UNAUTHORIZED
        return [SendFrame(rpc.fault_frame(rpc.fault_of(id_, error))), Close(code, error.message)]

    def answered(self, id_: RequestId, result: JsonObject) -> list[Effect]:
        """What was asked for under `id_` is done."""
        return [SendFrame(rpc.reply_frame(id_, result))]

    def failed(self, id_: RequestId, error: SullaError) -> list[Effect]:
        """What was asked for under `id_` was refused."""
        return [SendFrame(rpc.fault_frame(rpc.fault_of(id_, error)))]

    def ended(self, thread_id: str, error: SullaError) -> list[Effect]:
        """A thread can no longer be followed."""
        return [SendFrame(rpc.ended_frame(thread_id, rpc.fault_of(None, error)))]

    def gap(self, thread_id: str, after: int, following: int) -> bytes:
        """A hole in a thread's log as a frame."""
        return rpc.gap_frame(thread_id, after, following)

    def sink(self, out: Out, end: Callable[[Close], None]) -> EventSink:
        """Every event is shown as it is."""
        return out

    def untold(self) -> None:
        """Nobody tells it of notices: it may ask again."""
        self._told = False

    def forget(self, thread_id: str) -> None:
        """The thread is not followed any more."""
        self._followed.discard(thread_id)

    # --------------------------------------------------------------------------------------------------- private

    def _first(self, request: Request) -> list[Effect]:
        if request.method != "hello":
            message = f"got {rpc.show(request.method)} as the first request, expected 'hello'"
            return self._refused(Fault(request.id, rpc.INVALID_REQUEST, message, "invalid_request"))
        match rpc.read_params(request):
            case Fault() as fault:
                return self._refused(fault)
            case wire.Hello(token=None, client=client) if self._principal is not None:
                self.client = client.name
                return self.admit(request.id, self._principal)
            case wire.Hello(token=token, session=session, client=client):
                self.client = client.name
                return [Authenticate(request.id, token, session)]
            case other:
                raise TypeError(f"hello has the parameters of {type(other).__name__}")

    def _unfit(self, params: Params) -> SullaError | None:
        """Why a request does not fit what came before it; None if it does, and then what it begins or ends is known."""
        match params:
            case wire.Hello():
                return Conflict("hello was said already: one per connection")
            case wire.EventsSubscribe(thread_id=thread_id):
                if thread_id in self._followed:
                    return Conflict(f"this connection follows {thread_id!r} already: unsubscribe first")
                if len(self._followed) >= SUBSCRIPTIONS:
                    return Busy(f"this connection follows {SUBSCRIPTIONS} threads, more are not possible")
                self._followed.add(thread_id)
            case wire.EventsUnsubscribe(thread_id=thread_id):
                self._followed.discard(thread_id)
            case NoticeSubscribe():
                if self._told:
                    return Conflict("this connection is told of notices already")
                self._told = True
        return None

    def _refused(self, fault: Fault) -> list[Effect]:
        """Somebody unknown gets one try; somebody known may make mistakes."""
        reply = SendFrame(rpc.fault_frame(fault))
        return [reply] if self._open else [reply, Close(POLICY, fault.message)]


def too_big(text: str, limits: Limits, *, known: bool) -> Close | None:
    """How to close on a frame that is larger than it may be; None if it is not.

    Args:
        text: the frame.
        limits: bounds.
        known: whether the client has said who it is.
    """
    bound = limits.frame_bytes if known else limits.hello_bytes
    if len(text) * 4 > bound and (size := len(text.encode("utf-8", "surrogatepass"))) > bound:
        return Close(TOO_BIG, f"frame of {size} bytes, at most {bound}{'' if known else ' before hello'}")
    return None


def short_reason(reason: str) -> str:
    """A close reason that fits its frame: at most 123 bytes (RFC 6455 §5.5)."""
    return reason.encode("utf-8", "replace")[:120].decode("utf-8", "ignore")
