"""Where the daemon is, for commands that talk to it."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from sulla.core.dataclass import dataclass
from sulla.core.errors import Unauthorized, Unavailable
from sulla.host.home import Home, find_home
from sulla.host.settings import HomeSettings


@dataclass(frozen=True, slots=True)
class Door:
    """How to get in."""

    url: str
    token: str


def home_of(arguments: argparse.Namespace) -> Path:
    """The home that the command line, the environment or the default names."""
    return find_home(os.environ, arguments.home)  # without the settings: those are the daemon's business


def settings_of(arguments: argparse.Namespace) -> HomeSettings:
    """The settings, for the few commands that do what a daemon would do.

    Args:
        arguments: as the program was given them; the program has put there what reads the settings.

    Raises:
        SettingsError: one of them is wrong.
    """
    settings: HomeSettings = arguments.settings(arguments)
    return settings


def colour_is_wanted() -> bool:
    """Whether a terminal may be written to in more than plain text (https://no-color.org)."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def terminal_reflows() -> bool:
    """Whether the terminal breaks its rows anew when it becomes narrower, as nearly all do. Xterm, GNU Screen and the
    system's own console cut them.
    """
    own = os.environ.get("TERM", "").startswith(("linux", "screen")) and not os.environ.get("TMUX")
    return not own and not os.environ.get("XTERM_VERSION")


def has_browser() -> bool:
    """Whether a browser can be opened that has a window of its own: not one within this terminal."""
    if os.environ.get("BROWSER") or sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def config_folder() -> Path:
    """Where programs of this person's look for what they are told (the XDG base directories)."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser()


def session_folder() -> str:
    """Where the sockets of this person's session are (the XDG base directories); empty where there is no session."""
    return os.environ.get("XDG_RUNTIME_DIR", "")


def door(home: Path) -> Door:
    """The door of the daemon that runs on `home`.

    Raises:
        Unavailable: none runs there.
        Unauthorized: it is somebody else's.
    """
    place = Home(home)
    where = place.whereabouts()
    token = place.known_token()
    if where is None:
        raise Unavailable(
            f"no daemon runs on the home {home}: start one with `sulla up`, or name another with --home DIR"
        )
    if token is None:
        raise Unauthorized(f"cannot read the token in the home {home}: run this as the user that the daemon runs as")
    tell_time_in(where.zone)
    return Door(where.url, token)


def tell_time_in(zone: str) -> None:
    """Have times shown by the home's clocks, unless whoever sits here has clocks of their own (`TZ`).

    Args:
        zone: its name; empty for the machine's.
    """
    if not zone or os.environ.get("TZ"):
        return
    from zoneinfo import TZPATH

    if any((folder / zone).is_file() for folder in map(Path, TZPATH)):  # a system without it would take it for UTC
        os.environ["TZ"] = zone
        time.tzset()
