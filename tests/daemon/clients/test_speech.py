"""Speech over a real daemon's door."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from sulla.core.errors import NotFound, RateLimited, SettingsError
from sulla.daemon.settings.config import load_settings
from sulla.host.system import SystemClock
from sulla.terminal.client import Client, open_client
from sulla.terminal.place import door
from tests.daemon.running import Place
from tests.soon import a_pause, attempts

CLOCK = SystemClock()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "home", SULLA_MODEL="offline")


async def messages(client: Client, thread_id: str, words: str) -> list[dict[str, Any]]:
    """The messages of a thread, once they hold these words."""
    while True:
        found = await client.call("thread.history", thread_id=thread_id)
        inputs = [event["data"] for event in found["events"] if event["type"] == "INPUT"]
        if " ".join(message["text"] for message in inputs) == words:
            return inputs
        await a_pause()


async def test_what_is_said_outlives_a_restart_in_mid_utterance(place: Place) -> None:
    with place.up() as daemon:
        async with open_client(door(place.home)) as client:
            thread, said, speaking = "", dict[str, Any](), 0
            for took in attempts(1.0):  # whoever looks later finds that the turn has ended
                began_s = CLOCK.elapsed()
                thread = (await client.call("thread.create"))["thread_id"]
                said = {"thread_id": thread, "utterance_id": "u1"}
                taken = await client.call("speech.chunk", seq=1, kind="cumulative", text="hello", **said)
                assert taken == {"turn_id": "u1", "state": "speaking", "late": False}
                speaking = (await client.call("system.status"))["speech"]["speaking"]
                took.append(CLOCK.elapsed() - began_s)
            assert 1 <= speaking <= len(took)
        daemon.ended(signal.SIGTERM)
    with place.up():
        async with open_client(door(place.home)) as client:
            await client.call("speech.chunk", seq=2, kind="final", text="hello you there", **said)
            # One turn if the daemon is back within three seconds, else two.
            said_at_last = await messages(client, thread, "hello you there")
    assert said_at_last[0]["message_id"] == "speech:u1"
    assert {message["spoken"]["reason"] for message in said_at_last} <= {"final", "silence"}


async def test_while_all_work_is_paused_speech_is_taken_and_waits_as_a_message(place: Place) -> None:
    with place.up():
        async with open_client(door(place.home)) as client:
            thread = (await client.call("thread.create"))["thread_id"]
            await client.call("system.pause", reason="test")
            await client.call(
                "speech.chunk", thread_id=thread, utterance_id="u1", seq=1, kind="final", text="what time is it"
            )
            await messages(client, thread, "what time is it")
            before = await client.call("thread.history", thread_id=thread)
            assert "RUN_STARTED" not in [event["type"] for event in before["events"]]
            await client.call("system.resume")
            await client.call("events.subscribe", thread_id=thread, after=0)
            async for event in client.events():
                if event["type"] == "RUN_FINISHED":
                    break


async def test_turns_of_a_token_begin_no_faster_than_its_messages_are_taken(tmp_path: Path) -> None:
    place = Place(tmp_path / "home", SULLA_MODEL="offline", SULLA_LIMITS__TOKEN_BURST="2")
    with place.up():
        async with open_client(door(place.home)) as client:
            threads = [(await client.call("thread.create"))["thread_id"] for _ in range(3)]
            said = {"utterance_id": "u1", "seq": 1, "kind": "final", "text": "what time is it"}
            for thread in threads[:2]:
                await client.call("speech.chunk", thread_id=thread, **said)
            with pytest.raises(RateLimited, match="2 spoken turns of one token"):
                await client.call("speech.chunk", thread_id=threads[2], **said)
            await client.call("speech.chunk", thread_id=threads[0], **said)  # it came before


async def test_a_deleted_thread_takes_its_speech_with_it(place: Place) -> None:
    with place.up():
        async with open_client(door(place.home)) as client:
            thread = (await client.call("thread.create"))["thread_id"]
            said = {"thread_id": thread, "utterance_id": "u1", "kind": "delta", "text": "hello"}
            await client.call("speech.chunk", seq=1, **said)
            await client.call("thread.delete", thread_id=thread)
            assert (await client.call("system.status"))["speech"]["live"] == 0
            with pytest.raises(NotFound):
                await client.call("speech.chunk", seq=2, **said)


@pytest.mark.parametrize("wrong", ["profile = 'slow'", "max_live = 0", "ttl_s = 1"])
def test_settings_that_make_no_sense_are_refused(tmp_path: Path, wrong: str) -> None:
    (tmp_path / "sulla.toml").write_text(f"[speech]\n{wrong}\n")
    with pytest.raises(SettingsError, match=rf"speech\.{wrong.partition(' ')[0]}"):
        load_settings({}, {}, tmp_path)
