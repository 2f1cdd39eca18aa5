"""Addresses of notices that go by a channel, ``channel://NAME/PLACE``, and what may be wrong with one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from urllib.parse import unquote

SCHEME: Final = "channel"
_MOST_SAID: Final = 60
"""Characters of a name or a place that are said again."""


def split(address: str) -> tuple[str, str]:
    """The name and the place of an address.

    Args:
        address: it.
    """
    name, _, place = address.partition("://")[2].partition("/")
    return name, unquote(place)


def is_by_channel(address: str) -> bool:
    """Whether what goes to an address goes by a channel.

    Args:
        address: it.
    """
    return address.startswith(f"{SCHEME}://")


def no_channel(address: str, known: Iterable[str]) -> str:
    """Why nothing goes to an address that names no channel; empty where it names one.

    Args:
        address: it.
        known: the channels that there are.
    """
    name, names = split(address)[0], tuple(known)
    if name in names:
        return ""
    return f"there is no channel {name[:_MOST_SAID]!r}; there are: {', '.join(names) or 'none'}"


def nobody_there(address: str) -> str:
    """Why nothing goes to an address at whose place nobody has written.

    Args:
        address: it.
    """
    name, place = split(address)
    return f"nobody has written to the channel {name!r} at {place[:_MOST_SAID]!r} yet"
