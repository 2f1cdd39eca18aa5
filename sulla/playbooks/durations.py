"""Times such as ``1h30m``, as playbooks say them. Pure."""

from __future__ import annotations

import re
from typing import Final

_DURATION: Final = re.compile(r"(?:([0-9]{1,6})d)?(?:([0-9]{1,6})h)?(?:([0-9]{1,6})m)?(?:([0-9]{1,8})s)?")
DURATION_PATTERN: Final = r"^(?=.)([0-9]{1,6}d)?([0-9]{1,6}h)?([0-9]{1,6}m)?([0-9]{1,8}s)?$"
_SIZES: Final = (86_400, 3_600, 60, 1)
MAX_DURATION_S: Final = 366 * 86_400


def read_duration(text: str) -> int | None:
    """A time such as ``10s``, ``1h30m`` or ``3d``, in seconds; None if it is none, or more than a year."""
    found = _DURATION.fullmatch(text)
    if found is None or not text:
        return None
    seconds = sum(int(count or 0) * size for count, size in zip(found.groups(), _SIZES, strict=True))
    return seconds if seconds <= MAX_DURATION_S else None
