"""A person is led through a procedure over turns: what they reply moves it, side questions and gates do not, and it
goes on after days and deaths.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import pytest

from sulla.core.errors import ProviderUnauthorized
from sulla.core.ids import CallId, ThreadId
from sulla.core.message import ToolCall
from sulla.procedures.reading import read_procedure
from sulla.procedures.slice import PROCEDURES, ProcedureMoved
from sulla.routes.judging import VERDICT
from sulla.routes.node import NOT_NOW
from sulla.routes.plan import Gate, GateFacts, RouteTable, route_from
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.mortal import Killed, Mortal
from sulla.testing.provider import Say, ScriptedProvider, Step
from tests.routes.test_crashes import PlaysByForce
from tests.routes.test_node import FIXED, last_fault
from tests.routes.world import RouteWorld

TEA = """
name: tea
title: making tea
description: Three steps to a cup of tea.
steps:
  - id: water
    title: boil water
    instructions: Have the person boil water.
    done_when:
      phrases: [it boils]
  - id: leaves
    title: choose leaves
    instructions: Ask which leaves the person takes.
    keep: true
  - id: drink
    title: drink
    instructions: Ask the person to drink it.
"""


def procedure() -> Any:
    found = read_procedure(TEA)
    assert not isinstance(found, tuple), found
    return found


def table() -> RouteTable:
    routes = (
        route_from({"name": "tea", "kind": "procedure", "procedure": "tea"}),
        route_from({"name": "fire", "kind": "incident", "fixed_text": FIXED}),
        route_from({"name": "smell", "kind": "clarify"}),
        route_from({"name": "clock", "kind": "memory"}),
        route_from({"name": "usual", "kind": "default"}),
    )
    gates = (
        Gate("wants tea", "tea", any=("make tea",), facts=GateFacts(procedure=False)),
        Gate("fire", "fire", any=("on fire",)),
        Gate("smell", "smell", any=("smells odd",)),
        Gate("clock", "clock", any=("what time",)),
    )
    return RouteTable(MappingProxyType({route.name: route for route in routes}), gates)


def home_of(store: Any, provider: ScriptedProvider, boot: int = 1) -> RouteWorld:
    home = RouteWorld(store, table(), provider, boot=boot)
    home.procedures["tea"] = procedure()
    return home


def judges(verdict: str) -> Say:
    return Say("", (ToolCall(CallId("v"), VERDICT, {"verdict": verdict}),))


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    store = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await store.open()
    yield store
    await store.close()


async def place(home: RouteWorld, thread: ThreadId) -> tuple[str, str]:
    """Whether the procedure is open, and at which step."""
    _, state = await home.threads.get(thread)
    assert state is not None
    kept = PROCEDURES.of(state)
    return (kept.status, kept.step) if kept is not None else ("", "")


async def moves(home: RouteWorld, thread: ThreadId) -> list[str]:
    return [entry.fact.what for entry in await home.log(thread) if isinstance(entry.fact, ProcedureMoved)]


def told(home: RouteWorld) -> str:
    """What the newest request said of the procedure."""
    return next((one.text for one in home.provider.requests[-1].system if one.name == "procedure"), "")


async def test_it_is_led_step_by_step_to_its_end(store: MemoryStore) -> None:
    script: list[Step] = [
        "Boil some water.",
        "Which leaves?",
        judges("complete"),
        "Now drink.",
        judges("complete"),
        "Well done.",
    ]
    home = home_of(store, ScriptedProvider(script))
    thread = await home.thread()
    for said, there in (
        ("Help me make tea.", ("active", "water")),
        ("It boils!", ("active", "leaves")),
        ("Assam", ("active", "drink")),
        ("I have.", ("done", "drink")),
    ):
        await home.say(thread, said)
        assert await place(home, thread) == there
    assert await home.shown(thread) == ["Boil some water.", "Which leaves?", "Now drink.", "Well done."]
    assert "Assam" in told(home)
    assert await moves(home, thread) == ["started", "completed", "completed", "finished"]


async def test_a_procedure_whose_first_turn_fails_has_not_begun(store: MemoryStore) -> None:
    home = home_of(store, ScriptedProvider([ProviderUnauthorized("no key"), "Hello.", "Boil some water."]))
    thread = await home.thread()
    await home.say(thread, "Help me make tea.")
    assert (await home.status(thread))[0] == "failed"
    assert await moves(home, thread) == ["started", "left"]
    await home.say(thread, "It boils!")
    assert told(home) == ""
    await home.say(thread, "Help me make tea.")
    assert await place(home, thread) == ("active", "water")


async def test_one_that_fails_later_stays_at_its_step(store: MemoryStore) -> None:
    home = home_of(store, ScriptedProvider(["Boil.", ProviderUnauthorized("no key")]))
    thread = await home.thread()
    await home.say(thread, "Help me make tea.")
    await home.say(thread, "It boils!")
    assert await place(home, thread) == ("active", "leaves")


async def test_what_the_words_say_asks_no_model_to_judge(store: MemoryStore) -> None:
    home = home_of(store, ScriptedProvider(["Boil.", "Which leaves?"]))
    thread = await home.thread()
    await home.say(thread, "Help me make tea.")
    await home.say(thread, "It boils!")
    assert [request.force for request in home.provider.requests] == ["", ""]


@pytest.mark.parametrize(
    "verdict",
    [
        pytest.param((judges("hold"),), id="it holds"),
        pytest.param((judges("side_question"),), id="a side question"),
        pytest.param((judges("nonsense"), judges("more nonsense")), id="no verdict"),
        pytest.param(("I think so.", "Really."), id="words in the place of a verdict"),
        pytest.param((ProviderUnauthorized("no key"),), id="the judge fails"),
    ],
)
async def test_what_is_not_sure_holds_it_where_it_is(store: MemoryStore, verdict: tuple[Step, ...]) -> None:
    home = home_of(store, ScriptedProvider(["Boil.", *verdict, "Let us go on: boil the water."]))
    thread = await home.thread()
    await home.say(thread, "Help me make tea.")
    await home.say(thread, "Hm, what is a kettle?")
    assert await place(home, thread) == ("active", "water")
    assert (await home.shown(thread))[-1] == "Let us go on: boil the water."
    assert home.provider.requests[-1].messages[-1].role != "assistant"


async def test_a_person_leaves_it_with_a_word(store: MemoryStore) -> None:
    home = home_of(store, ScriptedProvider(["Boil.", "All right."]))
    thread = await home.thread()
    await home.say(thread, "Help me make tea.")
    await home.say(thread, "Stop the exercise.")
    assert (await place(home, thread))[0] == "left"


async def test_an_incident_comes_first_and_the_procedure_waits(store: MemoryStore) -> None:
    home = home_of(store, ScriptedProvider(["Boil.", "Call 112.", "Which leaves?"]))
    thread = await home.thread()
    await home.say(thread, "Help me make tea.")
    await home.say(thread, "It boils, and the kitchen is on fire!")
    assert await place(home, thread) == ("aside", "water")
    assert told(home) == ""


@pytest.mark.parametrize("grave", ["the kitchen is on fire", "it smells odd"])
@pytest.mark.parametrize("again", ["ok, let's continue", "I want to make tea"])
async def test_behind_something_grave_nothing_is_a_reply_until_the_person_asks_for_it(
    store: MemoryStore, grave: str, again: str
) -> None:
    home = home_of(store, ScriptedProvider(["Boil.", "Call 112.", "I am here.", "Yes?", "The water.", "Which leaves?"]))
    thread = await home.thread()
    await home.say(thread, "Help me make tea.")
    await home.say(thread, grave)
    for said in ("It boils.", "please help me"):
        await home.say(thread, said)
        assert await place(home, thread) == ("aside", "water")
        assert told(home) == ""
        assert (await home.went(thread))[-1] == ("ended model", "usual")
    await home.say(thread, again)
    assert await place(home, thread) == ("active", "water")
    assert "boil water" in told(home)
    await home.say(thread, "It boils.")
    assert await place(home, thread) == ("active", "leaves")
    assert await moves(home, thread) == ["started", "set_aside", "resumed", "completed"]


async def test_behind_another_gate_it_goes_on_with_the_next_message(store: MemoryStore) -> None:
    home = home_of(store, ScriptedProvider(["Boil.", "At nine.", "Which leaves?"]))
    thread = await home.thread()
    await home.say(thread, "Help me make tea.")
    await home.say(thread, "What time is it?")
    assert await place(home, thread) == ("paused", "water")
    await home.say(thread, "It boils.")
    assert await place(home, thread) == ("active", "leaves")


async def test_whoever_comes_back_after_days_is_told_where_they_were(store: MemoryStore) -> None:
    home = home_of(store, ScriptedProvider(["Boil.", "We were at the water."]))
    thread = await home.thread()
    await home.say(thread, "Help me make tea.")
    await cast("ManualClock", home.clock).advance(3 * 86_400)
    await home.say(thread, "Hi, here I am again")
    assert await moves(home, thread) == ["started", "resumed"]
    assert "boil water" in told(home)


async def test_words_that_are_passed_on_move_nothing(store: MemoryStore) -> None:
    home = home_of(store, ScriptedProvider(["Boil.", "Go on."]))
    thread = await home.thread()
    await home.say(thread, "Help me make tea.")
    await home.offer(thread, "what does she mean?", quoted="It boils!")
    await home.work()
    assert await place(home, thread) == ("active", "water")


async def test_a_procedure_that_is_not_there_fails_the_turn_and_is_named(store: MemoryStore) -> None:
    home = home_of(store, ScriptedProvider())
    home.procedures.clear()
    thread = await home.thread()
    await home.say(thread, "Help me make tea.")
    assert (await home.status(thread))[1] == NOT_NOW
    assert "begins the procedure 'tea', which is not there" in await last_fault(home, thread)


async def test_a_file_that_goes_away_holds_an_open_procedure(store: MemoryStore) -> None:
    home = home_of(store, ScriptedProvider(["Boil.", "I lost my notes."]))
    thread = await home.thread()
    await home.say(thread, "Help me make tea.")
    home.procedures.clear()
    await home.say(thread, "It boils!")
    assert await place(home, thread) == ("active", "water")


async def test_without_routes_an_open_procedure_goes_on(store: MemoryStore) -> None:
    home = home_of(store, ScriptedProvider(["Boil.", "Which leaves?"]))
    thread = await home.thread()
    await home.say(thread, "Help me make tea.")
    home.table = None
    await home.say(thread, "It boils!")
    assert await place(home, thread) == ("active", "leaves")


WRITES = 3


@pytest.mark.parametrize("at", range(1, WRITES + 1))
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
async def test_after_a_death_at_any_write_it_goes_on_at_its_step(store: MemoryStore, at: int, after: bool) -> None:
    plays: dict[str, Step] = {VERDICT: judges("complete"), "": "Now drink."}
    home = home_of(store, PlaysByForce(plays))
    thread = await home.thread()
    await home.say(thread, "Help me make tea.")
    await home.say(thread, "It boils.")
    await home.offer(thread, "Assam, I think")
    mortal: Any = Mortal(store, at, after=after, changes=("append",))
    try:
        await home_of(mortal, PlaysByForce(plays), 2).work()
    except* Killed:
        assert mortal.dead
    assert mortal.dead
    later = home_of(store, PlaysByForce(plays), 3)
    await later.work()
    assert await moves(later, thread) == ["started", "completed", "completed"]
    assert await place(later, thread) == ("active", "drink")
    assert (await later.shown(thread))[-1] == "Now drink."


async def test_a_judged_turn_takes_so_many_writes(store: MemoryStore) -> None:
    plays: dict[str, Step] = {VERDICT: judges("complete"), "": "Now drink."}
    home = home_of(store, PlaysByForce(plays))
    thread = await home.thread()
    await home.say(thread, "Help me make tea.")
    await home.say(thread, "It boils.")
    await home.offer(thread, "Assam, I think")
    mortal: Any = Mortal(store, 10_000, after=True, changes=("append",))
    await home_of(mortal, PlaysByForce(plays), 2).work()
    assert 10_000 - mortal._left == WRITES


def test_the_shipped_procedures_can_be_read() -> None:
    files = sorted((Path(__file__).parents[2] / "skills").glob("*/procedure.yaml"))
    assert len(files) >= 4
    for file in files:
        assert not isinstance(read_procedure(file.read_text("utf-8")), tuple), file
