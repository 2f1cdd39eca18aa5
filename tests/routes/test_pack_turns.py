"""Turns of the two packs, kind by kind, with a model that obeys, one that skips the forced tool, one that makes things
up, and one that fails (seed 003).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Final, Literal

import pytest

from sulla.core.errors import ProviderUnauthorized
from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.procedures.definition import Procedure
from sulla.procedures.reading import read_procedure
from sulla.routes.plan import RouteTable
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider, Step
from sulla.tools.base import Done
from tests.house.source import ROOT
from tests.kits.in_turn import in_turn
from tests.routes import test_packs
from tests.routes.test_node import look_up
from tests.routes.world import RouteWorld

pytestmark = in_turn(3)

FOUND: Final = "[1] crisis-resources.md, Emergency number, line 8:\n\nCall 999."
REPLY: Final = "This is the reply."
MADE_UP: Final = "The number is 555-0199, I am sure."
Model = Literal["obeys", "skips", "makes things up", "fails"]
MODELS: Final[tuple[Model, ...]] = ("obeys", "skips", "makes things up", "fails")
FORCED: Final = {"incident", "grounded"}
"""Kinds of the packs that require a tool."""

MESSAGES: Final = {
    ("wellbeing", "crisis_response"): "I want to die",
    ("wellbeing", "crisis_clarification"): "I just want to disappear",
    ("wellbeing", "grounded_lookup"): "What is CBT?",
    ("wellbeing", "guided_exercise"): "Can we do the breathing exercise?",
    ("wellbeing", "guided_grounding"): "I would like a grounding exercise",
    ("wellbeing", "guided_thought_record"): "Let's do a thought record",
    ("wellbeing", "memory_control"): "What do you remember about me?",
    ("wellbeing", "therapeutic"): "My week was long.",
    ("support-desk", "incident"): "your site is down since noon",
    ("support-desk", "refund"): "I want my money back",
    ("support-desk", "product"): "How do I export my data?",
    ("support-desk", "memory"): "Forget my address",
    ("support-desk", "desk"): "Hello!",
}
"""One for each route of the two packs."""


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    store = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await store.open()
    yield store
    await store.close()


def pack(name: str) -> RouteTable:
    """The routes of a pack, answered by the world's own agent."""
    table = test_packs.pack(name)
    return RouteTable({key: replace(route, agent="") for key, route in table.routes.items()}, table.gates)


def shipped_procedures() -> dict[str, Procedure]:
    """The procedures of the packs, by name."""
    found = [read_procedure(path.read_text("utf-8")) for path in (ROOT / "skills").glob("*/procedure.yaml")]
    return {one.name: one for one in found if isinstance(one, Procedure)}


def script(model: Model, *, forced: bool) -> list[Step]:
    """What a model does in one turn."""
    if model == "fails":
        return [ProviderUnauthorized("no key")] * (2 if forced else 1)
    if not forced:
        return [REPLY]
    call = ToolCall(CallId("c1"), "grounded_lookup", {"question": "numbers"})
    first: dict[Model, Step] = {"obeys": Say("", (call,)), "skips": "", "makes things up": MADE_UP}
    return [first[model], REPLY]


def test_every_route_of_the_packs_has_a_message() -> None:
    every = {(name, route) for name in ("wellbeing", "support-desk") for route in pack(name).routes}
    assert set(MESSAGES) == every - {("wellbeing", "crisis_ruled_out")}, "that one answers a question"


@pytest.mark.parametrize(
    ("said", "routes"),
    [
        (("hello?", "kind of"), ("therapeutic", "crisis_response")),
        (("no", "yes"), ("crisis_ruled_out", "therapeutic")),
        (("a", "b", "c", "yes"), ("therapeutic", "therapeutic", "therapeutic", "therapeutic")),
    ],
)
async def test_the_question_whether_somebody_is_in_danger_stands_for_three_turns_or_until_it_is_answered(
    store: MemoryStore, said: tuple[str, ...], routes: tuple[str, ...]
) -> None:
    home = RouteWorld(store, pack("wellbeing"), ScriptedProvider([REPLY] * 9), (look_up("grounded_lookup", ()),))
    thread = await home.thread()
    for one in ("I just want to disappear", *said):
        await home.say(thread, one)
    taken = [route for what, route in await home.went(thread) if what == "taken"]
    assert taken == ["crisis_clarification", *routes]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("name", "route"), MESSAGES)
async def test_a_turn_of_each_kind_comes_out_as_its_route_says(
    store: MemoryStore, name: str, route: str, model: Model
) -> None:
    table = pack(name)
    chosen = table.routes[route]
    forced = chosen.kind in FORCED
    tools = (look_up("grounded_lookup", (Done(ours(FOUND)),)), look_up("recall", (Done(ours("Tea.")),)))
    home = RouteWorld(store, table, ScriptedProvider(script(model, forced=forced)), tools)
    home.procedures = shipped_procedures()
    thread = await home.thread()
    await home.say(thread, MESSAGES[name, route])
    went = await home.went(thread)
    assert went[0] == ("taken", route)
    shown, (status, _) = await home.shown(thread), await home.status(thread)
    assert MADE_UP not in "\n".join(shown)
    alone = chosen.kind == "incident" and chosen.tools.text_only
    assert ("made" in dict(went)) == (alone or (forced and model != "obeys"))
    fixed = chosen.reply.fixed_text if chosen.kind != "incident" else f"{chosen.reply.fixed_text.strip()}\n\n{FOUND}"
    if alone:
        assert (shown, status, went[-1]) == ([fixed], "done", ("ended tool", route))
        assert not home.provider.requests
    elif chosen.kind == "grounded":
        assert (shown, status, went[-1]) == ([FOUND], "done", ("ended tool", route))
    elif model != "fails":
        assert (shown, status, went[-1]) == ([REPLY], "done", ("ended model", route))
    elif chosen.reply.fixed_text:
        assert (shown, status, went[-1]) == ([fixed], "done", ("ended fixed", route))
    else:
        assert (shown, status) == ([], "failed")


@pytest.mark.parametrize(
    ("name", "route"), [key for key in MESSAGES if pack(key[0]).routes[key[1]].kind == "procedure"]
)
async def test_an_exercise_begins_at_its_first_step_and_waits_there_until_it_is_done(
    store: MemoryStore, name: str, route: str
) -> None:
    home = RouteWorld(store, pack(name), ScriptedProvider([REPLY]))
    home.procedures = shipped_procedures()
    procedure = home.procedures[pack(name).routes[route].procedure]
    thread = await home.thread()
    await home.say(thread, MESSAGES[name, route])
    told = home.provider.requests[0].system[-1]
    assert told.name == "procedure"
    assert procedure.steps[0].instructions in told.words.text
    assert procedure.is_not in told.words.text


def test_incidents_of_the_packs_are_answered_by_no_stand_in_and_have_a_text_for_when_no_model_answers() -> None:
    for name in ("wellbeing", "support-desk"):
        for route in pack(name).routes.values():
            if route.kind in ("incident", "clarify"):
                assert not route.fallback
                assert route.reply.fixed_text
