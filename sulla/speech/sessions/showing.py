"""What happens to speech as live events of its thread. Pure; docs/inside/protocol.md lists them."""

from __future__ import annotations

from typing import Final

from sulla.core.jsontypes import JsonObject
from sulla.speech.log.records import EndedTurn
from sulla.speech.turn_taking.events import Cancelled, EagerEnd, Event, Partial, Resumed, TurnStarted

SHOWN_CHARS: Final = 500
"""Of a text, its end: a message of the bus holds 4 KiB, and a code point takes up to six bytes."""


def shown(event: Event) -> tuple[str, JsonObject] | None:
    """A moment's type and data; None for an end, which is shown when it is delivered."""
    match event:
        case TurnStarted(turn_id):
            return "SPEECH_STARTED", {"turn_id": turn_id}
        case Partial(turn_id, text):
            return "SPEECH_PARTIAL", {"turn_id": turn_id, **_said(text)}
        case EagerEnd(turn_id, text, score):
            return "SPEECH_EAGER_END", {"turn_id": turn_id, **_said(text), "score": score}
        case Resumed(turn_id):
            return "SPEECH_RESUMED", {"turn_id": turn_id}
        case Cancelled(turn_id):
            return "SPEECH_CANCELLED", {"turn_id": turn_id}
        case _:
            return None


def shown_end(turn: EndedTurn, message_id: str) -> tuple[str, JsonObject]:
    """The moment of a turn that is settled.

    Args:
        turn: which.
        message_id: of its message; empty if it is none.
    """
    why: JsonObject = {"reason": turn.reason, "score": turn.score, "detail": turn.detail, "waited_ms": turn.waited_ms}
    where: JsonObject = {"message_id": message_id, "delivered": bool(message_id)}
    return "SPEECH_END", {"turn_id": turn.id, **_said(turn.text), **why, **where}


def _said(text: str) -> JsonObject:
    return {"text": text[-SHOWN_CHARS:], "chars": len(text)}
