"""An agent's CommonMark as Discord shows it. Discord's Markdown is near to it: what it lacks is written otherwise, and
what it has beside (spoilers, subtexts, quotes to the end, mentions) is taken for the plain letters that it is. Pure.

Nothing can be refused, and half a message that is still being written is as good as a whole one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from sulla.channels.machine.cutting import utf16_units
from sulla.channels.machine.tables import aligned, listed, room_of

MOST_CHARS: Final = 2_000
_FENCE: Final = re.compile(r"^ {0,3}(`{3,}+|~{3,}+)[ \t]*+([^`\s]*+)[^`]*$")
"""It gives nothing back: a row of ``~`` with a backquote behind it would be divided in every way."""
_CODE: Final = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_RULE: Final = re.compile(r"^\s*\|?(\s*:?-{3,}:?\s*\|)+(\s*:?-{3,}:?\s*)?\s*$")
_BAR: Final = re.compile(r"(?<!\\)\|")
_MARKED: Final = re.compile(r"(\*\*|`)(.+?)\1")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_BREAK: Final = "\u200b"
_FENCES: Final = re.compile("`{3,}")
_BACKQUOTE: Final = r"\u0060"
_GROWING: Final = "|@<#"
"""Each of these takes a second character at the most; backquotes one for three."""
_CLOSING: Final = len("\n```")
_LINE: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"^( {0,3})>[> ]*>[ ]?"), r"\1> "),  # several at once are a quote to the end of the message
    (re.compile(r"^ {0,3}#{4,6} +(.+?)[ #]*$"), r"**\1**"),  # Discord has three sizes of headings
    (re.compile(r"^(\s*)-#"), r"\1-\\#"),  # small print, which looks as if Discord said it
    (re.compile(r"^(\s*)\+ "), r"\1- "),
    (re.compile(r"(?<!\\)\\$"), ""),
)
_WORDS: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"(?<!\\)!\["), "["),  # a picture is a link
    (re.compile(r"(?<![\w\\_])__(?=[^\s_])(.+?)(?<=[^\s_\\])__(?![\w_])"), r"**\1**"),  # there it underlines
    (re.compile(r"(?<!\\)\|(?=\|)|(?<=\|)\|"), r"\\|"),  # a spoiler hides words
    (re.compile(r"@(?=everyone|here|[!&]?\d)"), f"@{_BREAK}"),
    (re.compile(r"<(?=/)"), f"<{_BREAK}"),  # another app's command
    (re.compile(r"<#(?=\d)"), f"<#{_BREAK}"),
)


def measured(text: str, *exact: str) -> int:
    """How long a message can be in Discord's form; never falls as it grows."""
    return _measured_text(text) + sum(
        utf16_units(one) + one.count("`") * (len(_BACKQUOTE) - 1) + 2 * _CLOSING + 1 for one in exact
    )


def _measured_text(text: str) -> int:
    growth = sum(text.count(char) for char in _GROWING) + text.count("`") // 3 + room_of(text)
    return utf16_units(text) + growth + (_CLOSING if "```" in text or "~~~" in text else 0)


def formed(text: str, exact: Sequence[str] = ()) -> str:
    """CommonMark in Discord's form.

    Args:
        text: it.
        exact: what stands above it to the letter. Discord reads from the front on, so nothing below a block reaches
            into it; within one nothing is a mark but the backquotes that would end it, which are spelled as JSON does.
    """
    above = [f"```\n{_FENCES.sub(lambda found: _BACKQUOTE * len(found[0]), one)}\n```" for one in exact]
    if above and not text.strip():
        return "\n".join(above)
    return "\n".join((*above, _formed(text)))


def _formed(text: str) -> str:
    written: list[str] = []
    plain: list[str] = []
    fence = ""
    for line in _CONTROLS.sub("", text).split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark.group(1).startswith(fence) and not mark.group(2):
                written.append("```")
                fence = ""
            else:
                written.append(line.replace("```", f"``{_BREAK}`"))
        elif mark:
            written += _plain(plain)
            plain = []
            fence = mark.group(1)
            written.append(f"```{mark.group(2)}")
        else:
            plain.append(line)
    written += [*_plain(plain), *(["```"] if fence else [])]
    shown = "\n".join(written).strip("\n")
    return shown if shown.strip() else "…"


def _plain(lines: list[str]) -> list[str]:
    """Lines outside of code blocks."""
    made: list[str] = []
    at = 0
    while at < len(lines):
        rows = _table(lines, at)
        if rows:
            made += _shown_table([_cells(row) for row in rows])
            at += len(rows) + 1
            continue
        end = at
        while end < len(lines) and lines[end].strip() and not (end > at and _table(lines, end)):
            end += 1
        made += _paragraph(lines[at : max(end, at + 1)])
        at = max(end, at + 1)
    return made


def _table(lines: list[str], at: int) -> list[str]:
    """The rows of a table that begins here, without the line below its head."""
    if at + 1 >= len(lines) or "|" not in lines[at] or not _RULE.match(lines[at + 1]):
        return []
    rows = [lines[at]]
    for line in lines[at + 2 :]:
        if "|" not in line:
            break
        rows.append(line)
    return rows


def _cells(row: str) -> list[str]:
    """What stands in a row, as people read it in a block of code."""
    inner = row.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    cells = (one.strip().replace("\\|", "|") for one in _BAR.split(inner))
    return [_MARKED.sub(r"\2", one).replace("```", f"``{_BREAK}`") for one in cells]


def _shown_table(rows: list[list[str]]) -> list[str]:
    if columns := aligned(rows):
        return ["```", *columns.split("\n"), "```"]
    return _paragraph(listed(rows, sum(len(cell) + 3 for row in rows for cell in row) * 3 // 2).split("\n"))


def _paragraph(lines: list[str]) -> list[str]:
    """Code in it stays as it is; what is before, between and behind is looked at."""
    made: list[str] = []
    for line in lines:
        for pattern, instead in _LINE:
            line = pattern.sub(instead, line, count=1)
        made.append(line)
    return _outside_code("\n".join(made), _words).split("\n")


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    made: list[str] = []
    at = 0
    for code in _CODE.finditer(text):
        made += [change(text[at : code.start()]), code.group()]
        at = code.end()
    return "".join([*made, change(text[at:])])


def _words(text: str) -> str:
    for pattern, instead in _WORDS:
        text = pattern.sub(instead, text)
    return text
