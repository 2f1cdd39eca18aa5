"""A message as gates look at it: its words, each with its sentence, and without what it quotes. Pure.

Intents are looked for by `agent.input.said`, which takes too much for quoted rather than too little: an intent that is
not found costs nothing. Here it is the other way round. A quotation that nobody ends, a line below a quoted one and an
indented line are the person's own words, and so is a message that is nothing but a quotation.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from sulla.agent.input import characters as chars
from sulla.agent.input.said import QUOTATION_MARKS, plain
from sulla.core.pattern import late_pattern

MOST_CHARS: Final = 100_000
"""Of a message that are looked at; of a longer one the first and the last half of them."""

QUOTED_CHARS: Final = 2_000
"""Of a quotation between marks: what is longer is not taken for one."""

_WORD: Final = late_pattern(r"[\w']+")
_END: Final = late_pattern(r"[.!?;\n\u2026\u3002]+")
"""The end of a sentence, over which no gap of a phrase reaches. An abbreviation and a line end one too."""
_MAY_QUOTE: Final = late_pattern(r"[`~>\u2018\u201a" + "".join(pair[0] for pair in QUOTATION_MARKS) + r"]|(?<!\w)'")
"""A look that most messages end with."""
_UNSEEN: Final = late_pattern(
    f"[{chars.JOINERS}{chars.SOFT_HYPHENS}{chars.BYTE_ORDER_MARK}{chars.BIDI_MARKS}{chars.BIDI_ORDERS}"
    f"{chars.VARIANTS}{chars.OLD_VARIANTS}{chars.IGNORABLE}{chars.TAGS}{chars.SCRIPT_FORMATS}]"
)
"""A zero-width space among them: it parts no words for whoever reads."""
_SEEN_AS_BLANK: Final = late_pattern(f"[{chars.BLANKS}]")
_NO_WORD: Final = late_pattern(r"[\W_]*")

_SHORT: Final = r"(?!(?:cause|cuz|cos|coz|til|till|em|bout|tis|twas|n|round|\d\ds?)\b)"
"""What is written with an apostrophe at its beginning."""


def _between(pair: str) -> str:
    """What stands between two marks, within one paragraph."""
    inner = rf"(?:[^{pair}\n]|\n(?![ \t]*\n)){{1,{QUOTED_CHARS}}}"
    return rf"(?<!\w){pair[0]}(?=\S){inner}(?<=\S)[{pair[1:]}](?!\w)|"


_QUOTED: Final = (
    r"(?m)^[ \t]*>.*?$|"  # a line of what a mail answers
    rf"(?<!`)(`{{1,4}})(?!`)[^`\n]{{1,{QUOTED_CHARS}}}\1(?!`)|"
    + "".join(map(_between, QUOTATION_MARKS))
    + r"(?<!\w)\u2018[^\u2018\n]{1,300}?\u2019(?!\w)|\u201a[^\u201a\n]{1,300}?[\u2018\u2019](?!\w)|"
    rf"(?<!\w)'{_SHORT}(?=\S)[^\n]{{1,300}}?(?<=\S)'(?!\w)"
)


_FENCE: Final = late_pattern(r" {0,3}(`{3,}|~{3,})(.*)")


class Words(NamedTuple):
    """What a message says, word by word."""

    written: list[str]
    """In lower case, with their apostrophes."""
    folded: list[str]
    """The same without them: `dont` is `don't`."""
    sentences: list[int]
    """In which sentence each stands."""

    def said(self, first: int, last: int) -> str:
        """Some of the words, as they were written.

        Args:
            first: the place of the first one, from 0.
            last: of the last one.
        """
        return " ".join(self.written[first : last + 1])


class Heard(NamedTuple):
    """A message, read."""

    own: Words
    """What the person says in words of their own."""
    whole: Words
    """The same with what is quoted; it is `own` itself where nothing is."""


def hear(message: str) -> Heard:
    """Read a message.

    Args:
        message: what a person wrote.
    """
    if len(message) > MOST_CHARS:
        message = f"{message[: MOST_CHARS // 2]}\n{message[-MOST_CHARS // 2 :]}"
    text = plain(seen(message))
    whole = words_of(text)
    if _MAY_QUOTE.search(text) is None:
        return Heard(whole, whole)
    own = re.sub(_QUOTED, " _ ", _without_blocks(text))
    return Heard(whole if own == text or _NO_WORD.fullmatch(own) else words_of(own), whole)


def seen(text: str) -> str:
    """A text without the characters that nobody sees, which would part words that are read as one.

    Args:
        text: as it was written.
    """
    return text if text.isascii() else _SEEN_AS_BLANK.sub(" ", _UNSEEN.sub("", text))


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


def words_of(text: str) -> Words:
    """The words of a text, in its plain form.

    Args:
        text: as `agent.input.said.plain` gives it.
    """
    written, sentences = list[str](), list[int]()
    text = text.casefold().replace("\u2019", "'")
    for number, sentence in enumerate(_END.split(text)):
        found = _WORD.findall(sentence)
        written += found
        sentences += [number] * len(found)
    if "'" not in text:
        return Words(written, written, sentences)
    folded = [word.replace("'", "") for word in written]
    if all(folded):
        return Words(written, folded, sentences)
    kept = [at for at, word in enumerate(folded) if word]
    return Words([written[at] for at in kept], [folded[at] for at in kept], [sentences[at] for at in kept])
