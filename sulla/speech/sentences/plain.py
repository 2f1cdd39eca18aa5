"""What of a piece of Markdown is said aloud. Pure."""

from __future__ import annotations

import re

from sulla.speech.sentences.marks import TAG

_CODE = re.compile(r"(?<!`)(`{1,16})(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_PREFIX = re.compile(r"(?:(?:[>*+•-]|#{1,6})[ \t]+|>)+(?:\[[ xX]\][ \t]+)?|#{1,6}$")
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"!?\[([^\[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"]*\")?\)"), r"\1"),  # links and pictures
    (re.compile(r"\[([^\[\]^]*[^\W\d_][^\[\]]*)\]\[[^\[\]]*\]"), r"\1"),
    (re.compile(r"\[\^?\d{1,3}\]|\[\^\w{1,20}\]"), ""),  # notes and sources
    (re.compile(r"<((?:https?|mailto):[^<>\s]+)>"), r"\1"),
    (TAG, " "),
    (re.compile(r"(?<![\d\\*])\*+(?=[^\s*])|(?<=[^\s*\\])\*+(?![\d*])"), ""),
    (re.compile(r"(?<![\w\\])_+(?=[^\s_])|(?<=[^\s_\\])_+(?!\w)"), ""),
    (re.compile(r"~~|`"), ""),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)
_MARKUP = re.compile(r"[\[<*_~`\\]")
"""What no rule has anything to do without."""
_CELL_RULE = re.compile(r"[\s:|-]+")
_SPACES = re.compile(r"\s+")


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
    text = _SPACES.sub(" ", text).strip()
    return text if any(map(str.isalnum, text)) else ""
