"""Frames as recognizers send them, whole, each made with the recognizer's own types where it has some."""

from __future__ import annotations

import json
from typing import Any

from deepgram.listen.v1.types.listen_v1metadata import ListenV1Metadata
from deepgram.listen.v1.types.listen_v1results import ListenV1Results
from deepgram.listen.v1.types.listen_v1speech_started import ListenV1SpeechStarted
from deepgram.listen.v1.types.listen_v1utterance_end import ListenV1UtteranceEnd
from deepgram.listen.v2.types.listen_v2connected import ListenV2Connected
from deepgram.listen.v2.types.listen_v2turn_info import ListenV2TurnInfo

from sulla.core.jsontypes import Json, JsonObject

REQUEST = "6f1c8b1e-0000-4000-8000-00000000000a"


def results(  # as many as the frame has
    text: str,
    start: float = 0.0,
    duration: float = 1.0,
    *,
    final: bool = False,
    pause: bool = False,
    forced: bool = False,
    channel: int = 0,
    request: str = REQUEST,
) -> JsonObject:
    """Deepgram's ``Results``."""
    words = [
        {"word": word.strip(".,?").lower(), "start": start, "end": start, "confidence": 0.98, "punctuated_word": word}
        for word in text.split()
    ]
    raw = {
        "type": "Results",
        "channel_index": [channel, 1],
        "duration": duration,
        "start": start,
        "is_final": final,
        "speech_final": pause,
        "from_finalize": forced,
        "channel": {"alternatives": [{"transcript": text, "confidence": 0.97, "words": words}]},
        "metadata": {
            "request_id": request,
            "model_uuid": "00000000-0000-4000-8000-00000000000b",
            "model_info": {"name": "general-nova-3", "version": "2025-01-01", "arch": "nova-3"},
        },
    }
    return _same(ListenV1Results, raw)


def utterance_end(at: float, channel: int = 0) -> JsonObject:
    """Deepgram's ``UtteranceEnd``."""
    return _same(ListenV1UtteranceEnd, {"type": "UtteranceEnd", "channel": [channel, 1], "last_word_end": at})


def speech_started(at: float) -> JsonObject:
    """Deepgram's ``SpeechStarted``."""
    return _same(ListenV1SpeechStarted, {"type": "SpeechStarted", "channel": [0, 1], "timestamp": at})


def metadata(request: str = REQUEST) -> JsonObject:
    """Deepgram's ``Metadata``, the last frame of a stream."""
    raw = {
        "type": "Metadata",
        "transaction_key": "deprecated",
        "request_id": request,
        "sha256": "0" * 64,
        "created": "2027-01-15T08:00:00.000Z",
        "duration": 3.2,
        "channels": 1,
    }
    return _same(ListenV1Metadata, raw)


def turn_info(event: str, turn: int, text: str, request: str = REQUEST, sequence: int = 1) -> JsonObject:
    """Flux's ``TurnInfo``."""
    raw = {
        "type": "TurnInfo",
        "request_id": request,
        "sequence_id": sequence,
        "event": event,
        "turn_index": turn,
        "audio_window_start": 0.0,
        "audio_window_end": 1.5,
        "transcript": text,
        "words": [{"word": word, "confidence": 0.9} for word in text.split()],
        "end_of_turn_confidence": 0.42,
    }
    if event == "EndOfTurn":
        raw["trigger"] = "model"
    return _same(ListenV2TurnInfo, raw)


def connected() -> JsonObject:
    """Flux's first frame."""
    return _same(ListenV2Connected, {"type": "Connected", "request_id": REQUEST, "sequence_id": 0})


def partial(text: str) -> JsonObject:
    """Vosk's guess."""
    return {"partial": text}


def result(text: str) -> JsonObject:
    """Vosk's result."""
    words: list[Json] = [{"word": word, "conf": 1.0, "start": 0.1, "end": 0.3} for word in text.split()]
    return {"result": [*words], "text": text} if words else {"text": ""}


def _same(model: Any, raw: dict[str, Any]) -> JsonObject:  # the package's base class has no public name
    """The frame as the recognizer's own type writes it; that must not differ from what we believe it to be."""
    found: JsonObject = json.loads(model.model_validate(raw).model_dump_json(exclude_none=True))
    assert found == raw, model.__name__
    missing = {name for name, about in model.model_fields.items() if about.is_required()} - raw.keys()
    assert not missing, f"{model.__name__} has {missing} too"
    return found
