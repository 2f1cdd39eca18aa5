"""One connection as a state machine: frames in, effects out. What a token allows is looked at in `calls`. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sulla.access import Principal
from sulla.core.errors import Busy, Conflict, SullaError
from sulla.core.jsontypes import JsonObject
from sulla.gateway import rpc, wire
from sulla.gateway.feed.follower import Sink
from sulla.gateway.rpc import Fault, Request, RequestId
from sulla.gateway.talk import Authenticate, Call, Close, Effect, Out, Reply, Subscribe, Tell, Unsubscribe
from sulla.people.notices_rpc import NoticeSubscribe
from sulla.rpc import ID_CHARS, SUBSCRIPTIONS, TEXT_CHARS, TITLE_CHARS, Limits, Way, dump

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


class Session:
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
        return self._later(request) if self._open else self._first(request)

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
        return [Reply(rpc.reply_frame(id_, dump(wire.Welcome, welcome)))]

    def refuse(self, id_: RequestId, error: SullaError) -> list[Effect]:
        """Whoever said hello under `id_` has no token, or a wrong one, or there is no room."""
        code = TOO_SLOW if isinstance(error, Busy) else UNAUTHORIZED
        return [Reply(rpc.fault_frame(rpc.fault_of(id_, error))), Close(code, error.message)]

    def answered(self, id_: RequestId, result: JsonObject) -> list[Effect]:
        """What was asked for under `id_` is done."""
        return [Reply(rpc.reply_frame(id_, result))]

    def failed(self, id_: RequestId, error: SullaError) -> list[Effect]:
        """What was asked for under `id_` was refused."""
        return [Reply(rpc.fault_frame(rpc.fault_of(id_, error)))]

    def ended(self, thread_id: str, error: SullaError) -> list[Effect]:
        """A thread can no longer be followed."""
        return [Reply(rpc.ended_frame(thread_id, rpc.fault_of(None, error)))]

    def gap(self, thread_id: str, after: int, following: int) -> bytes:
        """A hole in a thread's log as a frame."""
        return rpc.gap_frame(thread_id, after, following)

    def sink(self, out: Out, end: Callable[[Close], None]) -> Sink:
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
            case wire.Hello(token=token, client=client):
                self.client = client.name
                return [Authenticate(request.id, token)]
            case other:
                raise TypeError(f"hello has the parameters of {type(other).__name__}")

    def _later(self, request: Request) -> list[Effect]:
        params = rpc.read_params(request)
        if isinstance(params, Fault):
            return self._refused(params)
        who = self._principal
        if who is None:
            raise TypeError("a session is open, but nobody knows whose it is")
        match params:
            case wire.Hello():
                return self.failed(request.id, Conflict("hello was said already: one per connection"))
            case wire.EventsSubscribe():
                return self._subscribe(request.id, params, who)
            case wire.EventsUnsubscribe(thread_id=thread_id):
                if thread_id not in self._followed:
                    return [Call(request.id, params, who)]
                self._followed.discard(thread_id)
                return [Unsubscribe(request.id, params, who)]
            case NoticeSubscribe() if self._told:
                return self.failed(request.id, Conflict("this connection is told of notices already"))
            case NoticeSubscribe():
                self._told = True
                return [Tell(request.id, params, who)]
            case _:
                return [Call(request.id, params, who)]

    def _subscribe(self, id_: RequestId, params: wire.EventsSubscribe, who: Principal) -> list[Effect]:
        thread_id = params.thread_id
        if thread_id in self._followed:
            return self.failed(id_, Conflict(f"this connection follows {thread_id!r} already: unsubscribe first"))
        if len(self._followed) >= SUBSCRIPTIONS:
            return self.failed(id_, Busy(f"this connection follows {SUBSCRIPTIONS} threads, more are not possible"))
        self._followed.add(thread_id)
        return [Subscribe(id_, params, who)]

    def _refused(self, fault: Fault) -> list[Effect]:
        """Somebody unknown gets one try; somebody known may make mistakes."""
        reply = Reply(rpc.fault_frame(fault))
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
