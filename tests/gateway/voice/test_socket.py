"""`/voice` over a real socket: who comes in, what is heard and shown, and how it ends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from websockets.exceptions import InvalidStatus

from sulla.core.errors import InvalidInput, StoreUnavailable
from sulla.core.ids import MessageId, derived_id
from sulla.gateway.commands import Event as Happened
from sulla.gateway.commands import Live
from sulla.gateway.server.auth import WRONG_TOKENS
from sulla.gateway.server.server import Server
from sulla.gateway.voice.session import VoiceRequest
from sulla.gateway.voice.socket import read_wish
from sulla.speech.service import Playing
from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.events import EagerEnd, End, Event, Partial, Resumed, TurnStarted
from tests.doubles.commands import MemoryCommands
from tests.doubles.tokens import MemoryTokens
from tests.gateway.conftest import Start
from tests.gateway.peer import PATIENCE_S, Raw, masked, until
from tests.gateway.recognizers import partial, result
from tests.gateway.voices import Voice
from tests.speech.recognizer.test_frames import BAD, FLUX, GOOD, TALK

THREAD = "thr_1"
OpenRaw = Callable[..., Awaitable[Raw]]


def run_of(thread_id: str, turn_id: str) -> str:
    """The run of a spoken turn."""
    return derived_id("run", thread_id, f"speech:{turn_id}")


@pytest.fixture(autouse=True)
def driver(commands: MemoryCommands) -> None:
    """There is a thread, and what the machine of speech says is shown and becomes messages, as the driver does it."""
    commands.make(THREAD)

    def tell(thread_id: str, event: Event) -> None:
        match event:
            case TurnStarted(turn_id):
                commands.show(thread_id, "SPEECH_STARTED", turn_id=turn_id)
            case Partial(turn_id, text):
                commands.show(thread_id, "SPEECH_PARTIAL", turn_id=turn_id, text=text, chars=len(text))
            case EagerEnd(turn_id, text, score):
                commands.show(thread_id, "SPEECH_EAGER_END", turn_id=turn_id, text=text, chars=len(text), score=score)
            case Resumed(turn_id):
                commands.show(thread_id, "SPEECH_RESUMED", turn_id=turn_id)
            case End():
                message_id, chars = f"speech:{event.turn_id}", len(event.text)
                shown = {**asdict(event), "message_id": message_id, "chars": chars, "delivered": True}
                commands.tell(thread_id, Live(Happened(thread_id, None, None, None, "", 0, "SPEECH_END", 0, shown)))
                run_id = run_of(thread_id, event.turn_id)
                spoken = {"turn_id": event.turn_id, "reason": event.reason}
                commands.add(thread_id, "INPUT", run_id, message_id=message_id, text=event.text, spoken=spoken)
            case _:
                commands.show(thread_id, "SPEECH_CANCELLED", turn_id=event.turn_id)

    commands.speech.tell = tell


def texts(commands: MemoryCommands) -> list[str]:
    """The messages of the thread."""
    return [str(event.data["text"]) for event in commands._threads[THREAD].log if event.type == "INPUT"]


async def refused(connecting: AbstractAsyncContextManager[Voice]) -> tuple[int, dict[str, Any]]:
    """The HTTP status and error of an upgrade that is refused."""
    with pytest.raises(InvalidStatus) as caught:
        await connecting.__aenter__()
    body = caught.value.response.body
    error: dict[str, Any] = json.loads(body)["error"] if body else {}
    return caught.value.response.status_code, error


# ------------------------------------------------------------------------------------------------------ who comes in


@pytest.mark.parametrize("authorization", ["Bearer owner", "Token owner", "token owner"])
async def test_a_token_in_the_header_is_enough(server: Server, authorization: str) -> None:
    async with Voice.connect(server, authorization, f"thread_id={THREAD}") as voice:
        assert (await voice.ready()).thread_id == THREAD


async def test_a_browser_says_hello(server: Server) -> None:
    async with Voice.connect(server, None, f"thread_id={THREAD}", Origin="https://console.test") as voice:
        await voice.say({"type": "hello", "token": "owner"})
        assert (await voice.ready()).thread_id == THREAD


async def test_without_a_thread_a_new_one_is_made(server: Server, commands: MemoryCommands) -> None:
    async with Voice.connect(server, query="agent=sulla") as voice:
        assert (await voice.ready()).thread_id != THREAD
    assert ("create_thread", "sulla", "", None, None, "") in commands.calls


@pytest.mark.parametrize("authorization", ["Bearer wrong", "Token wrong", "Basic b3duZXI6", "owner"])
async def test_a_wrong_key_is_refused_before_the_upgrade(server: Server, authorization: str) -> None:
    status, error = await refused(Voice.connect(server, authorization))
    assert (status, error["code"]) == (401, "unauthorized")


@pytest.mark.parametrize(
    ("first", "code", "close"),
    [
        ({"type": "hello", "token": "wrong"}, "unauthorized", 4401),
        ({"type": "hello"}, "unauthorized", 4401),
        ({"partial": "hi"}, "invalid_input", 1008),
        ("nonsense", "invalid_json", 1008),
        ("[]", "invalid_input", 1008),
    ],
)
async def test_whoever_says_something_else_than_a_good_hello_is_answered_and_closed(
    server: Server, commands: MemoryCommands, first: object, code: str, close: int
) -> None:
    async with Voice.connect(server, None) as voice:
        await voice.say(first)
        frame = await voice.frame()
        assert (frame["type"], frame["code"]) == ("error", code)
        assert (await voice.closed())[0] == close
    assert commands.calls == []


async def test_whoever_says_nothing_is_closed(start: Start) -> None:
    async with Voice.connect(await start(hello_s=0.05), None) as voice:
        assert (await voice.closed())[0] == 4408


async def test_who_has_shown_a_token_may_be_silent_for_longer(start: Start) -> None:
    async with Voice.connect(await start(hello_s=0.05)) as voice:
        await voice.ready()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await voice.socket.recv()


async def test_guesses_at_this_door_lock_the_address_out_at_all_doors(server: Server) -> None:
    for number in range(WRONG_TOKENS):
        await refused(Voice.connect(server, f"Token guess{number}"))
    status, error = await refused(Voice.connect(server, "Token another"))
    assert (status, error["retryable"]) == (401, True)
    async with Voice.connect(server, "Token owner", f"thread_id={THREAD}") as voice:
        await voice.ready()


async def test_a_token_that_may_not_write_is_told_so_at_once(server: Server, commands: MemoryCommands) -> None:
    async with Voice.connect(server, "Bearer reader", f"thread_id={THREAD}") as voice:
        frame = await voice.frame()
        assert (frame["code"], (await voice.closed())[0]) == ("forbidden", 1008)
        assert "'write'" in frame["message"]


async def test_an_unknown_thread_is_told_and_closed(server: Server) -> None:
    async with Voice.connect(server, query="thread_id=nobody") as voice:
        assert (await voice.frame())["code"] == "not_found"
        assert (await voice.closed())[0] == 1008


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("thread_id=../etc", "thread_id: got '../etc', expected letters"),
        ("thread=thr_1", "thread: no such field; did you mean 'thread_id'?"),
        ("turns=mine", "turns: got 'mine', expected"),
        ("channel=99", "channel: got 99, expected less than 32"),
        ("channel=one", "channel: got 'one', expected a valid integer"),
        ("agent=a&thread_id=b", "agent: only for a new thread"),
        ("agent=a&agent=b", "says something twice"),
    ],
)
async def test_what_is_wrong_in_the_address_is_named(server: Server, query: str, said: str) -> None:
    status, error = await refused(Voice.connect(server, query=query))
    assert (status, error["code"]) == (400, "invalid_input")
    assert said in error["message"]


async def test_a_token_in_the_address_and_a_page_from_elsewhere_are_refused(server: Server) -> None:
    assert (await refused(Voice.connect(server, query="token=owner")))[0] == 400
    assert (await refused(Voice.connect(server, Origin="https://evil.example")))[0] == 403


def test_the_address_is_read() -> None:
    assert read_wish(b"thread_id=thr_1&turns=recognizer&channel=1") == VoiceRequest("thr_1", None, "recognizer", 1)
    assert read_wish(b"") == VoiceRequest()
    with pytest.raises(InvalidInput):
        read_wish(b"channel=" + b"9" * 5_000)


# ------------------------------------------------------------------------------------------------ what is heard, shown


@pytest.mark.parametrize(
    ("frames", "text"),
    [
        (TALK, "What is the weather in Rome?"),
        (FLUX, "Book a table for two."),
        ([partial(""), partial("turn"), partial("turn off"), result("turn off the light")], "turn off the light"),
    ],
    ids=["deepgram", "flux", "vosk"],
)
async def test_a_whole_turn(server: Server, commands: MemoryCommands, frames: list[Any], text: str) -> None:
    async with Voice.connect(server, query=f"thread_id={THREAD}") as voice:
        await voice.ready()
        await voice.say(*frames)
        assert (await voice.frame())["type"] == "speech_started"
        shown = await voice.until("speech_partial")
        while shown[-1]["text"] != text:
            shown = await voice.until("speech_partial")
        commands.speech.pass_ms(3_000)
        (*_, end) = await voice.until("speech_end")
        assert (end["text"], end["delivered"]) == (text, True)
        run_id = run_of(THREAD, end["turn_id"])
        commands.add(THREAD, "MODEL_STARTED", run_id, message_id="msg_1")
        commands.show(THREAD, "TEXT_MESSAGE_CONTENT", run_id, message_id="msg_1", offset=0, delta="It rains. And")
        said = await voice.frame()
        assert (said["type"], said["text"], said["index"]) == ("speak", "It rains.", 0)
        commands.add(THREAD, "TEXT_MESSAGE_END", run_id, message_id="msg_1", text="It rains. And more.")
        assert (await voice.frame())["text"] == "And more."
        commands.add(THREAD, "RUN_FINISHED", run_id, outcome={"status": "done"})
        assert await voice.frame() == {"type": "reply_end", "run_id": run_id, "status": "done"}
    assert texts(commands) == [text]


async def test_what_was_played_goes_with_what_is_said(server: Server, commands: MemoryCommands) -> None:
    async with Voice.connect(server, query=f"thread_id={THREAD}") as voice:
        await voice.ready()
        await voice.say({"type": "played", "message_id": "msg_1", "played_chars": 12}, partial("wait"))
        await voice.say({"type": "played", "message_id": None}, partial("wait a minute"))
        await until(lambda: len(commands.speech.chunks) == 2)
        assert commands.speech.playing == [Playing(MessageId("msg_1"), 12), None]
        await voice.say({"type": "played", "message_id": "no such id!", "played_chars": 1})
        (*_, error) = await voice.until("error")
        assert "message_id: got 'no such id!'" in error["message"]


async def test_two_clients_in_one_thread_do_not_take_each_others_utterances(
    server: Server, commands: MemoryCommands
) -> None:
    query = f"thread_id={THREAD}"
    async with Voice.connect(server, query=query) as one, Voice.connect(server, query=query) as other:
        await one.ready()
        await other.ready()
        await one.say(partial("one"))
        await other.say(partial("other"))
        await until(lambda: len({chunk.utterance_id for _, chunk in commands.speech.chunks}) == 2)


async def test_what_concerns_no_listener_is_not_shown(server: Server, commands: MemoryCommands) -> None:
    async with Voice.connect(server, query=f"thread_id={THREAD}") as voice:
        await voice.ready()
        commands.add(THREAD, "RUN_STARTED", "run_1")
        commands.show(THREAD, "TOOL_CALL_PROGRESS", "run_1", call_id="c", note="half")
        commands.add(THREAD, "SUSPENDED", "run_1", waits=[{"wait_id": "child:c", "call_id": "c"}])
        commands.add(
            THREAD,
            "SUSPENDED",
            "run_1",
            waits=[{"wait_id": "approval:c:1", "call_id": "c", "prompt": "May it post?"}, {"wait_id": "time:x"}],
        )
        asked = {"id": "approval:c:1", "prompt": "May it post?"}
        assert await voice.frame() == {"type": "suspended", "run_id": "run_1", "questions": [asked]}
        commands.add(THREAD, "RUN_FINISHED", "run_0", outcome={"status": "done"}, joined="run_1")
        commands.add(THREAD, "RUN_ERROR", "run_1", code="model_down", message="The model is away.")
        end = {"type": "reply_end", "run_id": "run_1", "status": "failed", "code": "model_down"}
        assert await voice.frame() == {**end, "message": "The model is away."}


async def test_a_barge_in_is_shown_and_what_was_before_is_not(server: Server, commands: MemoryCommands) -> None:
    commands.add(THREAD, "INPUT", "run_0", message_id="m", text="before")
    commands.add(THREAD, "RUN_FINISHED", "run_0", outcome={"status": "done"})
    async with Voice.connect(server, query=f"thread_id={THREAD}") as voice:
        await voice.ready()
        commands.show(THREAD, "SPEECH_BARGE_IN", turn_id="u", message_id="msg_1", played_chars=4)
        barge_in = {"type": "speech_barge_in", "turn_id": "u", "message_id": "msg_1", "played_chars": 4}
        assert await voice.frame() == barge_in


# ------------------------------------------------------------------------------------------------------------- mistakes


async def test_mistakes_are_answered_and_nothing_else_happens(server: Server, commands: MemoryCommands) -> None:
    async with Voice.connect(server, query=f"thread_id={THREAD}") as voice:
        await voice.ready()
        for wrong, said in [
            ("nonsense", "not JSON"),
            ("[1]", "expected an object"),
            ({"partial": 5}, "partial: got 5"),
            ({"foo": 1}, "expected a frame of Deepgram or Vosk"),
        ]:
            await voice.say(wrong)
            error = await voice.frame()
            assert error["type"] == "error"
            assert said in error["message"]
        await voice.say({"type": "Emotion"}, {"type": "Emotion"}, partial("hi"))
        assert await voice.frame() == {"type": "passed_over", "frame": "Emotion"}
        assert (await voice.frame())["type"] == "speech_started"
    assert [chunk.text for _, chunk in commands.speech.chunks] == ["hi"]


async def test_a_binary_frame_is_told_where_audio_goes(server: Server) -> None:
    async with Voice.connect(server) as voice:
        await voice.say(b"\x00\x01")
        code, reason = await voice.closed()
        assert (code, "audio goes to the recognizer" in reason) == (1003, True)


async def test_a_frame_over_the_limit_closes(start: Start) -> None:
    async with Voice.connect(await start(frame_bytes=4_096)) as voice:
        await voice.ready()
        await voice.say(partial("x" * 5_000))
        assert (await voice.closed())[0] == 1009


async def test_a_hello_over_the_limit_closes(start: Start) -> None:
    async with Voice.connect(await start(hello_bytes=512), None) as voice:
        await voice.say({"type": "hello", "token": "x" * 600})
        assert (await voice.closed())[0] == 1009


async def test_what_could_not_be_kept_is_offered_again(server: Server, commands: MemoryCommands) -> None:
    commands.speech.failure = StoreUnavailable("the store is away", retry_after_s=0.01)
    async with Voice.connect(server, query=f"thread_id={THREAD}") as voice:
        await voice.ready()
        await voice.say(partial("so"), result("so it is"))
        await until(lambda: commands.speech.asked == 3)
        commands.speech.failure = None
        await until(lambda: len(commands.speech.chunks) == 2)
        assert [chunk.text for _, chunk in commands.speech.chunks] == ["so", "so it is"]


async def test_what_can_never_be_kept_is_told(server: Server, commands: MemoryCommands) -> None:
    async with Voice.connect(server, query=f"thread_id={THREAD}") as voice:
        await voice.ready()
        commands.speech.failure = InvalidInput("no")
        await voice.say(partial("so"))
        assert (await voice.frame())["code"] == "invalid_input"
        commands.speech.failure = None
        await voice.say(partial("so it is"))
        assert (await voice.frame())["type"] == "speech_started"


# --------------------------------------------------------------------------------------------------------- how it ends


@pytest.mark.parametrize("order", [{"type": "CloseStream"}, {"eof": 1}])
async def test_who_says_nothing_more_hears_the_reply_and_is_closed(
    server: Server, commands: MemoryCommands, order: object
) -> None:
    async with Voice.connect(server, query=f"thread_id={THREAD}") as voice:
        await voice.ready()
        await voice.say(partial("good night"), order, partial("not heard"))
        (*_, end) = await voice.until("speech_end")
        assert (end["reason"], end["text"]) == ("forced", "good night")
        run_id = run_of(THREAD, end["turn_id"])
        commands.add(THREAD, "RUN_FINISHED", run_id, outcome={"status": "done"})
        assert await voice.frame() == {"type": "reply_end", "run_id": run_id, "status": "done"}
        assert (await voice.closed())[0] == 1000
    assert "not heard" not in [chunk.text for _, chunk in commands.speech.chunks]


async def test_who_has_said_nothing_is_closed_at_once(server: Server) -> None:
    async with Voice.connect(server, query=f"thread_id={THREAD}") as voice:
        await voice.ready()
        await voice.say({"type": "CloseStream"})
        assert (await voice.closed())[0] == 1000


async def test_a_client_that_vanishes_leaves_its_turn_to_the_timers(server: Server, commands: MemoryCommands) -> None:
    async with Voice.connect(server, query=f"thread_id={THREAD}") as voice:
        await voice.ready()
        await voice.say(partial("remind me to call"))
        await until(lambda: commands.speech.chunks)
        voice.socket.transport.abort()
    await until(lambda: commands.listeners(THREAD) == 0)
    assert texts(commands) == []
    commands.speech.pass_ms(3_000)
    assert texts(commands) == ["remind me to call"]


async def test_a_thread_that_goes_away_ends_it(start: Start, commands: MemoryCommands) -> None:
    async with Voice.connect(await start(heal_s=0.01), query=f"thread_id={THREAD}") as voice:
        await voice.ready()
        commands.forget(THREAD)
        assert (await voice.until("error"))[-1]["code"] == "not_found"
        assert (await voice.closed())[0] == 1008


async def test_a_token_that_is_revoked_ends_it(server: Server, tokens: MemoryTokens) -> None:
    async with Voice.connect(server, "Token owner", f"thread_id={THREAD}") as voice:
        await voice.ready()
        await tokens.revoke("owner", tokens.known()[0].principal)
        code, reason = await voice.closed()
        assert (code, "revoked" in reason) == (4401, True)


async def test_a_daemon_that_stops_says_so(server: Server) -> None:
    async with Voice.connect(server, query=f"thread_id={THREAD}") as voice:
        await voice.ready()
        await server.stop(1.0)
        assert (await voice.closed())[0] == 1012


# ------------------------------------------------------------------------------------------------------ many and much


async def test_a_flood_is_served_in_order_and_holds_up_nobody_else(server: Server, commands: MemoryCommands) -> None:
    query = f"thread_id={THREAD}"
    async with Voice.connect(server, query=query) as loud, Voice.connect(server, query=query) as quiet:
        await loud.ready()
        await quiet.ready()
        words = [f"w{number}" for number in range(600)]
        flood = asyncio.ensure_future(loud.say(*(partial(word) for word in words)))
        await quiet.say(partial("excuse me"))
        await until(lambda: any(chunk.text == "excuse me" for _, chunk in commands.speech.chunks))
        assert len(commands.speech.chunks) < len(words)
        await flood
        await until(lambda: len(commands.speech.chunks) == len(words) + 1)
        assert [chunk.text for _, chunk in commands.speech.chunks if chunk.text in words] == words


async def test_many_clients_at_once_are_all_heard(server: Server, commands: MemoryCommands) -> None:
    async def one(number: int) -> None:
        async with Voice.connect(server) as voice:
            await voice.ready()
            for word in range(10):
                await voice.say(partial(" ".join(f"v{number}" for _ in range(word + 1))))
            await voice.say({"type": "CloseStream"})
            await voice.until("speech_end")

    await asyncio.gather(*(one(number) for number in range(40)))
    said: dict[str, list[Chunk]] = {}
    for thread_id, chunk in commands.speech.chunks:
        said.setdefault(thread_id, []).append(chunk)
    assert sorted(len(chunks) for chunks in said.values()) == [11] * 40


@pytest.mark.parametrize("known", [True, False])
async def test_whatever_comes_the_connection_ends_for_a_reason_or_not_at_all(
    start: Start, commands: MemoryCommands, known: bool
) -> None:
    server, tell = await start(), commands.speech.tell

    def answer(thread_id: str, event: Event) -> None:
        tell(thread_id, event)
        if isinstance(event, End):
            run_id = run_of(thread_id, event.turn_id)
            commands.add(thread_id, "RUN_FINISHED", run_id, outcome={"status": "done"})

    commands.speech.tell = answer
    frames = st.lists(st.one_of(GOOD, BAD, st.text(max_size=30), st.binary(max_size=8)), min_size=1, max_size=8)
    found: list[list[Any]] = []

    @settings(
        max_examples=60,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(frames)
    def collect(said: list[Any]) -> None:
        found.append(said)

    collect()
    for said in found:
        async with Voice.connect(server, "Bearer owner" if known else None) as voice:
            for frame in said:
                text = frame if isinstance(frame, str | bytes) else json.dumps(frame)
                await voice.socket.send(text)
            await voice.socket.send(json.dumps({"type": "CloseStream"}))
            code, reason = await voice.closed()
            assert code in ((1000, 1003) if known else (1003, 1008, 4401)), (code, reason, said)


async def upgraded(peer: Raw, query: str = "") -> bytes:
    """Knock without a library; the answer's head."""
    lines = [
        f"GET /voice{query} HTTP/1.1",
        "Host: 127.0.0.1",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Authorization: Token owner",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    ]
    await peer.send("\r\n".join([*lines, "", ""]).encode())
    return await peer.reader.readuntil(b"\r\n\r\n")


async def test_frames_in_pieces_and_lies_about_text_are_the_sockets_business(raw: OpenRaw) -> None:
    peer = await raw()
    head = await upgraded(peer)
    assert head.startswith(b"HTTP/1.1 101")
    assert b"sec-websocket-protocol" not in head.lower()
    await peer.send(masked(0x01, b'{"partial":') + masked(0x80, b'"hi"}'))
    opcode, payload = await peer.message()
    assert (opcode, json.loads(payload)["type"]) == (1, "ready")
    await peer.send(masked(0x81, b"\xff\xfe"))
    assert await peer.close_code() == 1007


async def test_a_client_that_reads_nothing_is_closed_and_the_others_go_on(
    start: Start, raw: OpenRaw, commands: MemoryCommands
) -> None:
    server = await start(queue_bytes=16_384, stall_s=0.2, close_s=PATIENCE_S)
    stuck = await raw(server)
    await upgraded(stuck, f"?thread_id={THREAD}")
    async with Voice.connect(server, query=f"thread_id={THREAD}") as voice:
        await voice.ready()
        await until(lambda: commands.listeners(THREAD) == 2)
        shown = 0
        while commands.listeners(THREAD) == 2:
            commands.show(THREAD, "SPEECH_PARTIAL", turn_id="u", text="x" * 500, chars=500)
            shown += 1
            assert (await voice.frame())["type"] == "speech_partial"
        assert shown > 20
    assert await stuck.close_code() == 1013
