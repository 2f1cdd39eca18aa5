"""The real clock and real randomness: keepers of core's promises."""

from __future__ import annotations

import asyncio
import secrets
import time
from contextlib import AbstractAsyncContextManager
from functools import partial

from sulla.core.redact import TOKEN_PREFIX

_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Counts on while the machine sleeps, so that a lease that ran out in the meantime is known to have."""


class SystemClock:
    """Time as the machine has it."""

    def now(self) -> float:
        """UTC seconds since 1970."""
        return time.time()

    # Read at every step of every walk, so without a Python function around it.
    elapsed = staticmethod(partial(time.clock_gettime, _CLOCK))
    """Seconds since the machine booted, suspended time included."""

    async def sleep(self, seconds: float) -> None:
        """Return after `seconds`."""
        await asyncio.sleep(seconds)

    def timeout(self, seconds: float) -> AbstractAsyncContextManager[object]:
        """A block that is cancelled after `seconds`."""
        return asyncio.timeout(seconds)


def random_id(prefix: str) -> str:
    """A new id that cannot be guessed: ``<prefix>_<24 hex digits>``."""
    return f"{prefix}_{secrets.token_hex(12)}"


def random_token() -> str:
    """A new secret for a client: ``sulla_`` and 43 characters that are safe in a header."""
    return f"{TOKEN_PREFIX}{secrets.token_urlsafe(32)}"


def random_part() -> float:
    """A random number from 0 to 1."""
    return secrets.randbelow(1_000_000) / 1_000_000
