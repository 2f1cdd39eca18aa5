"""The filters of expressions that look for regular expressions. Pure.

They are RE2's: whatever a pattern says, looking takes no longer than the text times the pattern, so no pattern can hold
anybody up. RE2 comes with the extra `regex`, for it is not built for every system that Sulla runs on.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from sulla.core.distribution import install_hint
from sulla.core.errors import InvalidInput, TooLarge
from sulla.playbooks.expression.filter_form import Filter, text_in
from sulla.playbooks.expression.values import MAX_ITEMS, CostMeter, check_text, shown

MAX_PATTERN_CHARS: Final = 500
_MEMORY_BYTES: Final = 1024 * 1024
"""What a pattern may be compiled to; RE2 refuses what needs more."""
_WORK: Final = 32
"""So many instructions of a pattern take as long on a character as any filter does: some 3 ns each."""
_MATCH_WORK: Final = 200
"""What a match costs beside that: some 20 µs."""

LACKING: Final = f"regular expressions need a library that is not installed: {install_hint('regex')}"


def matches(meter: CostMeter, value: object, pattern: object) -> bool:
    """Whether a regular expression fits anywhere in a text."""
    return _compiled(meter, value, pattern).search(text_in(value)) is not None


def _find(meter: CostMeter, value: object, pattern: object) -> object:
    found = _compiled(meter, value, pattern).search(text_in(value))
    return None if found is None else _said(found)


def _find_all(meter: CostMeter, value: object, pattern: object) -> list[object]:
    found: list[object] = []
    for match in _compiled(meter, value, pattern).finditer(text_in(value)):
        meter.spend(_MATCH_WORK + len(match[0]))
        found.append(_said(match))
        if len(found) > MAX_ITEMS:
            raise TooLarge(f"find_all: there are more than {MAX_ITEMS} places")
    return found


def _replace_all(meter: CostMeter, value: object, pattern: object, new: object) -> str:
    text, into, at = text_in(value), text_in(new), 0
    parts: list[str] = []
    chars = len(text)
    for match in _compiled(meter, value, pattern).finditer(text):
        meter.spend(_MATCH_WORK + len(into))
        parts += (text[at : match.start()], into)
        chars += len(into) - len(match[0])
        check_text(chars)
        at = match.end()
    return "".join((*parts, text[at:]))


def _said(match: Any) -> object:  # noqa: ANN401  - of a library without types
    """What was found: of a pattern with one group that, with several all of them."""
    groups = match.groups()
    return match[0] if not groups else groups[0] if len(groups) == 1 else list(groups)


def _compiled(meter: CostMeter, value: object, pattern: object) -> Any:  # noqa: ANN401  - of a library without types
    """A pattern, with what it costs to look through a text by it charged."""
    found = compile_pattern(text_in(pattern))
    meter.spend(len(text_in(value)) * (1 + found.programsize // _WORK))
    return found


@lru_cache(maxsize=256)
def compile_pattern(pattern: str) -> Any:  # noqa: ANN401  - of a library without types
    """A regular expression made ready.

    Raises:
        InvalidInput: it is none, or the library is not installed.
    """
    if len(pattern) > MAX_PATTERN_CHARS:
        raise InvalidInput(f"a regular expression of {len(pattern)} characters; {MAX_PATTERN_CHARS} are taken")
    re2 = _library()
    options = re2.Options()
    options.max_mem, options.log_errors = _MEMORY_BYTES, False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        why = error.args[0].decode(errors="replace") if error.args and isinstance(error.args[0], bytes) else str(error)
        raise InvalidInput(f"{shown(pattern)} is no regular expression of RE2: {why}") from None


def _library() -> Any:  # noqa: ANN401  - a library without types
    try:
        import re2  # type: ignore[import-untyped, import-not-found, unused-ignore]  # it may be missing, and has no types
    except ImportError:
        raise InvalidInput(LACKING) from None
    return re2


_TEXT: Final = ("string",)
_PATTERN: Final = {"pattern": lambda pattern: compile_pattern(text_in(pattern))}
PATTERN_FILTERS: Final[Mapping[str, Filter]] = {
    "matches": Filter(matches, "boolean", "whether the regular expression `pattern` fits anywhere in it", ("pattern",),
                      1, _TEXT, _PATTERN),
    "find": Filter(_find, "any", "the first place that `pattern` fits, of one group that, of several a list; null "
                   "where there is none", ("pattern",), 1, _TEXT, _PATTERN),
    "find_all": Filter(_find_all, "list", "the same of each place", ("pattern",), 1, _TEXT, _PATTERN),
    "replace_all": Filter(_replace_all, "string", "with `new`, to the letter, in each place that `pattern` fits",
                          ("pattern", "new"), 2, _TEXT, {**_PATTERN, "new": text_in}),
}  # fmt: skip
"""By name, with what the page says of each."""
