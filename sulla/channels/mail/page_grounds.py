"""On which ground a page's letters stand, where an element further out sets it. Pure.

A ground counts where it surely lies below the letters. Whoever hides words could set one that is not there, so what is
not known here to keep letters on it, in its tags or its style, takes it away.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_INLINE: Final = frozenset("span font b i u a strong em small big s strike sub sup code tt o:p".split())
_ROWS: Final = frozenset("tbody thead tfoot tr td th".split())
_HOLD_ROWS: Final = frozenset("table tbody thead tfoot tr".split())
_BLOCKS: Final = frozenset("body div center p ul ol li h1 h2 h3 h4 h5 h6".split())
_HOLD_BLOCKS: Final = frozenset("html body div center td th ul ol li".split())
_KNOWN: Final = _INLINE | _HOLD_ROWS | _ROWS | _BLOCKS | {"html"}
_SET: Final = frozenset("body div center table tbody thead tfoot tr td th span font".split())
"""What sets a ground for all within it; what another element's beginning may end does not."""
_MAY_STAY_OPEN: Final = frozenset("p li tbody thead tfoot tr td th".split())
_SAME_FORM: Final = re.compile(
    r"color|font(?:-[a-z-]+)?|text-(?:align|decoration|transform)(?:-[a-z]+)?|padding(?:-[a-z]+)?|border(?!-image)(?:-[a-z-]+)?"
    r"|(?:-[a-z]+-)?text-size-adjust|min-(?:width|height)|overflow-wrap|word-(?:wrap|break)|line-break|mso-[a-z-]+"
    r"|orphans|widows|panose-1|page|size"
)
"""What leaves letters where they are, whatever it says."""
_UNSAID: Final = frozenset({"normal", "none", "auto", "0", "0px", "0cm", "initial", "pre-wrap"})
_SPACES: Final = re.compile(r"float|(?:letter|word)-spacing|text-indent|white-space|-webkit-text-stroke-width")
_WIDE: Final = frozenset({"auto", "none", "100%"})
_GROW: Final = frozenset("body table tbody thead tfoot tr td th".split())
"""What is as wide as what stands in it, whatever is said of that."""
_FAR: Final = re.compile(
    r"\d{3}[\d.]*(?:p[xtc]|mm|q)|\d{2}[\d.]*(?:r?em|%|in|cm|ch|ex|pc|v\w{1,3})|\de[-+\d]|calc|var|min\(|max\(|clamp|env"
)
"""Lengths by which letters can be moved off their ground."""
UNSURE: Final = "?"
"""The ground within what may move letters, or be narrower than they are: one that is set within it is not sure either.
"""
_LINE: Final = re.compile(r"normal|[1-3](?:\.\d{1,9})?(?:em)?|1\d{2}%|[1-9]\d(?:\.\d{1,9})?p[xt]")
_GROUNDS: Final = ("background", "background-color")
_RGB: Final = re.compile(r"rgb\((\d{1,3}),(\d{1,3}),(\d{1,3})\)")
_HEX: Final = re.compile(r"#(?:[0-9a-f]{3}|[0-9a-f]{6})")
_NAMES: Final = dict(
    one.split("=")
    for one in (
        "black=#000000 navy=#000080 darkblue=#00008b midnightblue=#191970 blue=#0000ff darkgreen=#006400 green=#008000 "
        "teal=#008080 maroon=#800000 darkred=#8b0000 red=#ff0000 purple=#800080 gray=#808080 grey=#808080 white=#ffffff"
    ).split()
)
_MOST_STYLE_CHARS: Final = 2_000
_STRING: Final = re.compile(r"\"[\w ,.-]{0,80}\"|'[\w ,.-]{0,80}'")
_DARK: Final = 160.0
"""Of 255: white letters on a ground no lighter than this can be read."""


def color_of(said: str) -> str:
    """A colour as ``#rrggbb``; empty for what is none, or is not known here, or lets through what lies below."""
    plain = re.sub(r"\s", "", said.lower())
    if (found := _RGB.fullmatch(plain)) is not None:
        return "#" + "".join(f"{min(int(one), 255):02x}" for one in found.groups())
    plain = _NAMES.get(plain, plain)
    if _HEX.fullmatch(plain) is None:
        return ""
    return plain if len(plain) == 7 else "#" + "".join(one * 2 for one in plain[1:])


def is_dark(ground: str) -> bool:
    """Whether white letters can be read on a ground.

    Args:
        ground: as `ground_of` has it.
    """
    if not ground or ground == UNSURE:
        return False
    red, green, blue = (int(ground[at : at + 2], 16) for at in (1, 3, 5))
    return 0.3 * red + 0.59 * green + 0.11 * blue <= _DARK


def ground_of(tag: str, said: Mapping[str, str | None], parent: str, outer: str) -> str:
    """The ground of what stands in an element; empty or `UNSURE` where none is surely set.

    Args:
        tag: the element's.
        said: its attributes.
        parent: the tag of what it stands in; empty for nothing.
        outer: the ground there.
    """
    style = declared(said.get("style") or "")
    floats = tag == "table" and (said.get("align") or "").lower() in ("left", "right")
    if (
        outer == UNSURE
        or tag not in _KNOWN
        or style is None
        or not keeps_form(style, tag)
        or floats
        or "background" in said
    ):
        return UNSURE
    grounds = [style[name] for name in _GROUNDS if name in style]
    old = (said.get("bgcolor") or "").strip() if tag == "body" or tag in _HOLD_ROWS | _ROWS else ""
    if not grounds and old:
        grounds = ["" if "(" in old else old]
    if grounds:
        may_set = tag in _SET and (tag not in _ROWS or parent in _HOLD_ROWS)
        may_set = may_set and (tag != "body" or parent in ("", "html"))
        return color_of(grounds[0]) if may_set and len(grounds) == 1 else ""
    if tag in _ROWS:
        return outer if parent in _HOLD_ROWS else ""
    if tag in _INLINE:
        return outer if parent not in _HOLD_ROWS else ""
    return outer if tag in _BLOCKS and parent in _HOLD_BLOCKS else ""  # a table may be wider


def is_well_nested(tag: str, left: list[str]) -> bool:
    """Whether every program takes an element's end for the same one's.

    Args:
        tag: what ends.
        left: the tags within it that are still open.
    """
    return not left or (tag not in _INLINE and tag != "p" and _MAY_STAY_OPEN.issuperset(left))


def declared(style: str) -> dict[str, str] | None:
    """What a style says, by its names in small letters; None where it cannot be told for sure.

    Args:
        style: declarations.
    """
    if len(style) > _MOST_STYLE_CHARS or any(one in style for one in ("\\", "/*", "{")):
        return None
    style = _STRING.sub("x", style)
    if '"' in style or "'" in style:
        return None  # what ends a declaration may stand in a string
    found: dict[str, str] = {}
    for one in filter(str.strip, style.lower().split(";")):
        name, colon, value = (part.strip() for part in one.partition(":"))
        if not colon or name in found or not re.fullmatch(r"[a-z0-9-]+", name):
            return None
        found[name] = value.replace("!important", "").strip()
    return found


def keeps_form(style: Mapping[str, str], tag: str = "") -> bool:
    """Whether an element with a style stays where it would be, and holds its letters.

    Args:
        style: as of `declared`.
        tag: the element's, where that is known.
    """
    return all(_keeps_form(name, value, tag) for name, value in style.items())


def _keeps_form(name: str, value: str, tag: str) -> bool:
    if name == "font" and "/" in value:
        return False  # how high a line is stands there
    if name in _GROUNDS or name == "color":
        return True
    if name in ("width", "max-width"):
        return tag in _GROW or value in _WIDE
    if _FAR.search(value):
        return False
    if _SAME_FORM.fullmatch(name):
        return True
    if name.startswith("margin"):
        return "-" not in value and "(" not in value
    if name == "line-height":
        return _LINE.fullmatch(value) is not None
    return value in _UNSAID and _SPACES.fullmatch(name) is not None
