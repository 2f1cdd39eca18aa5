"""A recognizer's frames at a real daemon: what is said is answered, aloud, whichever recognizer heard it."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.running import Daemon, Place, Service, service
from tests.gateway.peer import Peer
from tests.gateway.recognizers import partial, result
from tests.gateway.voices import Voice
from tests.kits.in_turn import in_turn
from tests.servers.script import Reply, Rule, Script
from tests.speech.recognizer.test_frames import FLUX, TALK

pytestmark = in_turn(3)

VOSK = [partial(""), partial("turn off"), result("turn off the light")]
SPOKEN = ["It rains, e.g. in Rome.", "Take a coat!"]
BURST = 60


@pytest.fixture(scope="module")
def model() -> Iterator[Service]:
    story = Reply("It was dark. And stormy, and so on and on.", pieces=2, hold="never", hold_after=1)
    rules = [Rule(story, text="long story", times=1), Rule(Reply(" ".join(SPOKEN) + "<AGENT_DONE/>", pieces=7))]
    with service(Script(rules)) as found:
        yield found


@pytest.fixture(scope="module")
def place(model: Service, tmp_path_factory: pytest.TempPathFactory) -> Place:
    home: Path = tmp_path_factory.mktemp("voice") / "home"
    return Place(home, SULLA_SPEECH__PROFILE="adaptive", **model.environ)


@pytest.fixture(scope="module")
def daemon(place: Place) -> Iterator[Daemon]:
    with place.up() as found:
        yield found


@pytest.fixture
def token(daemon: Daemon, place: Place) -> str:
    return (place.home / "token").read_text().strip()


@pytest.mark.parametrize(
    ("frames", "text", "reason"),
    [
        (TALK, "What is the weather in Rome?", "complete"),
        (FLUX, "Book a table for two.", "final"),
        (VOSK, "turn off the light", "complete"),
    ],
    ids=["deepgram", "flux", "vosk"],
)
async def test_what_is_said_is_answered_aloud(
    daemon: Daemon, token: str, frames: list[Any], text: str, reason: str
) -> None:
    async with Voice.connect(daemon, f"Token {token}") as voice, Peer.connect(daemon) as peer:
        await voice.ready()
        for frame in frames:
            await voice.say(frame)
        shown = await voice.until("reply_end")
        (end,) = (frame for frame in shown if frame["type"] == "speech_end")
        assert (end["text"], end["reason"], end["delivered"]) == (text, reason, True)
        assert [frame["text"] for frame in shown if frame["type"] == "speak"] == SPOKEN
        assert (shown[0]["type"], shown[-1]["status"]) == ("speech_started", "done")

        await peer.hello(token)
        events = (await peer.call("thread.history", thread_id=voice.thread_id))["events"]
        (said,) = (event["data"] for event in events if event["type"] == "INPUT")
        assert (said["text"], said["message_id"]) == (text, f"speech:{end['turn_id']}")
        assert (said["spoken"]["turn_id"], said["spoken"]["reason"]) == (end["turn_id"], reason)


async def test_who_says_nothing_more_hears_the_answer_before_the_door_closes(daemon: Daemon, token: str) -> None:
    async with Voice.connect(daemon, f"Bearer {token}") as voice:
        await voice.ready()
        await voice.say(partial("and what about"), {"eof": 1})
        shown = await voice.until("reply_end")
        assert [frame["reason"] for frame in shown if frame["type"] == "speech_end"] == ["forced"]
        assert [frame["text"] for frame in shown if frame["type"] == "speak"] == SPOKEN
        assert (await voice.closed())[0] == 1000


async def test_a_client_that_vanishes_in_mid_sentence_is_answered_all_the_same(daemon: Daemon, token: str) -> None:
    async with Voice.connect(daemon, f"Bearer {token}") as voice:
        await voice.ready()
        await voice.say(partial("remind me to call my"))
        await voice.until("speech_partial")
        voice.socket.transport.abort()
    async with Peer.connect(daemon) as peer:
        await peer.hello(token)
        await peer.call("events.subscribe", thread_id=voice.thread_id)
        while (event := await peer.event())["type"] != "RUN_FINISHED":
            assert event["type"] != "INPUT" or event["data"]["text"] == "remind me to call my"


def chunk(thread_id: str, seq: int, kind: str = "cumulative") -> dict[str, Any]:
    text = " ".join(f"w{number}" for number in range(seq + 1))
    return {"thread_id": thread_id, "utterance_id": "u", "seq": seq, "kind": kind, "text": text}


@pytest.fixture
def request_of() -> Callable[..., dict[str, Any]]:
    def make(id_: int, **params: object) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": id_, "method": "speech.chunk", "params": params}

    return make


async def test_a_burst_is_kept_in_order_and_makes_one_message(
    daemon: Daemon, token: str, request_of: Callable[..., dict[str, Any]]
) -> None:
    async with Peer.connect(daemon) as peer:
        await peer.hello(token)
        thread_id = (await peer.call("thread.create"))["thread_id"]
        for seq in range(BURST):  # nobody waits for answers
            kind = "final" if seq == BURST - 1 else "cumulative"
            await peer.say(request_of(1_000 + seq, **chunk(thread_id, seq, kind)))
        answers = [await peer.frame() for _ in range(BURST)]
        assert [answer["id"] for answer in answers] == [1_000 + seq for seq in range(BURST)]
        assert {answer["result"]["turn_id"] for answer in answers[:-1]} == {"u"}
        status = await peer.call("speech.status", thread_id=thread_id)
        assert (status["exists"], status["state"]) == (False, "idle")
        await peer.call("events.subscribe", thread_id=thread_id)
        texts = list[str]()
        while (event := await peer.event())["type"] != "RUN_FINISHED":
            texts += [event["data"]["text"]] if event["type"] == "INPUT" else []
        assert texts == [chunk(thread_id, BURST - 1)["text"]]


async def test_many_who_speak_at_once_all_get_their_answers(daemon: Daemon, token: str) -> None:
    async def one(peer: Peer) -> float:
        await peer.hello(token)
        thread_id = (await peer.call("thread.create"))["thread_id"]
        slowest_s, loop = 0.0, asyncio.get_running_loop()
        for seq in range(10):
            began_s = loop.time()
            taken = await peer.call("speech.chunk", **chunk(thread_id, seq))
            slowest_s = max(slowest_s, loop.time() - began_s)
            assert (taken["turn_id"], taken["state"] in ("speaking", "ending")) == ("u", True)
        assert await peer.call("speech.cancel", thread_id=thread_id) == {"turn_id": "u"}
        flushed = await peer.call("speech.flush", thread_id=thread_id)
        assert flushed == {"turn_id": "", "text": "", "run_id": None}
        return slowest_s

    async with asyncio.TaskGroup() as group:
        peers = [group.create_task(_with_peer(daemon, one)) for _ in range(30)]
    slowest_s = sorted(peer.result() for peer in peers)
    sys.stderr.write(f"median {slowest_s[15] * 1000:.0f} ms, worst {slowest_s[-1] * 1000:.0f} ms\n")
    assert slowest_s[-1] < 5.0, "somebody starves"


async def _with_peer(daemon: Daemon, use: Callable[[Peer], Any]) -> float:
    async with Peer.connect(daemon) as peer:
        return float(await use(peer))


async def test_speaking_over_an_answer_stops_it_and_the_model_hears_what_was_heard(
    daemon: Daemon, token: str, model: Service
) -> None:
    async with Voice.connect(daemon, f"Bearer {token}") as voice:
        await voice.ready()
        await voice.say({"text": "tell me a long story"}, {"type": "Finalize"})
        (*_, first) = await voice.until("speak")
        assert first["text"] == "It was dark."
        await voice.say({"type": "played", "message_id": first["message_id"], "played_chars": first["end"]})
        await voice.say(partial("no stop"), partial("no stop please"))
        (*_, barge_in) = await voice.until("speech_barge_in")
        assert (barge_in["message_id"], barge_in["played_chars"]) == (first["message_id"], first["end"])
        await voice.say({"type": "played", "message_id": None}, result("no stop please"), {"type": "Finalize"})
        shown = await voice.until("reply_end")
        while shown[-1]["status"] != "done":
            shown = await voice.until("reply_end")
        assert [frame["text"] for frame in shown if frame["type"] == "speak"][-2:] == SPOKEN
        told = model.shown_last
        assert any("It was dark." in text and "stormy" not in text for text in told), told


async def test_what_was_said_to_a_daemon_that_stops_is_answered_by_the_next(model: Service, tmp_path: Path) -> None:
    place = Place(tmp_path / "home", **model.environ)
    with place.up() as first:
        secret = (place.home / "token").read_text().strip()
        async with Voice.connect(first, f"Bearer {secret}") as voice:
            await voice.ready()
            await voice.say(partial("is anybody"))
            await voice.until("speech_partial")
            stopping = asyncio.create_task(asyncio.to_thread(first.ended, signal.SIGTERM))
            assert (await voice.closed())[0] == 1012
            assert await stopping == 0
    with place.up() as second:
        async with Peer.connect(second) as peer:
            await peer.hello(secret)
            await peer.call("events.subscribe", thread_id=voice.thread_id)
            said = list[str]()
            while (event := await peer.event())["type"] != "RUN_FINISHED":
                said += [event["data"]["text"]] if event["type"] == "INPUT" else []
            assert said == ["is anybody"]
