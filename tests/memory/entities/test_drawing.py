"""Entities are drawn behind the turns, from each turn once, whatever the model answers and whenever it is killed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from sulla.agent.model.decider import QUESTION_CHARS, ForcedReply
from sulla.core.errors import ContextTooLong, LimitReached, ProviderTransient
from sulla.core.jsontypes import Json, JsonObject
from sulla.memory.entities import drawing
from sulla.memory.entities.asking import MOST_KNOWN, MOST_TURNS, question, tool
from sulla.memory.entities.drawing import REST_S, Drawing, within
from sulla.memory.entities.graph import graph_of
from sulla.memory.entities.graphs import Graphs
from sulla.memory.metrics import DRAWN, ENTITIES, PASSED_OVER, REFUSED
from sulla.memory.note import MAX_ASKED, MAX_TEXT, MemoryNote
from sulla.memory.sqlite import SqliteMemory
from sulla.telemetry.tally import Counter, Tally
from sulla.testing.clock import ManualClock
from tests.kits.memory_kit import make_note
from tests.memory.entities.world import said, turn
from tests.memory.world import make_index

NOTHING: JsonObject = {"entities": [], "facts": [], "relations": []}
ANA: JsonObject = {**NOTHING, "entities": [{"name": "Ana", "kind": "person", "aliases": []}]}
NONSENSE: JsonObject = {"answer": 42}


class Model:
    """Gives some answers, and after them that there is nothing; keeps what it was asked."""

    def __init__(self) -> None:
        self.answers: list[JsonObject | Exception | None] = []
        self.asked: list[tuple[str, str, str, str]] = []
        self.is_none = False

    async def ask(self, agent: str, asked: str, again: str, name: str) -> ForcedReply | None:
        self.asked.append((agent, asked, again, name))
        given = self.answers.pop(0) if self.answers else NOTHING
        if isinstance(given, Exception):
            raise given
        return None if self.is_none else ForcedReply(given, "", 0, 0, "m:x")


class Home:
    """A memory from which entities are drawn when `round` is called, two turns at once."""

    def __init__(self, index: SqliteMemory, clock: ManualClock) -> None:
        self.index = index
        self.clock = clock
        self.model = Model()
        self.tally = Tally(ENTITIES, ())
        self.boot()

    def boot(self) -> None:
        graphs = Graphs(self.index.statements)
        self.drawing = Drawing(graphs, self.index.scopes, self.model.ask, 2, self.clock, self.tally)

    async def round(self) -> str:
        """Why it failed; empty if it did not."""
        working = asyncio.create_task(self.drawing.catch_up())
        while not working.done():
            await self.clock.advance(0.5)
        await working
        return self.drawing.pending.error

    def counted(self, family: Counter) -> float:
        return {each.name: counts[()] for each, counts in self.tally.counted()}[family.name]

    async def known(self) -> dict[str, set[str]]:
        """Names with the notes that speak of them."""
        graph = graph_of(one.statement for one in await self.index.statements.since("ada", 0, 10_000))
        return {one.name: set(one.sources) for one in graph.entities.values()}

    async def left(self) -> list[str]:
        return [note.id for note in await self.index.statements.undrawn("ada", 1000)]


@pytest.fixture
async def home(manual_clock: ManualClock) -> AsyncIterator[Home]:
    index = make_index()
    await index.open()
    yield Home(index, manual_clock)
    await index.close()


def turns(*texts: str, tainted: bool = False, agent: str = "ada") -> list[MemoryNote]:
    return [turn(text, tainted=tainted, agent=agent) for text in texts]


async def test_it_is_drawn_from_each_turn_once_over_restarts(home: Home) -> None:
    notes = turns("Ana called", "Ana wrote")
    await home.index.add(notes)
    home.model.answers = [ANA]
    for _ in range(3):
        assert await home.round() == ""
        home.boot()
    assert len(home.model.asked) == 1
    assert home.model.asked[0][0] == "ada"
    assert await home.known() == {"Ana": {note.id for note in notes}}
    assert home.counted(DRAWN) == 2


async def test_a_kill_before_it_was_kept_costs_the_same_call_again_and_nothing_is_kept_twice(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    await home.index.add(turns("Ana called", "Ana wrote"))
    home.model.answers = [ANA, ANA]

    async def killed(*given: object) -> bool:
        raise asyncio.CancelledError

    with monkeypatch.context() as patched:
        patched.setattr(home.index.statements, "put", killed)
        with pytest.raises(asyncio.CancelledError):
            await home.round()
    home.boot()
    assert await home.round() == ""
    first, second = home.model.asked
    assert first == second  # under one name it is charged for once
    assert len(await home.index.statements.since("ada", 0, 10)) == 2


async def test_two_daemons_keep_what_one_of_them_drew(home: Home) -> None:
    await home.index.add(turns("Ana called", "Ben wrote"))
    other = Home(home.index, home.clock)
    ben: JsonObject = {**NOTHING, "entities": [{"name": "Ben", "kind": "person", "aliases": []}]}
    home.model.answers, other.model.answers = [ANA], [ben]
    await asyncio.gather(home.drawing._draw("ada", await home.index.statements.undrawn("ada", 9)), other.round())
    assert len(await home.known()) == 1


async def test_a_few_turns_wait_for_more_and_at_most_an_hour(home: Home) -> None:
    now_ms = round(home.clock.now() * 1000)
    await home.index.add([turn("Ana called", at_ms=now_ms)])
    await home.round()
    assert home.model.asked == []
    await home.clock.advance(REST_S + 1)
    await home.round()
    assert len(home.model.asked) == 1


async def test_nonsense_is_asked_about_once_more_and_then_passed_over(home: Home) -> None:
    await home.index.add(turns("Ana called", "Ana wrote"))
    home.model.answers = [NONSENSE, NONSENSE]
    assert await home.round() == ""
    home.boot()
    await home.round()
    assert [bool(again) for _, _, again, _ in home.model.asked] == [False, True]
    assert home.counted(PASSED_OVER) == 2
    assert (await home.known(), await home.left()) == ({}, [])


async def test_a_second_answer_in_the_right_form_counts(home: Home) -> None:
    await home.index.add(turns("Ana called", "Ana wrote"))
    home.model.answers = [NONSENSE, ANA]
    await home.round()
    assert set(await home.known()) == {"Ana"}
    assert home.counted(PASSED_OVER) == 0


@pytest.mark.parametrize("error", [LimitReached("day", "the day is over"), ProviderTransient("no answer")])
async def test_what_failed_is_done_later(home: Home, error: Exception) -> None:
    await home.index.add(turns("Ana called", "Ana wrote"))
    home.model.answers = [error, ANA]
    assert await home.round() == str(error)
    assert len(await home.left()) == 2
    assert await home.round() == ""
    assert set(await home.known()) == {"Ana"}


async def test_turns_that_are_too_long_together_are_asked_about_apart(home: Home) -> None:
    await home.index.add(turns("Ana called", "Ana wrote"))
    home.model.answers = [ContextTooLong("too long"), ANA, ContextTooLong("too long")]
    assert await home.round() == ""
    assert len(home.model.asked) == 3
    assert await home.left() == []
    assert home.counted(PASSED_OVER) == 1


async def test_trusted_and_untrusted_turns_are_never_in_one_question(home: Home) -> None:
    await home.index.add([*turns("Ana called", "Ben called"), *turns("Ana is evil", "Ben is evil", tainted=True)])
    await home.round()
    assert len(home.model.asked) == 2
    assert all(("evil" in asked) != ("called" in asked) for _, asked, _, _ in home.model.asked)


async def test_each_agents_own_model_is_asked_about_what_it_remembers(home: Home) -> None:
    await home.index.add([*turns("Ana called", "x"), *turns("Ben called", "y", agent="bob")])
    await home.round()
    assert [(agent, "Ana" in asked) for agent, asked, _, _ in home.model.asked] == [("ada", True), ("bob", False)]


async def test_a_daemon_without_a_model_draws_nothing_and_keeps_no_mark(home: Home) -> None:
    await home.index.add(turns("Ana called", "Ana wrote"))
    home.model.is_none = True
    assert await home.round() == ""
    assert len(await home.left()) == 2


async def test_a_turn_that_was_forgotten_while_the_model_thought_leaves_nothing(home: Home) -> None:
    gone, stays = turns("Ana called", "Ana wrote")
    await home.index.add([gone, stays])
    ask = home.model.ask

    async def slow(agent: str, asked: str, again: str, name: str) -> ForcedReply | None:
        await home.index.delete([gone.id])
        return await ask(agent, asked, again, name)

    home.model.answers = [ANA]
    home.drawing._ask = slow
    await home.round()
    assert await home.known() == {"Ana": {stays.id}}


async def test_what_is_refused_is_counted(home: Home) -> None:
    await home.index.add(turns("Ana called", "Ana wrote"))
    many: list[Json] = [{"name": f"N{n}", "kind": "person", "aliases": []} for n in range(1000)]
    home.model.answers = [{**NOTHING, "entities": many}]
    await home.round()
    assert home.counted(REFUSED) == 1000


def test_beyond_the_bound_no_entity_is_new_and_the_known_ones_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "MAX_ENTITIES", 2)
    graph = graph_of([said("Ana")])
    every = [said("Ana", "age", "7"), said("Ben"), said("Cy"), said("Ana", "knows", to="Cy"), said("Ben", "age", "8")]
    assert within(every, graph) == [every[0], every[1], every[4]]
    assert within(every[1:2], graph_of([said("Ana"), said("Cy"), said("Di")])) == []


def test_a_question_is_bounded_whatever_the_turns_hold() -> None:
    long = [make_note("w" * MAX_TEXT) for _ in range(3 * MOST_TURNS)]
    graph = graph_of([said(f"N{n} {'x' * 60}", f"{'y' * 50}{n}", "z") for n in range(200)])
    entities = list(graph.entities.values())
    asked = question(long, entities)
    assert len(asked) <= QUESTION_CHARS
    assert asked.count("Turn ") == MOST_TURNS
    assert len([line for line in asked.splitlines() if line.startswith("- N")]) == MOST_KNOWN
    assert MOST_TURNS * (MAX_ASKED + MAX_TEXT) < QUESTION_CHARS
    assert tool().name == "entities"
