"""A provider that is made when it is needed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest

from sulla.core.errors import ProviderTransient, SettingsError
from sulla.daemon.models.lazy import LazyProvider
from sulla.models.base import ChatRequest, Completed, Delta, Embedder, Provider, TextDelta
from sulla.testing.provider import ScriptedProvider

REQUEST = ChatRequest("model", (), ())


async def _all(provider: Provider) -> list[Delta]:
    return [delta async for delta in provider.stream(REQUEST)]


async def test_nothing_is_made_before_the_first_call() -> None:
    made = list[int]()

    def make() -> Provider:
        made.append(threading.get_ident())
        return ScriptedProvider(["one", "two"])

    lazy = LazyProvider("scripted", make)
    assert (lazy.name, made) == ("scripted", [])
    for said in ("one", "two"):
        text, completed = await _all(lazy)
        assert text == TextDelta(said)
        assert isinstance(completed, Completed)
    assert len(made) == 1
    assert made[0] != threading.get_ident(), "an import of a second must not stop the loop"


async def test_two_first_calls_at_once_make_one() -> None:
    made = list[Provider]()

    def make() -> Provider:
        made.append(ScriptedProvider(["one", "two"]))
        return made[0]

    lazy = LazyProvider("scripted", make)
    await asyncio.gather(_all(lazy), _all(lazy))
    assert len(made) == 1


async def test_what_is_warmed_is_made_once_and_off_the_loop() -> None:
    made = list[int]()

    def make() -> Provider:
        made.append(threading.get_ident())
        return ScriptedProvider(["one"])

    lazy = LazyProvider("scripted", make)
    await lazy.warm()
    await lazy.warm()
    assert len(made) == 1
    assert made[0] != threading.get_ident()
    assert await _all(lazy)
    assert len(made) == 1, "the first turn makes nothing more"


async def test_closing_what_was_never_made_makes_nothing() -> None:
    def make() -> Provider:
        raise AssertionError("made")

    await LazyProvider("scripted", make).close()


async def test_what_goes_wrong_is_told_and_the_next_call_tries_again() -> None:
    found: list[Provider] = [ScriptedProvider([ProviderTransient("overloaded"), "fine"])]

    def make() -> Provider:
        if not found:
            raise SettingsError("no key")
        return found.pop()

    lazy = LazyProvider("scripted", make)
    with pytest.raises(ProviderTransient, match="overloaded"):
        await _all(lazy)
    assert await _all(lazy)

    never = LazyProvider("scripted", make)
    for _ in range(2):
        with pytest.raises(SettingsError, match="no key"):
            await _all(never)


async def test_leaving_a_reply_leaves_the_real_one() -> None:
    scripted = ScriptedProvider(["a long reply"])
    stream = LazyProvider("scripted", lambda: scripted).stream(REQUEST)
    assert await anext(stream) == TextDelta("a long reply")
    await stream.aclose()
    assert scripted.abandoned == 1


class _Places(ScriptedProvider):
    async def embed(self, model: str, texts: Sequence[str], timeout_s: float = 1.0) -> list[list[float]]:
        return [[float(len(text))] for text in texts]


async def test_embeddings_come_from_the_real_one_and_a_service_without_them_is_named() -> None:
    lazy: Embedder = LazyProvider("scripted", lambda: _Places([]))
    assert await lazy.embed("m", ["a", "bee"]) == [[1.0], [3.0]]
    with pytest.raises(SettingsError, match=r"scripted has no embedding models: .*memory\.embed"):
        await LazyProvider("scripted", lambda: ScriptedProvider([])).embed("m", ["a"])
