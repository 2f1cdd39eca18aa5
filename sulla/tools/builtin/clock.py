"""What time it is."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, available_timezones

from sulla.core.errors import InvalidInput
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from sulla.tools.nearest import nearest


def clock_tools(timezone: str = "UTC") -> tuple[Tool, ...]:
    """`get_time_date`.

    Args:
        timezone: the IANA name of the zone to use when the model names none.
    """

    async def get_time_date(context: ToolContext, *, timezone: str = timezone) -> Result:
        """Tell the current date, weekday, time and UTC offset in a time zone.

        Args:
            timezone: An IANA name such as Europe/Berlin or America/New_York.
        """
        zone = await asyncio.to_thread(_zone, timezone)
        return Done(f"{datetime.fromtimestamp(context.clock.now(), zone):%A %Y-%m-%d %H:%M:%S UTC%:z} ({timezone})")

    return (define(get_time_date, effect="pure", category="time", timeout_s=5.0),)


def _zone(name: str) -> tzinfo:
    """The zone of that name; reads files.

    Raises:
        InvalidInput: there is none.
    """
    if name.upper() in ("UTC", "Z", "GMT"):
        return UTC
    # Asked for by exact name only: ZoneInfo itself takes any path below its folders, in any case on some systems.
    known = available_timezones()
    if name in known:
        return ZoneInfo(name)
    if not known:
        raise InvalidInput("this machine has no time zone database; only 'UTC' can be used")
    # People and models name the city, or write it in lower case or with spaces.
    wanted = name.strip().replace(" ", "_")
    by_city: dict[str, str] = {}
    for zone in sorted(known):
        by_city.setdefault(zone.rpartition("/")[2].casefold(), zone)
    exact = by_city.get(wanted.rpartition("/")[2].casefold())
    close = dict.fromkeys([exact] if exact else [])
    close |= dict.fromkeys(nearest(wanted, known))
    raise InvalidInput(
        f"there is no time zone {name[:100]!r}."
        + (f" The nearest: {', '.join(list(close)[:3])}." if close else " Use an IANA name such as 'Europe/Berlin'.")
    )
