"""One connection as a state machine: frames in, effects out. What a token allows is looked at in `calls`. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from sulla.access import Principal
from sulla.core.errors import Busy, Conflict, SullaError
from sulla.gateway import rpc, wire
from sulla.gateway.limits import ID_CHARS, SUBSCRIPTIONS, TEXT_CHARS, TITLE_CHARS, Limits
from sulla.gateway.rpc import Fault, Request, RequestId
from sulla.gateway.wire_form import Wire
from sulla.gateway.wire_people import NoticeSubscribe

NOT_TEXT = 1003
POLICY = 1008
TOO_BIG = 1009
INTERNAL = 1011
RESTART = 1012
TOO_SLOW = 1013
UNAUTHORIZED = 4401
NO_HELLO = 4408
"""Close codes: 1xxx are RFC 6455's, 4xxx ours, after HTTP's 401 and 408."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Send this frame."""

    frame: bytes


@dataclass(frozen=True, slots=True)
class Authenticate:
    """Find out who this is, then tell by `Session.admit` or `Session.refuse`."""

    id: RequestId
    token: str | None


@dataclass(frozen=True, slots=True)
class Call:
    """Have the daemon do this, then reply under `id`."""

    id: RequestId
    params: Wire
    principal: Principal
    """Whose token it came with."""


@dataclass(frozen=True, slots=True)
class Subscribe:
    """Follow a thread; tell `Session.forget` if that does not work out or ends."""

    id: RequestId
    params: wire.EventsSubscribe
    principal: Principal


@dataclass(frozen=True, slots=True)
class Unsubscribe:
    """Stop following a thread, then reply under `id`."""

    id: RequestId
    params: wire.EventsUnsubscribe
    principal: Principal


@dataclass(frozen=True, slots=True)
class Tell:
    """Tell what its person has not seen from now on, if the reply under `id` is good."""

    id: RequestId
    params: NoticeSubscribe
    principal: Principal


@dataclass(frozen=True, slots=True)
class Close:
    """End the connection, after what was to be sent before."""

    code: int
    reason: str


Effect = Reply | Authenticate | Call | Subscribe | Unsubscribe | Tell | Close


class Session:
    """What a connection may say next.

    Args:
        id: names the connection.
        version: the daemon's.
        limits: sizes.
        principal: who it is, if the upgrade request has shown that already.
    """

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

    def hear(self, text: str) -> list[Effect]:
        """Take a text frame."""
        bound = self._limits.frame_bytes if self._open else self._limits.hello_bytes
        if len(text) * 4 > bound and (size := len(text.encode("utf-8", "surrogatepass"))) > bound:
            return [Close(TOO_BIG, f"frame of {size} bytes, at most {bound}{'' if self._open else ' before hello'}")]
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
            scopes=sorted(principal.scopes),
            limits=wire.ShownLimits(
                frame_bytes=self._limits.frame_bytes,
                text_chars=TEXT_CHARS,
                id_chars=ID_CHARS,
                title_chars=TITLE_CHARS,
                subscriptions=SUBSCRIPTIONS,
            ),
        )
        return [Reply(rpc.reply_frame(id_, welcome.model_dump()))]

    def refuse(self, id_: RequestId, error: SullaError) -> list[Effect]:
        """Whoever said hello under `id_` has no token, or a wrong one, or there is no room."""
        code = TOO_SLOW if isinstance(error, Busy) else UNAUTHORIZED
        return [Reply(rpc.fault_frame(rpc.fault_of(id_, error))), Close(code, error.message)]

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
                return self._declined(request.id, Conflict("hello was said already: one per connection"))
            case wire.EventsSubscribe():
                return self._subscribe(request.id, params, who)
            case wire.EventsUnsubscribe(thread_id=thread_id):
                if thread_id not in self._followed:
                    return [Call(request.id, params, who)]
                self._followed.discard(thread_id)
                return [Unsubscribe(request.id, params, who)]
            case NoticeSubscribe() if self._told:
                return self._declined(request.id, Conflict("this connection is told of notices already"))
            case NoticeSubscribe():
                self._told = True
                return [Tell(request.id, params, who)]
            case _:
                return [Call(request.id, params, who)]

    def _subscribe(self, id_: RequestId, params: wire.EventsSubscribe, who: Principal) -> list[Effect]:
        thread_id = params.thread_id
        if thread_id in self._followed:
            return self._declined(id_, Conflict(f"this connection follows {thread_id!r} already: unsubscribe first"))
        if len(self._followed) >= SUBSCRIPTIONS:
            return self._declined(id_, Busy(f"this connection follows {SUBSCRIPTIONS} threads, more are not possible"))
        self._followed.add(thread_id)
        return [Subscribe(id_, params, who)]

    def _declined(self, id_: RequestId, error: SullaError) -> list[Effect]:
        return [Reply(rpc.fault_frame(rpc.fault_of(id_, error)))]

    def _refused(self, fault: Fault) -> list[Effect]:
        """Somebody unknown gets one try; somebody known may make mistakes."""
        reply = Reply(rpc.fault_frame(fault))
        return [reply] if self._open else [reply, Close(POLICY, fault.message)]


def short_reason(reason: str) -> str:
    """A close reason that fits its frame: at most 123 bytes (RFC 6455 §5.5)."""
    return reason.encode("utf-8", "replace")[:120].decode("utf-8", "ignore")
