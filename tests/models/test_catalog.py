"""Names of models as people write them."""

from __future__ import annotations

import pytest

from sulla.core.errors import SettingsError
from sulla.models.catalog import PROVIDERS, ModelName, parse_model, window_of


@pytest.mark.parametrize(
    ("text", "provider", "model"),
    [
        ("anthropic:claude-x", "anthropic", "claude-x"),
        ("ollama:qwen3:8b", "ollama", "qwen3:8b"),
        (" Ollama : library/qwen3:8b ", "ollama", "library/qwen3:8b"),
        ("openai:Qwen/Qwen3-8B", "openai", "Qwen/Qwen3-8B"),
        ("offline", "offline", ""),
    ],
)
def test_a_name_is_read(text: str, provider: str, model: str) -> None:
    assert parse_model(text) == ModelName(provider, model)


@pytest.mark.parametrize("text", ["anthropic:claude-x", "ollama:qwen3:8b", "offline"])
def test_a_name_is_written_as_it_is_read(text: str) -> None:
    assert str(parse_model(text)) == text


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("antropic:claude-x", "did you mean 'anthropic'?"),
        ("Olama:x", "did you mean 'ollama'?"),
        ("ofline", "did you mean 'offline'?"),
        ("claude-x", "did you mean 'anthropic:claude-x'?"),
        ("gpt", "expected one of anthropic:<model>, ollama:<model>, openai:<model>, offline"),
        ("openia:x", "did you mean 'openai'?"),
        ("", "expected one of"),
        ("anthropic", "write 'anthropic:<model>'"),
        ("ollama:", "write 'ollama:<model>'"),
        ("offline:x", "write 'offline'"),
        ("anthropic:claude x", "blanks"),
        ("anthropic:claude\x00", "control characters"),
    ],
)
def test_a_wrong_name_says_what_to_write(text: str, hint: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_model(text)
    assert hint in caught.value.message
    assert repr(text) in caught.value.message


def test_the_providers_can_be_others() -> None:
    assert parse_model("other:x", ("other",)) == ModelName("other", "x")


def test_a_window_is_what_the_settings_say_or_what_its_provider_usually_has() -> None:
    assert {name: window_of(ModelName(name, "m"), 0) for name in PROVIDERS} == {
        "anthropic": 200_000,
        "ollama": 16_384,
        "openai": 128_000,
        "offline": 128_000,
    }
    assert {window_of(ModelName(name, "m"), 32_000) for name in PROVIDERS} == {32_000}
