"""Whose clocks count where nobody says otherwise: the one place that finds it."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from sulla.core.dataclass import dataclass
from sulla.core.errors import SettingsError
from sulla.tools.zones import no_zone

log = logging.getLogger(__name__)

UTC_NAME: Final = "UTC"
_SAME: Final = frozenset(
    ("Etc/UTC", "Etc/UCT", "Etc/Zulu", "Etc/Universal", "UCT", "Zulu", "Universal", "Etc/GMT", "GMT", "Z")
)
"""Other names of UTC."""
_FOLDER: Final = "zoneinfo/"
_NAME_CHARS: Final = 100


@dataclass(frozen=True, slots=True)
class HomeZone:
    """The time zone of a home, for as long as a process lives."""

    name: str
    """As the database of time zones has it, e.g. ``Europe/Berlin``."""
    source: str
    """What says so, for people; empty where nothing does, and UTC counts."""


def home_zone(wanted: str, environ: Mapping[str, str] = os.environ, root: Path = Path("/")) -> HomeZone:
    """The time zone that the settings name, else the system's, else UTC.

    Args:
        wanted: `daemon.zone` of the settings; empty for the system's.
        environ: the environment, of which `TZ` counts.
        root: where the system's files are.

    Raises:
        SettingsError: nobody knows the one that the settings name.
    """
    if wanted:
        if (name := known_zone(wanted)) is None:
            raise SettingsError(f"daemon.zone: {no_zone(wanted).message}")
        return HomeZone(name, "daemon.zone")
    for named, source in _named(environ, root):
        if (name := known_zone(named)) is not None:
            return HomeZone(name, source)
    return HomeZone(UTC_NAME, "")


def zone_or_warning(wanted: str) -> str:
    """The name of the home's time zone, for a daemon: where nothing names one, its log says so.

    Args:
        wanted: `daemon.zone` of the settings.

    Raises:
        SettingsError: nobody knows the one that the settings name.
    """
    zone = home_zone(wanted)
    if not zone.source:
        log.warning("the system names no time zone (TZ, /etc/localtime), so UTC counts; set daemon.zone")
    return zone.name


def known_zone(name: str) -> str | None:
    """A time zone's name as it is used here; None if there is no such zone."""
    if name.upper() == UTC_NAME or name in _SAME:
        return UTC_NAME
    try:
        return ZoneInfo(name).key if name else None
    except (LookupError, ValueError, OSError):
        return None


def _named(environ: Mapping[str, str], root: Path) -> Iterator[tuple[str, str]]:
    """What the system says, the strongest word first. A `TZ` of rules such as ``CET-1CEST`` names no zone."""
    if tz := environ.get("TZ", "").removeprefix(":"):
        yield tz.partition(_FOLDER)[2] or tz, "TZ"
    local = root / "etc" / "localtime"
    with suppress(OSError):
        yield str(local.readlink()).partition(_FOLDER)[2].removeprefix("posix/"), "/etc/localtime"
    with suppress(OSError, UnicodeDecodeError):  # where that is a copy of the zone's file
        yield (root / "etc" / "timezone").read_text(encoding="ascii")[:_NAME_CHARS].strip(), "/etc/timezone"
