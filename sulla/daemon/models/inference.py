"""Which model a new home should use, from what is around: the variables that are set, and what an Ollama has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import SettingsError
from sulla.daemon.settings.keys import KEYS_FILE
from sulla.daemon.settings.starter import Inferred
from sulla.host.sections import ModelSettings
from sulla.models.catalog import parse_model

ADDRESSES: Final = ("anthropic_base_url", "openai_base_url", "ollama_host")
"""The settings that say where services are."""


@dataclass(frozen=True, slots=True)
class Around:
    """What was found."""

    model: ModelSettings
    """The settings so far."""
    sources: Mapping[tuple[str, str], str]
    """Who says them, by (section, key)."""
    ollama: tuple[str, ...] | None
    """The models of an Ollama; None if none answers."""

    def key(self, provider: str) -> str:
        """The variable that a provider's key is in; empty if there is none."""
        given: bool = bool(getattr(self.model, f"{provider}_api_key").get_secret_value())
        return self.sources.get(("model", f"{provider}_api_key"), "") if given else ""

    def is_kept(self, provider: str) -> bool:
        """Whether a provider's key is one that was written down, and no variable's."""
        return self.key(provider).endswith(KEYS_FILE)

    @property
    def is_settled(self) -> bool:
        """Whether a person has said who answers, by a name or by the key in a variable."""
        return bool(self.model.name or (self.key("anthropic") and not self.is_kept("anthropic")))

    @property
    def usable(self) -> tuple[str, ...]:
        """The Ollama's models whose names can be written down."""
        return tuple(name for name in self.ollama or () if _can_be_named(name))


@dataclass(frozen=True, slots=True)
class Question:
    """Something that cannot be found out."""

    text: str
    choices: tuple[str, ...] = ()
    """What there is to choose from; empty for free text."""
    provider: str = "openai"
    """Whose models these are."""


def _can_be_named(model: str) -> bool:
    try:
        return bool(parse_model(f"ollama:{model}").model)
    except SettingsError:
        return False


def infer(around: Around) -> Inferred | None:
    """The model, in the order in which a daemon chooses (design §14); None if nothing is around."""
    name = around.model.name
    if name:
        return _chosen(name, f"{around.sources.get(('model', 'name'), 'somebody')} says so")
    if variable := around.key("anthropic"):
        why = (
            f"a key for it is in {variable}; --model names another"
            if around.is_kept("anthropic")
            else f"{variable} is set"
        )
        return _chosen(f"anthropic:{around.model.anthropic_model}", why)
    if around.usable:
        return _chosen(f"ollama:{around.usable[0]}", "an Ollama answers, and this is the first model that it has")
    return None


def question(around: Around) -> Question | None:
    """What a person is asked where the key in a variable says whose model it is, but not which; else None."""
    variable = around.key("openai")
    if not variable or around.is_kept("openai") or around.is_settled or around.usable:
        return None
    return Question(f"{variable} is set. Which of the service's models should answer?")


def answered(asked: Question, answer: str) -> Inferred | None:
    """What follows from a person's answer; None if they gave none.

    Raises:
        SettingsError: it is no answer to that.
    """
    answer = answer.strip()
    if not answer:
        return None
    if asked.choices:
        if answer.isdecimal() and 1 <= int(answer) <= len(asked.choices):
            answer = asked.choices[int(answer) - 1]
        elif answer not in asked.choices:
            raise SettingsError(
                f"{answer!r} is none of them: expected a number from 1 to {len(asked.choices)}, or a name"
            )
    return _chosen(str(parse_model(f"{asked.provider}:{answer}")), "this was the answer to its question")


def of_ollama(around: Around) -> Question:
    """Which of its models should answer, or will once it is there."""
    if around.usable:
        return Question("Which of the Ollama's models should answer?", around.usable, "ollama")
    return Question("Which model will it have? (e.g. qwen3:8b; `ollama pull qwen3:8b` fetches that)", (), "ollama")


def addresses(around: Around) -> list[Inferred]:
    """Where services are by variables of the environment: a daemon that starts by itself does not have these."""
    return [
        Inferred("model", key, value, f"{around.sources.get(('model', key), 'somebody')} says so")
        for key in ADDRESSES
        if (value := getattr(around.model, key)) and not _has_password(value)
    ]


def unkept(around: Around) -> list[str]:
    """The variables with such an address that is not for a file, because there is a password in it."""
    return [around.sources.get(("model", key), key) for key in ADDRESSES if _has_password(getattr(around.model, key))]


def _has_password(address: str) -> bool:
    return "@" in address.partition("://")[2].partition("/")[0]


def _chosen(name: str, why: str) -> Inferred:
    return Inferred("model", "name", name, why)
