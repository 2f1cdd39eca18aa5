"""The scripted provider: it keeps the promise, and it fails a test that strays from its script."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

import pytest

from sulla.core.errors import ProviderTransient
from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.models.base import Completed, TextDelta
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider, Step
from tests.kits.provider_kit import Case, ProviderKit, Served, ask, collect


def _step(case: Case) -> Step:
    if case.status is not None:
        return ProviderTransient("scripted")
    calls = (ToolCall(CallId("c1"), case.tool[0], dict(case.tool[1])),) if case.tool else ()
    half = len(case.text) // 2
    error = ProviderTransient("scripted") if case.error_in_stream else None
    return Say((case.text[:half], case.text[half:]), calls, case.thinking, error=error)


class TestKeepsThePromise(ProviderKit):
    has_wire = False

    @asynccontextmanager
    async def serve(self, case: Case) -> AsyncIterator[Served]:
        yield Served(ScriptedProvider([_step(case)] * 9), ManualClock())


async def test_a_call_beyond_the_script_fails_there_and_at_the_end() -> None:
    provider = ScriptedProvider(["one"])
    await collect(provider.stream(ask("x")))
    provider.assert_done()
    _, error = await collect(provider.stream(ask("x")))
    assert isinstance(error, AssertionError)
    with pytest.raises(AssertionError, match="1 unexpected"):
        provider.assert_done()


async def test_a_step_that_was_not_used_fails_at_the_end() -> None:
    provider = ScriptedProvider(["one", "two"])
    await collect(provider.stream(ask("x")))
    with pytest.raises(AssertionError, match=r"1 steps .* 'two'"):
        provider.assert_done()


async def test_a_reply_stands_still_at_a_gate() -> None:
    gate = Gate()
    provider = ScriptedProvider([Say(("be", gate, "fore"))])
    reader = asyncio.create_task(collect(provider.stream(ask("x"))))
    await gate.reached()
    assert not reader.done()
    gate.open()
    found, _ = await reader
    assert [delta.text for delta in found if isinstance(delta, TextDelta)] == ["be", "fore"]


async def test_what_was_asked_stays_as_it_was_asked() -> None:
    provider = ScriptedProvider(["one"])
    request = ask("first")
    await collect(provider.stream(request))
    assert isinstance(request.messages, list)
    request.messages.clear()
    assert [message.text for message in provider.requests[0].messages] == ["first"]


async def test_a_reply_that_nobody_waited_for_is_counted() -> None:
    provider = ScriptedProvider([Say(("a", "b")), "c"])
    async with aclosing(provider.stream(ask("x"))) as stream:
        await anext(stream)
    assert provider.abandoned == 1
    found, _ = await collect(provider.stream(ask("x")))
    assert isinstance(found[-1], Completed)
    assert provider.abandoned == 1
