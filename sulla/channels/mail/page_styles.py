"""What a page sets apart by how it looks: lines above or beside it, and indents. Pure.

No list of programs is whole: an element counts as cited by its shape, whoever wrote the page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from sulla.channels.mail.page_grounds import declared as plainly_declared
from sulla.channels.mail.page_grounds import keeps_form
from sulla.channels.mail.page_unseen import hides, is_unseen

Apart = Literal["", "below", "cited", "unseen"]
"""How an element is set apart: not at all, all from it on by a line above it, itself, or because nobody sees it."""
_CITING_TAGS: Final = frozenset({"blockquote", "q", "cite", "fieldset", "dd"})
_CITING_NAME: Final = re.compile(r"quot|(?<![a-z])cit(?:e|ed|ation)(?![a-z]|-prefix)")
"""Of classes and ids; programs put their own marks before them. What says whose a citation is is none itself."""
_FRAMES: Final = ("border", "frame", "rules")
"""Attributes that draw lines around a table's cells."""
_NEVER: Final = frozenset({"ul", "ol", "li", "dl", "body", "html", "img", "hr"})
"""What stands in by itself, holds all, or is no text."""
_DECLARED: Final = re.compile(r"(?:^|;)\s*([a-z-]+)\s*:\s*([^;]*)")
_LINE: Final = re.compile(
    r"(?:border|outline|box-shadow)(?!-(?:radius|spacing|collapse|color|image))(?!-\w+-(?:color|radius))"
)
_ABOVE: Final = re.compile(r"border-(?:top|block-start)")
_BELOW: Final = re.compile(r"border-(?:bottom|block-end)")
_DRAWN: Final = frozenset({"solid", "dashed", "dotted", "double", "groove", "ridge", "inset", "outset"})
_LENGTH: Final = re.compile(r"(\d*\.?\d+)([a-z%]*)")
_PIXELS: Final = {"pt": 1.33, "em": 16.0, "rem": 16.0, "ch": 8.0, "ex": 8.0, "cm": 37.8, "in": 96.0, "%": 6.0}
_INDENT_PIXELS: Final = 20.0
_SHEET: Final = re.compile(r"(?i)</?style\b[^>]{0,200}>")
_SELECTED: Final = re.compile(r"[.#]?[a-z_][\w-]*|\*")
_ORDER: Final[tuple[Apart, ...]] = ("unseen", "cited", "below")
_MOST_STYLE_CHARS: Final = 2_000
_MOST_SELECTOR_CHARS: Final = 300
_MOST_NAMES: Final = 1_000


class Sheets:
    """What the style sheets of one page set apart. It lives as long as the page is read.

    Args:
        page: HTML, with its sheets wherever they stand.
    """

    def __init__(self, page: str) -> None:
        self._names: dict[str, Apart] = {}
        """By class (``.x``), id (``#x``) or tag."""
        small = page.lower()
        self.keep_form = "<link" not in small and "@import" not in small
        """Whether they surely leave all letters and grounds where the page's tags and styles have them."""
        for sheet in _SHEET.split(page)[1:]:  # also what a browser takes for no sheet: no trick of marks hides one
            if "{" in sheet:
                self._read(sheet.lower().replace("<!--", " ").replace("-->", " "))

    def of(self, tag: str, names: list[str]) -> Apart:
        """How they set an element apart.

        Args:
            tag: the element's.
            names: its id and classes, with ``#`` and ``.``.
        """
        return _most([self._names.get(one, "") for one in ("*", tag, *names)]) if self._names else ""

    def _read(self, sheet: str) -> None:
        first, *more = sheet.split("/*")
        for rule in " ".join((first, *(one.partition("*/")[2] for one in more))).split("}"):
            head, _, style = rule.rpartition("{")
            if self.keep_form:
                said = plainly_declared(style)
                self.keep_form = said is not None and "background" not in style and keeps_form(said)
            if len(self._names) >= _MOST_NAMES or not (found := of_style(style)):
                continue
            for selector in head.rpartition("{")[2].split(","):
                plain = re.sub(r":[\w:()-]+|\[[^\]\[]*\]|@[\w-]+", " ", selector[-_MOST_SELECTOR_CHARS:])
                for name in _SELECTED.findall(plain)[-1:]:
                    self._names[name] = _most([found, self._names.get(name, "")])


def apart(tag: str, said: Mapping[str, str | None], sheets: Sheets, ground: str = "") -> Apart:
    """How an element of a page is set apart.

    Args:
        tag: its.
        said: its attributes.
        sheets: of the page.
        ground: on what its letters stand; empty where that is not known.
    """
    if is_unseen(tag, said, ground):
        return "unseen"
    classes, ids = (said.get("class") or "").lower().split(), (said.get("id") or "").lower().split()
    if tag in _CITING_TAGS or "cite" in said or (said.get("type") or "").lower() == "cite":
        return "cited"
    if any(map(_CITING_NAME.search, (*classes, *ids))):
        return "cited"
    if tag == "table" and any((said.get(name) or "0").strip().lower() not in ("0", "void", "none") for name in _FRAMES):
        return "cited"
    own = of_style((said.get("style") or "").lower(), ground)
    found = _most([own, sheets.of(tag, [*(f".{one}" for one in classes), *(f"#{one}" for one in ids)])])
    return "" if tag in _NEVER and found == "cited" else found


def of_style(style: str, ground: str = "") -> Apart:
    """How a style sets an element apart.

    Args:
        style: declarations, in small letters.
        ground: as of `apart`.
    """
    declared = _DECLARED.findall(style[:_MOST_STYLE_CHARS])
    if hides(declared, ground):
        return "unseen"
    lines = [name for name, value in declared if _LINE.match(name) and _is_drawn(value)]
    if any(not _ABOVE.match(name) and not _BELOW.match(name) for name in lines):
        return "cited"
    hangs = any((name == "text-indent" and value.startswith("-")) or name == "mso-list" for name, value in declared)
    if not hangs and any(_indent(name, value.split()) >= _INDENT_PIXELS for name, value in declared):
        return "cited"  # an item of a list hangs: its sign stands in the margin
    return "below" if any(map(_ABOVE.match, lines)) else ""


def _is_drawn(value: str) -> bool:
    words = value.split()
    if _DRAWN & {*words}:
        return True
    return "none" not in words and any(_pixels(one.removeprefix("-")) > 0 for one in words)


def _indent(name: str, lengths: list[str]) -> float:
    """How far a margin moves an element in."""
    if not lengths or not name.startswith("margin"):
        return 0.0
    match name, len(lengths):
        case (("margin-left" | "margin-inline" | "margin-inline-start"), _):
            return _pixels(lengths[0])
        case "margin", 2 | 3:
            return _pixels(lengths[1])
        case "margin", 4:
            return _pixels(lengths[3])
        case _:
            return 0.0  # the same on all sides


def _pixels(length: str) -> float:
    found = _LENGTH.fullmatch(length)
    return float(found[1]) * _PIXELS.get(found[2], 1.0) if found else 0.0


def _most(found: list[Apart]) -> Apart:
    return next((one for one in _ORDER if one in found), "")
