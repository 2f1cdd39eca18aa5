"""Blocks of a stream, as the standard has them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sulla.gateway.commands import Event
from sulla.gateway.event_json import event_json
from sulla.gateway.problems import Problem
from sulla.gateway.rest.models import End, Hole
from sulla.gateway.rest.sse import KEEP_ALIVE, OneTurn, end_block, event_block, gap_block, retry_block
from sulla.gateway.wire import EventParams
from tests.gateway.forms import check_form

pytestmark = pytest.mark.usefixtures("foreign_frames")  # parts of events: these blocks are sent to nobody


def happened(type_: str, seq: int | None = 1, of: str | None = "run_1", /, **data: Any) -> Event:
    return Event("thr_1", seq, of, None, "sulla", 0, type_, 1_800_000_000_000, data)


def fields(block: bytes) -> dict[str, str]:
    """The fields of one block, of which there is each one once."""
    assert block.endswith(b"\n\n")
    lines = block[:-2].decode().split("\n")
    found = dict(line.split(": ", 1) for line in lines)
    assert len(found) == len(lines)
    return found


def test_a_kept_event_has_its_number() -> None:
    event = happened("INPUT", 7, text="hello")
    found = fields(event_block(event))
    assert (found["id"], found["event"], json.loads(found["data"])) == ("7", "INPUT", event_json(event))
    check_form(EventParams, json.loads(found["data"]))


def test_a_live_event_has_none_so_that_nobody_goes_on_from_it() -> None:
    assert set(fields(event_block(happened("TEXT_MESSAGE_CONTENT", None, delta="x")))) == {"event", "data"}


@pytest.mark.parametrize("text", ["two\nlines", "\r\n\r\ndata: x", "\u2028\x85\x00", "id: 9", "grüß 🙂"])
def test_no_text_breaks_out_of_its_block(text: str) -> None:
    found = fields(event_block(happened("INPUT", 7, text=text)))
    assert json.loads(found["data"])["data"]["text"] == text
    assert "\r" not in found["data"]


def test_the_others_have_their_form() -> None:
    assert Hole.model_validate(json.loads(fields(gap_block("thr_1", 3, 9))["data"])).next == 9
    end = fields(end_block("failed", Problem(503, "unavailable", "away", True, 1.5)))
    assert End.model_validate(json.loads(end["data"])).error is not None
    assert json.loads(fields(end_block("finished"))["data"]) == {"reason": "finished"}
    assert fields(retry_block(2000)) == {"retry": "2000"}
    assert KEEP_ALIVE.startswith(b":")


@pytest.mark.thorough
def test_one_turn_is_shown_from_its_message_to_its_end() -> None:
    turn = OneTurn("run_1")
    assert turn.block(happened("INPUT", 1, "run_0")) == b""
    assert fields(turn.block(happened("INPUT", 2)))["id"] == "2"
    assert (turn.begun, turn.over) == (False, False)
    assert fields(turn.block(happened("RUN_STARTED", 3)))["event"] == "RUN_STARTED"
    assert (turn.begun, turn.over) == (True, False)
    assert turn.block(happened("RUN_FINISHED", 4, "run_0", run_id="run_0")) == b""
    last = happened("RUN_ERROR", 5, run_id="run_1")
    assert turn.block(last) == event_block(last) + end_block("finished")
    assert turn.over


def test_the_end_of_another_turn_that_it_caused_is_not_its_own() -> None:
    turn = OneTurn("run_1")
    assert turn.block(happened("RUN_FINISHED", 4, "run_1", run_id="run_2")) != b""
    assert not turn.over


def test_a_turn_that_joined_another_is_ended_by_that_one() -> None:
    turn = OneTurn("run_1")
    joined = happened("RUN_FINISHED", 4, "run_2", run_id="run_1", joined="run_2")
    assert turn.block(joined) == event_block(joined) + end_block("finished")


def test_text_that_waited_while_the_turn_ended_is_shown_all_the_same() -> None:
    turn = OneTurn("run_1")
    turn.block(happened("RUN_FINISHED", 4, run_id="run_1"))
    text = happened("TEXT_MESSAGE_CONTENT", None, delta="last words")
    assert turn.block(text) == event_block(text)


def test_what_the_client_has_is_not_shown_again_but_its_end_is_told() -> None:
    turn = OneTurn("run_1", seen=4)
    assert turn.block(happened("RUN_STARTED", 3)) == b""
    assert turn.begun
    assert turn.block(happened("RUN_FINISHED", 4, run_id="run_1")) == end_block("finished")


def test_a_turn_shows_the_answers_that_it_waits_for_though_they_name_no_turn() -> None:
    turn = OneTurn("run_1")
    other = happened("ANSWER", 2, None, wait_id="approval:2")
    assert turn.block(other) == b""
    turn.block(happened("CHILD_STARTED", 3, id="flow_1", thread_id="thr_2", run_id="run_1"))
    turn.block(happened("SUSPENDED", 4, waits=[{"wait_id": "approval:1", "call_id": "c"}]))
    for wait in ("approval:1", "child:flow_1"):
        answer = happened("ANSWER", 5, None, wait_id=wait)
        assert turn.block(answer) == event_block(answer)
    assert turn.block(other) == b""
