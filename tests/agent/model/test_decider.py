"""One question, one call of one tool: what the model gave is given back as it is, and paid for once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from sulla.agent.limits.ledger import DayLimits, Ledger
from sulla.agent.model.decider import CHOOSE, QUESTION_CHARS, Decided, Decider, ForcedReply, choose_tool
from sulla.agent.model.model import Model
from sulla.core.control import Control
from sulla.core.errors import Aborted, InvalidInput, LimitReached, ProviderRejected, ProviderTransient
from sulla.core.ids import CallId
from sulla.core.jsontypes import Json
from sulla.core.message import Text, ToolCall
from sulla.models.base import TokenUsage, ToolSpec
from sulla.models.offline.provider import OfflineProvider
from sulla.models.tokens.prices import Price, Prices
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider, Step
from sulla.testing.world import scripted_model
from tests.agent.test_wire_retries import Serve, anthropic, ollama, openai
from tests.servers.script import Reply, Rule, Script, ToolUse

ROUTES = {"sales": "wants\n to buy", "support": ""}
NOTE = ToolSpec("note", "Notes.", {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]})


def call(name: str = CHOOSE, number: int = 1, **args: Json) -> ToolCall:
    return ToolCall(CallId(f"c{number}"), name, args)


class Desk:
    """A decider over a script."""

    def __init__(self, *steps: Step, model: Model | None = None) -> None:
        self.clock, self.control = ManualClock(), Control()
        self.provider = ScriptedProvider(steps)
        self.model = model if model is not None else scripted_model(self.provider)
        self.decider = Decider(self.model)

    @property
    def used(self) -> int:
        return self.model.ledger.used(self.clock.now()).tokens

    async def decide(
        self,
        question: str = "Which is it?",
        choices: Mapping[str, str] = ROUTES,
        again: str = "",
        call_id: str = "q1",
    ) -> Decided:
        return await self.decider.decide(
            question, choices, again=again, call_id=call_id, agent="sulla", clock=self.clock, control=self.control
        )

    async def ask(self, question: str = "What of it?", tool: ToolSpec = NOTE) -> ForcedReply:
        return await self.decider.ask(
            question, tool, call_id="q1", agent="sulla", clock=self.clock, control=self.control
        )


async def test_the_model_is_made_to_call_one_tool_with_one_of_the_names() -> None:
    desk = Desk(Say(calls=(call(choice="sales"),)))
    assert (await desk.decide("Is it sales?")).answer == "sales"
    (request,) = desk.provider.requests
    (message,) = request.messages
    (tool,) = request.tools
    assert request.force == tool.name == CHOOSE
    assert message.parts == (Text("Is it sales?"),)
    assert tool.schema["properties"] == {
        "choice": {"type": "string", "enum": ["sales", "support"], "description": "sales: wants to buy\nsupport"}
    }
    assert tool.schema["required"] == ["choice"]
    assert "never an instruction" in request.system[0].text


async def test_who_is_asked_again_is_told_why_beside_the_question() -> None:
    desk = Desk(Say("hm"), Say(calls=(call(choice="sales"),)))
    await desk.decide()
    await desk.decide(again="expected exactly one of 'sales', 'support'")
    first, second = (request.messages[0] for request in desk.provider.requests)
    assert second.parts[0] == first.parts[0]
    assert isinstance(second.parts[1], Text)
    assert second.parts[1].origin == "operator"
    assert "expected exactly one of 'sales', 'support'" in second.text
    assert second.id != first.id


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (Say(calls=(call(choice="Sales"),)), "Sales"),
        (Say(calls=(call(choice=" sales"),)), " sales"),
        (Say(calls=(call(choice=True),)), True),
        (Say(calls=(call(choice=["sales"]),)), ["sales"]),
        (Say("It is support.", calls=(call(choice="sales"),)), "sales"),
        (Say(calls=(call(choice="sales", why="it says so"),)), "sales"),
        (Say("sales"), "sales"),
        (Say(" sales\n"), "sales"),
        (Say("sales.", reasoning="support"), "sales."),
        (Say(""), ""),
        (Say("sales", stop="max_tokens"), {"cut": "sales"}),
        (Say("sales", stop="refused"), {"cut": "sales"}),
        (Say(calls=(call(Choice="sales"),)), [{"choose": {"Choice": "sales"}}]),
        (Say(calls=(call("chose", choice="sales"),)), [{"chose": {"choice": "sales"}}]),
        (Say("sales", calls=(call("chose", choice="support"),)), [{"chose": {"choice": "support"}}]),
        (
            Say(calls=(call(choice="sales"), call(number=2, choice="sales"))),
            [{"choose": {"choice": "sales"}}, {"choose": {"choice": "sales"}}],
        ),
    ],
)
async def test_an_answer_is_given_back_as_it_came_and_never_as_the_nearest_name(said: Say, answer: Json) -> None:
    assert (await Desk(said).decide()).answer == answer


async def test_a_question_of_any_form_gets_the_arguments_of_the_one_call() -> None:
    found = await Desk(Say("so", calls=(call("note", text="x"),))).ask()
    assert (found.args, found.text, found.model) == ({"text": "x"}, "so", "offline")
    for said in (Say("text: x"), Say(calls=(call("other"),)), Say(calls=(call("note"), call("note", 2)))):
        assert (await Desk(said).ask()).args is None


async def test_the_answer_says_what_it_counts_for_and_who_was_asked() -> None:
    provider = ScriptedProvider([Say(calls=(call(choice="sales"),), usage=TokenUsage(1_000, 20))])
    prices = Prices({"offline:m": Price(Decimal(1), Decimal(2), Decimal(1), Decimal(1))})
    desk = Desk(model=scripted_model(provider, prices=prices, name="m"))
    decided = await desk.decide()
    assert (decided.tokens, decided.cost_micro, decided.model) == (1_020, 1_040, "offline:m")
    assert desk.used == 1_020


async def test_a_service_that_does_not_count_is_charged_what_was_set_aside() -> None:
    desk = Desk(Say("sales", usage=TokenUsage()))
    assert (await desk.decide()).tokens == desk.used > 4_000


@pytest.mark.parametrize("error", [ProviderTransient("busy", retry_after_s=3), ProviderRejected("no such model")])
async def test_a_failure_is_the_services_own_and_nothing_is_tried_again(error: Exception) -> None:
    desk = Desk(error)  # type: ignore[arg-type]  # one of ours
    with pytest.raises(type(error)) as raised:
        await desk.decide()
    assert raised.value is error
    assert desk.used > 0  # it may have cost something
    desk.provider.assert_done()


@pytest.mark.parametrize(
    ("question", "choices", "said"),
    [
        ("x" * (QUESTION_CHARS + 1), ROUTES, "64001 characters"),
        (" \n", ROUTES, "blank"),
        ("Which?", {}, "at least one name"),
    ],
)
async def test_what_cannot_be_asked_is_not(question: str, choices: dict[str, str], said: str) -> None:
    desk = Desk()
    with pytest.raises(InvalidInput, match=said):
        await desk.decide(question, choices)
    assert desk.used == 0


async def test_the_longest_question_is_asked_whole() -> None:
    desk = Desk("sales")
    await desk.decide("x" * QUESTION_CHARS)
    assert len(desk.provider.requests[0].messages[0].text) == QUESTION_CHARS


async def test_a_day_that_is_used_up_asks_nobody() -> None:
    desk = Desk(model=scripted_model(ScriptedProvider(), day=DayLimits(tokens=10)))
    with pytest.raises(LimitReached):
        await desk.decide()
    assert desk.used == 0


async def test_a_run_that_was_told_to_end_asks_nobody() -> None:
    desk = Desk()
    desk.control.abort("stopped")
    with pytest.raises(Aborted):
        await desk.decide()
    assert (desk.provider.requests, desk.used) == ([], 0)


async def test_a_call_that_is_cut_off_is_charged_once_and_its_reply_let_go() -> None:
    gate = Gate()
    desk = Desk(Say(("sal", gate, "es")))
    asking = asyncio.create_task(desk.decide())
    await gate.reached()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert desk.provider.abandoned == 1
    assert desk.model.ledger.to_json()["open"] == {}
    assert desk.used > 4_000


def _reborn(model: Model, clock: ManualClock) -> Ledger:
    """The account as the next process finds it."""
    ledger = Ledger(DayLimits())
    ledger.restore(model.ledger.to_json(), clock.now())
    return ledger


async def test_killed_during_the_call_the_same_question_is_charged_once() -> None:
    gate = Gate()
    first = Desk(Say(("sal", gate, "es")))
    asking = asyncio.create_task(first.decide())
    await gate.reached()
    ledger = _reborn(first.model, first.clock)  # what is kept while it is under way
    asking.cancel()
    provider = ScriptedProvider([Say("sales", usage=TokenUsage(100, 20))])
    model = scripted_model(provider)
    model.ledger.restore(ledger.to_json(), first.clock.now())
    assert model.ledger.used(first.clock.now()).tokens > 4_000
    second = Desk(model=model)
    assert (await second.decide()).answer == "sales"
    assert second.used == 120
    assert model.ledger.to_json()["open"] == {}


async def test_killed_after_the_answer_the_same_question_is_charged_once() -> None:
    first = Desk(Say("sales", usage=TokenUsage(100, 20)))
    await first.decide()
    model = scripted_model(ScriptedProvider([Say("sales", usage=TokenUsage(100, 30))]))
    model.ledger.restore(first.model.ledger.to_json(), first.clock.now())
    second = Desk(model=model)
    await second.decide()
    assert second.used == 130


async def test_asked_again_it_is_another_call_of_its_own_price() -> None:
    desk = Desk(Say("hm", usage=TokenUsage(100, 20)), Say("sales", usage=TokenUsage(100, 30)))
    await desk.decide()
    await desk.decide(again="that was none of them")
    assert desk.used == 250


async def test_the_model_that_is_none_finds_the_name_in_the_question_or_does_not_answer() -> None:
    desk = Desk(model=scripted_model(OfflineProvider()))
    assert (await desk.decide("Somebody wants to buy a car.")).answer == "sales"
    assert (await desk.decide("Help with support!")).answer == "support"
    nothing = (await desk.decide("Good morning.")).answer
    assert isinstance(nothing, str)
    assert nothing.startswith("The question does not say what choose is to be called with.")
    again = await desk.decide("Good morning.", again="expected exactly one of 'sales', 'support'")
    assert again.answer == nothing


@pytest.mark.parametrize("serve", [anthropic, ollama, openai])
@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (Reply(tools=(ToolUse(CHOOSE, {"choice": "sales"}),)), "sales"),
        (Reply(tools=(ToolUse(CHOOSE, {"choice": "sales "}),)), "sales "),
        (Reply("sales"), "sales"),
        (Reply("It is sales."), "It is sales."),
        (Reply(tools=(ToolUse("chose", {"choice": "sales"}),)), [{"chose": {"choice": "sales"}}]),
    ],
)
async def test_over_each_services_wire(serve: Serve, reply: Reply, answer: Json) -> None:
    async with serve(Script([Rule(reply)])) as provider:
        desk = Desk(model=scripted_model(provider, name="fake:1b"))
        decided = await desk.decide()
        await provider.close()
    assert decided.answer == answer
    assert 0 < decided.tokens == desk.used


def test_what_stands_for_a_name_is_one_line_of_its_own() -> None:
    schema: Any = choose_tool({"a": "one\ntwo  three", "b": ""}).schema
    assert schema["properties"]["choice"]["description"] == "a: one two three\nb"
