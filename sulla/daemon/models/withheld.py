"""A key that begins as another service's keys do, and a provider that is asked with it: it sends it to nobody."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Final

from sulla.core.errors import ProviderKeyMissing
from sulla.host.sections import ModelSettings
from sulla.models.base import ChatRequest, Delta
from sulla.models.catalog import ModelName
from sulla.models.wire.keys import service_of

VARIABLES: Final = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
"""Which variable the key of each service can be in."""
_SERVICES: Final = {"anthropic": "Anthropic", "openai": "OpenAI"}


def anothers_key(settings: ModelSettings, model: ModelName) -> tuple[str, str]:
    """What is wrong with a key that begins as another service's keys do, and whose it seems to be; empty if nothing is.
    A server at an address of one's own may take any key.

    Args:
        settings: the keys and addresses.
        model: whose service is asked.
    """
    right = _SERVICES.get(model.provider, "")
    if not right or getattr(settings, f"{model.provider}_base_url"):
        return "", ""
    service = service_of(getattr(settings, f"{model.provider}_api_key").get_secret_value())
    if service in ("", right):
        return "", ""
    where = named_in_home(settings.source_of(f"{model.provider}_api_key")) or VARIABLES[model.provider]
    return f"{where} holds a key that begins like one of {service}, not of {right}", service


def named_in_home(source: str) -> str:
    """Who has given a setting, for whoever may talk: that does not say where the home is.

    Args:
        source: a file, or a variable.
    """
    return f"{Path(source).name} of the home" if source.endswith(".toml") else source


class KeyWithheld:
    """Implements `models.Provider`: refuses at once, and sends nothing.

    Args:
        name: the service's short name.
        why: what is wrong with the key.
    """

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        self._why = why

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """See `models.Provider.stream`.

        Raises:
            ProviderKeyMissing: there is no key that this service could take.
        """
        for delta in self._nothing():
            yield delta

    def _nothing(self) -> Iterator[Delta]:
        raise ProviderKeyMissing(f"{self._why}; it was sent to nobody: set the right key, and restart the daemon")

    async def close(self) -> None:
        """Nothing to let go of."""
