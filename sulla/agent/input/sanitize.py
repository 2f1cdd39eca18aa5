"""Takes out of a person's text what nobody can see but a model can read (design §6). Pure.

What has a visible effect stays: indentation, emoji sequences, joiners where a script needs them, marks on letters, text
from right to left. Nothing is folded, composed or trimmed. Where an invisible character may stand, hardly more than one
does, so that little can be hidden in those that stay.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping

from sulla.agent.input import characters as chars
from sulla.core.dataclass import dataclass
from sulla.core.pattern import late_pattern

_ESCAPES = r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]|\x1b\][^\x07\x1b\x9c\n]{0,2048}(?:\x07|\x1b\\|\x9c)"
"""A terminal's commands: colours and cursor moves, titles and links."""

_FLAGS = "|".join(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
"""The flags of England, Scotland and Wales: all that the tag characters are good for."""

_CONDITIONAL = chars.JOINERS + chars.VARIANTS + chars.SCRIPT_FORMATS + chars.JAMO_FILLERS + chars.BIDI_MARKS
_PRIVATE_RUN = rf"[{chars.PRIVATE}](?:[{_CONDITIONAL}]*[{chars.PRIVATE}]){{2,}}"
"""One or two stand for a symbol of a special font; more are a text in an alphabet that nobody else reads."""

_CLASSES = {
    "terminal": _ESCAPES,
    "line_break": "\r\n|[\r\x0b\x0c\x85\u2028\u2029]",
    "control": f"[{chars.CONTROL}]",
    "flag": _FLAGS,
    "tag": f"[{chars.TAGS}]",
    "bidi": f"[{chars.BIDI_ORDERS}]",
    "soft_hyphen": f"[{chars.SOFT_HYPHENS}]",
    "byte_order_mark": f"[{chars.BYTE_ORDER_MARK}]",
    "annotation": f"[{chars.ANNOTATIONS}]",
    "blank": f"[{chars.BLANKS}]",
    "variant": f"[{chars.OLD_VARIANTS}]",
    "ignorable": f"[{chars.IGNORABLE}]",
    "broken": f"[{chars.BROKEN}]",
}
_ALWAYS = late_pattern("|".join(f"(?P<{name}>{pattern})" for name, pattern in _CLASSES.items()))
_RUN = late_pattern(f"[{_CONDITIONAL}]+")
_SUSPECT = late_pattern(
    f"[\r\x0b\x0c\x85\u2028\u2029\u2800{chars.CONTROL}{chars.TAGS}{chars.BIDI_ORDERS}{chars.SOFT_HYPHENS}"
    f"{chars.BYTE_ORDER_MARK}{chars.ANNOTATIONS}{chars.BLANKS}{chars.OLD_VARIANTS}{chars.IGNORABLE}{chars.BROKEN}"
    f"{chars.PRIVATE}{_CONDITIONAL}]"
)
"""Whatever may have to go: almost no text has any."""
_SUSPECT_ASCII = late_pattern(r"[\x00-\x08\x0b-\x1f\x7f]")
_PRIVATE = late_pattern(_PRIVATE_RUN)
_BRAILLE_BLANK = late_pattern("\u2800")
_BRAILLE = late_pattern("[\u2801-\u28ff]")

_KINDS = {"joiner": chars.JOINERS, "variant": chars.VARIANTS, "bidi": chars.BIDI_MARKS, "blank": chars.JAMO_FILLERS}
_CONDITIONAL_CLASS = {name: late_pattern(f"[{pattern}]") for name, pattern in _KINDS.items()}


@dataclass(frozen=True, slots=True)
class Sanitized:
    """A text without hidden characters."""

    text: str
    changed: bool
    removed: Mapping[str, int]
    """How many characters were taken out or replaced, by class; classes without any are left out."""


def sanitize(text: str) -> Sanitized:
    """Take hidden characters out of a text; in linear time, and a second time changes nothing.

    Line breaks of all kinds become newlines, halves of surrogate pairs the replacement character, and blank Braille
    cells outside Braille spaces. Everything else that is taken out leaves nothing behind.

    Args:
        text: as it came in.
    """
    if not (_SUSPECT_ASCII if text.isascii() else _SUSPECT).search(text):
        return Sanitized(text, False, {})
    removed: Counter[str] = Counter()
    cleaned = _ALWAYS.sub(lambda match: _replaced(match, removed), text)
    cleaned = _PRIVATE.sub(lambda match: _counted(match, "private_use", "", removed), cleaned)
    cleaned = _RUN.sub(_Runs(cleaned, removed), cleaned)
    if "\u2800" in cleaned:
        in_braille = _by_line(cleaned, lambda line: _BRAILLE.search(line) is not None)
        cleaned = _BRAILLE_BLANK.sub(
            lambda match: match[0] if in_braille(match.start()) else _counted(match, "blank", " ", removed), cleaned
        )
    return Sanitized(cleaned, cleaned != text, dict(removed))


def _replaced(match: re.Match[str], removed: Counter[str]) -> str:
    kind = match.lastgroup or ""
    found = match[0]
    if kind == "flag":
        return found
    removed[kind] += len(found)
    if kind == "line_break":
        return chars.LINE_BREAKS[found]
    return "\ufffd" if "\ud800" <= found <= "\udfff" else ""


def _counted(match: re.Match[str], kind: str, instead: str, removed: Counter[str]) -> str:
    removed[kind] += len(match[0])
    return instead


class _Runs:
    """Decides on a run of characters each of which is invisible and yet may belong where it stands."""

    def __init__(self, text: str, removed: Counter[str]) -> None:
        self._text = text
        self._removed = removed
        self._right_to_left = _by_line(text, lambda line: any(map(chars.is_right_to_left, line)))

    def __call__(self, match: re.Match[str]) -> str:
        """What stays of the run."""
        start, end = match.span()
        before, after = self._text[start - 1 : start], self._text[end : end + 1]
        kept = ""
        for char in match[0]:
            if self._belongs(char, before, after, kept, start):
                kept += char
            else:
                kind = (name for name, pattern in _CONDITIONAL_CLASS.items() if pattern.match(char))
                self._removed[next(kind, "ignorable")] += 1
        return kept

    def _belongs(self, char: str, before: str, after: str, kept: str, at: int) -> bool:
        if _CONDITIONAL_CLASS["joiner"].match(char):
            return chars.joiner_belongs(char, before, after, kept)
        if _CONDITIONAL_CLASS["variant"].match(char):
            return chars.variant_belongs(char, before, after, kept)
        if _CONDITIONAL_CLASS["blank"].match(char):
            return chars.filler_belongs(before, after, kept)
        if _CONDITIONAL_CLASS["bidi"].match(char):
            within_word = chars.is_word_part(before) and chars.is_word_part(after)
            return not kept and not within_word and self._right_to_left(at)
        return chars.format_belongs(char, before, kept)


def _by_line(text: str, judge: Callable[[str], bool]) -> Callable[[int], bool]:
    """`judge` for the line that a position is on, asked once for each line; positions must rise."""
    start, end, verdict = 0, -1, False

    def at(position: int) -> bool:
        nonlocal start, end, verdict
        if position > end:
            start = text.rfind("\n", 0, position) + 1
            found = text.find("\n", position)
            end = len(text) if found < 0 else found
            verdict = judge(text[start:end])
        return verdict

    return at
