"""Reads the labelled lines, and refuses what does not fit: README.md says what they are.

`dev` and `more` are for writing rules; `heldout`, frozen by `HELDOUT_SHA256`, and `trial` are for judging them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HELDOUT_SHA256 = "7f651f6aea3c528ba75abdccd51e5b7db57892342db6b44b7369790a47e76145"
"""Of heldout.tsv, byte for byte, as it was before the first rule was written."""

CLASSES = (
    "complete",
    "cut",
    "lower_case",
    "short_answer",
    "dictation",
    "hesitation",
    "hold_on",
    "self_repair",
    "enumeration",
    "command",
)
LABELS = ("complete", "incomplete")
COLUMNS = ("id", "source", "class", "text", "context", "label", "pause_ms")

MAX_FILE_BYTES = 512 * 1024
MAX_LINES = 4000
MAX_TEXT_CHARS = 200
MAX_PAUSE_MS = 10_000

RUN_WORDS = 5
"""So many words in a row may not be shared by two source sentences."""
MOST_ALIKE = 0.6
"""Share of their different words that two texts of at least `ALIKE_WORDS` may have in common."""
ALIKE_WORDS = 4
FREE_WORDS = 2
"""Texts this short ("yes", "hold on") may be said in both halves."""

_HERE = Path(__file__).parent
_ID = re.compile(r"[a-z]\w{3,7}", re.ASCII)
_SOURCE = re.compile(r"[a-z]s\w{3,7}", re.ASCII)
_WORD = re.compile(r"[\w']+")


class DataError(ValueError):
    """A file of labelled lines is not what it should be; the message says where and what was expected."""


@dataclass(frozen=True, slots=True)
class Line:
    """What has been heard so far, and whether it was all."""

    id: str
    source: str
    """The sentence it was made from; a sentence cut short and the whole of it share theirs."""
    kind: str
    """One of `CLASSES`."""
    text: str
    context: str | None
    """What the assistant had just asked."""
    complete: bool
    pause_ms: int | None
    """How long the speaker was silent before going on; None where complete."""


def dev() -> tuple[Line, ...]:
    """The half that rules may be written by.

    Raises:
        DataError: the file is not what it should be.
    """
    return parse("dev.tsv", (_HERE / "dev.tsv").read_bytes())


def heldout() -> tuple[Line, ...]:
    """The half that rules are judged by.

    Raises:
        DataError: the file is not what it should be, or not the frozen one.
    """
    content = (_HERE / "heldout.tsv").read_bytes()
    check_frozen("heldout.tsv", content)
    return parse("heldout.tsv", content)


def more() -> tuple[Line, ...]:
    """Further lines that rules may be written by.

    Raises:
        DataError: the file is not what it should be.
    """
    return parse("more.tsv", (_HERE / "more.tsv").read_bytes())


def trial() -> tuple[Line, ...]:
    """Further lines to judge rules by, of which whoever writes rules has seen totals alone.

    Raises:
        DataError: the file is not what it should be.
    """
    return parse("trial.tsv", (_HERE / "trial.tsv").read_bytes())


def further(path: Path) -> tuple[Line, ...]:
    """Lines of a file elsewhere, such as new ones that rules have not seen yet.

    Args:
        path: of the file.

    Raises:
        DataError: there is no such file, it is not what it should be, or it is the held-out half.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from error
    if hashlib.sha256(content).hexdigest() == HELDOUT_SHA256:
        raise DataError(f"{path}: is the held-out half, which is not looked at while rules change")
    return parse(path.name, content)


def check_frozen(name: str, content: bytes) -> None:
    """See to it that the held-out half is the one from before the rules.

    Args:
        name: of the file, for the message.
        content: of the file.

    Raises:
        DataError: it is another.
    """
    found = hashlib.sha256(content).hexdigest()
    if found != HELDOUT_SHA256:
        raise DataError(
            f"{name}: SHA-256 is {found}; expected {HELDOUT_SHA256}. "
            "The held-out half is frozen: take the change back, or say in README.md why all figures start anew."
        )


def parse(name: str, content: bytes) -> tuple[Line, ...]:
    """The lines of a file.

    Args:
        name: of the file, for messages.
        content: UTF-8; a line of `COLUMNS`, then tab-separated values, each line ended by a line feed.

    Raises:
        DataError: something does not fit; the message begins with ``name:line``.
    """
    if len(content) > MAX_FILE_BYTES:
        raise DataError(f"{name}: {len(content)} bytes; expected at most {MAX_FILE_BYTES}")
    try:
        rows = content.decode().split("\n")
    except UnicodeDecodeError as error:
        raise DataError(f"{name}: byte {error.start} is not UTF-8") from error
    if rows[0].split("\t") != list(COLUMNS):
        raise DataError(f"{name}:1: expected the columns {', '.join(COLUMNS)}")
    if rows.pop() != "":
        raise DataError(f"{name}:{len(rows) + 1}: expected a line feed at the end of the last line")
    if len(rows) - 1 > MAX_LINES:
        raise DataError(f"{name}: {len(rows) - 1} lines; expected at most {MAX_LINES}")
    lines = tuple(_line(f"{name}:{number}", row) for number, row in enumerate(rows[1:], 2))
    seen: set[str] = set()
    for number, line in enumerate(lines, 2):
        if line.id in seen:
            raise DataError(f"{name}:{number}: id {line.id} is there twice")
        seen.add(line.id)
    return lines


def _line(where: str, row: str) -> Line:
    cells = row.split("\t")
    if len(cells) != len(COLUMNS):
        raise DataError(f"{where}: {len(cells)} columns; expected {len(COLUMNS)}")
    id_, source, kind, text, context, label, pause = cells
    expectations = (
        ("id", id_, _ID.fullmatch(id_) is not None, "a letter and three to seven letters or digits"),
        ("source", source, _SOURCE.fullmatch(source) is not None, "a letter, s, and three to seven letters or digits"),
        ("class", kind, kind in CLASSES, f"one of {', '.join(CLASSES)}"),
        ("text", text, text == text.strip() and bool(_WORD.search(text)), "words with no space around them"),
        ("text", text, len(text) <= MAX_TEXT_CHARS, f"at most {MAX_TEXT_CHARS} characters"),
        ("context", context, context == context.strip(), "no space around it"),
        ("context", context, len(context) <= MAX_TEXT_CHARS, f"at most {MAX_TEXT_CHARS} characters"),
        ("context", context, bool(context) or kind != "short_answer", "the question that the answer is to"),
        ("label", label, label in LABELS, f"one of {', '.join(LABELS)}"),
        ("pause_ms", pause, _pause_fits(pause, label), f"1 to {MAX_PAUSE_MS} where incomplete, nothing where complete"),
    )
    for column, value, fits, expected in expectations:
        if not fits:
            raise DataError(f"{where}: {column} is {value!r}; expected {expected}")
    return Line(id_, source, kind, text, context or None, label == "complete", int(pause) if pause else None)


def _pause_fits(pause: str, label: str) -> bool:
    if label == "complete":
        return pause == ""
    return re.fullmatch(r"[1-9][0-9]{0,4}", pause) is not None and int(pause) <= MAX_PAUSE_MS


def words(text: str) -> tuple[str, ...]:
    """The words of a text without their case and punctuation.

    Args:
        text: any.
    """
    return tuple(_WORD.findall(text.lower()))


def near_copies(lines: Sequence[Line], others: Sequence[Line]) -> list[tuple[Line, Line, str]]:
    """Pairs of different source sentences that say nearly the same, and why they count as such.

    Args:
        lines: one half.
        others: the other half, or the same lines again: then each pair is named once.
    """
    found: list[tuple[Line, Line, str]] = []
    places: dict[str, int] = {}
    prepared = [(other, *_prepared(words(other.text), places)) for other in others]
    for at, line in enumerate(lines, 1):
        mine, runs, bits = _prepared(words(line.text), places)
        for other, theirs, other_runs, other_bits in prepared[at:] if lines is others else prepared:
            if line.source == other.source:
                continue
            if not runs.isdisjoint(other_runs):
                found.append((line, other, f"{RUN_WORDS} words in a row"))
            elif mine == theirs and len(mine) > FREE_WORDS:
                found.append((line, other, "the same words"))
            elif min(len(mine), len(theirs)) >= ALIKE_WORDS and _alike(bits, other_bits) > MOST_ALIKE:
                found.append((line, other, "mostly the same words"))
    return found


def _prepared(text: tuple[str, ...], places: dict[str, int]) -> tuple[tuple[str, ...], frozenset[tuple[str, ...]], int]:
    """A text, its runs of words, and its different words as bits, whose places are kept in `places`."""
    bits = 0
    for word in text:
        bits |= 1 << places.setdefault(word, len(places))
    return text, _runs(text), bits


def _runs(text: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    return frozenset(text[start : start + RUN_WORDS] for start in range(len(text) - RUN_WORDS + 1))


def _alike(one: int, other: int) -> float:
    return (one & other).bit_count() / (one | other).bit_count()
