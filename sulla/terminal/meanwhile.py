"""What an agent has said of playbooks between two turns of a talk."""

from __future__ import annotations

import sys
from typing import Final

from sulla.terminal.client import Client
from sulla.terminal.screen import Screen
from sulla.terminal.table import harmless

_PAGE: Final = 200


async def tell_meanwhile(client: Client, thread_id: str, screen: Screen, after: int, before: int) -> None:
    """Print it beside the answer, and have the screen know whose words are still to come.

    Args:
        client: a connection.
        thread_id: where the talk is.
        screen: of the turn that begins.
        after: the last record that was seen.
        before: the record of the message that was sent now.
    """
    while after < before - 1:
        page = await client.call("thread.history", thread_id=thread_id, after=after, limit=_PAGE)
        for event in page["events"]:
            if event["seq"] < before and (said := harmless(screen.aside(event))):
                print(said, end="", file=sys.stderr, flush=True)
        if not page["more"]:
            return
        after = page["events"][-1]["seq"]
