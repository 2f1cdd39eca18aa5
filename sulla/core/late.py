"""A service that is made when it is first used: a daemon that never uses it does not load its modules. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

T = TypeVar("T")


class _Late:
    """Stands for a service until one of its names is used.

    Args:
        make: makes it, and imports what it needs.
    """

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], object]) -> None:
        self._make = make
        self._made: tuple[object, ...] = ()

    def __getattr__(self, name: str) -> object:
        """Called for every name of the service."""
        if not self._made:
            self._made = (self._make(),)
        return getattr(self._made[0], name)


def late(make: Callable[[], T]) -> T:
    """What passes each method on to a service that is made at the first one. It is used from one thread.

    Args:
        make: makes the service, once, and imports what it needs. Should it fail, so does the method, and the next one
            tries again.

    Returns:
        What has the service's methods and fields, but neither its type nor its operators.
    """
    return cast(T, _Late(make))
