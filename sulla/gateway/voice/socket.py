"""``/voice``: takes in clients that send a recognizer's frames (docs/inside/voice.md)."""

from __future__ import annotations

from typing import Annotated, Final
from urllib.parse import parse_qsl

from pydantic import Field, ValidationError
from starlette.websockets import WebSocket

from sulla.core.errors import InvalidInput
from sulla.gateway import rpc
from sulla.gateway.context import ServerContext
from sulla.gateway.server.auth import bearer
from sulla.gateway.server.perimeter import peer_of, welcome
from sulla.gateway.voice.session import VoiceRequest, VoiceSession
from sulla.rpc.form import Id, Params
from sulla.speech.recognizer.fields import MAX_CHANNELS
from sulla.speech.recognizer.frames import Turns

_SCHEME: Final = "token"
"""What Deepgram's clients write before a key."""


class VoiceQuery(Params):
    """What may stand in the address."""

    thread_id: Id | None = None
    agent: Id | None = None
    turns: Turns = "auto"
    channel: Annotated[int, Field(ge=0, lt=MAX_CHANNELS)] | None = None


def greet_voice(server: ServerContext, socket: WebSocket, name: str) -> VoiceSession:
    """Whoever knocks at `/voice`.

    Args:
        server: what all connections share.
        socket: not accepted yet.
        name: names the connection.

    Raises:
        InvalidInput: the address asks for what there is not.
        Unauthorized: the header holds no valid token.
        Busy: as many clients are here as may be.
    """
    wish, authorization = read_wish(socket.scope["query_string"]), socket.headers.get("authorization")
    if authorization is None:
        return VoiceSession(name, server.limits, wish)
    principal = server.guard.admit(peer_of(socket.scope), bearer(authorization, _SCHEME))
    welcome(socket.scope, principal)
    return VoiceSession(name, server.limits, wish, principal)


def read_wish(query: bytes) -> VoiceRequest:
    """What the address asks for.

    Args:
        query: as ASGI has it.

    Raises:
        InvalidInput: with what is wrong.
    """
    pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    said: dict[str, object] = dict(pairs)
    if len(said) < len(pairs):
        raise InvalidInput("the address says something twice")
    channel = said.get("channel")
    if isinstance(channel, str) and channel.isdecimal() and len(channel) < 10:
        said["channel"] = int(channel)
    try:
        asked = VoiceQuery.model_validate(said)
    except ValidationError as error:
        details = error.errors(include_url=False)
        raise InvalidInput("; ".join(rpc.explain(detail, VoiceQuery, "") for detail in details[:5])) from None
    if asked.thread_id is not None and asked.agent is not None:
        raise InvalidInput("agent: only for a new thread; leave out either it or thread_id")
    return VoiceRequest(asked.thread_id, asked.agent, asked.turns, asked.channel)
