"""Turns as spans: one for what a process works on a run, its calls below it; nothing twice, nothing that was said."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from sulla.core.errors import ProviderTransient
from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.host.system import SystemClock
from sulla.models.anthropic.provider import AnthropicProvider
from sulla.models.base import TokenUsage
from sulla.store.memory import MemoryStore
from sulla.telemetry.spans import Spans
from sulla.telemetry.stream import SpanFeed
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider, Step
from sulla.testing.world import World
from sulla.tools.base import Done, Result, ToolContext
from sulla.tools.define import define
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.script import Reply, Rule, Script

DONE = Say("All right. <AGENT_DONE>ok</AGENT_DONE>", usage=TokenUsage(10, 4, 300, 7))
SECRET_WORDS = "what a person said"


async def look(context: ToolContext, *, what: str) -> Result:
    """Look.

    Args:
        what: at what.
    """
    return Done(ours(f"{SECRET_WORDS}: {what}"))


@pytest.fixture
def exporter() -> Iterator[InMemorySpanExporter]:
    made = InMemorySpanExporter()
    yield made
    made.shutdown()


@pytest.fixture
def provider(exporter: InMemorySpanExporter) -> Iterator[TracerProvider]:
    made = TracerProvider(shutdown_on_exit=False)
    made.add_span_processor(SimpleSpanProcessor(exporter))
    yield made
    made.shutdown()


def _world(store: MemoryStore, provider: TracerProvider, *steps: Step, boot: int = 1) -> tuple[World, SpanFeed]:
    clock = ManualClock()
    stream = SpanFeed(clock, [Spans(provider.get_tracer("sulla"), "scripted", "model-1").read])
    tools = (define(look, effect="pure"),)
    return World(store, ScriptedProvider(steps), tools=tools, clock=clock, watcher=stream, boot=boot), stream


def _named(spans: tuple[ReadableSpan, ...], name: str) -> ReadableSpan:
    (found,) = (span for span in spans if span.name == name)
    return found


async def test_a_turn_is_a_span_with_its_calls_below_it(
    store: MemoryStore, provider: TracerProvider, exporter: InMemorySpanExporter
) -> None:
    call = Say(SECRET_WORDS, (ToolCall(CallId("x"), "look", {"what": SECRET_WORDS}),))
    world, _ = _world(store, provider, call, DONE)
    thread = await world.thread()
    sent = await world.ask(thread, SECRET_WORDS)
    spans = exporter.get_finished_spans()
    assert [span.name for span in spans] == ["chat model-1", "execute_tool look", "chat model-1", "invoke_agent sulla"]
    turn = spans[-1]
    assert all(span.parent is not None and span.parent == turn.get_span_context() for span in spans[:-1])
    common = {"gen_ai.agent.name": "sulla", "gen_ai.conversation.id": thread, "sulla.run.id": sent.run_id}
    assert dict(turn.attributes or {}) == common | {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "scripted",
        "gen_ai.request.model": "scripted",
        "sulla.outcome": "done",
        "gen_ai.usage.input_tokens": 417,
        "gen_ai.usage.output_tokens": 24,
        "gen_ai.usage.cache_read.input_tokens": 300,
        "gen_ai.usage.cache_creation.input_tokens": 7,
    }
    assert dict(spans[2].attributes or {}) == common | {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "scripted",
        "gen_ai.request.model": "model-1",
        "gen_ai.response.finish_reasons": ("end",),
        "gen_ai.response.time_to_first_chunk": 0.0,
        "gen_ai.usage.input_tokens": 317,
        "gen_ai.usage.output_tokens": 4,
        "gen_ai.usage.cache_read.input_tokens": 300,
        "gen_ai.usage.cache_creation.input_tokens": 7,
        "sulla.outcome": "ok",
        "sulla.model.attempt": 1,
        "sulla.model.purpose": "reply",
    }
    tool = dict(spans[1].attributes or {})
    assert (tool["gen_ai.operation.name"], tool["gen_ai.tool.name"]) == ("execute_tool", "look")
    assert spans[0].kind == SpanKind.CLIENT
    assert SECRET_WORDS not in "".join(span.to_json() for span in spans)


async def test_the_times_are_those_of_the_facts(
    store: MemoryStore, provider: TracerProvider, exporter: InMemorySpanExporter
) -> None:
    gate = Gate()
    world, _ = _world(store, provider, Say((gate, "late <AGENT_DONE/>")))
    clock = world.clock
    assert isinstance(clock, ManualClock)
    thread = await world.thread()
    await world.send(thread, "hello")
    turn = asyncio.ensure_future(world.turns.attend(thread))
    await gate.reached()
    await clock.advance(2.5)
    gate.open()
    await turn
    for span in exporter.get_finished_spans():
        assert span.start_time == 1_800_000_000 * 10**9
        assert span.end_time == 1_800_000_002_500_000_000
    chat = dict(_named(exporter.get_finished_spans(), "chat model-1").attributes or {})
    assert chat["gen_ai.response.time_to_first_chunk"] == 2.5


async def test_what_fails_is_an_error_with_its_reason(
    store: MemoryStore, provider: TracerProvider, exporter: InMemorySpanExporter
) -> None:
    world, _ = _world(store, provider, *[ProviderTransient(SECRET_WORDS)] * 4)
    clock = world.clock
    assert isinstance(clock, ManualClock)
    thread = await world.thread()
    await world.send(thread, "hello")
    turn = asyncio.ensure_future(world.turns.attend(thread))
    while not turn.done():
        await clock.advance(1.0)
    *calls, whole = exporter.get_finished_spans()
    assert len(calls) == 4
    assert {span.status.status_code for span in (*calls, whole)} == {StatusCode.ERROR}
    assert {(span.attributes or {})["error.type"] for span in (*calls, whole)} == {"provider_transient"}
    assert SECRET_WORDS not in "".join(span.to_json() for span in (*calls, whole))


async def test_a_run_that_goes_on_in_another_process_is_two_spans_with_one_run_id(
    store: MemoryStore, provider: TracerProvider, exporter: InMemorySpanExporter
) -> None:
    gate = Gate()
    first, stream = _world(store, provider, Say((gate, "never")))
    thread = await first.thread()
    sent = await first.send(thread, "hello")
    dying = asyncio.ensure_future(first.turns.attend(thread))
    await gate.reached()
    dying.cancel()
    await asyncio.gather(dying, return_exceptions=True)
    stream.close()
    second, _ = _world(store, provider, DONE, boot=2)
    await second.turns.attend(thread)
    turns = [span for span in exporter.get_finished_spans() if span.name == "invoke_agent sulla"]
    assert [dict(span.attributes or {})["sulla.outcome"] for span in turns] == ["stopped", "done"]
    assert {dict(span.attributes or {})["sulla.run.id"] for span in turns} == {sent.run_id}
    assert dict(turns[1].attributes or {})["sulla.run.resumed"] == "drained"


async def test_the_sdk_that_makes_spans_of_its_own_calls_doubles_none_of_ours(
    store: MemoryStore, provider: TracerProvider, exporter: InMemorySpanExporter
) -> None:
    clock = SystemClock()
    async with FakeAnthropic(Script([Rule(Reply("All right. <AGENT_DONE/>"))]), clock) as fake:
        model = AnthropicProvider("key", clock, base_url=fake.url)
        stream = SpanFeed(clock, [Spans(provider.get_tracer("sulla"), "anthropic", "model-1").read])
        world = World(store, model, clock=clock, watcher=stream)
        await world.ask(await world.thread(), "hello")
        await model.close()
    assert isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider), "nobody's spans go where libraries send"
    assert [span.name for span in exporter.get_finished_spans()] == ["chat model-1", "invoke_agent sulla"]
