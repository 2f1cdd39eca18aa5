"""Failures of real services, by their real SDKs over sockets: at most four attempts, as late as the service asks, and
no text is shown twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import count

import pytest

from sulla.core.ids import ThreadId
from sulla.host.system import SystemClock
from sulla.models.anthropic.provider import AnthropicProvider
from sulla.models.base import Provider
from sulla.models.ollama.provider import OllamaProvider
from sulla.models.openai.provider import OpenAiProvider
from sulla.models.wire.failures import HERE_S
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.world import World, scripted_model
from sulla.threads.log.codec import Entry
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.ollama_server import FakeOllama
from tests.servers.openai_server import FakeOpenAi
from tests.servers.script import Failure, Reply, Rule, Script

REAL = SystemClock()
DONE = "All right, that is done. <AGENT_DONE>ok</AGENT_DONE>"
Serve = Callable[[Script], AbstractAsyncContextManager[Provider]]


@asynccontextmanager
async def anthropic(script: Script) -> AsyncIterator[Provider]:
    async with FakeAnthropic(script, REAL) as fake:
        yield AnthropicProvider("key", REAL, base_url=fake.url)


@asynccontextmanager
async def ollama(script: Script) -> AsyncIterator[Provider]:
    async with FakeOllama(script, REAL) as fake:
        yield OllamaProvider(fake.url, REAL, names())


@asynccontextmanager
async def openai(script: Script) -> AsyncIterator[Provider]:
    async with FakeOpenAi(script, REAL) as fake:
        yield OpenAiProvider("key", REAL, names(), base_url=fake.url)


def names() -> Callable[[str], str]:
    numbers = count(1)
    return lambda prefix: f"{prefix}_{next(numbers)}"


@asynccontextmanager
async def world(serve: Serve, *rules: Rule) -> AsyncIterator[tuple[World, ThreadId]]:
    """An agent over a service; the service's time is real, the agent's stands still until it is moved."""
    clock = ManualClock()
    store = MemoryStore(clock, lambda prefix: f"{prefix}_mem")
    await store.open()
    async with serve(Script(rules)) as provider:
        made = World(store, provider, clock=clock, model=scripted_model(provider, name="fake:1b"))
        thread = await made.thread()
        await made.send(thread, "hi")
        try:
            yield made, thread
        finally:
            await provider.close()
    await store.close()


async def carried_out(made: World, thread: ThreadId, *waits_s: float) -> list[Entry]:
    """Work on the thread; each failed attempt is followed by its wait, and by nothing before that is over."""
    assert isinstance(made.clock, ManualClock)
    turn = asyncio.ensure_future(made.turns.attend(thread))
    async with REAL.timeout(50):
        for number, wait_s in enumerate(waits_s, 1):
            while await count_of(made, thread, "MODEL_ABANDONED") < number:
                assert not turn.done()
                await asyncio.sleep(0)
            await made.clock.advance(wait_s - 1)
            assert await count_of(made, thread, "MODEL_STARTED") == number
            while await count_of(made, thread, "MODEL_STARTED") == number:
                await made.clock.advance(0.25)
        await turn
    return await made.log(thread)


async def count_of(made: World, thread: ThreadId, kind: str) -> int:
    return (await made.kinds(thread)).count(kind)


SERVICES = pytest.mark.parametrize("serve", [anthropic, ollama, openai])


@SERVICES
@pytest.mark.parametrize(
    ("status", "waits_s"), [(429, (10.0, 30.0, 90.0)), (500, (HERE_S, HERE_S, HERE_S)), (529, (10.0, 30.0, 90.0))]
)
async def test_what_passes_is_tried_again_after_ten_thirty_and_ninety_seconds_or_soon_where_this_machine_failed(
    serve: Serve, status: int, waits_s: tuple[float, ...]
) -> None:
    async with world(serve, Rule(Failure(status), times=3), Rule(Reply(DONE))) as (made, thread):
        log = await carried_out(made, thread, *waits_s)
    assert [entry.kind for entry in log].count("MODEL_STARTED") == 4
    assert log[-1].kind == "RUN_FINISHED"


@SERVICES
async def test_four_attempts_are_all(serve: Serve) -> None:
    async with world(serve, Rule(Failure(503))) as (made, thread):
        log = await carried_out(made, thread, 10.0, 30.0, 90.0)
    assert [entry.kind for entry in log].count("MODEL_STARTED") == 4
    assert (log[-1].kind, log[-1].data["code"]) == ("RUN_ERROR", "provider_transient")


@SERVICES
@pytest.mark.parametrize("status", [429, 529])
async def test_a_service_that_says_when_is_asked_then(serve: Serve, status: int) -> None:
    rules = (Rule(Failure(status, retry_after="3"), times=1), Rule(Reply(DONE)))
    async with world(serve, *rules) as (made, thread):
        log = await carried_out(made, thread, 3.0)
    assert log[-1].kind == "RUN_FINISHED"


@SERVICES
async def test_a_reply_that_breaks_off_after_text_was_shown_is_not_asked_for_again(serve: Serve) -> None:
    long = "word " * 400
    async with world(serve, Rule(Reply(long, pieces=40, cut_after=2_500), times=1), Rule(Reply(DONE))) as (
        made,
        thread,
    ):
        log = await carried_out(made, thread)
    kinds = [entry.kind for entry in log]
    assert (kinds.count("MODEL_STARTED"), kinds[-1]) == (1, "RUN_ERROR")
    assert "TEXT_MESSAGE_END" not in kinds


@SERVICES
async def test_an_error_in_the_middle_of_a_stream_before_any_text_is_a_failure_like_others(serve: Serve) -> None:
    rules = (Rule(Failure(529, kind="overloaded_error", in_stream=True), times=1), Rule(Reply(DONE)))
    async with world(serve, *rules) as (made, thread):
        log = await carried_out(made, thread, 10.0)
    ended = [entry.data["text"] for entry in log if entry.kind == "TEXT_MESSAGE_END"]
    assert ended == ["All right, that is done."]
