"""What a talk says of a question that somebody else answers while it is asked."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.output import DummyOutput

from sulla.terminal.chat.talk import Talk
from sulla.testing.clock import ManualClock


async def _never() -> None:
    await asyncio.Event().wait()


async def test_who_answered_it_is_said_also_where_its_turn_goes_on_in_the_same_moment(tmp_path: Path) -> None:
    with create_app_session(output=DummyOutput()):
        talk = Talk(tmp_path, ManualClock(), "")
        thread = talk.current.conversation.thread_id

        def happens(type_: str, **data: Any) -> None:
            talk.happened({"type": type_, "thread_id": thread, "agent": "", "run_id": "r", "seq": 1, "data": data})

        waits = [{"wait_id": "approval:a", "prompt": "May it?", "tool": "bash"}]
        happens("SUSPENDED", waits=waits)
        asked = asyncio.create_task(_never())
        talk._asking = ("approval:a", asked)
        happens("ANSWER", wait_id="approval:a", verdict="reject", text="too late", by="owner")
        happens("RESUMED", wait_id="approval:a", reason="answered")
        with pytest.raises(asyncio.CancelledError, match="answered elsewhere with the token owner: too late"):
            await asked
