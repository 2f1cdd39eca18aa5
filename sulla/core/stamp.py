"""Times as clients and files see them: UTC with milliseconds, written so that they sort."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def stamp(at_ms: int) -> str:
    """UTC milliseconds since 1970 as ``2027-01-15T08:00:00.000Z``."""
    seconds, ms = divmod(at_ms, 1000)
    return f"{_second(seconds)}.{ms:03d}Z"


def unstamp(text: str) -> int:
    """The inverse of `stamp`.

    Raises:
        ValueError: it did not write this.
    """
    at_ms = (datetime.fromisoformat(text) - _EPOCH) // timedelta(milliseconds=1) if text.endswith("Z") else 0
    if stamp(at_ms) != text:
        raise ValueError(f"{text[:40]!r} is not a time like {stamp(0)}")
    return at_ms


@lru_cache(maxsize=64)
def _second(seconds: int) -> str:
    return (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S")
