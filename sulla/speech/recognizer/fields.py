"""Reads the fields of a recognizer's frame; what is not as it should be is named. Pure."""

from __future__ import annotations

from typing import Final

from sulla.core.jsontypes import Json, JsonObject
from sulla.speech.turn_taking.chunk import MAX_CHUNK_CHARS

MAX_CHANNELS: Final = 32
"""Of one recognizer's audio."""
_MOST: Final = 2**53


class MalformedFrame(Exception):
    """A field is not as it should be; the message says which, what came and what was expected."""


def deepgram_text(frame: JsonObject) -> str:
    """The likeliest transcript of ``Results``."""
    match frame.get("channel"):
        case {"alternatives": []}:
            return ""
        case {"alternatives": [{"transcript": said}, *_]}:
            return _words(said, "channel.alternatives.0.transcript")
        case {"alternatives": _}:
            raise MalformedFrame("channel.alternatives: expected a list of objects with a 'transcript'")
        case other:
            raise MalformedFrame(f"channel: got {kind(other)}, expected an object with a list 'alternatives'")


def deepgram_last_word_s(frame: JsonObject) -> float | None:
    """When the last word of ``Results`` ends, in seconds of the audio; None if it does not say."""
    match frame.get("channel"):
        case {
            "alternatives": [
                {"words": [*_, {"start": int() | float() as start_s, "end": int() | float() as end_s}]},
                *_,
            ]
        }:
            return float(end_s) if 0 <= start_s < end_s < _MOST else None  # words without length are not timed
        case _:
            return None


def vosk_text(frame: JsonObject) -> str:
    """The text of a result: as such, that of the first alternative, or word for word."""
    if "text" in frame:
        return words(frame, "text")
    match frame.get("alternatives", frame.get("result")):
        case []:
            return ""
        case [{"text": said}, *_]:
            return _words(said, "alternatives.0.text")
        case [*found] if all(isinstance(one, dict) and isinstance(one.get("word"), str) for one in found):
            return _words(" ".join(str(one["word"]) for one in found if isinstance(one, dict)), "result")
        case other:
            raise MalformedFrame(
                f"result: got {kind(other)}, expected a list of words, or of alternatives with a 'text'"
            )


def request_id(about: Json) -> str:
    """Which stream of the recognizer this belongs to; empty if it does not say."""
    match about:
        case {"request_id": str(found)}:
            return found[:128]
        case _:
            return ""


def channel(frame: JsonObject, name: str) -> int:
    """Which channel of the audio; the first one if it does not say."""
    match frame.get(name):
        case None | []:
            return 0
        case [int() as found, *_] if not isinstance(found, bool) and 0 <= found < MAX_CHANNELS:
            return found
        case other:
            raise MalformedFrame(f"{name}: got {kind(other)}, expected a list that begins with 0 to {MAX_CHANNELS - 1}")


def words(frame: JsonObject, name: str) -> str:
    """A text, with single spaces between its words."""
    return _words(frame.get(name), name)


def text(frame: JsonObject, name: str) -> str:
    """A string as it is."""
    value = frame.get(name)
    if not isinstance(value, str):
        raise MalformedFrame(f"{name}: got {kind(value)}, expected a string")
    return value


def seconds(frame: JsonObject, name: str) -> float:
    """A time of the audio; 0 if it is not there."""
    value = frame.get(name, 0.0)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _MOST:
        raise MalformedFrame(f"{name}: got {kind(value)}, expected seconds")
    return float(value)


def count(frame: JsonObject, name: str) -> int:
    """A whole number."""
    value = frame.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST:
        raise MalformedFrame(f"{name}: got {kind(value)}, expected a whole number, 0 or more")
    return value


def flag(frame: JsonObject, name: str) -> bool:
    """Yes or no; no if it is not there."""
    value = frame.get(name)
    if value is not None and not isinstance(value, bool):
        raise MalformedFrame(f"{name}: got {kind(value)}, expected true or false")
    return bool(value)


def kind(value: Json) -> str:
    """A value for an error message, cut short."""
    match value:
        case None:
            return "nothing"
        case bool() | int() | float():
            return repr(value)[:40]
        case str():
            return repr(value[:40])
        case list():
            return "a list"
        case _:
            return "an object"


def names(frame: JsonObject) -> str:
    """The first fields of a frame, for an error message."""
    return ", ".join(repr(name[:40]) for name in list(frame)[:5]) or "none"


def _words(value: Json, where: str) -> str:
    if not isinstance(value, str):
        raise MalformedFrame(f"{where}: got {kind(value)}, expected a string")
    said = " ".join(value.split())
    if len(said) > MAX_CHUNK_CHARS:
        raise MalformedFrame(f"{where}: got {len(said)} characters, expected at most {MAX_CHUNK_CHARS}")
    return said
