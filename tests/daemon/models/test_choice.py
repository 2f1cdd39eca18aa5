"""Which language model answers (design §14)."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from sulla.core.clock import Clock
from sulla.core.errors import SettingsError
from sulla.daemon.models.choice import HOW_TO, choose, how_to, unused_key
from sulla.host.sections import ModelSettings
from sulla.host.system import SystemClock
from tests.servers.ollama_server import FakeOllama
from tests.servers.script import Script

NOWHERE = "127.0.0.1:1"
"""Nothing listens there."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Real time, because a real socket is asked; a busy one may take longer to answer than a person likes to wait."""
    monkeypatch.setattr("sulla.models.ollama.probe.PROBE_S", 30.0)
    return SystemClock()


async def test_the_setting_wins(clock: Clock) -> None:
    settings = ModelSettings(name="ollama:qwen3:8b", anthropic_api_key=SecretStr("key"))
    choice = await choose(settings, clock)
    assert str(choice.model) == "ollama:qwen3:8b"
    assert choice.why == "SULLA_MODEL or model.name says so"


async def test_then_an_anthropic_key(clock: Clock) -> None:
    async with FakeOllama(Script(()), clock) as ollama:
        settings = ModelSettings(anthropic_api_key=SecretStr("key"), ollama_host=ollama.url)
        choice = await choose(settings, clock)
    assert str(choice.model) == f"anthropic:{settings.anthropic_model}"
    assert "key is set" in choice.why
    assert "'key'" not in choice.why


async def test_then_an_ollama_that_answers_and_has_a_model(clock: Clock) -> None:
    async with FakeOllama(Script(()), clock, models=("small:1b", "big:70b")) as ollama:
        choice = await choose(ModelSettings(ollama_host=ollama.url), clock)
        assert str(choice.model) == "ollama:small:1b"
    async with FakeOllama(Script(()), clock, models=()) as empty:
        assert str((await choose(ModelSettings(ollama_host=empty.url), clock)).model) == "offline"


async def test_else_offline(clock: Clock) -> None:
    choice = await choose(ModelSettings(ollama_host=NOWHERE), clock)
    assert (str(choice.model), choice.why) == ("offline", "nothing is configured")


@pytest.mark.parametrize("name", ["claude-sonnet", "antropic:x", "anthropic", "offline:x"])
async def test_a_name_that_is_none_is_refused_with_what_to_write(clock: Clock, name: str) -> None:
    with pytest.raises(SettingsError, match=name):
        await choose(ModelSettings(name=name), clock)


def test_the_notice_names_the_two_lines_that_configure_a_model() -> None:
    lines = [line.split("(")[0].strip() for line in HOW_TO.splitlines()]
    assert "ANTHROPIC_API_KEY=<your key>" in lines
    assert "SULLA_MODEL=ollama:<model>" in lines


def test_a_key_that_nothing_uses_yet_is_noticed() -> None:
    assert how_to(ModelSettings()) == HOW_TO
    assert how_to(ModelSettings(openai_api_key=SecretStr("k"))).splitlines()[-1].startswith("OPENAI_API_KEY is set: ")
    assert unused_key(ModelSettings(openai_api_key=SecretStr("k"), name="offline")) == ""
