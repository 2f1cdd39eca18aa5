"""What a connection is told from a method's answer on, until it ends or wants no more. Pure."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from typing import Any, Generic, TypeVar

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.rpc.form import Params

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Watch(Generic[S]):
    """What follows a method's answer, on the connection that asked."""

    name: str
    """Of the notification, e.g. ``live``."""
    row: type
    """The notification's parameters; a frozen dataclass."""
    ended_by: type[Params]
    """The parameters of the method that ends it."""
    follow: Callable[[S, JsonObject], AsyncGenerator[JsonObject, None]]
    """Gives what is told, one after the other, without an end: from the service, and from what was answered. It is
    asked for the next one when the client has taken the one before, so what comes meanwhile is told in one."""


@dataclass(frozen=True, slots=True)
class WatchEnded:
    """The answer to a method that ends a watch."""

    ended: bool
    """Whether there was one on this connection."""


AnyWatch = Watch[Any]
