"""What of a page its reader does not see. Pure.

Whoever pastes from a page passes on what he never saw. Programs show pages differently, and what
one hides another shows: so what is hidden by a style counts as from outside and is not dropped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from sulla.channels.mail.page_grounds import color_of, is_dark

TAGS: Final = frozenset(
    "noscript textarea iframe noembed noframes object audio video canvas datalist select option dialog details".split()
)
"""Elements that are not shown, or not at once."""
_NUMBER: Final = re.compile(r"[+-]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})")
_SIZED: Final = re.compile(r"[\d.]{1,9}(?:px|pt|em|rem)(?:/\S{1,9})?")
"""A size among what `font` says."""
_PIXELS: Final = {"pt": 1.33, "em": 16.0, "rem": 16.0, "ch": 8.0, "ex": 8.0, "cm": 37.8, "mm": 3.78, "in": 96.0}
_LEAST_PIXELS: Final = 2.0
"""Letters of this height can be read, just so."""
_LEAST_OPACITY: Final = 0.1
_OUTSIDE_PIXELS: Final = -100.0
"""What is moved so far to the left or up is not on the screen."""
_SIZES: Final = frozenset({"height", "max-height", "width", "max-width"})
_PLACES: Final = frozenset({"left", "top", "right", "bottom", "text-indent", "margin-left", "margin-top", "margin"})
_PAPER: Final = "#ffffff"
"""What a page stands on where it says nothing else."""
_SAME: Final = {"white": "#ffffff", "black": "#000000", "rgb(255,255,255)": "#ffffff", "rgb(0,0,0)": "#000000"}
_GONE: Final = frozenset(
    {
        ("display", "none"),
        ("visibility", "hidden"),
        ("visibility", "collapse"),
        ("mso-hide", "all"),
        ("color", "transparent"),
        ("content-visibility", "hidden"),
    }
)


def is_unseen(tag: str, said: Mapping[str, str | None], ground: str = "") -> bool:
    """Whether an element is not shown, for what it is or says beside its style.

    Args:
        tag: its.
        said: its attributes.
        ground: on what its letters stand; empty where that is not known.
    """
    size, color = (said.get("size") or "").strip(), _color(said.get("color") or "")
    return tag in TAGS or "hidden" in said or (tag == "font" and (size == "0" or _is_on_its_own(color, ground)))


def hides(declared: Sequence[tuple[str, str]], ground: str = "") -> bool:
    """Whether a style hides what it is of.

    Args:
        declared: its names and values, in small letters.
        ground: on what its letters stand; empty where that is not known.
    """
    style = {name: value.replace("!important", "").strip() for name, value in declared}
    if not _GONE.isdisjoint(style.items()) or _is_faint(style) or _is_white(style, ground):
        return True
    cut = {style.get(name, "").partition(" ")[0] for name in ("overflow", "overflow-x", "overflow-y")}
    if cut & {"hidden", "clip"} and any(_pixels(style.get(name, "")) <= 1.0 for name in _SIZES & style.keys()):
        return True
    if any(_pixels(one) <= _OUTSIDE_PIXELS for name in _PLACES & style.keys() for one in style[name].split()[:4]):
        return True
    return style.get("clip", "").startswith("rect") or "scale(0" in style.get("transform", "")


def _is_faint(style: Mapping[str, str]) -> bool:
    opacity = style.get("opacity", "")
    if opacity and (number := _NUMBER.match(opacity)) is not None:
        share = float(number[0]) / (100.0 if opacity.endswith("%") else 1.0)
        if share <= _LEAST_OPACITY:
            return True
    short = next((one for one in style.get("font", "").split() if _SIZED.fullmatch(one)), "")
    return _pixels(style.get("font-size", "") or short.partition("/")[0]) < _LEAST_PIXELS


def _is_white(style: Mapping[str, str], ground: str) -> bool:
    """Whether letters have the colour of what they stand on; what the same style says of it comes first."""
    color = _color(style.get("color", ""))
    behind = {*map(_color, style.get("background", "").split(" ")), _color(style.get("background-color", ""))} - {""}
    return bool(color) and (color in behind or (not behind and _is_on_its_own(color, ground)))


def _is_on_its_own(color: str, ground: str) -> bool:
    """Whether letters of a colour stand on the same one, or on nearly that."""
    return bool(color) and ((bool(ground) and color_of(color) == ground) or (color == _PAPER and not is_dark(ground)))


def _color(said: str) -> str:
    plain = re.sub(r"\s", "", said.lower())
    plain = _SAME.get(plain, plain)
    return f"#{plain[1] * 2}{plain[2] * 2}{plain[3] * 2}" if re.fullmatch(r"#[0-9a-f]{3}", plain) else plain


def _pixels(length: str) -> float:
    """How long something is; very long where that is not known."""
    number = _NUMBER.match(length)
    if number is None:
        return float("inf")
    unit = length[number.end() :]
    if unit == "%":
        return float("inf") if float(number[0]) else 0.0
    return float(number[0]) * _PIXELS.get(unit, 1.0)
