"""Which models there are: those that agents have, and what else their services offer."""

from __future__ import annotations

from pydantic import SecretStr

from sulla.agent.rpc import ModelRow
from sulla.daemon.models.offered import OfferedModels
from sulla.host.sections import ModelSettings
from sulla.host.system import SystemClock
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.ollama_server import FakeOllama
from tests.servers.script import Script

SCRIPT = Script(())


async def test_models_of_agents_come_first_and_then_what_their_services_have_too() -> None:
    async with (
        FakeOllama(SCRIPT, SystemClock(), models=("small:1b", "big:70b")) as one,
        FakeAnthropic(SCRIPT, SystemClock(), key="right", models=("claude-a", "claude-b")) as two,
    ):
        settings = ModelSettings(ollama_host=one.url, anthropic_base_url=two.url, anthropic_api_key=SecretStr("right"))
        agents = [("sulla", "ollama:small:1b"), ("writer", "anthropic:claude-a"), ("cook", "ollama:small:1b")]
        found = await OfferedModels(settings, SystemClock()).list(agents)
    assert found.models == (
        ModelRow("ollama:small:1b", ("sulla", "cook")),
        ModelRow("anthropic:claude-a", ("writer",)),
        ModelRow("anthropic:claude-b"),
        ModelRow("ollama:big:70b"),
    )
    assert found.troubles == ()


async def test_a_service_that_does_not_say_what_it_has_is_named_and_keeps_nothing_else_away() -> None:
    async with FakeOllama(SCRIPT, SystemClock(), models=("small:1b",)) as one:
        settings = ModelSettings(ollama_host=one.url, anthropic_base_url="http://127.0.0.1:1")
        agents = [("sulla", "ollama:small:1b"), ("writer", "anthropic:claude-a"), ("still", "offline")]
        found = await OfferedModels(settings, SystemClock()).list(agents)
    assert [row.name for row in found.models] == ["ollama:small:1b", "anthropic:claude-a", "offline"]
    assert [said.partition(":")[0] for said in found.troubles] == ["no key for the model ''"]
