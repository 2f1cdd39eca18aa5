"""What of a message is code, or somebody else's words: taken out of it in one of two degrees. Pure.

`without_quoted` takes too much for quoted rather than too little: what is looked for then, such as an intent or a
procedure's gate, costs nothing where it is not found. `without_surely_quoted` is the other way round, for what must not
be missed: a quotation that nobody ends, a line below a quoted one and an indented line are the person's own words.
"""

from __future__ import annotations

import re
from typing import Final

from sulla.core.pattern import late_pattern

QUOTED_CHARS: Final = 2_000
"""Of a quotation between marks: `without_surely_quoted` takes what is longer for none."""

QUOTATION_MARKS: Final = (
    *('""', "\u201c\u201d\u201c", "\u201d\u201d", "\u201e\u201c\u201d", "\u201f\u201d", "\u00ab\u00bb", "\u00bb\u00ab"),
    *("\u2039\u203a", "\u203a\u2039", "\u300c\u300d", "\u300e\u300f", "\u301d\u301e\u301f", "\u275d\u275e"),
    *("\u276e\u276f", "\u275b\u275c"),
)
"""A quotation mark, and those that end what it begins: another one within is quoted with it."""

_MAY_QUOTE: Final = late_pattern(r"[`~>\u2018\u201a" + "".join(pair[0] for pair in QUOTATION_MARKS) + r"]|(?<!\w)'")

_ENDS: Final = r"\n[ \t]*\n|\Z"
"""Where a quotation ends that nobody ends: with its paragraph."""
_IN_LIST: Final = r"^[^\S\n]*(?:(?:[-*+\u2022]|\d{1,9}[.)])[^\S\n]+)*>"
"""What a mail answers, also in a list."""
_TAG: Final = r"<(code|pre|blockquote|q|tt|samp|kbd)\b[^<>\n]{0,200}>"

_QUOTED: Final = (
    r"(?msi)^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1|\Z)|"  # a block of code
    r"^(?: {4}|\t).*?$|"  # an indented one
    # A line behind one that a mail answers goes on with it, as Markdown has it.
    rf"{_IN_LIST}.*?(?:{_ENDS})|"
    rf"(`+).*?(?:\2|{_ENDS})|"
    rf"{_TAG}.*?(?:</\3\s{{0,9}}>|\Z)|"
    + "".join(rf"{pair[0]}.*?(?:[{pair[1:]}]|{_ENDS})|" for pair in QUOTATION_MARKS)
    + r"[\u2018\u201a].{0,1000}?[\u2018\u2019](?!\w)|"
    r"(?<!\w)'(?=\S).{0,1000}?(?<=\S)'(?!\w)"
)
"""Code and quoted words; a block of code that nobody ends ends with the message. This is compiled for the first
message: that takes some milliseconds."""

_SHORT: Final = r"(?!(?:cause|cuz|cos|coz|til|till|em|bout|tis|twas|n|round|\d\ds?)\b)"
"""What is written with an apostrophe at its beginning."""


def _between(pair: str) -> str:
    """What stands between two marks, within one paragraph."""
    inner = rf"(?:[^{pair}\n]|\n(?![ \t]*\n)){{1,{QUOTED_CHARS}}}"
    return rf"(?<!\w){pair[0]}(?=\S){inner}(?<=\S)[{pair[1:]}](?!\w)|"


_SURELY_QUOTED: Final = (
    rf"(?mi){_IN_LIST}.*?$|"
    rf"(?<!`)(`{{1,4}})(?!`)(?:[^`\n]|\n(?![ \t]*\n)){{1,{QUOTED_CHARS}}}\1(?!`)|"
    rf"{_TAG}(?:(?!<)(?s:.)){{1,{QUOTED_CHARS}}}</\2>|"
    + "".join(map(_between, QUOTATION_MARKS))
    + r"(?<!\w)\u2018[^\u2018\n]{1,300}?\u2019(?!\w)|\u201a[^\u201a\n]{1,300}?[\u2018\u2019](?!\w)|"
    rf"(?<!\w)'{_SHORT}(?=\S)[^\n]{{1,300}}?(?<=\S)'(?!\w)"
)
_FENCE: Final = late_pattern(r" {0,3}(`{3,}|~{3,})(.*)")


def may_quote(text: str) -> bool:
    """Whether anything in a text looks as if it were quoted: a look that most messages end with.

    Args:
        text: in its plain form.
    """
    return "    " in text or "\t" in text or _MAY_QUOTE.search(text) is not None


def without_quoted(text: str) -> str:
    """A text with a ``_`` in the place of each thing that may be code or quoted.

    Args:
        text: in its plain form.
    """
    return re.sub(_QUOTED, " _ ", text)


def without_surely_quoted(text: str) -> str:
    """The same of each thing that surely is.

    Args:
        text: in its plain form.
    """
    return re.sub(_SURELY_QUOTED, " _ ", _without_blocks(text))


def _without_blocks(text: str) -> str:
    """A text without its blocks of code; one that nobody ends is none."""
    if "```" not in text and "~~~" not in text:
        return text
    kept, block, opened = list[str](), list[str](), ""
    for line in text.split("\n"):
        fence = _FENCE.fullmatch(line)
        if not opened and fence is None:
            kept.append(line)
            continue
        block.append(line)
        if not opened and fence is not None:
            opened = fence[1]
        elif fence is not None and fence[1].startswith(opened) and not fence[2].strip():
            kept.append("_")
            block, opened = [], ""
    return "\n".join([*kept, *block])
