"""No playbook starts itself through events: what playbooks set off gives none, and a chain of them has an end."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from sulla.agent.turn.actor import Actor, actor_key
from sulla.core.errors import CorruptRecord
from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.core.jsontypes import FrozenJson
from sulla.core.message import Origin, ToolCall
from sulla.core.words import Author, ours
from sulla.heartbeat.beats import BeatEnded, BeatStarted
from sulla.models.base import ChatRequest, Delta
from sulla.playbooks.catalog import PlaybookCatalog
from sulla.playbooks.events import MOST_CHAINED
from sulla.playbooks.rpc_forms import PlayRow
from sulla.playbooks.run.late_node import create_playbook_graph
from sulla.playbooks.run.node import PlaybookNode
from sulla.playbooks.service import Begin
from sulla.playbooks.stored_runs import StoredRuns
from sulla.playbooks.thread_kind import chain_of
from sulla.playbooks.triggers.events import event_follower, messages_of
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.threads.log.plays import PLAYBOOK
from sulla.threads.log.records import Answer, Input, Outcome, RunFinished, RunStarted, ThreadCreated
from sulla.tools.base import Done, Result, ToolContext
from sulla.tools.define import define
from tests.doubles.play_world import PlayWorld
from tests.schedules.town import make_id
from tests.threads.rounds import round_of

EVENTS: Final = (
    "on: [manual, {event: run.finished}, {event: run.failed}, {event: run.waiting}, {event: heartbeat.ended}]"
)
PLAIN: Final = "steps: [{id: s, respond: hi}]"
ASKS: Final = "steps: [{id: s, prompt: what now?}]"
SAID: Final = "Told. <AGENT_DONE><STATUS_REPORT>ok</STATUS_REPORT></AGENT_DONE>"


class Agent:
    """Plays every model: answers what playbooks ask of it, and else is done."""

    def __init__(self) -> None:
        self.name = "model"
        self.forced: list[str] = []
        self.answers: dict[str, FrozenJson] = {
            "reply": {"reply": "green"},
            "review_before": {"verdict": "go", "notes": ""},
            "review_after": {"verdict": "approve", "notes": ""},
            "check_call": {"verdict": "confirm", "notes": ""},
        }
        self.looks = 0
        """How often it looks before it is done."""

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        say: Say | str = SAID
        if request.force:
            self.forced.append(request.force)
            say = Say("", (ToolCall(CallId("c"), request.force, self.answers[request.force]),))
        elif self.looks:
            self.looks -= 1
            say = Say("", (ToolCall(CallId(f"look{self.looks}"), "look", {}),))
        async for delta in ScriptedProvider([say]).stream(request):
            yield delta

    async def close(self) -> None: ...


class Home:
    """A daemon's threads, its playbooks in files, and what begins them at events."""

    def __init__(self, folder: Path, store: MemoryStore, clock: ManualClock) -> None:
        self.folder = folder
        self.clock = clock
        self.agent = Agent()
        self.catalog = PlaybookCatalog([folder], lambda: self.catalog.known)
        tools = (define(self.look, effect="pure"), define(self.shout, effect="once", reach="inward"))
        self.world = PlayWorld(store, self.agent, {}, tools=tools, clock=clock)
        self.desk = StoredRuns(
            self.world.threads, self.catalog, clock, make_id, lambda: ("sulla",), lambda _: None, lambda: 0
        )
        key = actor_key("sulla", graph=PLAYBOOK)
        effects = replace(self.world.effects, successors=self.desk, catalog=self.desk)
        self.world.actors[key] = Actor(
            self.world.actors[key].spec, "", create_playbook_graph(PlaybookNode(effects, self.world.lanes))
        )
        self.events = event_follower(self.catalog, self.desk, self.world.threads, store, clock)
        self.steers: list[Input] = []
        self._said = 0

    async def look(self, context: ToolContext) -> Result:
        """Look, while a person says what is in `steers`."""
        for said in self.steers:
            await self.world.threads.send(context.thread_id, said)
        return Done(ours("seen"))

    async def shout(self, context: ToolContext) -> Result:
        """Lead round what keeps playbooks apart: say something in a conversation as if a person had."""
        state = await self.world.now(context.thread_id)
        thread = await self.world.thread()
        said = Input(MessageId("m"), "go on", chain=chain_of(state))
        await self.world.threads.send(thread, said)
        return Done(ours("said"))

    def playbook(self, name: str, rest: str, on: str = EVENTS) -> None:
        (self.folder / f"{name}.yaml").write_text(f"name: {name}\n{on}\n{rest}\n")

    async def listen(self) -> None:
        await self.catalog.look()
        assert all(one.definition is not None for one in self.catalog.playbooks.values()), self.catalog.playbooks
        await self.settle()

    async def settle(self) -> None:
        """Let everything go on until it rests, or for so long that a circle would show."""
        for _ in range(4 * MOST_CHAINED):
            await self.world.work()
            for info, _state in await self.world.threads.list(limit=1000):
                self.events.wake(ThreadId(info.key))
            assert await round_of(self.events, self.clock), self.events.error

    async def say(self, thread: ThreadId, text: str = "hello") -> None:
        """A person says something."""
        self._said += 1
        await self.world.threads.send(thread, Input(MessageId(f"said{self._said}"), text))
        await self.settle()

    async def ask(self) -> ThreadId:
        """A person says something in a new conversation."""
        thread = await self.world.thread()
        await self.say(thread)
        return thread

    async def runs(self, *triggers: str) -> list[PlayRow]:
        """The runs of playbooks, those that one of these has started if any are given."""
        return [row for row in await self.desk.runs(limit=1000) if not triggers or row.trigger in triggers]


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    clock = ManualClock()
    store = MemoryStore(clock, make_id)
    await store.open()
    yield Home(tmp_path, store, clock)
    await store.close()


@pytest.mark.parametrize(
    ("steps", "forced"),
    [
        (ASKS, ["reply"]),
        ("steps: [{id: s, agent: sulla, prompt: do it}]", []),
        ("steps: [{id: s, agent: sulla, prompt: do it, before: look first}]", ["review_before"]),
        ("steps: [{id: s, agent: sulla, prompt: do it, after: note it}]", ["review_after"]),
        ("steps: [{id: s, tool: look, check: orchestrator}]", ["check_call"]),
        (PLAIN, []),
        ("steps: [{id: s, tool: look}, {id: t, needs: [s], prompt: what now?}]", ["reply"]),
    ],
)
async def test_a_playbook_that_waits_for_turns_runs_once_for_each_that_a_person_has(
    home: Home, steps: str, forced: list[str]
) -> None:
    home.playbook("loopy", steps)
    await home.listen()
    thread = await home.ask()
    assert [(row.trigger, row.status, row.chain) for row in await home.runs()] == [("event", "completed", 1)]
    assert home.agent.forced == forced
    await home.say(thread)
    assert len(await home.runs()) == 2


async def test_a_question_that_is_not_answered_starts_nothing(home: Home) -> None:
    home.playbook("loopy", "steps: [{id: s, prompt: what now?, retry: {tries: 1}}]")
    home.agent.answers["reply"] = {"nothing": 1}
    await home.listen()
    await home.ask()
    assert [(row.trigger, row.status) for row in await home.runs()] == [("event", "failed")]


async def test_a_question_to_people_and_its_answer_start_nothing(home: Home) -> None:
    home.playbook("loopy", "steps: [{id: s, human: May I?}, {id: t, needs: [s.yes], prompt: what now?}]")
    await home.listen()
    await home.ask()
    (row,) = await home.runs()
    assert (row.trigger, row.status) == ("event", "waiting")
    state = await home.world.now(ThreadId(row.run))
    assert state.run is not None
    (wait,) = [wait for wait in state.run.waits.values() if wait.prompt]
    await home.world.threads.answer(ThreadId(row.run), Answer(wait.wait_id, "", "approve"))
    await home.settle()
    assert [row.status for row in await home.runs()] == ["completed"]


async def test_who_hands_over_or_has_another_do_part_of_it_starts_nothing_beside(home: Home) -> None:
    home.playbook("over", "steps: [{id: s, prompt: first?}, {id: t, needs: [s], transfer: next}]")
    home.playbook("outer", "steps: [{id: s, playbook: next}]")
    home.playbook("next", ASKS, on="on: manual")
    await home.listen()
    await home.ask()
    found = sorted((row.playbook, row.trigger, row.status, row.chain) for row in await home.runs())
    assert found == [
        ("next", "playbook", "completed", 1),
        ("next", "transfer", "completed", 1),
        ("outer", "event", "completed", 1),
        ("over", "event", "transferred", 1),
    ]


@pytest.mark.parametrize("steps", [ASKS, "steps: [{id: s, tool: look}]"])
async def test_what_a_playbook_asks_and_tells_in_a_persons_conversation_is_not_what_the_person_says(
    home: Home, steps: str
) -> None:
    home.playbook("helper", steps, on="on: manual")
    home.playbook("loopy", PLAIN)
    await home.listen()
    thread = await home.world.thread()
    await home.desk.start(Begin("helper", thread=thread, by=Author.PERSON), "k")
    await home.settle()
    (row,) = await home.runs()
    assert (row.playbook, row.status) == ("helper", "completed")
    turns = [entry.kind for entry in await home.world.log(thread)].count("RUN_FINISHED")
    assert turns == 2 if "prompt" in steps else turns == 1
    await home.say(thread)
    assert [row.playbook for row in await home.runs("event")] == ["loopy"]


async def test_what_a_person_says_in_a_playbooks_own_conversation_counts(home: Home) -> None:
    home.playbook("loopy", ASKS)
    await home.listen()
    asked = await home.ask()
    infos = await home.world.threads.list(limit=100)
    (own,) = [state.thread_id for _, state in infos if state and not state.identity.graph and state.thread_id != asked]
    await home.say(own)
    assert [row.chain for row in await home.runs()] == [1, 1]


async def test_what_a_person_says_into_a_playbooks_turn_makes_it_theirs(home: Home) -> None:
    home.playbook("loopy", PLAIN)
    await home.listen()
    thread = await home.world.thread()
    home.agent.looks = 1
    home.steers = [Input(MessageId("steers"), "and this", "steer")]
    await home.world.threads.send(thread, Input(MessageId("told"), "[The playbook x has ended.]", origin="playbook"))
    await home.settle()
    kinds = [entry.kind for entry in await home.world.log(thread)]
    assert kinds.count("INPUTS_JOINED") == 1
    assert [row.chain for row in await home.runs()] == [1]


async def test_a_long_turn_is_known_by_the_message_that_it_began_with(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sulla.playbooks.triggers.events._TURN", 1)
    home.playbook("loopy", ASKS)
    await home.listen()
    home.agent.looks = 5
    await home.ask()
    assert [row.trigger for row in await home.runs()] == ["event"]


async def test_a_chain_of_events_ends_though_something_leads_round_what_keeps_playbooks_apart(
    home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    home.playbook("circle", "steps: [{id: s, tool: shout}]")
    await home.listen()
    with caplog.at_level(logging.WARNING):
        await home.ask()
    assert sorted(row.chain for row in await home.runs()) == list(range(1, MOST_CHAINED + 1))
    (said,) = [record.getMessage() for record in caplog.records if "chain of events" in record.getMessage()]
    assert f"starts no playbook: it is number {MOST_CHAINED + 1} in a chain of events" in said
    await home.ask()
    assert len(await home.runs()) == 2 * MOST_CHAINED  # a person begins another chain


@pytest.mark.parametrize(
    ("origin", "chain", "runs"),
    [("beat", 0, 1), ("beat", MOST_CHAINED - 1, 1), ("beat", MOST_CHAINED, 0), ("playbook", 0, 0)],
)
async def test_a_beat_starts_playbooks_as_a_turn_does(home: Home, origin: Origin, chain: int, runs: int) -> None:
    home.playbook("loopy", PLAIN)
    await home.listen()
    thread = await home.world.threads.create(ThreadCreated("sulla", "Heartbeat", graph="heartbeat"))
    sent = await home.world.threads.send(thread, Input(MessageId("wake"), "", origin=origin, chain=chain))
    session = await home.world.threads.attend(thread)
    assert session is not None
    begun = RunStarted(sent.seq, MessageId("wake")), BeatStarted(1, "tasks")
    await session.commit(*begun, BeatEnded("done", 1), RunFinished(sent.run_id, Outcome("done")))
    await session.release()
    await home.settle()
    assert [row.chain for row in await home.runs()] == [chain + 1] * runs


async def test_a_turn_that_failed_before_it_began_is_known_by_its_message(home: Home) -> None:
    thread = await home.world.thread()
    sent = await home.world.threads.send(thread, Input(MessageId("m"), "hello", origin="playbook", chain=2))
    (found,) = await messages_of(home.world.threads, thread, sent.run_id, sent.seq)
    assert (found.message_id, found.chain) == ("m", 2)
    with pytest.raises(CorruptRecord, match="the turn run_none has no message that it began with"):
        await messages_of(home.world.threads, thread, RunId("run_none"), sent.seq)


ON_FAILURE: Final = "on: {event: playbook.failed}"
FAILS: Final = "steps: [{id: s, fail: 'no report for ${{ run.payload.playbook }}'}]"


async def test_a_failed_run_starts_what_waits_for_it_and_says_what_failed(home: Home) -> None:
    home.playbook("report", FAILS, on="on: manual")
    home.playbook("fine", PLAIN, on="on: manual")
    home.playbook(
        "alarm",
        "steps: [{id: s, set: {text: '${{ run.payload.text }}'}}]\noutputs: {p: '${{ run.payload }}'}",
        on=ON_FAILURE,
    )
    await home.listen()
    failed = await home.desk.start(Begin("report", payload={"playbook": "x"}, by=Author.PERSON), "a")
    await home.desk.start(Begin("fine", by=Author.PERSON), "b")
    await home.settle()
    (row,) = await home.runs("event")
    assert (row.playbook, row.status, row.chain) == ("alarm", "completed", 1)
    told = (await home.desk.status(row.run)).outputs["p"]
    assert isinstance(told, dict)
    assert {name: told[name] for name in ("event", "playbook", "run", "status", "trigger", "text")} == {
        "event": "playbook.failed",
        "playbook": "report",
        "run": failed.run,
        "status": "failed",
        "trigger": "manual",
        "text": "step 's' failed: no report for x",
    }


async def test_an_alarm_that_fails_does_not_start_itself_and_alarms_about_alarms_end(home: Home) -> None:
    home.playbook("first", FAILS, on="on: manual")
    for name in ("alarm", "other"):
        home.playbook(name, FAILS, on=ON_FAILURE)
    await home.listen()
    await home.desk.start(Begin("first", payload={"playbook": "x"}, by=Author.PERSON), "a")
    await home.settle()
    begun = [(row.playbook, row.chain) for row in await home.runs("event")]
    assert sorted(begun, key=lambda one: (one[1], one[0])) == [
        ("alarm", 1), ("other", 1), ("alarm", 2), ("other", 2), ("alarm", 3), ("other", 3)
    ]  # fmt: skip


async def test_a_step_that_is_a_playbook_of_its_own_is_not_told_of_by_itself(home: Home) -> None:
    home.playbook("inner", "steps: [{id: s, fail: no}]", on="on: manual")
    home.playbook("outer", "steps: [{id: s, playbook: inner, on_failure: go_on}]", on="on: manual")
    home.playbook("alarm", PLAIN, on=ON_FAILURE)
    await home.listen()
    await home.desk.start(Begin("outer", by=Author.PERSON), "a")
    await home.settle()
    assert await home.runs("event") == []
