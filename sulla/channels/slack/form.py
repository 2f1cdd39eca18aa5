"""An agent's CommonMark as Slack shows it: rich text, in which each piece says how it looks. Pure.

Nothing is escaped, and nothing that stands in a text can be taken for a mention, a link or a quote: in rich text those
are pieces of their own kind.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from sulla.channels.machine.tables import aligned, listed

MOST_CHARS: Final = 4_000
"""Of one message: what Slack advises for a text."""
MOST_JSON_CHARS: Final = 12_000
"""Of a message's rich text: Slack was seen to refuse about 13,200 (`msg_blocks_too_long`)."""
MOST_PIECES: Final = 300
_MOST_URL: Final = 3_000
_MOST_INDENT: Final = 8
_MOST_LISTED: Final = 2 * MOST_CHARS
"""Of a table that is shown as a list: heads stand at each cell."""
_MOST_FALLBACK: Final = 1_000
_STYLES: Final = {"strong": "bold", "em": "italic", "s": "strike"}
_BARE: Final = re.compile(r"https?://[^\s<>\"']+[^\s<>\"'.,;:!?)\]}*_~]")
_LINKS: Final = ("http://", "https://", "mailto:")
_LEAVES: Final = frozenset({"fence", "code_block", "html_block", "hr"})

Piece = dict[str, Any]
"""An object of Slack's rich text."""


def formed(text: str, exact: Sequence[str] = ()) -> list[Piece]:
    """CommonMark as the one block that says it.

    Args:
        text: it; not blank where nothing stands above it.
        exact: what stands above it to the letter.
    """
    writer = _Writer()
    writer.blocks(_parser().parse(text))
    above = [_section([_text(one)], "rich_text_preformatted") for one in exact]
    found = [*above, *writer.done()]
    if not found or _pieces(found) > MOST_PIECES or len(json.dumps(found, ensure_ascii=False)) > MOST_JSON_CHARS:
        found = [*above, _section([_text(text.strip("\n") or "…")])]
    return [{"type": "rich_text", "elements": found}]


def measured(text: str, *exact: str) -> int:
    """How much room a message takes; never falls as it grows."""
    return len(text) + sum(len(one) + 1 for one in exact)


def fallback(text: str, exact: Sequence[str] = ()) -> str:
    """What notifications say of a message, in which nothing calls anybody."""
    whole = "\n".join((*exact, text)).strip("\n")
    return whole[:_MOST_FALLBACK].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable(["strikethrough", "table"])


def _section(pieces: list[Piece], kind: str = "rich_text_section") -> Piece:
    return {"type": kind, "elements": pieces}


def _text(text: str) -> Piece:
    return {"type": "text", "text": text}


def _pieces(found: list[Piece]) -> int:
    return sum(1 + _pieces(one.get("elements", [])) for one in found)


class _List:
    """A list that is being written."""

    def __init__(self, *, ordered: bool, start: int) -> None:
        self.ordered = ordered
        self.start = start
        self.count = 0
        self.items: list[Piece] = []
        """Those of its items that are written already and stand nowhere yet."""


class _Writer:
    """Puts one message together."""

    def __init__(self) -> None:
        self._out: list[Piece] = []
        self._run: list[Piece] = []
        """What is being written: a paragraph, an item or a quote."""
        self._styles: list[str] = []
        self._urls: list[str] = []
        self._lists: list[_List] = []
        self._quotes = 0
        self._rows: list[list[str]] | None = None

    def blocks(self, tokens: list[Token]) -> None:
        """Write the blocks of a text, in order."""
        for token in tokens:
            match token.type:
                case "inline" if self._rows is None:
                    self._inline(token.children or [])
                case "paragraph_open" | "heading_open":
                    self._gap()
                    self._styles += ["bold"] if token.type == "heading_open" else []
                case "heading_close":
                    self._styles.pop()
                case "blockquote_open" | "blockquote_close":
                    self._quote(1 if token.nesting > 0 else -1)
                case _ if token.type in _LEAVES:
                    self._leaf(token)
                case _:
                    self._list(token)
                    self._table(token)

    def done(self) -> list[Piece]:
        """What was written."""
        self._flush()
        return self._out

    # ------------------------------------------------------------------------------------------------------- private

    def _leaf(self, token: Token) -> None:
        if token.type in ("fence", "code_block"):
            self._code(token.content.rstrip("\n"))
        else:
            self._gap()
            self._put("———" if token.type == "hr" else token.content.rstrip("\n"))

    def _code(self, content: str) -> None:
        if not content.strip():
            return
        if self._quotes:
            self._gap()
            self._put(content, code=True)
            return
        self._flush()
        self._out.append(_section([_text(content)], "rich_text_preformatted"))

    def _quote(self, by: int) -> None:
        if self._quotes == (0 if by > 0 else 1):  # the outermost begins, or ends
            self._flush()
        self._quotes += by

    def _list(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                self._begin_list(token)
            case "bullet_list_close" | "ordered_list_close":
                self._end_item()
                self._write_list()
                self._lists.pop()
            case "list_item_open" if self._quotes:
                at = self._lists[-1]
                self._gap()
                self._put(f"{at.start + at.count}. " if at.ordered else "• ")
                at.count += 1
            case "list_item_close" if not self._quotes:
                self._end_item()

    def _table(self, token: Token) -> None:
        match token.type:
            case "table_open":
                self._rows = []
            case "tr_open" if self._rows is not None:
                self._rows.append([])
            case "inline" if self._rows is not None:
                self._rows[-1].append("".join(one.content for one in token.children or []))
            case "table_close":
                rows, self._rows = self._rows or [], None
                if shown := aligned(rows):
                    self._code(shown)
                else:
                    self._gap()
                    self._put(listed(rows, _MOST_LISTED))

    def _begin_list(self, token: Token) -> None:
        if not self._quotes:
            if self._lists:
                self._end_item()
                self._write_list()
            else:
                self._flush()
        start = token.attrGet("start")
        self._lists.append(_List(ordered=token.type.startswith("ordered"), start=1 if start is None else int(start)))

    def _end_item(self) -> None:
        if self._lists and self._run and not self._quotes:
            self._lists[-1].items.append(_section(self._run))
            self._run = []

    def _write_list(self) -> None:
        """Put the items that are there out: another list, or something else, comes between them and the next."""
        at = self._lists[-1]
        if not at.items:
            return
        indent = min(len(self._lists) - 1, _MOST_INDENT)
        found = {"type": "rich_text_list", "style": "ordered" if at.ordered else "bullet", "indent": indent}
        offset = at.start - 1 + at.count
        self._out.append(found | ({"offset": offset} if at.ordered and offset > 0 else {}) | {"elements": at.items})
        at.count += len(at.items)
        at.items = []

    def _flush(self) -> None:
        """End what is being written."""
        if self._lists and not self._quotes:
            self._end_item()
            self._write_list()
        elif self._run:
            self._out.append(_section(self._run, "rich_text_quote" if self._quotes else "rich_text_section"))
        self._run = []

    def _gap(self) -> None:
        """A new block begins."""
        if self._run and not str(self._run[-1].get("text", "")).endswith(("\n", "• ", ". ")):
            self._put("\n" if self._lists or self._quotes else "\n\n")

    def _inline(self, tokens: list[Token]) -> None:
        for token in tokens:
            name, _, side = token.type.rpartition("_")
            match token.type:
                case "text" | "html_inline":
                    self._linked(token.content)
                case "code_inline":
                    self._put(token.content, code=True)
                case "softbreak" | "hardbreak":
                    self._put("\n")
                case "link_open":
                    self._urls.append(str(token.attrGet("href") or ""))
                case "link_close":
                    self._urls.pop()
                case "image":
                    self._put(token.content or "picture")
                case _ if name in _STYLES and side == "open":
                    self._styles.append(_STYLES[name])
                case _ if name in _STYLES and side == "close":
                    self._styles.pop()

    def _linked(self, text: str) -> None:
        """Write words; addresses among them become links, which rich text does not make of itself."""
        if self._urls:
            self._put(text)
            return
        at = 0
        for found in _BARE.finditer(text):
            self._put(text[at : found.start()])
            self._put(found.group(), url=found.group())
            at = found.end()
        self._put(text[at:])

    def _put(self, text: str, *, code: bool = False, url: str = "") -> None:
        if not text:
            return
        styles = dict.fromkeys([*self._styles, *(("code",) if code else ())], True)
        url = url or (self._urls[-1] if self._urls else "")
        piece = _text(text)
        if url.startswith(_LINKS) and len(url) <= _MOST_URL:
            piece = {"type": "link", "url": url, "text": text}
        if styles:
            piece["style"] = styles
        last = self._run[-1] if self._run else {}
        same = {**last, "text": ""} == {**piece, "text": ""}
        if same and piece["type"] == "text":
            last["text"] += text
        else:
            self._run.append(piece)
