"""What time it is."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from sulla.core.errors import InvalidInput
from sulla.core.words import ours
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define, giving, value
from sulla.tools.nearest import nearest

_NAME = re.compile(r"[A-Za-z0-9_+-]{1,64}(?:/[A-Za-z0-9_+-]{1,64}){0,2}")


def clock_tools(timezone: str = "UTC") -> tuple[Tool, ...]:
    """`get_time_date`.

    Args:
        timezone: the IANA name of the zone to use when the model names none.

    Raises:
        InvalidInput: there is no such zone.
    """
    _zone(timezone)

    async def get_time_date(context: ToolContext, *, timezone: str = timezone) -> Result:
        """Tell the current date, weekday, time and UTC offset in a time zone.

        Args:
            timezone: An IANA name such as Europe/Berlin or America/New_York.
        """
        zone = await asyncio.to_thread(_zone, timezone)
        now = datetime.fromtimestamp(int(context.clock.now()), zone)
        told = f"{now:%A %Y-%m-%d %H:%M:%S} UTC{now.isoformat()[-6:]} ({timezone})"
        return Done(ours(told), data={"at": now.isoformat(), "weekday": f"{now:%A}", "zone": timezone})

    return (
        giving(
            define(get_time_date, effect="pure", reach="inward", category="time", timeout_s=5.0),
            at=value("string", "ISO 8601 with the zone's offset"),
            weekday=value("string", "in English"),
            zone=value("string", "the zone's name"),
        ),
    )


def _zone(name: str) -> tzinfo:
    """The zone of that name; reads files.

    Raises:
        InvalidInput: there is none.
    """
    if name.upper() in ("UTC", "Z", "GMT"):
        return UTC
    if _NAME.fullmatch(name):
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise _no_zone(name) from error
    raise _no_zone(name)


def _no_zone(name: str) -> InvalidInput:
    known = available_timezones()
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
