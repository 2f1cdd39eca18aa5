"""What is said of a time zone that there is not. Pure."""

from __future__ import annotations

from functools import lru_cache
from zoneinfo import available_timezones

from sulla.core.errors import InvalidInput
from sulla.tools.nearest import nearest


def no_zone(name: str) -> InvalidInput:
    """The error for a name that is none of a zone, with those that were probably meant.

    Args:
        name: what somebody wrote.
    """
    known = _known()
    if not known:
        return InvalidInput("this machine has no time zone database; only 'UTC' can be used")
    # People and models name the city, or write it in lower case or with spaces.
    wanted = name.strip().replace(" ", "_")
    by_city: dict[str, str] = {}
    for zone in sorted(known):
        by_city.setdefault(zone.rpartition("/")[2].casefold(), zone)
    exact = by_city.get(wanted.rpartition("/")[2].casefold())
    close = dict.fromkeys([exact] if exact else [])
    close |= dict.fromkeys(nearest(wanted, known))
    return InvalidInput(
        f"there is no time zone {name[:100]!r}."
        + (f" The nearest: {', '.join(list(close)[:3])}." if close else " Use an IANA name such as 'Europe/Berlin'.")
    )


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    """All zones; finding them takes a twelfth of a second, and a file may have many wrong ones."""
    return frozenset(available_timezones())
