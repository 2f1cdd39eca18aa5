"""What of a piece of Markdown is said aloud. Pure."""

from __future__ import annotations

import html
import re

from sulla.core.pattern import late_pattern
from sulla.speech.sentences.marks import TAG

_CODE = late_pattern(r"(?<!`)(`{1,16})(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_PREFIX = late_pattern(r"(?:(?:[>*+•-]|#{1,6})[ \t]+|>)+(?:\[[ xX]\][ \t]+)?|#{1,6}$")
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (late_pattern(r"!?\[([^\[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"]*\")?\)"), r"\1"),  # links and pictures
    (late_pattern(r"\[([^\[\]^]*[^\W\d_][^\[\]]*)\]\[[^\[\]]*\]"), r"\1"),
    (late_pattern(r"\[\^?\d{1,3}\]|\[\^\w{1,20}\]"), ""),  # notes and sources
    (late_pattern(r"<((?:https?|mailto):[^<>\s]+)>"), r"\1"),
    (TAG, " "),
    (late_pattern(r"(?<![\d\\*])\*+(?=[^\s*])|(?<=[^\s*\\])\*+(?![\d*])"), ""),
    (late_pattern(r"(?<![\w\\])_+(?=[^\s_])|(?<=[^\s_\\])_+(?!\w)"), ""),
    (late_pattern(r"~~|`"), ""),
    (late_pattern(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)
_MARKUP = late_pattern(r"[\[<*_~`\\]")
"""What no rule has anything to do without."""
_ENTITY = late_pattern(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z]\w{1,8});")
_CELL_RULE = late_pattern(r"[\s:|-]+")
_SPACES = late_pattern(r"\s+")


def plain(raw: str) -> str:
    """A piece of a reply, on one line, without what is only for the eye.

    Args:
        raw: as it stands in the reply; it begins and ends with no white space.

    Returns:
        Empty if it has no letter and no digit: a rule between paragraphs, an emoji that stands alone.
    """
    raw = _PREFIX.sub("", raw, count=1) if _PREFIX.match(raw) else raw
    if raw.startswith("|"):
        raw = "" if _CELL_RULE.fullmatch(raw) else ", ".join(filter(None, map(str.strip, raw.split("|"))))
    if not _MARKUP.search(raw):
        return _audible(raw)
    parts: list[str] = []
    at = 0
    for code in _CODE.finditer(raw):
        parts += _said(raw[at : code.start()]), code[2]
        at = code.end()
    return _audible("".join(parts) + _said(raw[at:]))


def _said(text: str) -> str:
    for pattern, instead in _RULES:
        text = pattern.sub(instead, text)
    return text


def _audible(text: str) -> str:
    text = _ENTITY.sub(lambda found: html.unescape(found[0]), text) if "&" in text else text
    text = _SPACES.sub(" ", text).strip()
    return text if any(map(str.isalnum, text)) else ""
