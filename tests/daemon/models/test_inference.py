"""Which model a new home should use, and what a person is asked."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from sulla.core.errors import SettingsError
from sulla.daemon.models.inference import Around, answered, infer, of_ollama, question
from sulla.host.sections import ModelSettings

KEY = SecretStr("hunter2-do-not-show")


def _around(ollama: tuple[str, ...] | None = None, **given: object) -> Around:
    model = ModelSettings.model_validate(given)
    sources = {("model", key): key.upper() for key in given}
    return Around(model, sources, ollama)


def test_somebodys_word_goes_before_everything() -> None:
    found = infer(_around(("a:1b",), name="ollama:b:2b", anthropic_api_key=KEY))
    assert found is not None
    assert (found.section, found.key, found.value, found.why) == ("model", "name", "ollama:b:2b", "NAME says so")


def test_then_an_anthropic_key_whose_variable_is_named_and_whose_value_is_not() -> None:
    around = _around(("a:1b",), anthropic_api_key=KEY)
    found = infer(around)
    assert found is not None
    assert (found.value, found.why) == (f"anthropic:{around.model.anthropic_model}", "ANTHROPIC_API_KEY is set")
    assert "hunter2" not in repr(around) + repr(found)


def test_a_key_that_was_written_down_is_named_by_its_file_and_settles_nothing() -> None:
    model = ModelSettings.model_validate({"anthropic_api_key": KEY})
    around = Around(model, {("model", "anthropic_api_key"): "/srv/keys.toml"}, None)
    found = infer(around)
    assert found is not None
    assert found.why == "a key for it is in /srv/keys.toml; --model names another"
    assert not around.is_settled


def test_then_the_first_model_of_an_ollama() -> None:
    found = infer(_around(("a:1b", "b:2b")))
    assert found is not None
    assert found.value == "ollama:a:1b"


@pytest.mark.parametrize("around", [_around(), _around(()), _around(openai_api_key=KEY), _around(anthropic_api_key="")])
def test_else_nothing_is_written_down(around: Around) -> None:
    assert infer(around) is None


def test_a_model_whose_name_cannot_be_written_is_passed_over() -> None:
    found = infer(_around(("", "two words", "\x1b[2J", "good:1b")))
    assert found is not None
    assert found.value == "ollama:good:1b"


@pytest.mark.parametrize(
    "around",
    [
        _around(),
        _around(("a:1b",)),
        _around(("a:1b", "b:2b")),
        _around(("a:1b", "b:1b"), name="offline"),
        _around(("a:1b", "b:1b"), anthropic_api_key=KEY),
        _around(("a:1b",), openai_api_key=KEY),
    ],
)
def test_nothing_is_asked_that_can_be_found_out(around: Around) -> None:
    assert question(around) is None


def test_of_several_models_one_is_asked_for() -> None:
    asked = of_ollama(_around(("a:1b", "b:2b")))
    assert asked.choices == ("a:1b", "b:2b")
    chosen = [answered(asked, answer) for answer in ("2", "b:2b", " 2 ", "")]
    assert [item.value if item else None for item in chosen] == ["ollama:b:2b", "ollama:b:2b", "ollama:b:2b", None]


@pytest.mark.parametrize("answer", ["0", "3", "c:1b", "yes"])
def test_an_answer_that_is_none_is_refused(answer: str) -> None:
    asked = of_ollama(_around(("a:1b", "b:2b")))
    with pytest.raises(SettingsError, match=rf"'{answer}' is none of them: expected a number from 1 to 2, or a name"):
        answered(asked, answer)


def test_an_openai_key_alone_asks_for_the_model() -> None:
    asked = question(_around(openai_api_key=KEY))
    assert asked is not None
    assert asked.text.startswith("OPENAI_API_KEY is set")
    found = answered(asked, "gpt-x")
    assert found is not None
    assert found.value == "openai:gpt-x"
    with pytest.raises(SettingsError, match="holds blanks"):
        answered(asked, "two words")
