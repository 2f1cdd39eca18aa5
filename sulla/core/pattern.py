"""Regular expressions that are compiled when they are first used. Pure.

To compile one with many characters takes a millisecond, and most processes use few of those that their modules have.
"""

from __future__ import annotations

import re
from typing import AnyStr, cast


class LatePattern:
    """A regular expression that is not compiled yet. Has whatever `re.Pattern` has; each part is looked up once."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        found = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, found)
        return found


def late_pattern(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, for the names of a module. A mistake in it is found by its first use.

    Args:
        source: the regular expression.
        flags: of `re`.
    """
    return cast("re.Pattern[AnyStr]", LatePattern(source, flags))
