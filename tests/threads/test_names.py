"""docs/inside/thread-state.md covers every field of the seed; over a real run each is what it says, and is read."""

from __future__ import annotations

import ast
import asyncio
import re
from collections import defaultdict
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sulla.agent.approvals.open_questions import OpenQuestions
from sulla.agent.calls.calls import ToolCalls
from sulla.agent.calls.guard import CallGuard
from sulla.agent.model.reminders import NUDGE
from sulla.agent.turn.actor import Actor
from sulla.agent.turn.graph import create_general_graph
from sulla.agent.turn.input import InputHandler
from sulla.agent.turn.node import AgentNode
from sulla.core.control import Control
from sulla.core.ids import NodeId, ThreadId
from sulla.core.run import Run
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.graph.decision import Decision
from sulla.graph.draft import GraphDraft
from sulla.heartbeat.graph import create_overlord_graph
from sulla.heartbeat.slice import BEATS
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider
from sulla.testing.store import FaultyStore, Touch
from sulla.testing.world import World
from sulla.threads.head import from_head
from sulla.threads.log.family import RunRef
from sulla.threads.log.records import Answer, ModelStarted, ThreadCreated
from sulla.threads.log.state import ThreadState
from sulla.threads.log.transcript import Transcript
from sulla.tools.registry import Toolbox
from tests.agent.turn.test_turns import Hands, call
from tests.heartbeat.test_node import DONE, MORE, STUCK, Heart
from tests.house.source import ROOT, python_files, syntax
from tests.playbooks.test_stored_runs import Home

SEED = """
threadId wsChannel conversationId action cycleComplete waitingForUser isSubAgent currentNodeId consecutiveSameNode
iterations llmModel llmLocal activeWorkflow options.abort agent.status agent.status_report agent.response
agent.blocker_reason
agent.unblock_requirements agent.updatedAt agentLoopCount
activeProjects availableSkills agentsContext heartbeatCycleCount heartbeatMaxCycles heartbeatStatus
heartbeatLastCycleSummary currentFocus focusReason
""".split()
BEGUN_MS = 1_800_000_000_000
"""When it all begins, by the clock of these tests; a minute passes between two messages of the talk."""
SAID = ["begin now", "More.", "Continue.", "Who?", "tool", "I cannot."]
ANSWERED = ["and now?", "It is done.", NUDGE.partition("<")[0]]
GARDEN = "- garden (active, p2): Garden; 2 open, 0 blocked, 0 done, last touched 2026-01-01T00:00:00Z"

COURSES: dict[str, dict[str, list[object]]] = {
    "talk": {
        "ModelContext.transcript": [
            *(["begin\x00 now"], SAID[:1], SAID[:2], SAID[:4], SAID[:5], SAID),
            *([*SAID, "and now?"], [*SAID, *ANSWERED[:2]], [*SAID, *ANSWERED], [*SAID, *ANSWERED, "tell me a story"]),
        ],
        "NewestRun.agent_loops": [0, 1, 0],
        "NewestRun.diagnostics": [{}, {"sanitized": True, "removed": {"control": 1}}, {}],
        "NewestRun.model": ["", "scripted"],
        "Outcome.blocker_reason": ["", "no key", ""],
        "Outcome.response": ["", "ticked one", ""],
        "Outcome.status": ["in_progress", "continue", "blocked", "in_progress", "done", "in_progress", "cancelled"],
        "Outcome.status_report": ["", "half way", ""],
        "Outcome.unblock_requirements": ["", "a key", ""],
        "Outcome.updated_at_ms": [0, BEGUN_MS, BEGUN_MS + 60_000, BEGUN_MS + 120_000],
        "Run.control": [None, "stopped"],
        "RunModelCalls.open_call": [None, *["reply", None] * 4, "nudge", None, "reply"],
        "ThreadIdentity.channel": ["sulla-desktop"],
        "ThreadLinks.active_work": [None],
        "ThreadState.is_child": [False],
        "ThreadState.thread_id": ["thr_1_1"],
        # Of the first run: the input's node, and the agent's three times, at last after the answer.
        "ThreadWalk.iterations": [0, 1, 2, 3, 4, 1, 2, 3, 1, 2],
        "ThreadWalk.consecutive_same_node": [0, 1, 0, 1, 0],
        "ThreadWalk.cycle_complete": [False, True, False, True, False, True],
        "ThreadWalk.node": ["", *["input_handler", "agent", ""] * 3],
        "ThreadWalk.waiting_for_user": [False, True, False],
    },
    "played": {"ThreadLinks.active_work": [None, ("playbook", True)], "ThreadState.is_child": [False]},
    "nap": {"ThreadWalk.node": ["", "playbook"], "ThreadWalk.waiting_for_user": [False, True]},
    "heartbeat": {
        "BeatState.agents": ["- sulla"],
        "BeatState.cycle": [1, 2],
        "BeatState.focus": ["garden"],
        "BeatState.focus_reason": ["2 open tasks, untouched since 2026-01-01T00:00:00Z"],
        "BeatState.max_cycles": [10],
        "BeatState.projects": [GARDEN],
        "BeatState.skills": ["- notes: takes notes"],
        "BeatState.status": ["running", "done"],
        "BeatState.summary": ["", "half way", "ticked one"],
        "ThreadState.is_child": [False],
        "ThreadWalk.node": ["", "heartbeat", ""],
    },
    "beat 1, cycle 1": {"ThreadState.is_child": [True], "Outcome.status": ["in_progress", "continue"]},
    "beat 1, cycle 2": {"ThreadState.is_child": [True], "Outcome.status": ["in_progress", "done"]},
}
"""By thread's title and by field: what it is over the run of `lived`, each time that it changes."""
KEEPERS = {"state", "inputs", "family", "open_run", "head", "fold", "fold_offer", "fold_answer"}
"""The files of `sulla/threads` that only fill and keep what a thread is."""
RECEIVERS = {
    "ThreadState": {"state"},
    "ThreadIdentity": {"identity"},
    "ThreadLinks": {"links"},
    "NewestRun": {"newest"},
    "ThreadWalk": {"walk"},
    "ModelContext": {"context"},
    "BeatState": {"beat"},
    "RunModelCalls": {"model"},
    "Outcome": {"outcome"},
    "Run": {"run"},
}
"""What values of these classes are called where they are read."""


def rows() -> dict[str, str]:
    text = (ROOT / "docs" / "inside" / "thread-state.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", text, re.MULTILINE))


OURS = sorted(set(rows().values()))


def shown(value: object) -> object:
    """A field's value, or what there is to see of it."""
    match value:
        case Transcript():
            return [message.text.partition("<")[0] or message.role for message in value]
        case ModelStarted():
            return value.purpose
        case Control():
            return value.aborted
        case RunRef():
            return (value.kind, value.running)
    return value


class Lived:
    """What the fields of threads have been, as their heads keep it after each write, and as nodes see it."""

    def __init__(self) -> None:
        self.courses: defaultdict[str, defaultdict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
        """By thread's title and by field: what it has been, one after the other, each time that it changed."""
        self.clock = ManualClock()
        numbers = iter(range(10**6))
        self._inner = MemoryStore(self.clock, lambda prefix: f"{prefix}_{next(numbers)}")
        self.store: Any = FaultyStore(self._inner, self._look)

    async def open(self) -> None:
        await self._inner.open()

    async def close(self) -> None:
        await self._inner.close()

    async def _look(self, touch: Touch) -> None:
        if touch.phase == "after" and (info := await self._inner.head(touch.key)) is not None:
            self.see(from_head(THREAD_SCHEMA, ThreadId(touch.key), info.head)[0], messages=False)

    def see(self, state: ThreadState, *, messages: bool = True) -> None:
        parts = (state.identity, state.links, state.newest, state.walk, *[state.context] * messages)
        for owner in (state, *parts, BEATS.of(state), state.run and state.run.model, state.newest.outcome):
            self._note(state.identity.title, owner)

    def _note(self, title: str, owner: object) -> None:
        for ours in OURS:
            cls, _, name = ours.partition(".")
            if type(owner).__name__ == cls:
                course, value = self.courses[title][ours], shown(getattr(owner, name))
                if not course or course[-1] != value:
                    course.append(value)

    def patch(self, draft: GraphDraft[ThreadState]) -> GraphDraft[ThreadState]:
        """Have each node's state and run be seen before and after it works: heads leave out how a run ended."""
        for id_, node in list(draft.nodes.items()):
            draft.nodes[NodeId(id_)] = self._seen(node)
        return draft

    def _seen(self, node: Any) -> Any:
        async def seen(state: ThreadState, run: Run) -> Decision:
            self.see(state)
            self._note(state.identity.title, run)
            try:
                decision: Decision = await node(state, run)
            finally:
                self.see(state)
                self._note(state.identity.title, run)
            return decision

        return seen


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Lived:
    """A conversation, a playbook that was begun in one, and a beat beside an agent at work."""
    made = Lived()

    async def live() -> None:
        await made.open()
        await talked(made)
        await played(made, tmp_path_factory.mktemp("playbooks"))
        await beaten(made, tmp_path_factory.mktemp("home"))
        await made.close()

    asyncio.run(live())
    return made


async def talked(lived: Lived) -> None:
    hands = Hands()
    gate = Gate()
    provider = ScriptedProvider([MORE, Say("Who?", (call("ask_person", "who"),)), STUCK, "It is done.", DONE])
    provider.add(Say(("Once upon", gate, " a time")))
    world = World(lived.store, provider, tools=(hands.asking(),), clock=lived.clock, home="talk")
    guard = CallGuard(world.permissions, asked=OpenQuestions(world.threads, lived.clock))
    node = AgentNode(world.chat, ToolCalls(Toolbox((hands.asking(),)), Path("workspace"), lambda: 0.0, guard))
    actor = world.actors["sulla"]
    graph = create_general_graph(InputHandler(world.chat), node, patcher=lived.patch)
    world.actors["sulla"] = Actor(actor.spec, actor.model, graph)
    thread = await world.threads.create(ThreadCreated("sulla", "talk", channel="sulla-desktop"))
    await world.ask(thread, "begin\x00 now")
    (_, state) = await world.threads.get(thread)
    assert state is not None
    assert state.run is not None
    (wait_id,) = state.run.waits
    await world.threads.answer(thread, Answer(wait_id, "you"))
    await world.turns.attend(thread)
    lived.clock.jump(60.0)
    await world.ask(thread, "and now?")
    lived.clock.jump(60.0)
    await world.send(thread, "tell me a story")
    telling = asyncio.ensure_future(world.turns.attend(thread))
    await gate.reached()
    await world.threads.stop(thread, "enough")
    await lived.clock.settle()
    gate.open()
    await telling
    assert (await world.kinds(thread)).count("RUN_FINISHED") == 3


async def played(lived: Lived, folder: Path) -> None:
    home = Home(folder, lived.store, lived.clock)
    talk = await home.world.threads.create(ThreadCreated("sulla", "played"), "played")
    await home.begin("nap", thread=talk)
    home.provider.add(DONE)
    await home.world.send(talk, "and meanwhile?")
    await home.world.work()


async def beaten(lived: Lived, folder: Path) -> None:
    gate = Gate()
    busy = World(lived.store, ScriptedProvider([Say(("Wait", gate, f". {DONE}"))]), clock=lived.clock, home="busy")
    other = await busy.threads.create(ThreadCreated("sulla", "busy"), "busy")
    await busy.send(other, "work")
    working = asyncio.ensure_future(busy.turns.attend(other))
    await gate.reached()
    heart = Heart(lived.store, folder, ScriptedProvider([MORE, DONE]), create=create_overlord_graph)
    await heart.open()
    heart.project("garden")
    await heart.send()
    while ready := [info.key for info in await lived.store.find(ready=True) if info.key != other]:
        for key in ready:
            await heart.world.turns.attend(ThreadId(key))
    assert (await heart.state()).status == "done"
    gate.open()
    await working


def test_every_field_of_the_seed_is_in_the_table() -> None:
    assert {"messages", *(f"metadata.{name}" for name in SEED)} <= rows().keys()


FIELDS = [(title, ours) for title, course in COURSES.items() for ours in course]


@pytest.mark.parametrize(("title", "ours"), FIELDS, ids=[f"{title}, {ours}" for title, ours in FIELDS])
def test_over_a_real_run_each_of_them_is_what_it_says(lived: Lived, title: str, ours: str) -> None:
    assert lived.courses[title][ours] == COURSES[title][ours]


def test_that_is_known_of_each_of_them() -> None:
    assert {ours for course in COURSES.values() for ours in course} == set(OURS)


@cache
def read_attributes(tree: ast.Module) -> dict[str, list[ast.Attribute]]:
    """What a file reads of anything, by its name. A tree is walked once, for all names."""
    found: dict[str, list[ast.Attribute]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            found.setdefault(node.attr, []).append(node)
    return found


def readers(tree: ast.Module, name: str, receivers: Collection[str]) -> list[int]:
    """The lines that read an attribute of that name, of something that is called so."""
    return [
        node.lineno
        for node in read_attributes(tree).get(name, ())
        if re.split(r"\W+", ast.unparse(node.value))[-1] in receivers
    ]


@pytest.mark.parametrize("ours", OURS)
def test_something_reads_each_of_them(ours: str) -> None:
    cls, _, name = ours.partition(".")
    found = {
        f"{path.relative_to(ROOT)}:{line}"
        for path in python_files("sulla")
        if not ("threads" in path.parts and path.stem in KEEPERS)
        for line in readers(syntax(path), name, RECEIVERS[cls])
    }
    assert found, f"nothing reads {ours}"


def test_what_is_only_written_is_read_by_nothing() -> None:
    text = "state.channel = fact.channel\nother.channel\nprint('state.channel')\nprint(session.state.channel)"
    assert readers(ast.parse(text), "channel", {"state"}) == [4]
