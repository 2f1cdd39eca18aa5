"""How systemd and a service of its talk, as sd_notify(3) and sd_listen_fds(3) say it."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Mapping
from functools import partial

from sulla.core.clock import Clock
from sulla.core.errors import SettingsError
from sulla.host.supervision.supervised import ALIVE, Supervised

log = logging.getLogger(__name__)

_FIRST_DESCRIPTOR = 3
"""Behind standard input, output and error."""

_BEATS = 3
"""So many signs of life in the time that the manager waits for one: two may be late."""


def supervised_by(environ: Mapping[str, str], pid: int) -> Supervised:
    """What the variables of this process say of its service manager.

    Args:
        environ: the process's environment. Its children inherit it, so what names another process is not meant for us.
        pid: the process.

    Raises:
        SettingsError: the manager hands over several sockets, or a variable is no number.
    """
    place = environ.get("NOTIFY_SOCKET", "")
    return Supervised(
        tell=partial(_send, place) if place[:1] in ("/", "@") else Supervised().tell,
        watchdog_s=_number(environ, "WATCHDOG_USEC") / 1e6 if _is_meant(environ, "WATCHDOG_PID", pid) else 0.0,
        listening=_listening(environ) if _is_meant(environ, "LISTEN_PID", pid) else None,
    )


async def show_life(supervised: Supervised, clock: Clock) -> None:
    """Say again and again that the event loop turns, if anybody waits for that; until it is cancelled.

    Args:
        supervised: who waits, and how long.
        clock: says when.
    """
    while supervised.watchdog_s > 0:
        supervised.tell(ALIVE)
        await clock.sleep(supervised.watchdog_s / _BEATS)


def _send(place: str, state: str) -> None:
    name = f"\0{place[1:]}" if place.startswith("@") else place
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
            sock.setblocking(False)  # a manager that takes nothing holds up no turn
            sock.sendto(state.encode(), name)
    except OSError as error:
        log.warning("the service manager does not take %r at %s: %s", state, place, error.strerror)


def _listening(environ: Mapping[str, str]) -> int | None:
    many = _number(environ, "LISTEN_FDS")
    if many > 1:
        raise SettingsError(f"the service manager hands over {many} sockets: expected one, for the gateway")
    if many == 0:
        return None
    os.set_inheritable(_FIRST_DESCRIPTOR, False)  # commands of agents must not answer at our door
    return _FIRST_DESCRIPTOR


def _is_meant(environ: Mapping[str, str], name: str, pid: int) -> bool:
    return environ.get(name, "") in ("", str(pid))


def _number(environ: Mapping[str, str], name: str) -> int:
    text = environ.get(name) or "0"
    if not (text.isascii() and text.isdecimal()):
        raise SettingsError(f"{name} is {text!r}: expected a number, as a service manager writes it")
    return int(text)
