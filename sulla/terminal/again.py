"""The last answer of a conversation, once more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from sulla.terminal import questions
from sulla.terminal.client import Event, open_client
from sulla.terminal.exits import Exit
from sulla.terminal.output import tell
from sulla.terminal.place import door
from sulla.terminal.program import hint
from sulla.terminal.table import columns_of_terminal, harmless

_PAGE: Final = 200
_MOST_PAGES: Final = 10


async def print_last_answer(home: Path, thread_id: str, *, as_json: bool) -> Exit:
    """Print it.

    Args:
        home: whose daemon.
        thread_id: the conversation.
        as_json: print the event instead of the text.

    Returns:
        `Exit.BLOCKED` if its turn waits to be told something: that is said, and how it is told.

    Raises:
        Unavailable: no daemon runs.
        Refused: there is no such thread.
    """
    found: Event | None = None
    async with open_client(door(home)) as client:
        asked = await questions.questions_of(client, thread_id)
        before = int((await client.call("thread.get", thread_id=thread_id))["last_seq"]) + 1
        for _ in range(_MOST_PAGES):
            after = max(0, before - 1 - _PAGE)
            page = await client.call("thread.history", thread_id=thread_id, after=after, before=before, limit=_PAGE)
            said = [event for event in page["events"] if _is_answer(event)]
            if said or after == 0:
                found = said[-1] if said else None
                break
            before = after + 1
    if found is not None:
        print(json.dumps(found) if as_json else harmless(found["data"]["text"]).rstrip("\n"))
        if found["data"].get("cut") and not as_json:
            tell("[stopped: this is what was said until then]")
    elif not asked:
        tell(f"[no answer in the last {_PAGE * _MOST_PAGES} records of {thread_id}]")
    if as_json or not asked:
        return Exit.BLOCKED if asked else Exit.OK if found is not None else Exit.FAILED
    for question in asked:
        tell("\n".join(questions.framed(question, columns_of_terminal())))
        tell(hint(questions.how_to_answer(question, question.thread_id)), end="")
    return Exit.BLOCKED


def _is_answer(event: Event) -> bool:
    data = event["data"]
    return event["type"] == "TEXT_MESSAGE_END" and not data.get("hidden") and bool(data.get("text"))
