"""What a talk says while a question is asked: that somebody else has answered it, and all else behind it."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.output import DummyOutput

from sulla.terminal.chat.pieces import LatePieces, Piece
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
        with pytest.raises(asyncio.CancelledError, match="answered elsewhere with the token owner: no, too late"):
            await asked


async def test_what_comes_while_a_question_is_asked_is_printed_behind_its_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with create_app_session(output=DummyOutput()):
        talk = Talk(tmp_path, ManualClock(), "")
        asked = asyncio.create_task(_never())
        talk._asking = ("approval:a", asked)
        talk.note("one")
        talk.note("two")
        assert capsys.readouterr().out == ""
        talk._asking = None
        talk.note("three")
        assert re.findall("one|two|three", capsys.readouterr().out) == ["one", "two", "three"]
        asked.cancel()


def test_more_than_is_kept_back_is_printed() -> None:
    late, piece = LatePieces(), Piece("plain", "x")
    assert late.add([piece] * 200, is_asked=True) == ()
    assert len(late.add([piece], is_asked=True)) == 201
    assert late.add([], is_asked=False) == ()
