"""An agent's CommonMark as Telegram shows it: a plain text, and which parts of it look how. Pure.

Nothing is escaped and nothing can be refused, as it happens with marks in the text: half a message that is still being
written is as good as a whole one. The plain text is longer than what it was made of for its tables alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from sulla.channels.machine.cutting import utf16_units
from sulla.channels.machine.tables import aligned, listed, room_of
from sulla.core.dataclass import dataclass

_INLINE: Final = {"strong": "bold", "em": "italic", "s": "strikethrough"}
_FRAMES: Final = {"heading_open": "bold", "blockquote_open": "blockquote"}
_LEAVES: Final = frozenset({"fence", "code_block", "html_block", "hr"})
MOST_SPANS: Final = 100
"""So many the Bot API takes; what comes behind is shown plainly."""


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text that looks differently."""

    kind: str
    """As the Bot API calls it."""
    offset: int
    """In UTF-16 units, as the next."""
    length: int
    url: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Formed:
    """A text in Telegram's form."""

    text: str
    spans: tuple[Span, ...]


def formed(text: str, exact: Sequence[str] = ()) -> Formed:
    """CommonMark in Telegram's form.

    Args:
        text: it.
        exact: what stands above it to the letter. Telegram looks for no marks in a text, and for no addresses or names
            in its blocks of code.
    """
    writer = _Writer()
    writer.blocks(_parser().parse(text))
    below = writer.done(text)
    if not exact:
        return below
    above, blocks = "", list[Span]()
    for block in exact:
        blocks.append(Span("pre", utf16_units(above), utf16_units(block)))
        above += f"{block}\n"
    moved = (replace(one, offset=one.offset + utf16_units(above)) for one in below.spans)
    return Formed((above + below.text).rstrip("\n"), (*blocks, *moved)[:MOST_SPANS])


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable(["strikethrough", "table"])


def measured(text: str, *exact: str) -> int:
    """How much room a message takes; never falls as it grows."""
    return utf16_units(text) + room_of(text) + sum(utf16_units(one) + 1 for one in exact)


class _Writer:
    """Puts one message together."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._at = 0
        self._spans: list[Span] = []
        self._open: list[tuple[str, int, str]] = []
        self._lists: list[int | None] = []
        self._rows: list[list[str]] | None = None
        """Of the table that is being read."""

    def blocks(self, tokens: list[Token]) -> None:
        """Write the blocks of a text, in order."""
        for token in tokens:
            if self._rows is not None or token.type == "table_open":
                self._table(token)
            elif token.type == "inline":
                self._inline(token.children or [])
            elif token.type in _LEAVES:
                self._leaf(token)
            elif token.type in _FRAMES:
                self._gap()
                self._open.append((_FRAMES[token.type], self._at, ""))
            elif token.type.removesuffix("_close") + "_open" in _FRAMES:
                self._close()
            elif token.type == "paragraph_open" and not token.hidden:
                self._gap()
            else:
                self._list(token)

    def _leaf(self, token: Token) -> None:
        self._gap()
        start = self._at
        self._put(token.content.rstrip("\n") or "---")
        if token.type in ("fence", "code_block"):
            self._span("pre", start, language=token.info.strip().split(" ")[0][:30])

    def _table(self, token: Token) -> None:
        rows = self._rows = [] if self._rows is None else self._rows
        match token.type:
            case "tr_open":
                rows.append([])
            case "inline":
                rows[-1].append("".join(one.content for one in token.children or []))
            case "table_close":
                self._rows = None
                self._gap()
                start, columns = self._at, aligned(rows)
                self._put(columns or listed(rows, sum(len(cell) + 3 for row in rows for cell in row) * 3 // 2))
                if columns:
                    self._span("pre", start)

    def _list(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open":
                self._lists.append(None)
            case "ordered_list_open":
                start = token.attrGet("start")
                self._lists.append(int(start) if start is not None else 1)
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "list_item_open":
                self._item()

    def done(self, source: str) -> Formed:
        """What was written."""
        text = "".join(self._pieces)
        if not text.strip() or utf16_units(text) > measured(source):
            return Formed(source, ())
        end = utf16_units(text.rstrip())
        cut = (
            Span(one.kind, one.offset, min(one.length, end - one.offset), one.url, one.language) for one in self._spans
        )
        return Formed(text.rstrip(), tuple(one for one in cut if one.length > 0)[:MOST_SPANS])

    def _inline(self, tokens: list[Token]) -> None:
        for token in tokens:
            name = token.type.rpartition("_")[0]
            match token.type:
                case "text" | "html_inline":
                    self._put(token.content)
                case "code_inline":
                    start = self._at
                    self._put(token.content)
                    self._span("code", start)
                case "softbreak" | "hardbreak":
                    self._put("\n")
                case "link_open":
                    self._open.append(("text_link", self._at, str(token.attrGet("href") or "")))
                case "image":
                    self._put(token.content or "picture")
                case _ if name in _INLINE and token.type.endswith("_open"):
                    self._open.append((_INLINE[name], self._at, ""))
                case _ if token.type.endswith("_close"):
                    self._close()
                case _:
                    pass

    def _item(self) -> None:
        if self._at and not self._ends("\n"):
            self._put("\n")
        number = self._lists[-1] if self._lists else None
        self._put("  " * (len(self._lists) - 1) + ("• " if number is None else f"{number}. "))
        if number is not None:
            self._lists[-1] = number + 1

    def _gap(self) -> None:
        """A new block begins."""
        if not self._at or self._ends("\n\n") or self._ends("• ") or (self._lists and self._ends(". ")):
            return
        self._put("\n" if self._ends("\n") else "\n\n")

    def _ends(self, with_: str) -> bool:
        return bool(self._pieces) and "".join(self._pieces[-2:]).endswith(with_)

    def _put(self, text: str) -> None:
        if text:
            self._pieces.append(text)
            self._at += utf16_units(text)

    def _close(self) -> None:
        if self._open:
            kind, start, url = self._open.pop()
            if kind != "blockquote" or all(one[0] != kind for one in self._open):  # the Bot API takes none within one
                self._span(kind, start, url=url)

    def _span(self, kind: str, start: int, *, url: str = "", language: str = "") -> None:
        if kind == "text_link" and not url.startswith(("http://", "https://", "tg://")):
            return
        if self._at > start:
            self._spans.append(Span(kind, start, self._at - start, url, language))
