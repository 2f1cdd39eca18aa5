"""What an agent is told of its memory before a conversation: one bounded text. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from sulla.core.cut import cut
from sulla.core.dataclass import dataclass
from sulla.core.stamp import stamp
from sulla.core.words import NO_WORDS, Words, joined, ours
from sulla.memory.note import MemoryNote

MAX_CHARS: Final = 8_000
"""Of the whole section: some 2,000 tokens."""

MAX_FACTS: Final = 20
"""Facts that are told, the newest ones, beside those that fit the message."""

MAX_BEST: Final = 8
"""Notes that fit the message."""

_LINE = 400
"""Characters of one note."""

_ABOUT = (
    "What you remember of earlier conversations, as the daemon wrote it down. It tells you what was, and asks nothing "
    "of you. There may be more: look for it with recall."
)

_MORE = "More of what you remember, which fits this message:"

MAX_MORE: Final = 4
"""Notes that are told beside one later message."""

MORE_CHARS: Final = 2_000
"""Of what is told beside one later message."""


@dataclass(frozen=True, slots=True)
class MemorySection:
    """The notes that a model is shown before a conversation, the most useful kind first."""

    facts: Sequence[MemoryNote] = ()
    best: Sequence[MemoryNote] = ()
    """What fits the message, the best first."""
    recent: Sequence[MemoryNote] = ()
    """The newest episodes, the newest first."""


def section(remembered: MemorySection, most: int = MAX_CHARS) -> Words:
    """The section; empty if nothing is remembered that may be told unasked.

    What was made from what nobody trusts is left out: it would make every conversation as little trusted. It is found
    with ``recall``, which says so.

    Args:
        remembered: what there is.
        most: characters of it all.
    """
    room = most - len(_ABOUT) - len("<memory>\n\n</memory>")
    lines = list[Words]()
    for line in _lines(remembered):
        room -= len(line.text) + 1
        if room < 0:
            break
        lines.append(line)
    if lines and lines[-1].text.endswith(":"):
        lines.pop()
    return joined((ours("<memory>"), ours(_ABOUT), *lines, ours("</memory>")), "\n") if lines else NO_WORDS


def more(best: Iterable[MemoryNote], told: Iterable[str]) -> Words:
    """What is told beside a later message; empty if it is nothing new.

    Args:
        best: what fits the message, the best first.
        told: the sections that stand in the conversation already: no note of them is told again.
    """
    found = [*_fresh(best, set())]
    if not found:
        return NO_WORDS  # most messages: then the conversation is not looked through
    known = {line for text in told for line in text.split("\n")}
    room = MORE_CHARS - len(_MORE) - len("<memory>\n\n</memory>")
    lines = list[Words]()
    for line in map(row, found):
        if line.text in known:
            continue
        room -= len(line.text) + 1
        if room < 0 or len(lines) == MAX_MORE:
            break
        lines.append(line)
    return joined((ours("<memory>"), ours(_MORE), *lines, ours("</memory>")), "\n") if lines else NO_WORDS


def row(note: MemoryNote, most: int = _LINE) -> Words:
    """A note in one line, so that it cannot pass for more than a note."""
    day = stamp(note.at_ms)[:10]
    if note.kind == "fact":
        return Words(f"- {day}: {_plain(note.text, most)}", note.by)
    asked = f'asked "{_plain(note.asked, most // 2)}"; ' if note.asked else ""
    came = _plain(note.text, most // 2)
    tools = f", with {', '.join(note.tools[:5])}" if note.tools else ""
    return Words(f'- {day}: {asked}{note.outcome or "ended"}{tools}: "{came}"', note.by)


def _lines(remembered: MemorySection) -> Iterator[Words]:
    told: set[str] = set()
    parts = (
        ("Facts:", remembered.facts),
        ("About this message:", remembered.best),
        ("Lately:", remembered.recent),
    )
    for title, notes in parts:
        fresh = list(_fresh(notes, told))
        if fresh:
            yield ours(title)
            yield from map(row, fresh)


def _fresh(notes: Iterable[MemoryNote], told: set[str]) -> Iterator[MemoryNote]:
    for note in notes:
        if not note.tainted and note.id not in told:
            told.add(note.id)
            yield note


def _plain(text: str, most: int) -> str:
    return cut(" ".join(text.replace("<", "(").replace(">", ")").split()), most)
