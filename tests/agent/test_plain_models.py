"""Models whose services take no tools, by their real SDKs over sockets: they are asked without, and people are told
once.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import count

import pytest

from sulla.agent.model.decider import Decider
from sulla.agent.model.tool_use import PLAIN
from sulla.core.control import Control
from sulla.core.errors import ToolsRefused
from sulla.core.ids import MessageId, ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.waiting import waiting_words
from sulla.core.words import ours
from sulla.host.system import SystemClock
from sulla.models.base import ToolSpec
from sulla.models.ollama.provider import OllamaProvider
from sulla.models.openai.provider import OpenAiProvider
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.world import World, scripted_model
from sulla.threads.log.plays import Question
from sulla.threads.log.records import Input, ModelAbandoned, RunFinished, TextMessageEnd
from sulla.threads.log.waits import RunWaiting
from sulla.tools.base import Done, Result, ToolContext
from sulla.tools.define import define
from tests.servers.ollama_server import FakeOllama
from tests.servers.openai_server import FakeOpenAi
from tests.servers.script import Failure, Reply, Rule, Script

REAL = SystemClock()
DONE = "All right, that is done. <AGENT_DONE>ok</AGENT_DONE>"
OLLAMA = Failure(400, message="registry.ollama.ai/library/gemma:2b does not support tools")
OPENAI = Failure(404, "404", "No endpoints found that support tool use. To learn more, visit the documentation")
VLLM = Failure(400, "BadRequestError", '"auto" tool choice requires --enable-auto-tool-choice')
LLAMA_CPP = Failure(500, "server_error", "tools param requires --jinja flag")


def _names() -> Callable[[str], str]:
    numbers = count(1)
    return lambda prefix: f"{prefix}_{next(numbers)}"


async def _look(context: ToolContext) -> Result:
    """Look."""
    return Done(ours("seen"))


NOTE = ToolSpec("note", "Notes.", {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]})
LOOK = define(_look, effect="pure", reach="inward")


@asynccontextmanager
async def world(service: type[FakeOllama | FakeOpenAi], *rules: Rule) -> AsyncIterator[tuple[World, list[JsonObject]]]:
    """An agent with a tool over a service; with the requests that came there."""
    clock = ManualClock()
    store = MemoryStore(clock, lambda prefix: f"{prefix}_mem")
    await store.open()
    async with service(Script(rules), REAL) as fake:
        provider = (
            OllamaProvider(fake.url, REAL, _names())
            if isinstance(fake, FakeOllama)
            else OpenAiProvider("key", REAL, _names(), base_url=fake.url)
        )
        model = scripted_model(provider, name="fake:1b")
        yield World(store, provider, tools=(LOOK,), clock=clock, model=model), fake.requests
        await provider.close()
    await store.close()


@pytest.mark.parametrize(
    ("service", "refusal"),
    [(FakeOllama, OLLAMA), (FakeOpenAi, OLLAMA), (FakeOpenAi, OPENAI), (FakeOpenAi, VLLM), (FakeOpenAi, LLAMA_CPP)],
)
async def test_a_model_that_refuses_tools_answers_without_them_and_people_are_told_once(
    service: type[FakeOllama | FakeOpenAi], refusal: Failure, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    async with world(service, Rule(refusal, times=1), Rule(Reply(DONE))) as (made, requests):
        thread = await made.thread()
        await made.ask(thread, "hi")
        await made.ask(thread, "and again")
        log = await made.log(thread)
    assert [bool(request.get("tools")) for request in requests] == [True, False, False]
    assert "takes none, whatever else you are told of them" in str(requests[1])
    assert [entry.fact.outcome.status for entry in log if isinstance(entry.fact, RunFinished)] == ["done", "done"]
    (waiting,) = [entry.fact for entry in log if isinstance(entry.fact, RunWaiting)]
    told = waiting_words(waiting.reason, waiting.wait_s)
    assert told == "the model takes no tools: it answers without them from now on"
    (said,) = [record.message for record in caplog.records if "takes no tools" in record.message]
    assert "agents on it only talk" in said


async def test_a_service_that_refuses_again_without_tools_fails_as_it_says() -> None:
    async with world(FakeOllama, Rule(OLLAMA)) as (made, requests):
        thread = await made.thread()
        await made.ask(thread, "hi")
        last = (await made.log(thread))[-1]
    assert [bool(request.get("tools")) for request in requests] == [True, False]
    assert (last.kind, last.data["code"]) == ("RUN_ERROR", "tools_refused")


async def test_a_router_of_a_playbook_is_answered_in_words_by_such_a_model() -> None:
    async with world(FakeOllama, Rule(OLLAMA, times=1), Rule(Reply("green"))) as (made, requests):
        decider, routes = Decider(made.model), {"green": "light", "black": "strong"}
        answers = [
            (
                await decider.decide(
                    "Which tea?", routes, call_id=call_id, agent="sulla", clock=made.clock, control=Control()
                )
            ).answer
            for call_id in ("q1", "q2")
        ]
    assert answers == ["green", "green"]
    assert [bool(request.get("tools")) for request in requests] == [True, False, False]


async def test_an_answer_that_has_to_be_a_call_fails_and_says_why() -> None:
    async with world(FakeOllama, Rule(OLLAMA, times=1), Rule(Reply("green"))) as (made, requests):
        decider = Decider(made.model)
        for call_id in ("q1", "q2"):
            with pytest.raises(ToolsRefused, match=r"answered by a call of 'note' alone: give the agent another model"):
                await decider.ask("Hm?", NOTE, call_id=call_id, agent="sulla", clock=made.clock, control=Control())
    assert [bool(request.get("tools")) for request in requests] == [True, False]


async def test_a_playbooks_question_to_such_a_model_fails_at_once() -> None:
    async with world(FakeOllama, Rule(OLLAMA)) as (made, requests):
        thread = await made.thread()
        question = Question(ThreadId("thr_run"), "ask", "answer", "Gives the answer.", NOTE.schema)
        await made.threads.send(thread, Input(MessageId("msg_q"), "Which?", origin="playbook", question=question))
        await made.turns.attend(thread)
        (last,) = [entry for entry in await made.log(thread) if entry.kind == "RUN_ERROR"]
    assert (last.data["code"], len(requests)) == ("tools_refused", 1)
    assert "answered by a call of 'answer' alone" in str(last.data)


async def test_the_refused_call_is_charged_to_nobody() -> None:
    async with world(FakeOllama, Rule(OLLAMA, times=1), Rule(Reply(DONE))) as (made, _):
        thread = await made.thread()
        await made.ask(thread, "hi")
        used = made.model.ledger.used(made.clock.now()).tokens
        log = await made.log(thread)
    (abandoned,) = [entry.fact for entry in log if isinstance(entry.fact, ModelAbandoned)]
    (said,) = [entry.fact.usage for entry in log if isinstance(entry.fact, TextMessageEnd) and entry.fact.usage]
    assert (abandoned.asked, used) == (False, said.input_tokens + said.output_tokens)


def test_such_a_model_is_told_to_write_down_no_calls() -> None:
    assert not PLAIN.words.tainted
    assert "Never write down a call" in PLAIN.text
