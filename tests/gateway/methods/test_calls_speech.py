"""Requests about speech: what is taken, how it is answered, and what is wrong with it."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from sulla.core.errors import Busy, StoreUnavailable
from sulla.core.ids import MessageId
from sulla.gateway.server.server import Server
from sulla.speech.service import Playing
from sulla.speech.turn_taking.chunk import MAX_CHUNK_CHARS, Chunk, Segment
from tests.doubles.commands import MemoryCommands
from tests.gateway.conftest import Connect

THREAD = "thr_1"
ABOUT: dict[str, Any] = {"thread_id": THREAD}
SAID: dict[str, Any] = {"thread_id": THREAD, "utterance_id": "u:1", "seq": 0, "kind": "cumulative", "text": "turn off"}


@pytest.fixture(autouse=True)
def thread(commands: MemoryCommands) -> None:
    commands.make(THREAD)


async def test_speech_is_taken_and_flushed(connect: Connect, commands: MemoryCommands) -> None:
    peer = await connect()
    assert await peer.call("speech.chunk", **SAID) == {"turn_id": "u:1", "state": "speaking", "late": False}
    playing = {"message_id": "msg_1", "played_chars": 40}
    segment = {"speaker": "channel 0", "stream": "r", "at": 1200, "from_char": 9}
    more = SAID | {"seq": 1, "text": "turn off the light", "stable_chars": 8, "segment": segment, "playing": playing}
    await peer.call("speech.chunk", **more)
    chunk = Chunk("u:1", 1, "cumulative", "turn off the light", 8, segment=Segment("channel 0", "r", 1200, 9))
    assert (commands.speech.chunks[1], commands.speech.playing) == (
        (THREAD, chunk),
        [None, Playing(MessageId("msg_1"), 40)],
    )
    commands.speech.now_ms += 700
    assert await peer.call("speech.status", thread_id=THREAD) == {
        "exists": True,
        "content": "turn off the light",
        "age_ms": 700,
        "state": "speaking",
        "turn_id": "u:1",
        "silent_ms": 700,
    }
    flushed = await peer.call("speech.flush", thread_id=THREAD)
    assert (flushed["turn_id"], flushed["text"]) == ("u:1", "turn off the light")
    assert flushed["run_id"].startswith("run_")


async def test_a_turn_can_be_dropped(connect: Connect, commands: MemoryCommands) -> None:
    peer = await connect()
    await peer.call("speech.chunk", **SAID)
    assert await peer.call("speech.cancel", thread_id=THREAD) == {"turn_id": "u:1"}
    assert commands.speech.dropped == [THREAD]


async def test_where_nobody_speaks_all_is_empty(connect: Connect) -> None:
    peer = await connect()
    assert await peer.call("speech.cancel", thread_id=THREAD) == {"turn_id": ""}
    assert await peer.call("speech.flush", thread_id=THREAD) == {"turn_id": "", "text": "", "run_id": None}
    status = await peer.call("speech.status", thread_id=THREAD)
    assert (status["exists"], status["state"], status["content"]) == (False, "idle", "")


async def test_the_same_over_rest(server: Server, commands: MemoryCommands) -> None:
    headers = {"Authorization": "Bearer owner"}
    path = f"/api/threads/{THREAD}/speech"
    async with httpx.AsyncClient(base_url=server.url, headers=headers, trust_env=False) as http:
        said = {name: value for name, value in SAID.items() if name != "thread_id"}
        answer = await http.post(path, json=said)
        assert (answer.status_code, answer.json()) == (200, {"turn_id": "u:1", "state": "speaking", "late": False})
        assert (await http.get(path)).json()["content"] == "turn off"
        assert (await http.post(f"{path}/flush")).json()["text"] == "turn off"
        assert (await http.post(f"{path}/cancel")).json() == {"turn_id": ""}
        assert (await http.post("/api/threads/nobody/speech", json=said)).status_code == 404


async def test_a_reader_may_look_but_not_speak(connect: Connect, commands: MemoryCommands) -> None:
    peer = await connect(token="reader")
    for method, params in {"speech.chunk": SAID, "speech.flush": ABOUT, "speech.cancel": ABOUT}.items():
        error = await peer.fail(method, **params)
        assert (error["data"]["code"], "'write'" in error["message"]) == ("forbidden", True)
    assert commands.speech.chunks == []
    assert not (await peer.call("speech.status", thread_id=THREAD))["exists"]


@pytest.mark.parametrize(
    ("wrong", "code", "said"),
    [
        ({"utterance_id": "a b"}, "invalid_input", "utterance_id: got 'a b', expected letters, digits"),
        ({"utterance_id": ""}, "invalid_input", "utterance_id: got ''"),
        ({"utterance_id": "x" * 65}, "invalid_input", "utterance_id: got 65 characters, expected at most 64"),
        ({"seq": -1}, "invalid_input", "seq: got -1, expected greater than or equal to 0"),
        ({"kind": "partial"}, "invalid_input", "kind: got 'partial', expected 'delta', 'cumulative' or 'final'"),
        ({"text": "x" * (MAX_CHUNK_CHARS + 1)}, "too_large", f"expected at most {MAX_CHUNK_CHARS}"),
        ({"stable_chars": -1}, "invalid_input", "stable_chars: got -1"),
        ({"playing": {"message_id": "m"}}, "invalid_input", "playing.played_chars: missing"),
        ({"playing": 12}, "invalid_input", "playing: got 12"),
        ({"final": True}, "invalid_input", "final: no such field"),
        ({"thread_id": "nobody"}, "not_found", "no thread 'nobody'"),
    ],
)
async def test_what_is_wrong_with_a_piece_is_named(
    connect: Connect, commands: MemoryCommands, wrong: dict[str, Any], code: str, said: str
) -> None:
    error = await (await connect()).fail("speech.chunk", **(SAID | wrong))
    assert error["data"]["code"] == code or (code == "invalid_input" and error["data"]["code"] == "too_large")
    assert said in error["message"]
    assert commands.speech.chunks == []


@pytest.mark.parametrize("failure", [StoreUnavailable("the store is away"), Busy("too many speak", retry_after_s=1.0)])
async def test_what_was_not_kept_is_refused_in_a_way_that_says_to_send_it_again(
    connect: Connect, commands: MemoryCommands, failure: Exception
) -> None:
    commands.speech.failure = failure
    peer = await connect()
    assert (await peer.fail("speech.chunk", **SAID))["data"]["retryable"]
    commands.speech.failure = None
    assert (await peer.call("speech.chunk", **SAID))["turn_id"] == "u:1"
