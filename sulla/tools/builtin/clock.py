"""What time it is."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sulla.core.words import ours
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define, giving, value
from sulla.tools.zones import no_zone

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
            raise no_zone(name) from error
    raise no_zone(name)
