"""Takes apart what somebody says and what he cites with a mark before each line, as all chat services show it. Pure."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from sulla.channels.base import MOST_TEXT_CHARS, Arrived

_CITED: Final = re.compile(
    "[\\s\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\u3164\ufe00-\ufe0f\ufeff]*+(?:[>\uff1e\ufe65]\\s?)+"
)
"""With whatever stands before the mark that nobody sees. It is looked for where a line begins and nowhere else: looked
for in a whole text, each place in a row of blanks would look through all that are left.
"""


def cited_apart(arrived: Arrived) -> Arrived:
    """Something that arrived, in which lines that are cited are no words of its sender's.

    Args:
        arrived: it.
    """
    own, cited = without_cited(arrived.text)
    if not cited:
        return arrived
    quoted = "\n\n".join(filter(None, (cited, arrived.quoted)))
    return replace(arrived, text=own, quoted=quoted[:MOST_TEXT_CHARS])


def without_cited(text: str) -> tuple[str, str]:
    """A text without the lines that are cited, and those without their marks.

    Args:
        text: it.
    """
    own: list[str] = []
    cited: list[str] = []
    for line in text.splitlines():
        mark = _CITED.match(line)
        (cited if mark else own).append(line[mark.end() :] if mark else line)
    return ("\n".join(own).strip("\n"), "\n".join(cited)) if cited else (text, "")
