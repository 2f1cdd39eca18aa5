"""A model's Markdown, as a terminal shows it. Import it late: what it is made with takes a quarter of a second.

What is in the text is text: no escape code, nothing that cannot be seen, no HTML that would be left out, no link that
opens without its address being read, and no picture that would be fetched.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement, TableElement
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from sulla.terminal.table import harmless

_LEAST_COLUMNS: Final = 20
_LEAST_CELL: Final = 8
"""So many columns of the terminal a column of a table needs to be readable."""
_TRAILING = re.compile(r"[ \t]+((?:\x1b\[[0-9;]*m)*)$", re.MULTILINE)
_EMPTY = re.compile(r"\A(?:(?:\x1b\[[0-9;]*m)*\n)+")
_THEME: Final = Theme(
    {
        "markdown.code": "cyan",
        "markdown.code_block": "cyan",
        "markdown.link": "underline",
        "markdown.link_url": "underline",
        **{f"markdown.h{level}": "bold underline" if level < 3 else "bold" for level in range(1, 7)},
        "markdown.item.number": "bold",
        "markdown.item.bullet": "bold",
        "markdown.block_quote": "dim",
        "markdown.table.border": "dim",
        "markdown.table.header": "bold",
    }
)
"""Few colours, which can be read on a dark and on a light background alike."""


def renderer(columns: int, *, colour: bool) -> Callable[[str], str]:
    """What makes lines for a terminal of a block of Markdown; they end in a line's end.

    Args:
        columns: how wide the terminal is.
        colour: whether emphasis can be seen.
    """

    def render(text: str) -> str:
        out = io.StringIO()
        console = Console(
            file=out,
            width=max(_LEAST_COLUMNS, columns),
            force_terminal=colour,
            color_system="standard" if colour else None,
            theme=_THEME,
            legacy_windows=False,
            markup=False,
            emoji=False,
            highlight=False,
            _environ={},
        )
        console.print(_document(text))
        return _EMPTY.sub("", _TRAILING.sub(r"\1", out.getvalue())).rstrip("\n") + "\n"

    return render


class _LeftHeading(Heading):
    """The library puts headings in the middle."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The heading as a line."""
        self.text.justify = "left"
        yield self.text


class _Code(CodeBlock):
    """Code without a frame or blanks around it, so that it can be copied; a line that is too long goes on below."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The lines of the code."""
        code = str(self.text).rstrip()
        yield Syntax(code, self.lexer_name, theme=self.theme, word_wrap=True, background_color="default")


class _Table(TableElement):
    """A table of which nothing is cut: what is too wide goes on below, and what has no room at all becomes lines."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table, or its rows."""
        for table in super().__rich_console__(console, options):
            if not isinstance(table, Table) or _LEAST_CELL * len(table.columns) <= options.max_width:
                for column in table.columns if isinstance(table, Table) else ():
                    column.overflow = "fold"
                yield table
            else:
                cells = zip(*(list(column.cells) for column in table.columns), strict=True)
                heads = Text(" | ").join(_text(column.header) for column in table.columns)
                yield Text("\n").join([heads, *(Text(" | ").join(map(_text, row)) for row in cells)])


def _text(cell: object) -> Text:
    return cell if isinstance(cell, Text) else Text(str(cell))


class _Document(Markdown):
    """The library's, with headings and code as they are wanted here."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _LeftHeading,
        "fence": _Code,
        "code_block": _Code,
        "table_open": _Table,
    }


def _document(text: str) -> Markdown:
    document = _Document("", hyperlinks=False, code_theme="ansi_dark")
    # HTML is text like any other: the library would leave it out.
    parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
    document.parsed = list(_safe(parser.parse(harmless(text))))
    return document


def _safe(tokens: list[Token]) -> Iterator[Token]:
    """The document, with pictures as their words and address. An address that is its own text is not written twice."""
    for token in tokens:
        if token.info == "auto" and token.type in ("link_open", "link_close"):
            continue
        if token.children:
            token.children = list(_safe(token.children))
        if token.type == "softbreak":
            # What a model writes on a line of its own, people see on one: small models write lists without dashes.
            token = Token("hardbreak", "br", 0)
        elif token.type == "image":
            words = harmless(token.content) or "without words"
            address = harmless(str(token.attrs.get("src", "")))
            token = Token("text", "", 0, content=f"[picture: {words}] ({address})")
        else:
            # The parser turns `&#x202e;` and its like into the characters that they stand for.
            token.content = harmless(token.content)
            token.attrs = {name: _harmless(value) for name, value in token.attrs.items()}
        yield token


def _harmless(value: Any) -> Any:  # noqa: ANN401 - the library's: numbers stay what they are
    return harmless(value) if isinstance(value, str) else value
