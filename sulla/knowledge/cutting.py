"""Cuts a text into sections: at headings, and where it has none at paragraphs. Pure."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from sulla.core.cut import cut as shortened
from sulla.core.pattern import late_pattern
from sulla.knowledge.section import Cut

PIECE_CHARS: Final = 1_500
"""The longest piece, in code points: five of them fit into a tool's result whatever they are written in."""
HEADING_CHARS: Final = 200
"""What is kept of a heading."""
_TAG_CHARS: Final = 2_000
"""How far behind a heading's beginning its end is looked for in HTML."""

_ATX: Final = late_pattern(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#*)?[ \t]*")
_UNDERLINE: Final = late_pattern(r" {0,3}(=+|-{2,})[ \t]*")
_FENCE: Final = late_pattern(r" {0,3}(`{3,}|~{3,})(.*)")
_LINK: Final = late_pattern(r"!?\[([^\[\]]*)\]\([^()]*\)")
_MARKS: Final = late_pattern(r"[*`]+|(?<!\w)_+|_+(?!\w)")
_H: Final = late_pattern(r"<h([1-6])(?:\s[^<>]*)?>", re.IGNORECASE)
_H_END: Final = late_pattern(r"</h[1-6]", re.IGNORECASE)
_TAG: Final = late_pattern(r"<[^<>]*>")

Lines = list[tuple[int, str]]
"""Lines of a text with their numbers."""


def cut_plain(text: str) -> Iterator[Cut]:
    """The pieces of a text without headings.

    Args:
        text: with ``\\n`` between its lines.
    """
    yield from _pieces((), [*enumerate(text.split("\n"), 1)])


def cut_pages(pages: Sequence[str]) -> Iterator[Cut]:
    """The pieces of pages.

    Args:
        pages: the text of each, in their order.
    """
    for number, page in enumerate(pages, 1):
        yield from (replace(one, page=number) for one in cut_plain(page))


def cut_markdown(text: str) -> Iterator[Cut]:
    """The pieces of Markdown, each below the headings that it stands under. Code is never taken for a heading.

    Args:
        text: with ``\\n`` between its lines.
    """
    above: list[tuple[int, str]] = []
    held: Lines = []
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        fence, was = _fence(fence, line), fence
        found = None if fence or was else _heading(line, held)
        if found is None:
            held.append((number, line))
            continue
        level, title, underlined = found
        if underlined:
            held.pop()
        yield from _pieces(tuple(said for _, said in above), held)
        held = []
        above = [one for one in above if one[0] < level]
        if title:
            above.append((level, title))
    yield from _pieces(tuple(said for _, said in above), held)


def placed_in(html: str, cuts: Iterable[Cut]) -> Iterator[Cut]:
    """Pieces of the Markdown that was made of a page, with the lines of their headings in the page itself.

    Args:
        html: the page.
        cuts: the pieces, in their order. One whose heading the page does not have gets the line of the one before it.
    """
    known, ahead, line = _html_headings(html), 0, 1
    under: tuple[str, ...] = ()
    for one in cuts:
        if one.headings != under and one.headings:
            under = one.headings
            wanted = _bare(under[-1])
            at = next((n for n in range(ahead, len(known)) if known[n][1] == wanted), None)
            if at is not None:
                line, ahead = known[at][0], at + 1
        yield replace(one, line=line)


def _fence(open_fence: str, line: str) -> str:
    """The fence that a line of Markdown is within, or that it begins; empty for none."""
    found = _FENCE.fullmatch(line)
    if found is None:
        return open_fence
    if not open_fence:
        return "" if found[1][0] == "`" and "`" in found[2] else found[1]
    closes = found[1].startswith(open_fence) and not found[2].strip()
    return "" if closes else open_fence


def _heading(line: str, held: Lines) -> tuple[int, str, bool] | None:
    """The level and the words of a heading that ends with a line, and whether the words stand in the line before it."""
    if (found := _ATX.fullmatch(line)) is not None:
        return len(found[1]), _title(found[2] or ""), False
    if not held or (found := _UNDERLINE.fullmatch(line)) is None:
        return None
    words = held[-1][1]
    alone = len(held) == 1 or not held[-2][1].strip()
    if not words.strip() or not alone or words.lstrip().startswith((">", "|", "- ", "* ", "+ ")):
        return None
    return (1 if found[1][0] == "=" else 2), _title(words), True


def _title(said: str) -> str:
    return shortened(" ".join(_MARKS.sub("", _LINK.sub(r"\1", said)).split()), HEADING_CHARS)


def _html_headings(page: str) -> list[tuple[int, str]]:
    """The headings of a page with the lines that they begin in."""
    breaks = [at for at, character in enumerate(page) if character == "\n"]
    found: list[tuple[int, str]] = []
    for start in _H.finditer(page):
        end = _H_END.search(page, start.end(), start.end() + _TAG_CHARS)
        if end is not None:
            words = html.unescape(_TAG.sub("", page[start.end() : end.start()]))
            found.append((bisect_right(breaks, start.start()) + 1, _bare(_title(words))))
    return found


def _bare(words: str) -> str:
    """Letters and digits alone: what is made of a page escapes some of the rest."""
    return "".join(filter(str.isalnum, words)).casefold()


def _pieces(headings: tuple[str, ...], lines: Lines) -> Iterator[Cut]:
    """The pieces of a section: whole paragraphs as far as they fit, and the parts of one that does not."""
    held: Lines = []
    length = 0
    for block in _blocks(lines):
        added = sum(len(line) + 1 for _, line in block)
        if held and length + added > PIECE_CHARS:
            yield from _piece(headings, held)
            held, length = [], 0
        held += block
        length += added
    yield from _piece(headings, held)


def _blocks(lines: Lines) -> Iterator[Lines]:
    """Paragraphs, each with the empty lines behind it; a paragraph that is too long line by line, and a line that is
    too long in parts.
    """
    block: Lines = []
    for number, line in lines:
        if line.strip() and block and not block[-1][1].strip():
            yield from _fitting(block)
            block = []
        block.append((number, line))
    yield from _fitting(block)


def _fitting(block: Lines) -> Iterator[Lines]:
    if sum(len(line) + 1 for _, line in block) <= PIECE_CHARS:
        yield block
        return
    for number, line in block:
        yield from ([(number, part)] for part in _parts(line))


def _parts(line: str) -> Iterator[str]:
    """A line in parts, which end at a space where there is one in the last fifth."""
    most = PIECE_CHARS - 1
    while len(line) > most:
        at = line.rfind(" ", most * 4 // 5, most)
        end = at + 1 if at > 0 else most
        yield line[:end]
        line = line[end:]
    yield line


def _piece(headings: tuple[str, ...], lines: Lines) -> Iterator[Cut]:
    first = next((place for place, (_, line) in enumerate(lines) if line.strip()), None)
    if first is not None:
        yield Cut(headings, lines[first][0], "\n".join(line for _, line in lines[first:]).rstrip())
