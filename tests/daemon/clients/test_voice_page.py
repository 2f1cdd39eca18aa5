"""docs/inside/voice.md says what is so, and its scripts do what it says, as they stand there."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from deepgram import AsyncDeepgramClient
from deepgram.environment import DeepgramClientEnvironment

from sulla.core.jsontypes import JsonObject
from sulla.gateway.contract_docs.speech_events import SPEECH
from sulla.gateway.voice.session import PATIENCE_S
from sulla.gateway.voice.socket import VoiceQuery
from sulla.rpc.limits import Limits
from sulla.speech.recognizer.fields import MAX_CHANNELS
from sulla.speech.recognizer.frames import _BARE, _TYPED, Recognizer
from sulla.speech.recognizer.moves import Passed, Wrong
from tests.daemon.running import PATIENCE_S as WAIT_S
from tests.daemon.running import Daemon, Place, service
from tests.gateway.fake_recognizers import KEY, PIECE, FakeDeepgram, FakeVosk
from tests.gateway.recognizers import partial, result
from tests.gateway.voices import Voice
from tests.servers.script import Reply, Rule, Script
from tests.speech.recognizer.test_frames import FLUX, TALK

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "inside" / "voice.md").read_text()
SENT = [json.loads(text) for text in re.findall(r"^→ (\{.*\})$", PAGE, re.MULTILINE)]
CAME = [json.loads(text) for text in re.findall(r"^← (\{.*\})$", PAGE, re.MULTILINE)]
AUDIO = bytes(PIECE * 12)
SCRIPT = Script([Rule(Reply("It rains. Take a coat!<AGENT_DONE/>", pieces=5))])
SAID = "sulla: It rains.\nsulla: Take a coat!\n"


def section(title: str) -> str:
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None, title
    return found.group(1)


# ---------------------------------------------------------------------------------------------------- what it says


def test_every_frame_that_is_taken_is_named_and_no_other() -> None:
    rows = "".join(re.findall(r"^\| (.*?) \|", section("What is sent"), re.MULTILINE))
    typed = set(re.findall(r"`(\w+)`", rows))
    bare = set(re.findall(r'`\{"(\w+)"', rows))
    assert (typed, bare) == (set(_TYPED), set(_BARE))


@pytest.mark.parametrize("frame", [frame for frame in SENT if frame.get("type") != "hello"], ids=str)
def test_every_example_is_understood(frame: JsonObject) -> None:
    moves = Recognizer("c").hear(frame)
    assert moves
    assert not any(isinstance(move, Wrong | Passed) for move in moves), moves


def test_every_frame_that_comes_back_is_named() -> None:
    rows = "".join(re.findall(r"^\| (.*?) \|", section("What comes back"), re.MULTILINE))
    own = {"ready", "speak", "suspended", "reply_end", "gap", "error"}
    assert set(re.findall(r"`(\w+)`", rows)) == own | {name.lower() for name in SPEECH}
    assert {frame["type"] for frame in CAME} <= own | {name.lower() for name in SPEECH}


def test_what_may_stand_in_the_address_is_named() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", section("Connecting"), re.MULTILINE)) == set(VoiceQuery.model_fields)


def test_the_figures_are_those_in_force() -> None:
    assert f"within {Limits().hello_s:g} seconds" in PAGE
    assert f"0 to {MAX_CHANNELS - 1}." in PAGE
    assert f"again for {PATIENCE_S:g} seconds" in PAGE


# ------------------------------------------------------------------------------------------------------ what it does


async def run(place: Place, name: str, *words: str) -> tuple[int, str, str]:
    """A script of the page with some audio: how it ends, and what it prints."""
    (program,) = re.findall(rf"^```python {name}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    file = place.home.parent / f"{name}.py"
    file.write_text(program)
    environ = {one: os.environ[one] for one in ("PATH", "LANG", "HOME") if one in os.environ}
    secrets = {"SULLA_TOKEN": (place.home / "token").read_text().strip(), "DEEPGRAM_API_KEY": KEY}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(file),
        *words,
        env=environ | secrets | {"PYTHONUTF8": "1", "PYTHONWARNINGS": "error"},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(WAIT_S):
        said, complaints = await process.communicate(AUDIO)
    return process.returncode or 0, said.decode(), complaints.decode()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with service(SCRIPT) as model:
        yield Place(tmp_path_factory.mktemp("voice") / "home", **model.environ)


@pytest.fixture(scope="module")
def daemon(place: Place) -> Iterator[Daemon]:
    with place.up() as found:
        yield found


@pytest.mark.parametrize(
    ("path", "frames", "text"),
    [("/v1/listen?model=nova-3", TALK, "What is the weather in Rome?"), ("/v2/listen", FLUX, "Book a table for two.")],
    ids=["nova", "flux"],
)
async def test_the_deepgram_pipeline_works(
    place: Place, daemon: Daemon, path: str, frames: list[Any], text: str
) -> None:
    async with FakeDeepgram(frames).serving() as deepgram:
        voice = daemon.url.replace("http", "ws", 1) + "/voice"
        assert await run(place, "deepgram", deepgram.url + path, voice) == (0, f"you: {text}\n{SAID}", "")
        assert deepgram.heard == len(AUDIO)


async def test_the_vosk_pipeline_works(place: Place, daemon: Daemon) -> None:
    frames = [partial(""), partial("turn"), partial("turn off"), result("turn off the light")]
    async with FakeVosk(frames).serving() as vosk:
        voice = daemon.url.replace("http", "ws", 1) + "/voice"
        assert await run(place, "vosk", vosk.url, voice) == (0, f"you: turn off the light\n{SAID}", "")
        assert (vosk.heard, vosk.rate) == (len(AUDIO), 16_000)


@pytest.mark.filterwarnings("ignore:.*is deprecated:DeprecationWarning")  # the package imports what is
async def test_frames_as_the_recognizers_own_package_gives_them_are_understood(place: Place, daemon: Daemon) -> None:
    token = (place.home / "token").read_text().strip()
    async with FakeDeepgram(TALK).serving() as fake, Voice.connect(daemon, f"Bearer {token}") as voice:
        await voice.ready()
        http = fake.url.replace("ws", "http", 1)
        where = DeepgramClientEnvironment(base=http, production=fake.url, agent=fake.url, agent_rest=http)
        client = AsyncDeepgramClient(api_key=KEY, environment=where)
        async with client.listen.v1.connect(model="nova-3", interim_results="true") as ears:
            for _ in TALK:
                await ears.send_media(bytes(PIECE))
            await ears.send_close_stream()
            async for message in ears:
                await voice.say(message if isinstance(message, bytes) else message.model_dump_json())
        await voice.say({"type": "CloseStream"})
        shown = await voice.until("reply_end")
        (end,) = (frame for frame in shown if frame["type"] == "speech_end")
        assert end["text"] == "What is the weather in Rome?"
        assert fake.asked == [{"model": ["nova-3"], "interim_results": ["true"]}]
