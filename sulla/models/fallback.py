"""A provider made of two: the second answers where the first cannot be asked at all.

It is no retry. A service that is overloaded, or that refuses a request, is still the one that a person chose; only what
waiting does not mend, a missing key or a machine that is off, is worth another model's answer, and that answer says so.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Final, Literal, get_args

from sulla.core.errors import (
    ProviderError,
    ProviderKeyMissing,
    ProviderUnauthorized,
    ProviderUnreachable,
    SettingsError,
)
from sulla.models.base import ChatRequest, Completed, Delta, Embedder, Provider, StandIn, TokenCounter, Warmable

Reason = Literal["key_missing", "unauthorized", "unreachable"]
"""What the second provider may be asked for: no key, a key that is refused, nobody who takes the connection."""

REASONS: Final[tuple[Reason, ...]] = get_args(Reason)


EMBED_S: Final = 60.0
"""How long embeddings may take where nobody says."""


def reason_of(error: ProviderError) -> Reason | None:
    """What an error is among the reasons; None if it is none of them."""
    if isinstance(error, ProviderKeyMissing):
        return "key_missing"
    if isinstance(error, ProviderUnauthorized):
        return "unauthorized"
    if isinstance(error, ProviderUnreachable):
        return "unreachable"
    return None


class FallbackProvider:
    """Implements `models.Provider`, `models.TokenCounter`, `models.Embedder` and `models.Warmable`.

    Who answered in the first one's place, and why, is told twice: `told` hears it before the second one is asked, and
    the reply's `Completed` carries it as `stand_in`.

    Args:
        first: is always asked first.
        second: is asked where the first fails for one of the reasons before anything of its reply was passed on.
        model: the second one's name for its model; the request names the first one's.
        reasons: the failures that are reason enough, of `REASONS`.
        told: hears of each switch.

    Raises:
        SettingsError: a reason is unknown, or there is none.
    """

    name = "fallback"

    def __init__(
        self,
        first: Provider,
        second: Provider,
        model: str,
        *,
        reasons: Collection[str] = REASONS,
        told: Callable[[StandIn], None] = lambda stand_in: None,
    ) -> None:
        unknown = set(reasons) - set(REASONS)
        if unknown or not reasons:
            raise SettingsError(
                f"the fallback's reasons are {sorted(reasons)!r}: expected one or more of {', '.join(REASONS)}"
            )
        self._first = first
        self._second = second
        self._model = model
        self._reasons = frozenset(reasons)
        self._told = told

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """See `models.Provider.stream`. The reply comes from one of the two alone."""
        begun = False
        try:
            async with aclosing(self._first.stream(request)) as deltas:
                async for delta in deltas:
                    begun = True
                    yield delta
            return
        except ProviderError as error:
            reason = reason_of(error)
            if begun or request.certain or reason not in self._reasons:
                raise
            stand_in = StandIn(self._second.name, self._model, self._first.name, str(reason), error.message)
        self._told(stand_in)
        async with aclosing(self._second.stream(self._for_second(request))) as deltas:
            async for delta in deltas:
                yield replace(delta, stand_in=stand_in) if isinstance(delta, Completed) else delta

    async def count_tokens(self, request: ChatRequest) -> int | None:
        """See `models.TokenCounter`. Whoever would be asked for the reply is asked; nobody is told of a switch."""
        try:
            return await _count(self._first, request)
        except ProviderError as error:
            if request.certain or reason_of(error) not in self._reasons:
                raise
        return await _count(self._second, self._for_second(request))

    async def embed(self, model: str, texts: Sequence[str], timeout_s: float = EMBED_S) -> list[list[float]]:
        """See `models.Embedder`. Only the first one is asked: what another model says has no place in its space.

        Raises:
            SettingsError: the first one has no embedding models.
        """
        if not isinstance(self._first, Embedder):
            raise SettingsError(f"{self._first.name} has no embedding models: name one of ollama or openai")
        return await self._first.embed(model, texts, timeout_s)

    def _for_second(self, request: ChatRequest) -> ChatRequest:
        """The same, without the tools that the first one's service runs itself."""
        return replace(request, model=self._model, tools=tuple(tool for tool in request.tools if tool.native is None))

    async def warm(self) -> None:
        """See `models.Warmable`. The second one is seldom asked, and is loaded then."""
        if isinstance(self._first, Warmable):
            await self._first.warm()

    async def close(self) -> None:
        """Let both go of their connections."""
        try:
            await self._first.close()
        finally:
            await self._second.close()


async def _count(provider: Provider, request: ChatRequest) -> int | None:
    return await provider.count_tokens(request) if isinstance(provider, TokenCounter) else None
