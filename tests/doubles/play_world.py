"""A home that runs playbooks without files: texts by name, the real runner, and what model and tools a test gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sulla.agent.approvals.open_questions import OpenQuestions
from sulla.agent.calls.calls import ToolCalls
from sulla.agent.calls.guard import CallGuard
from sulla.agent.limits.limits import RunLimits
from sulla.agent.model.decider import Decider
from sulla.agent.spec import AgentSpec
from sulla.agent.turn.actor import Actor, actor_key
from sulla.core.errors import NotFound
from sulla.core.ids import MessageId, RunId, ThreadId
from sulla.core.jsontypes import FrozenJson, Json
from sulla.core.message import Origin
from sulla.core.words import Author, Words
from sulla.models.base import Provider
from sulla.playbooks.catalog import StoredPlaybook
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.machine.scope_inputs import complete_inputs
from sulla.playbooks.records import PlaybookAsked, Played
from sulla.playbooks.run.lanes import StoredLanes
from sulla.playbooks.run.late_node import create_playbook_graph
from sulla.playbooks.run.load import load_run
from sulla.playbooks.run.log import RunRecord
from sulla.playbooks.run.node import PlaybookNode
from sulla.playbooks.run.orders import RunOrder, play_of
from sulla.playbooks.run.steps import StepEffects
from sulla.store.base import Store
from sulla.testing.world import World
from sulla.threads.log.plays import PLAYBOOK
from sulla.threads.log.records import Input, ThreadCreated
from sulla.threads.log.state import ThreadState
from sulla.tools.base import Tool
from sulla.tools.builtin.notify import Urgency
from sulla.tools.registry import Toolbox

MAX_ROUNDS = 200


@dataclass(slots=True)
class Texts:
    """Playbooks by name; keeps `run.steps.PlaybookSource`."""

    texts: dict[str, str] = field(default_factory=dict)

    async def kept(self, name: str) -> StoredPlaybook:
        """One of them."""
        if name not in self.texts:
            raise NotFound(f"there is no playbook {name!r}")
        checked = check_playbook(self.texts[name])
        if checked.definition is None:
            raise AssertionError([fault.told(name) for fault in checked.faults])
        return StoredPlaybook(self.texts[name], Path(name), checked.definition)


class PlayWorld(World):
    """A world with playbooks.

    Args:
        store: where everything is kept; open.
        provider: plays the model.
        playbooks: texts by name.
        tools: what agents and playbooks can use.
        secrets: by their names.
        others: what a world takes besides.
    """

    def __init__(
        self,
        store: Store,
        provider: Provider,
        playbooks: Mapping[str, str],
        *,
        tools: tuple[Tool, ...] = (),
        secrets: Mapping[str, str] | None = None,
        **others: Any,
    ) -> None:
        super().__init__(store, provider, tools=tools, **others)
        self.texts = Texts(dict(playbooks))
        self.said: list[tuple[str, str]] = []
        """What runs told conversations: under which key, and in which words."""
        kept = dict(secrets or {})
        limits = others.get("limits") or RunLimits()
        guard = others.get("guard") or CallGuard(self.permissions, asked=OpenQuestions(self.threads, self.clock))
        calls = ToolCalls(Toolbox(tools), others.get("workspace", Path("workspace")), lambda: 0.0, guard)
        self.effects = StepEffects(
            self.threads,
            lambda thread_id: None,
            self.family.children,
            calls,
            Decider(self.model),
            self.texts,
            self,
            self._tell,
            kept.get,
            limits,
        )
        self.lanes = StoredLanes(store, self.threads, lambda thread_id: None)
        spec = AgentSpec("sulla", "Sulla", "You are Sulla.", "wrapper")
        self.actors[actor_key("sulla", graph=PLAYBOOK)] = Actor(
            spec, "", create_playbook_graph(PlaybookNode(self.effects, self.lanes))
        )

    async def _tell(
        self, thread_id: ThreadId, run_id: RunId, key: str, words: Words, urgency: Urgency = "normal"
    ) -> None:
        if key not in [known for known, _ in self.said]:
            self.said.append((key, words.text))

    async def hand_over(self, state: ThreadState, name: str, inputs: FrozenJson) -> None:
        """Keeps `run.steps.Successors`."""
        run_id = state.run.id if state.run is not None else ""
        await self.play(name, inputs, request_id=f"over:{run_id}")

    async def play(
        self,
        name: str,
        inputs: FrozenJson | None = None,
        *,
        thread: ThreadId = ThreadId(""),
        trigger: str = "manual",
        payload: Json = None,
        request_id: str | None = None,
        origin: Origin = "operator",
        tainted: bool = False,
        own: bool = False,
    ) -> ThreadId:
        """Begin a run, of what nobody trusts (`tainted`) or of a file of the home (`own`); nobody works on it yet."""
        kept = await self.texts.kept(name)
        play = play_of(kept.definition, kept.source, trigger, thread)
        thread_id = await self.threads.create(
            ThreadCreated("sulla", name, graph=PLAYBOOK, play=play), request_id or self._make_id("req")
        )
        given, by = complete_inputs(kept.definition, inputs or {}), Author.OUTSIDE if tainted else Author.PERSON
        order = RunOrder("start", f"seal {thread_id}", given, payload, by=by, own=own)
        said = Input(MessageId("order:start"), order.text(), origin=origin, tainted=tainted)
        await self.threads.send(thread_id, said)
        return thread_id

    async def run_play(
        self,
        name: str,
        inputs: FrozenJson | None = None,
        **others: Any,
    ) -> ThreadId:
        """Begin a run, and work until everything rests."""
        thread_id = await self.play(name, inputs, **others)
        await self.work()
        return thread_id

    async def resume_play(self, thread_id: ThreadId, *steps: str, inputs: FrozenJson | None = None) -> None:
        """Have an ended run go on."""
        order = RunOrder("resume", inputs=inputs, steps=steps, by=Author.PERSON)
        message_id = MessageId(self._make_id("order"))
        await self.threads.send(thread_id, Input(message_id, order.text(), origin="operator"))

    async def fork_play(self, thread_id: ThreadId, *steps: str, inputs: FrozenJson | None = None) -> ThreadId:
        """Begin another run that has done part of one."""
        record = await load_run(self.threads, thread_id)
        info, state = await self.threads.get(thread_id)
        created = ThreadCreated("sulla", state.identity.title if state else "", graph=PLAYBOOK, play=record.play)
        fork = await self.threads.create(created, self._make_id("req"))
        order = RunOrder("fork", f"seal {fork}", inputs, None, (), steps, thread_id, info.last_seq, by=Author.PERSON)
        await self.threads.send(fork, Input(MessageId("order:start"), order.text(), origin="operator"))
        return fork

    async def want(self, thread_id: ThreadId, asked: PlaybookAsked) -> None:
        """Want something of a run."""
        await self.threads.tell(thread_id, asked, self._make_id("req"))

    async def record(self, thread_id: ThreadId) -> RunRecord:
        """What a run's log says."""
        return await load_run(self.threads, thread_id)

    async def played(self, thread_id: ThreadId) -> list[tuple[str, str]]:
        """What happened in a run, each with its step."""
        return [
            (entry.fact.what, entry.fact.at) for entry in await self.log(thread_id) if isinstance(entry.fact, Played)
        ]

    async def now(self, thread_id: ThreadId) -> ThreadState:
        """How a run's thread is."""
        state = await self.threads.load(thread_id)
        if state is None:
            raise NotFound(f"no thread {thread_id!r}")
        return state
