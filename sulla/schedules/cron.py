"""Cron expressions as cronsim understands them, which is how Debian's cron does. Pure."""

from __future__ import annotations

from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from sulla.core.errors import InvalidInput
from sulla.schedules.hours import local_time, utc_ms

ALIASES: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
"""Words that stand for expressions, as in Vixie's cron; ``@reboot`` is none, because a schedule knows no starts."""

MOST_CHARS: Final = 200
_LEAST_FIELDS: Final = 5
_SOME_DAY_MS: Final = 1_800_000_000_000
_TRIES: Final = 200
"""How many of cronsim's answers may lie in an hour that comes twice and is over."""


def check_cron(text: str) -> None:
    """Do nothing if it is an expression.

    Raises:
        InvalidInput: it is none, or one that no day fits.
    """
    try:
        explain_cron(text)
        fits = next_cron(text, _SOME_DAY_MS, ZoneInfo("UTC")) is not None
    except CronSimError as error:
        if _is_no_date(text):
            raise InvalidInput(f"cron: no day ever fits {text[:MOST_CHARS]!r}") from None
        expected = f"minute, hour, day of month, month and day of week, or one of {', '.join(ALIASES)}"
        raise InvalidInput(f"cron: got {text[:MOST_CHARS]!r} ({error}), expected {expected}") from None
    if not fits:
        raise InvalidInput(f"cron: no day ever fits {text[:MOST_CHARS]!r}")


def _is_no_date(text: str) -> bool:
    """Whether an expression is one but for its day, which its months do not have, such as the 31st of February."""
    fields = text.split()
    if len(fields) < _LEAST_FIELDS:
        return False
    try:
        for at in (-3, -2):  # the day, and the month
            explain_cron(" ".join((*fields[:at], "*", *fields[at + 1 :])))
    except CronSimError:
        return False
    return True


def next_cron(text: str, after_ms: int, zone: ZoneInfo) -> int | None:
    """The first moment behind `after_ms` that an expression names.

    Where clocks are put forward, a time that is left out counts as the first moment behind the gap; where they are put
    back, a time that comes twice counts once. Expressions for every hour or minute go on in elapsed time.

    Args:
        text: the expression.
        after_ms: UTC milliseconds.
        zone: whose clock counts.

    Returns:
        UTC milliseconds; None if there is none within fifty years.
    """
    times = CronSim(ALIASES.get(text.lower(), text), local_time(after_ms, zone))
    for _ in range(_TRIES):
        found = next(times, None)
        if found is None:
            return None
        found_ms = utc_ms(found)
        if found_ms > after_ms:
            return found_ms
    return None


@lru_cache(maxsize=1024)
def explain_cron(text: str) -> str:
    """What an expression means, in English.

    Raises:
        CronSimError: it is none.
    """
    return CronSim(ALIASES.get(text.lower(), text), local_time(_SOME_DAY_MS, ZoneInfo("UTC"))).explain()
