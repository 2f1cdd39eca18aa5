"""Recordings of speech: JSON lines, each with the time at which something came (docs/inside/speech.md)."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Final, Literal, get_args

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, NotFound, TooLarge
from sulla.speech.recognizer.frames import Recognizer
from sulla.speech.recognizer.moves import Drop, Flush, Say, Wrong
from sulla.speech.turn_taking.chunk import Chunk

Order = Literal["flush", "cancel"]
"""To end the turn now, or to drop it."""
Until = Literal["speaking", "silent"]
"""To wait until the assistant speaks, or has finished speaking."""

MAX_LINES: Final = 100_000
"""An hour and more of speech at the pace of any recognizer."""
MAX_LINE_CHARS: Final = 200_000
"""The longest chunk, escaped."""
MAX_FAULTS: Final = 20
"""So many are told at once."""

_NEEDED: Final = ("utterance_id", "seq", "kind", "text")
_CHUNK: Final = (*_NEEDED, "stable_chars", "silent_ms", "held")
_ALONE: Final = ("do", "until", "frame")
_KNOWN: Final = ("at_ms", "question", *_CHUNK, *_ALONE)
_A_LINE: Final = (
    "expected a chunk (utterance_id, seq, kind, text), a recognizer's frame, a question, "
    '{"do": "flush"}, {"do": "cancel"}, {"until": "speaking"} or {"until": "silent"}'
)


@dataclass(frozen=True, slots=True)
class Heard:
    """What a line of a recording says, or one of several things that it does."""

    number: int
    """Of the line, from 1."""
    at_ms: int
    """Since the beginning of the recording."""
    chunk: Chunk | None = None
    question: str | None = None
    """What the assistant asked before this; empty: it said something else."""
    do: Order | None = None
    until: Until | None = None


@dataclass(slots=True)
class Recording:
    """What a file holds.

    Attributes:
        name: of the file, as it was given.
        heard: its lines, in their order.
        faults: what is wrong with it, one for each line that is, with the line's number before it.
    """

    name: str
    heard: list[Heard] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def recording(name: str) -> Recording:
    """Read a recording.

    Args:
        name: a file, or ``-`` for standard input.

    Raises:
        NotFound: there is no such file.
        InvalidInput: it cannot be read.
        TooLarge: it has more than `MAX_LINES` lines.
    """
    if name == "-":
        return read_recording("standard input", sys.stdin)
    try:
        with Path(name).open(encoding="utf-8", errors="surrogateescape") as lines:
            return read_recording(name, lines)
    except FileNotFoundError:
        raise NotFound(
            f"there is no file {name}: expected a recording, JSON lines as docs/inside/speech.md says"
        ) from None
    except OSError as error:
        raise InvalidInput(f"cannot read {name}: {error.strerror}") from None


def read_recording(name: str, lines: Iterable[str]) -> Recording:
    """Read the lines of a recording.

    Args:
        name: what to call it where something is wrong.
        lines: of JSON; empty ones are passed over.

    Raises:
        TooLarge: there are more than `MAX_LINES` of them.
    """
    found = Recording(name)
    reader = _Reader()
    last_line = last_ms = 0
    for number, line in enumerate(lines, 1):
        if number > MAX_LINES:
            raise TooLarge(f"{name} has more than {MAX_LINES} lines; play it in parts")
        if not line.strip():
            continue
        try:
            given = _object(line)
            at_ms = _whole(given, "at_ms")
            if at_ms < last_ms:
                raise InvalidInput(
                    f"at_ms is {at_ms}, before the {last_ms} of line {last_line}; "
                    "expected the lines in the order in which they came"
                )
            found.heard += reader.read(number, at_ms, given)
            last_line, last_ms = number, at_ms
        except InvalidInput as error:
            found.faults.append(f"{name}:{number}: {error.message}")
            if len(found.faults) >= MAX_FAULTS:
                found.faults.append(f"{name}: looked no further after {MAX_FAULTS} faults")
                break
    if not last_line and not found.faults:
        found.faults.append(f"{name}: there is nothing in it; expected JSON lines as docs/inside/speech.md says")
    return found


class _Reader:
    """Lines in their order."""

    def __init__(self) -> None:
        self._recognizer = Recognizer("voice")

    def read(self, number: int, at_ms: int, given: Mapping[str, Any]) -> list[Heard]:
        for name in given:
            if name not in _KNOWN:
                raise InvalidInput(f"unknown field {name[:40]!r}; expected {', '.join(_KNOWN)}")
        question = _text(given, "question") if "question" in given else None
        alone = [name for name in _ALONE if name in given]
        if any(name in given for name in _CHUNK):
            if alone:
                raise InvalidInput(f"{alone[0]!r} stands beside a chunk; expected it in a line of its own")
            return [Heard(number, at_ms, _chunk(given), question)]
        if question is None and not alone:
            raise InvalidInput(f"this line says nothing: {_A_LINE}")
        if len(alone) + (question is not None) > 1:
            raise InvalidInput(f"this line says several things: expected one of {', '.join(('question', *_ALONE))}")
        if "frame" in given:
            return self._frame(number, at_ms, given["frame"])
        return [Heard(number, at_ms, None, question, _one_of(given, "do", Order), _one_of(given, "until", Until))]

    def _frame(self, number: int, at_ms: int, frame: object) -> list[Heard]:
        if not isinstance(frame, dict):
            raise InvalidInput(f"frame is {_shown(frame)}; expected a JSON object, as the recognizer sent it")
        found: list[Heard] = []
        for move in self._recognizer.hear(frame):
            match move:
                case Say(chunk):
                    found.append(Heard(number, at_ms, chunk))
                case Flush():
                    found.append(Heard(number, at_ms, do="flush"))
                case Drop():
                    found.append(Heard(number, at_ms, do="cancel"))
                case Wrong(message):
                    raise InvalidInput(f"frame: {message}")
                case _:
                    pass  # what was played, the end of the stream, or a type that is not known
        return found


def _object(line: str) -> dict[str, Any]:
    if len(line) > MAX_LINE_CHARS:
        raise InvalidInput(f"the line has {len(line)} characters; expected at most {MAX_LINE_CHARS}")
    try:
        line.encode()
        given = json.loads(line)
    except UnicodeEncodeError as error:
        raise InvalidInput(f"character {error.start + 1} is not valid UTF-8: write it in UTF-8") from None
    except (ValueError, RecursionError) as error:
        what = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        where = f", column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        raise InvalidInput(f"not JSON{where}: {what}; expected one JSON object in each line") from None
    if not isinstance(given, dict):
        raise InvalidInput(f"found {type(given).__name__}; expected one JSON object in each line")
    return given


def _chunk(given: Mapping[str, Any]) -> Chunk:
    missing = [name for name in _NEEDED if name not in given]
    if missing:
        raise InvalidInput(f"a chunk without {', '.join(missing)}: {_A_LINE}")
    stable = _whole(given, "stable_chars") if "stable_chars" in given else 0
    silent = _whole(given, "silent_ms") if given.get("silent_ms") is not None else None
    held = given.get("held", False)
    if not isinstance(held, bool):
        raise InvalidInput(f"held is {_shown(held)}; expected true or false")
    kind: Any = _text(given, "kind")  # Chunk looks whether it is one
    return Chunk(_text(given, "utterance_id"), _whole(given, "seq"), kind, _text(given, "text"), stable, silent, held)


def _whole(given: Mapping[str, Any], name: str) -> int:
    value = given.get(name)
    if name not in given:
        raise InvalidInput(f"without {name}; expected a whole number of 0 or more")
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 2**53:
        raise InvalidInput(f"{name} is {_shown(value)}; expected a whole number from 0 to 2**53")
    return value


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given[name]
    if not isinstance(value, str):
        raise InvalidInput(f"{name} is {_shown(value)}; expected a text")
    return value


def _one_of(given: Mapping[str, Any], name: str, choices: Any) -> Any:  # noqa: ANN401  - one of the two literals above
    if name not in given:
        return None
    if given[name] not in get_args(choices):
        raise InvalidInput(f"{name} is {_shown(given[name])}; expected {' or '.join(map(repr, get_args(choices)))}")
    return given[name]


def _shown(value: object) -> str:
    return repr(value)[:80]
