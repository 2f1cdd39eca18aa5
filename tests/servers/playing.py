"""How a fake sends a reply: in pieces, slowly, with a rest in the middle, or not to its end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from sulla.core.clock import Clock
from tests.servers.script import Reply
from tests.servers.wire import WireResponse


@dataclass(frozen=True, slots=True)
class Event:
    """One event on the wire."""

    data: bytes
    shows_text: bool = False
    """Whether it is a piece of the reply's text."""


def cut(text: str, pieces: int) -> list[str]:
    """A text in as many pieces, or fewer."""
    size = max(1, -(-len(text) // max(1, pieces)))
    return [text[start : start + size] for start in range(0, len(text), size)]


async def play(
    events: Iterable[Event],
    reply: Reply,
    response: WireResponse,
    clock: Clock,
    hold: Callable[[str], Awaitable[None]],
) -> str:
    """Send the body of an answer whose head has been sent.

    Args:
        events: what to send.
        reply: how to send it.
        response: takes it.
        clock: for delays.
        hold: returns when a name has been released.

    Returns:
        How it ended: ``done``, ``failed`` or ``cut``.
    """
    sent = shown = 0
    for event in events:
        if reply.hold and shown == reply.hold_after:
            await hold(reply.hold)
        size = reply.lump_bytes or len(event.data)
        for start in range(0, len(event.data), size):
            lump = event.data[start : start + size]
            if reply.delay_s:
                await clock.sleep(reply.delay_s)
            if reply.cut_after is not None and sent + len(lump) >= reply.cut_after:
                await response.send(lump[: reply.cut_after - sent])
                if reply.cut_how == "end":
                    await response.end()
                else:
                    response.cut()
                return "cut"
            await response.send(lump)
            sent += len(lump)
        shown += event.shows_text
    await response.end()
    return "failed" if reply.broken else "done"
