"""Gateways whose agent answers by a script."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import httpx2
import pytest
from openai import AsyncOpenAI

from tests.gateway.dialects.playing import Played
from tests.gateway.peer import PATIENCE_S, Answering

Dial = Callable[..., AsyncOpenAI]


@pytest.fixture
def commands() -> Played:
    """What the gateway calls: an agent that answers by the turns that a test gives it."""
    return Played()


@pytest.fixture
async def dial() -> AsyncIterator[Dial]:
    """Makes OpenAI's client as people use it, but that it goes by no proxy."""
    async with AsyncExitStack() as stack:

        def make(server: Answering, key: str = "owner") -> AsyncOpenAI:
            http = httpx2.AsyncClient(trust_env=False, timeout=PATIENCE_S)
            api = AsyncOpenAI(base_url=f"{server.url}/v1", api_key=key, http_client=http)
            stack.push_async_callback(api.close)
            return api

        yield make
