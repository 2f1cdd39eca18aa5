"""Whether a model can answer, and what is said where it cannot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import SecretStr

from sulla.daemon.models.check import AGAIN_S, START_S, ModelCheck, check_model, judge_model
from sulla.daemon.models.choice import Choice
from sulla.daemon.settings.config import load_settings
from sulla.host.sections import ModelSettings
from sulla.host.system import SystemClock
from sulla.models.catalog import parse_model
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.ollama_server import FakeOllama
from tests.servers.openai_server import FakeOpenAi
from tests.servers.script import Script

NOWHERE = "127.0.0.1:1"
SCRIPT = Script([])


def _key(provider: str, key: str, host: str = "") -> dict[str, str]:
    return {f"{provider}_api_key": key} | ({f"{provider}_base_url": f"http://{host}"} if host else {})


async def _said(name: str, **settings: str) -> str:
    given = {key: SecretStr(value) if key.endswith("_key") else value for key, value in settings.items()}
    model = ModelSettings(name=name, **given)  # type: ignore[arg-type]  # by their names
    found = await check_model(model, Choice(parse_model(name), "it was asked for"), SystemClock(), START_S)
    assert not any(value in f"{found}" for key, value in settings.items() if key.endswith("_key"))
    return f"{found.result}: {found.found} -> {found.remedy}"


@pytest.mark.parametrize(
    ("model", "known", "sure", "result", "said"),
    [
        ("anthropic:a", ("a",), True, "ok", "answers and has it"),
        ("anthropic:a", (), True, "fault", "check the name in SULLA_MODEL"),
        ("anthropic:a", (), False, "warning", "unless the server is known not to list it"),
        ("ollama:qwen3", ("qwen3:latest",), True, "ok", "answers and has it"),
        ("ollama:qwen3:8b", ("qwen3:latest", "b"), True, "fault", "ollama pull qwen3:8b"),
        ("openai:x", ("y", "z"), True, "fault", "it has y, z"),
    ],
)
def test_a_model_is_there_or_what_there_is_is_said(
    model: str, known: tuple[str, ...], sure: bool, result: str, said: str
) -> None:
    finding = judge_model(model, model.partition(":")[2], known, sure)
    assert finding.result == result
    assert said in f"{finding.found} {finding.remedy}"


def test_a_long_list_of_models_is_cut() -> None:
    found = judge_model("openai:x", "x", tuple(f"m{number}" for number in range(500)), True).found
    assert found.endswith("m9 …")


def test_the_nearest_names_are_told_where_the_model_is_none() -> None:
    known = (*(f"other-{number}" for number in range(50)), "gpt-5-mini", "gpt-5")
    assert "it has gpt-5-mini, gpt-5 …" in judge_model("openai:gpt-5-mimi", "gpt-5-mimi", known, True).found


@pytest.mark.parametrize(
    ("name", "settings", "said"),
    [
        ("anthropic:a", _key("anthropic", "sk-proj-1"), "one of OpenAI, not of Anthropic -> for OpenAI: set OPENAI_"),
        ("openai:a", _key("openai", "sk-ant-1"), "one of Anthropic, not of OpenAI -> for Anthropic: set ANTHROPIC_"),
        ("openai:a", _key("openai", "sk-or-v1-1"), "OPENAI_BASE_URL=https://openrouter.ai/api/v1"),
        ("openai:a", _key("openai", "gsk_1"), "one of Groq, not of OpenAI -> for Groq: set OPENAI_BASE_URL"),
        ("openai:a", {}, "no key for the model 'a': set OPENAI_API_KEY -> in the environment, or by `sulla init`"),
        (
            "anthropic:a",
            {},
            "no key for the model 'a': set ANTHROPIC_API_KEY -> in the environment, or by `sulla init`",
        ),
        ("ollama:a", {"ollama_host": NOWHERE}, "no Ollama answers at http://127.0.0.1:1: start it with `ollama serve`"),
        ("anthropic:a", _key("anthropic", "hunter2", NOWHERE), "check the network and ANTHROPIC_BASE_URL"),
        ("openai:a", _key("openai", "hunter2", NOWHERE), "check the network and OPENAI_BASE_URL"),
    ],
)
async def test_what_keeps_it_from_answering_is_one_line_with_what_to_do(
    name: str, settings: dict[str, str], said: str
) -> None:
    found = await _said(name, **settings)
    assert found.startswith("fault: ")
    assert said in found
    assert "\n" not in found


async def test_a_key_for_another_server_may_look_as_it_likes() -> None:
    async with FakeAnthropic(SCRIPT, SystemClock(), key="sk-proj-1", models=("a",)) as fake:
        found = await _said("anthropic:a", anthropic_api_key="sk-proj-1", anthropic_base_url=fake.url)
    assert found == "ok: anthropic:a: the service answers and has it -> "


async def test_a_wrong_key_is_told_as_the_service_tells_it() -> None:
    async with FakeAnthropic(SCRIPT, SystemClock(), key="right") as fake:
        found = await _said("anthropic:a", anthropic_api_key="wrong", anthropic_base_url=fake.url)
    assert found.startswith("fault: anthropic:a (it was asked for): Anthropic answered 401")


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
@pytest.mark.parametrize(
    ("way", "said"),
    [
        (
            "keys.toml",
            "keys.toml of the home: put another one there (`sulla init --key-stdin`, or an editor) and restart",
        ),
        ("sulla.toml", "sulla.toml of the home: put another one there and restart the daemon"),
        ("variable", "The key is from the environment variable {variable}: put another one there and restart"),
    ],
)
async def test_a_refused_key_is_named_by_where_it_comes_from(
    tmp_path: Path, provider: str, way: str, said: str
) -> None:
    variable = f"{provider.upper()}_API_KEY"
    if way != "variable":
        (tmp_path / way).touch(0o600)
        (tmp_path / way).write_text(f'[model]\n{provider}_api_key = "wrong"\n')
    async with (
        FakeAnthropic(SCRIPT, SystemClock(), key="right") as one,
        FakeOpenAi(SCRIPT, SystemClock(), key="right") as two,
    ):
        url = one.url if provider == "anthropic" else two.url
        environ = {f"{provider.upper()}_BASE_URL": url} | ({variable: "wrong"} if way == "variable" else {})
        model = load_settings(environ, {}, tmp_path).model
        choice = Choice(parse_model(f"{provider}:a"), "it was asked for")
        found = (await check_model(model, choice, SystemClock(), START_S)).found
    assert said.format(variable=variable) in found
    assert str(tmp_path) not in found
    assert "wrong" not in found


class _Impatient(SystemClock):
    """Waits for nothing, and has something done meanwhile."""

    def __init__(self, meanwhile: Callable[[float], None]) -> None:
        self._meanwhile = meanwhile

    async def sleep(self, seconds: float) -> None:
        self._meanwhile(seconds)


async def test_it_is_looked_at_again_until_it_can_answer(caplog: pytest.LogCaptureFixture) -> None:
    waited: list[float] = []
    async with FakeOllama(SCRIPT, SystemClock(), models=("other:1b",)) as fake:

        def meanwhile(seconds: float) -> None:
            waited.append(seconds)
            assert "does not list this model; it has other:1b → ollama pull b:1b" in check.trouble()
            if len(waited) == 2:
                fake._models = ("b:1b",)  # it was pulled

        model = ModelSettings(name="ollama:b:1b", ollama_host=fake.url)
        check = ModelCheck(model, Choice(parse_model(model.name), "so"), _Impatient(meanwhile))
        assert check.trouble() == ""
        with caplog.at_level("INFO"):
            await check.run()
    assert waited == [AGAIN_S, AGAIN_S]
    assert check.trouble() == ""
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 2, "each change is told once"
    assert said[1] == "ollama:b:1b: the service answers and has it"


async def test_a_server_of_ones_own_that_does_not_list_the_model_is_told_once_and_is_no_trouble(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with FakeAnthropic(SCRIPT, SystemClock(), models=("claude-b",)) as fake:
        model = ModelSettings.model_validate(
            {"name": "anthropic:claude-a", "anthropic_api_key": "k", "anthropic_base_url": fake.url}
        )
        check = ModelCheck(model, Choice(parse_model(model.name), "so"), SystemClock())
        with caplog.at_level("INFO"):
            await check.run()
    assert check.trouble() == ""
    (said,) = (record.getMessage() for record in caplog.records if record.name == "sulla.daemon.models.check")
    assert "does not list this model; it has claude-b" in said
    assert "check the name" in said
