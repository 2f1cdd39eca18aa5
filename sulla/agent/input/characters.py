"""Which characters are invisible, and where some of them belong. Pure; after Unicode 16.

Ranges are written as in a character class of `re`.
"""

from __future__ import annotations

import unicodedata

from sulla.core.pattern import late_pattern

CONTROL = r"\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"
LINE_BREAKS = {"\r\n": "\n", "\r": "\n", "\x0b": "\n", "\x0c": "\n", "\x85": "\n", "\u2028": "\n", "\u2029": "\n\n"}

BIDI_ORDERS = r"\u202a-\u202e\u2066-\u2069"
"""Embeddings, overrides, isolates: they make text read in another order than it is written in."""
BIDI_MARKS = r"\u200e\u200f\u061c"
"""Invisible letters of one direction; they belong between right-to-left text and punctuation."""

SOFT_HYPHENS = r"\u00ad\u2060"
BYTE_ORDER_MARK = r"\ufeff"
ANNOTATIONS = r"\ufff9-\ufffb"
BLANKS = r"\u3164\uffa0\u17b4\u17b5"
"""Letters that show nothing."""
OLD_VARIANTS = r"\ufe03-\ufe0d"
"""Variation selectors that no character uses."""
TAGS = r"\U000e0000-\U000e007f"
IGNORABLE = r"\u2061-\u2065\u206a-\u206f\ufff0-\ufff8\U000e0080-\U000e00ff\U000e01f0-\U000e0fff"
"""Invisible operators, deprecated formatting, and what Unicode has set aside as invisible."""
BROKEN = r"\ud800-\udfff\ufdd0-\ufdef" + "".join(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(17))
"""Halves of surrogate pairs and code points that are no characters."""
PRIVATE = r"\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"

JOINERS = r"\u200b-\u200d\u034f"
VARIANTS = r"\ufe00-\ufe02\ufe0e\ufe0f\U000e0100-\U000e01ef"
SCRIPT_FORMATS = r"\u180b-\u180f\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
JAMO_FILLERS = r"\u115f\u1160"

_EMOJI = late_pattern(
    r"[\u00a9\u00ae\u203c\u2049\u20e3\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf\u2900-\u297f"
    r"\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff\U000e007f]"
)
"""Pictures, and the symbols that can be shown as one. The last is what a flag made of tags ends in."""

_JOINING = late_pattern(
    r"[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\u1a20-\u1aaf\u1b00-\u1b7f\ua840-\ua87f\ua8e0-\ua8ff\ua980-\uaaff"
    r"\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00010aff\U00010d00-\U00010f6f\U00011000-\U00011fff"
    r"\U0001e900-\U0001e95f]"
)
"""Scripts whose letters join: Arabic and its kin, those of India and South-East Asia, Mongolian, and old ones."""

_WITHOUT_SPACES = late_pattern(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\uaa60-\uaadf]")
"""Scripts that write words together and mark where a line may break."""

_IDEOGRAPH = late_pattern(r"[\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_HAS_STANDARD_VARIANTS = late_pattern(
    r"[0\u1000-\u109f\u2190-\u22ff\u2a00-\u2aff\u3000-\u303f\u3400-\u4dbf\u4e00-\u9fff\ua840-\ua87f\uaa60-\uaa7f"
    r"\uf900-\ufaff\uff00-\uff60\U00010ac0-\U00010aff\U00020000-\U000323af]"
)
_JAMO = late_pattern(r"[\u1100-\u115e\u1161-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]")

_SCRIPTS_OF_FORMATS = (
    (late_pattern(r"[\u180b-\u180f]"), late_pattern(r"[\u1800-\u18af]")),
    (late_pattern(r"[\U00013430-\U0001343f]"), late_pattern(r"[\U00013000-\U0001345f]")),
    (late_pattern(r"[\U0001bca0-\U0001bca3]"), late_pattern(r"[\U0001bc00-\U0001bc9f]")),
    (late_pattern(r"[\U0001d173-\U0001d17a]"), late_pattern(r"[\U0001d100-\U0001d1ff]")),
)

_MAX_FORMATS = 3
"""How many formatting characters of its own script may follow one letter."""


def joiner_belongs(char: str, before: str, after: str, kept: str) -> bool:
    """Whether a joiner or word border does something where it stands.

    Args:
        char: one of `JOINERS`.
        before: the visible character before it; empty for none.
        after: the visible character behind it; empty for none.
        kept: invisible characters between `before` and `char` that stay.
    """
    if char == "\u034f":
        return _is_mark(before) and _is_mark(after) and not kept
    if char == "\u200d" and _EMOJI.match(before) and _EMOJI.match(after):
        return kept in ("", "\ufe0f")
    if kept or not before.strip():
        return False
    if char == "\u200b":
        return bool(_WITHOUT_SPACES.match(before) or _WITHOUT_SPACES.match(after)) and bool(after.strip())
    if is_word_part(before) and _JOINING.match(before):
        return True
    # Persian endings also follow numbers and foreign words.
    return char == "\u200c" and is_word_part(after) and bool(_JOINING.match(after))


def variant_belongs(char: str, before: str, after: str, kept: str) -> bool:
    """Whether a variation selector chooses a form that `before` has; arguments as in `joiner_belongs`."""
    if kept:
        return False
    if char in "\ufe0e\ufe0f":
        return bool(_EMOJI.match(before)) or (after == "\u20e3" and before != "" and before in "0123456789#*")
    return bool((_IDEOGRAPH if char >= "\U000e0100" else _HAS_STANDARD_VARIANTS).match(before))


def format_belongs(char: str, before: str, kept: str) -> bool:
    """Whether a formatting character of one script follows a letter of it; arguments as in `joiner_belongs`."""
    return len(kept) < _MAX_FORMATS and any(
        formats.match(char) and letters.match(before) for formats, letters in _SCRIPTS_OF_FORMATS
    )


def filler_belongs(before: str, after: str, kept: str) -> bool:
    """Whether a filler stands for a missing part of an old Korean syllable; arguments as in `joiner_belongs`."""
    return len(kept) < 2 and bool(_JAMO.match(before) or _JAMO.match(after))


def is_word_part(char: str) -> bool:
    """Whether it is a letter or a mark on one."""
    return char != "" and unicodedata.category(char)[0] in "LM"


def is_right_to_left(char: str) -> bool:
    """Whether it is a letter that is written from right to left."""
    return unicodedata.bidirectional(char) in ("R", "AL") and unicodedata.category(char) != "Cf"


def _is_mark(char: str) -> bool:
    return char != "" and unicodedata.category(char)[0] == "M"
