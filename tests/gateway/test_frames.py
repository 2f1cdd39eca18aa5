"""The onlooker of every test (`frames`) notices what is wrong, and nothing else."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.commands import MemoryCommands
from tests.gateway.frames import Conversation, published
from tests.gateway.peer import Peer
from tests.house.source import ROOT

EVENT: dict[str, Any] = {
    "thread_id": "thr_1",
    "seq": 2,
    "run_id": "run_1",
    "parent_run_id": None,
    "agent": "sulla",
    "depth": 0,
    "type": "INPUT",
    "at": "2027-01-15T08:00:00.000Z",
    "data": {"message_id": "m1", "text": "hi"},
}
DELTA = EVENT | {
    "seq": None,
    "type": "TEXT_MESSAGE_CONTENT",
    "data": {"message_id": "m1", "offset": 0, "delta": "hi"},
}
END = EVENT | {"type": "TEXT_MESSAGE_END", "data": {"call_id": "c", "message_id": "m", "text": "hi"}}
NO_TOKEN = {
    "code": -32001,
    "message": "no",
    "data": {"code": "unauthorized", "retryable": False, "retry_after_s": None},
}


def said(*frames: object, asked: tuple[object, ...] = ()) -> list[str]:
    """What is found wrong with frames, after some requests."""
    found: list[str] = []
    conversation = Conversation(published(), found.append)
    for frame in asked:
        conversation.heard(frame if isinstance(frame, str) else json.dumps(frame))
    for frame in frames:
        conversation.said(frame if isinstance(frame, str | bytes) else json.dumps(frame))
    return found


def request(method: str, id_: object = 1) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": id_, "method": method}


def notice(params: object, method: str = "event") -> dict[str, object]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def result(value: object, id_: object = 1) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": id_, "result": value}


def error(value: object, id_: object = 1) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": id_, "error": value}


def with_part(part: dict[str, object]) -> dict[str, object]:
    return notice(END | {"data": {**END["data"], "parts": [part]}})


@pytest.mark.parametrize(
    "frame",
    [
        notice(EVENT),
        notice(DELTA),
        notice(EVENT | {"run_id": None}),
        with_part({"type": "tool_call", "id": "t", "name": "n", "args": {"a": [1]}}),
        notice({"thread_id": "t", "after": 3, "next": 9}, "events.gap"),
        notice({"thread_id": "t", "error": NO_TOKEN}, "events.ended"),
        error(NO_TOKEN, None),
    ],
)
def test_a_right_frame_passes(frame: dict[str, object]) -> None:
    assert said(frame) == []


@pytest.mark.parametrize(
    ("frame", "what"),
    [
        ("{", "not JSON"),
        ("[]", "of no known form"),
        (b"{}", "a binary frame"),
        (notice(EVENT | {"type": "NEWS"}), "no message 'event.NEWS'"),
        (notice({}, "news"), "no message 'news'"),
        (notice(EVENT | {"seq": "2"}), "params.seq"),
        (notice(EVENT | {"seq": None}), "params.seq"),
        (notice(EVENT | {"seq": 0}), "params.seq"),
        (notice(DELTA | {"seq": 1}), "params.seq"),
        (notice({name: EVENT[name] for name in EVENT if name != "agent"}), '"agent" is a required'),
        (notice(EVENT | {"data": {"message_id": "m1"}}), '"text" is a required'),
        (notice(EVENT | {"data": {**EVENT["data"], "mode": "soon"}}), "params.data.mode"),
        (notice(DELTA | {"data": {**DELTA["data"], "offset": "0"}}), "params.data.offset"),
        (with_part({"type": "picture"}), "params.data.parts.0"),
        (with_part({"type": "tool_call", "id": "t", "name": "n", "args": "{}"}), "params.data.parts.0"),
        ({"method": "event", "params": EVENT}, '"jsonrpc" is a required'),
        (notice({"thread_id": "t", "after": 3}, "events.gap"), '"next" is a required'),
        (error(NO_TOKEN | {"code": -32000}), "'unauthorized' goes with -32001"),
        (error(NO_TOKEN | {"data": {**NO_TOKEN["data"], "code": "surprise"}}), "'surprise' goes with None"),  # type: ignore[dict-item]  # a dict
        (error({"code": -32001, "message": "no"}), '"data" is a required'),
        (result({"seq": 1}), "nobody asked"),
    ],
)
def test_a_wrong_frame_is_noticed(frame: object, what: str) -> None:
    (found,) = said(frame)
    assert what in found


def test_a_result_is_held_against_the_method_that_was_asked_for() -> None:
    sent = {"run_id": "r", "seq": 1}
    assert said(result(sent), asked=(request("turn.send"),)) == []
    assert said(result(sent), asked=(request("hello"),)) != []
    both = (request("turn.stop"), request("turn.send"))
    assert said(result({"seq": 1}), result(sent), asked=both) == [], "one id, used twice: answers come in order"
    assert said(result({"seq": 1}), result({"seq": 1}), asked=both) != []
    assert said(result(sent), result(sent), asked=(request("turn.send"),)) != [], "answered twice"
    assert said(error(NO_TOKEN), result(sent), asked=(request("turn.send"),)) != [], "refused, and done after all"


def test_what_clients_say_wrong_is_their_business() -> None:
    assert said(asked=("{", "[" * 100_000, request("nothing"), {"id": {}, "method": 3})) == []


@pytest.mark.parametrize(("code", "reason"), [(1000, ""), (4000, ""), (1013, "é" * 62)])
def test_a_wrong_close_is_noticed(code: int, reason: str) -> None:
    found: list[str] = []
    conversation = Conversation(published(), found.append)
    conversation.closed(1013, "too slow")
    assert found == []
    conversation.closed(code, reason)
    assert len(found) == 1


async def test_what_a_gateway_sends_is_looked_at_at_both_ends(
    commands: MemoryCommands, connect: Callable[[], Awaitable[Peer]], wrong_frames: list[str]
) -> None:
    commands.make("thr_1")
    commands.add("thr_1", "INPUT")
    commands.add("thr_1", "NEWS")
    peer = await connect()
    await peer.call("events.subscribe", thread_id="thr_1")
    await peer.events(2)
    assert ["NEWS" in found for found in wrong_frames] == [True, True]
    wrong_frames.clear()


PLANTED = """
async def _shown(commands, connect, type_):
    commands.make("thr_1")
    commands.add("thr_1", type_)
    peer = await connect()
    await peer.call("events.subscribe", thread_id="thr_1")
    await peer.event()

async def test_is_sent_something_wrong(commands, connect):
    await _shown(commands, connect, "NEWS")

async def test_is_sent_something_right(commands, connect):
    await _shown(commands, connect, "INPUT")
"""


@pytest.mark.faults
def test_a_wrong_frame_fails_the_test_that_had_it_sent_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "test_planted.py").write_text(PLANTED)
    plugins = ("-p", "tests.conftest", "-p", "tests.gateway.conftest", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", *plugins, "-rEfp"]
    run = subprocess.run(
        [*command, "-c", ROOT / "pyproject.toml", tmp_path / "test_planted.py"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    bad = set(re.findall(r"^(?:FAILED|ERROR) \S*::(\w+)", run.stdout, re.MULTILINE))
    assert bad == {"test_is_sent_something_wrong"}, run.stdout
