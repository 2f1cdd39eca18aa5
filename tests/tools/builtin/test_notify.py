from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sulla.core.errors import StoreUnavailable
from sulla.core.ids import CallId, RunId, ThreadId
from sulla.core.jsontypes import Json
from sulla.core.message import ToolCall
from sulla.core.words import Author, Words
from sulla.tools.base import Done, ToolContext
from sulla.tools.builtin.notify import MAX_NOTE, PersonNote, notify_tools
from sulla.tools.call import run_call
from sulla.tools.registry import Toolbox
from tests.tools.contexts import context_in

NOTE = PersonNote(ThreadId("thr_1"), RunId("run_1"), "", Words("Tea is ready.", Author.AGENT), "normal", "run_1:call_1")


class Desk:
    """Takes notes."""

    def __init__(self, error: StoreUnavailable | None = None) -> None:
        self.notes: list[PersonNote] = []
        self._error = error

    async def __call__(self, note: PersonNote) -> int | None:
        if self._error is not None:
            raise self._error
        self.notes.append(note)
        return None


async def notify(desk: Desk, context: ToolContext, **args: Json) -> Done:
    result = await run_call(Toolbox(notify_tools(desk)), ToolCall(CallId("call_1"), "notify_user", args), context)
    assert isinstance(result, Done)
    return result


async def test_a_note_says_whose_it_is_and_where_it_belongs(tmp_path: Path) -> None:
    desk = Desk()
    context = context_in(tmp_path)
    assert not (await notify(desk, context, text="Tea is ready.")).is_error
    told = replace(context, agent="cook", by=Author.TAINTED_AGENT)
    await notify(desk, told, text="Tea is ready.", urgency="high")
    assert desk.notes == [
        NOTE,
        replace(NOTE, agent="cook", urgency="high", words=Words(NOTE.words.text, Author.TAINTED_AGENT)),
    ]


@pytest.mark.parametrize("text", ["", "  \n", "x" * (MAX_NOTE + 1)])
async def test_an_empty_or_endless_note_is_not_told(tmp_path: Path, text: str) -> None:
    desk = Desk()
    assert (await notify(desk, context_in(tmp_path), text=text)).is_error
    assert desk.notes == []


async def test_a_note_that_could_not_be_kept_is_not_said_to_be(tmp_path: Path) -> None:
    result = await notify(Desk(StoreUnavailable("the store does not answer")), context_in(tmp_path), text="x")
    assert (result.is_error, result.passing) == (True, True)


def test_it_is_safe_to_repeat_and_reaches_nobody_but_the_owner() -> None:
    (tool,) = notify_tools(Desk())
    assert (tool.effect, tool.reach) == ("idempotent", "inward")


async def test_where_nobody_asked_for_the_work_what_was_said_and_not_seen_is_not_said_again(tmp_path: Path) -> None:
    class Before(Desk):
        async def __call__(self, note: PersonNote) -> int | None:
            await super().__call__(note)
            return 1_800_000_000_000 if note.unattended else None

    desk = Before()
    said = await notify(desk, replace(context_in(tmp_path), unattended=True), text="Tea is ready.")
    assert not said.is_error
    assert said.text.startswith(
        "Not told again: the same was said already at 2027-01-15T08:00:00.000Z, and is not seen"
    )
    assert (await notify(desk, context_in(tmp_path), text="Tea is ready.")).text.startswith("Noted.")
    assert [note.unattended for note in desk.notes] == [True, False]


async def test_the_daemons_secrets_are_not_told(tmp_path: Path) -> None:
    desk = Desk()
    context = replace(context_in(tmp_path), redact=lambda text: text.replace("hunter2", "[hidden]"))
    await notify(desk, context, text="The key is hunter2.")
    assert [note.words.text for note in desk.notes] == ["The key is [hidden]."]
