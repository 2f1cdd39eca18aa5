"""A provider that is made at its first call, off the loop: its SDK can take a second to import."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Final

from sulla.core.errors import SettingsError
from sulla.host.loading import load
from sulla.models.base import ChatRequest, Delta, Embedder, Provider, TokenCounter

EMBED_S: Final = 60.0
"""How long embeddings may take where nobody says."""


class LazyProvider:
    """Keeps `models.Provider`, `models.TokenCounter`, `models.Embedder` and `models.Warmable` for one that is not made
    yet.

    Args:
        name: the service's short name.
        make: makes the real one; runs once, on a worker thread.
    """

    def __init__(self, name: str, make: Callable[[], Provider]) -> None:
        self._name = name
        self._make = make
        self._made: Provider | None = None
        self._lock = asyncio.Lock()

    @property
    def name(self) -> str:
        """The service's short name."""
        return self._name

    def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """Ask the real provider, making it first if need be."""
        # Once it is made nothing stands between it and the agent: a second generator would cost for every delta.
        return self._made.stream(request) if self._made is not None else self._first(request)

    async def count_tokens(self, request: ChatRequest) -> int | None:
        """See `models.TokenCounter`; makes the real provider first if need be."""
        provider = await self._provider()
        return await provider.count_tokens(request) if isinstance(provider, TokenCounter) else None

    async def embed(self, model: str, texts: Sequence[str], timeout_s: float = EMBED_S) -> list[list[float]]:
        """See `models.Embedder`; makes the real provider first if need be.

        Raises:
            SettingsError: the service has no embedding models.
        """
        provider = await self._provider()
        if not isinstance(provider, Embedder):
            raise SettingsError(f"{self._name} has no embedding models: name one of ollama or openai in memory.embed")
        return await provider.embed(model, texts, timeout_s)

    async def warm(self) -> None:
        """See `models.Warmable`: makes the real provider, so that no turn waits for its library."""
        await self._provider()

    async def _first(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        provider = await self._provider()
        async with aclosing(provider.stream(request)) as deltas:
            async for delta in deltas:
                yield delta

    async def close(self) -> None:
        """Close the real provider, if it was ever made."""
        if self._made is not None:
            await self._made.close()

    async def _provider(self) -> Provider:
        async with self._lock:
            if self._made is None:
                self._made = await load(self._make)
            return self._made
