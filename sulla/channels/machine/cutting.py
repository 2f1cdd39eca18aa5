"""Cuts a long answer into messages: at paragraphs where it can, never within a code block without closing it and
opening it again. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final, Protocol

LEAST_CHARS: Final = 64
"""Less than this no service takes; room for a code fence on both ends has to be."""
_KEEP: Final = 3
"""A break counts if at least one part in so many of what fits stands before it."""
_INFO_CHARS: Final = 24
"""What of a code block's language is said again where it goes on."""
_FENCE: Final = re.compile(r"^ {0,3}(`{3,12}(?!`)|~{3,12}(?!~))(.*)$")
"""A longer row of marks is none: it is said again in each message, and one that fills it would never come to an end."""
_SENTENCE: Final = re.compile(r"[.!?…。!?][\"')\]»”]*\s")
_JOINERS: Final = "\u200d\ufe0e\ufe0f"

Measure = Callable[[str], int]
"""How much room a text takes; never falls as the text grows."""


class Room(Protocol):
    """How much room a message takes: see `Channel.measure`."""

    def __call__(self, text: str, *exact: str) -> int:
        """The room of a text and of what stands above it to the letter."""


def letters(text: str, *exact: str) -> int:
    """How many characters a message has."""
    return len(text) + sum(len(one) + 1 for one in exact)


def utf16_units(text: str) -> int:
    """How long a text is for services that count in UTF-16 units."""
    return len(text) + sum(char > "\uffff" for char in text)


def cut_up(text: str, most: int, measure: Measure = len) -> list[str]:
    """A text as messages, in order; together they say all of it.

    Args:
        text: CommonMark.
        most: what one message may take, by `measure`; `LEAST_CHARS` or more.
        measure: see there.

    Raises:
        ValueError: `most` is too little.
    """
    if most < LEAST_CHARS:
        raise ValueError(f"got {most}, and a message takes {LEAST_CHARS} or more")
    parts: list[str] = []
    rest = text.strip("\n")
    while rest.strip():
        if measure(rest) <= most:
            parts.append(rest)
            break
        part, rest = _first(rest, most, measure)
        if part.strip():
            parts.append(part)
    return parts


def beginning(text: str, most: int, measure: Measure = len) -> str:
    """The first of the messages that a text would be cut into: what is shown of one that is being written.

    Args:
        text, most, measure: as of `cut_up`.
    """
    whole = text.strip("\n")
    return whole if measure(whole) <= most else _first(whole, most, measure)[0]


def _first(text: str, most: int, measure: Measure) -> tuple[str, str]:
    """The first message of a text that is too long for one, and what remains."""
    fits = _longest(text, most, measure)
    at = _break(text, fits)
    fence = _open_fence(text[:at])
    head, tail = text[:at].rstrip("\n" if fence else None), text[at:]
    if not fence:
        return head, tail.lstrip("\n")
    marks, info = fence
    opened = f"{marks}{info}\n"
    # Where nothing but the fence fits, nothing is said of it yet.
    head = "" if head.strip() == opened.strip() else f"{head}\n{marks}"
    return head, opened + tail.removeprefix("\n")


def _longest(text: str, most: int, measure: Measure) -> int:
    """How many characters of a text fit, with the end of a code block that they leave open; 1 or more."""
    low, high = 1, min(len(text) - 1, 4 * most)
    while low < high:
        middle = (low + high + 1) // 2
        fence = _open_fence(text[:middle])
        closed = f"{text[:middle]}\n{fence[0]}" if fence else text[:middle]
        low, high = (middle, high) if measure(closed) <= most else (low, middle - 1)
    return low


def _break(text: str, fits: int) -> int:
    """Where to cut at the latest character that fits: behind a paragraph, a line, a sentence, a word; else there."""
    least = max(fits // _KEEP, _after_fence(text, fits))
    window = text[:fits]
    for at in _paragraphs(window):
        if at >= least:
            return at
    for found in (window.rfind("\n"), _last_sentence(window), window.rfind(" ")):
        if found >= least:
            return found + 1
    at = fits
    while at > 1 and (unicodedata.combining(text[at]) or text[at] in _JOINERS or text[at - 1] == "\u200d"):
        at -= 1
    return at if at > 1 else fits


def _after_fence(text: str, fits: int) -> int:
    """Behind the first line of a text that begins with a code block: cutting before that gets nowhere."""
    line, newline, _ = text.partition("\n")
    return len(line) + 2 if newline and _FENCE.match(line) and len(line) + 2 < fits else 1


def _paragraphs(window: str) -> list[int]:
    """Behind each empty line outside code blocks, the last first."""
    found: list[int] = []
    at, marks = 0, ""
    for line in window.splitlines(keepends=True):
        marks = _next_fence(marks, line.rstrip("\n"))
        at += len(line)
        if not marks and not line.strip() and line.endswith("\n"):
            found.append(at)
    return found[::-1]


def _last_sentence(window: str) -> int:
    return max((match.end() - 1 for match in _SENTENCE.finditer(window)), default=-1)


def _next_fence(marks: str, line: str) -> str:
    """The marks of the code block that is open behind a line; empty for none."""
    match = _FENCE.match(line)
    if match is None:
        return marks
    found, info = match.groups()
    if not marks:
        return "" if found[0] == "`" and "`" in info else found
    return "" if found[0] == marks[0] and len(found) >= len(marks) and not info.strip() else marks


def _open_fence(text: str) -> tuple[str, str] | None:
    """The marks and the language of the code block that is open at a text's end."""
    if "```" not in text and "~~~" not in text:
        return None
    marks, info = "", ""
    for line in text.split("\n"):
        now = _next_fence(marks, line)
        if now and not marks:
            match = _FENCE.match(line)
            info = match.group(2).strip()[:_INFO_CHARS] if match else ""
        marks = now
    return (marks, info) if marks else None
