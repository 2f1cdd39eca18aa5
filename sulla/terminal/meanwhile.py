"""What an agent has said of playbooks between two turns of a talk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sulla.terminal.client import Client, Event
from sulla.terminal.output import tell
from sulla.terminal.table import harmless

_PAGE: Final = 200


async def tell_meanwhile(
    client: Client, thread_id: str, aside: Callable[[Event], str], after: int, before: int
) -> None:
    """Print it beside the answer.

    Args:
        client: a connection.
        thread_id: where the talk is.
        aside: says what an event has to say, and learns whose words are still to come.
        after: the last record that was seen.
        before: the record of the message that was sent now.
    """
    while after < before - 1:
        page = await client.call("thread.history", thread_id=thread_id, after=after, limit=_PAGE)
        for event in page["events"]:
            if event["seq"] < before and (said := harmless(aside(event))):
                tell(said, end="")
        if not page["more"]:
            return
        after = page["events"][-1]["seq"]
