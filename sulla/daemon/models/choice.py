"""Which language model answers, and how people are told."""

from __future__ import annotations

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.host.sections import ModelSettings
from sulla.models.catalog import ModelName, parse_model
from sulla.models.ollama.probe import find_ollama

HOW_TO = (
    "No language model is configured, so Sulla answers offline, from a few fixed rules. To configure one, set either\n"
    "  ANTHROPIC_API_KEY=<your key>        (and, if you like, SULLA_MODEL=anthropic:<model>)\n"
    "  SULLA_MODEL=openai:<model>          (with OPENAI_API_KEY; OPENAI_BASE_URL for services that speak its API)\n"
    "  SULLA_MODEL=ollama:<model>          (with Ollama running; OLLAMA_HOST says where)\n"
    "and start it again."
)


def how_to(settings: ModelSettings) -> str:
    """How to configure a model, where none is.

    Args:
        settings: may hold a key that nothing uses yet.
    """
    return f"{HOW_TO}\n{unused}" if (unused := unused_key(settings)) else HOW_TO


def unused_key(settings: ModelSettings) -> str:
    """What to do with a key that is there and that no model is named for; empty if there is none."""
    key = settings.openai_api_key.get_secret_value()
    if not key or settings.name:
        return ""
    return "OPENAI_API_KEY is set: SULLA_MODEL=openai:<model> says which of the service's models answers"


@dataclass(frozen=True, slots=True)
class Choice:
    """The model that answers, and why it is this one."""

    model: ModelName
    why: str


async def choose(settings: ModelSettings, clock: Clock) -> Choice:
    """Choose by what is configured (design §14): the setting, else an Anthropic key, else a reachable Ollama, else
    offline.

    Raises:
        SettingsError: the setting names no known provider.
    """
    if settings.name:
        return Choice(parse_model(settings.name), "SULLA_MODEL or model.name says so")
    if settings.anthropic_api_key.get_secret_value():
        return Choice(ModelName("anthropic", settings.anthropic_model), "an Anthropic key is set")
    models = await find_ollama(settings.ollama_host, clock)
    if models:
        return Choice(ModelName("ollama", models[0]), "an Ollama server answers; this is the first model that it has")
    return Choice(ModelName("offline"), "nothing is configured")
