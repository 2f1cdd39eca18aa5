"""Which language model answers, and how people are told."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from urllib.parse import urlsplit

from sulla.core.clock import Clock
from sulla.daemon.config import ModelSettings
from sulla.providers import ModelName, parse_model

OLLAMA_URL = "http://127.0.0.1:11434"
_PROBE_S = 0.5

HOW_TO = (
    "No language model is configured, so Sulla answers offline, from a few fixed rules. To configure one, set either\n"
    "  ANTHROPIC_API_KEY=<your key>        (and, if you like, SULLA_MODEL=anthropic:<model>)\n"
    "  SULLA_MODEL=ollama:<model>          (with Ollama running; OLLAMA_HOST says where)\n"
    "and start it again."
)


@dataclass(frozen=True, slots=True)
class Choice:
    """The model that answers, and why it is this one."""

    model: ModelName
    why: str


async def choose(settings: ModelSettings, clock: Clock) -> Choice:
    """Choose by what is configured (design §14): the setting, else an Anthropic key, else a reachable Ollama, else offline.

    Raises:
        SettingsError: the setting names no known provider.
    """
    if settings.name:
        return Choice(parse_model(settings.name), "SULLA_MODEL or model.name says so")
    if settings.anthropic_api_key.get_secret_value():
        return Choice(ModelName("anthropic", settings.anthropic_model), "an Anthropic key is set")
    if await _listens(settings.ollama_host or OLLAMA_URL, clock):
        return Choice(ModelName("ollama", ""), "an Ollama server answers")
    return Choice(ModelName("offline", ""), "nothing is configured")


async def _listens(url: str, clock: Clock) -> bool:
    """Whether anything accepts a connection there; a quick look, because most machines have no Ollama."""
    parts = urlsplit(url if "//" in url else f"//{url}")
    try:
        async with clock.timeout(_PROBE_S):
            _, writer = await asyncio.open_connection(parts.hostname or "127.0.0.1", parts.port or 11434)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True
