"""Telling one client what follows a method's answer, for as long as it is connected and wants it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Final

from sulla.core.jsontypes import JsonObject
from sulla.gateway.methods.table import GROUP_OF, METHOD_OF, METHODS
from sulla.gateway.rpc import watch_frame
from sulla.rpc.form import Params
from sulla.rpc.watch import AnyWatch

Put = Callable[[bytes], Awaitable[None]]
"""Sends a frame; waits while the client is slow, and raises `TooSlow` if it takes nothing."""
_ENDED_BY: Final = {row.watch.ended_by: name for name, row in METHODS.items() if row.watch is not None}


def watch_key(method: str) -> str:
    """What a connection calls a watch among the threads that it follows; no thread's id has a blank.

    Args:
        method: the one that begins it.
    """
    return f"watch {method}"


def begun_by(params: Params) -> str:
    """The key of the watch that a request begins; empty for none.

    Args:
        params: its parameters.
    """
    method = METHOD_OF[type(params)]
    return watch_key(method) if METHODS[method].watch is not None else ""


def ended_by(params: Params) -> str:
    """The key of the watch that a request ends; empty for none.

    Args:
        params: its parameters.
    """
    method = _ENDED_BY.get(type(params))
    return watch_key(method) if method is not None else ""


async def tell_watch(services: Mapping[str, object], params: Params, answered: JsonObject, put: Put) -> None:
    """Send what follows an answer, until cancelled.

    However much comes while the client is slow, it is told in one.

    Args:
        services: who does the methods of each capability, by its name.
        params: what was asked for.
        answered: what the client was answered.
        put: sends a frame to the client.

    Raises:
        TooSlow: the client takes nothing any more.
    """
    method = METHOD_OF[type(params)]
    watch: AnyWatch | None = METHODS[method].watch
    if watch is None:
        raise TypeError(f"{method!r} begins no watch")
    async with aclosing(watch.follow(services[GROUP_OF[method]], answered)) as told:
        async for one in told:
            await put(watch_frame(watch.name, one))
