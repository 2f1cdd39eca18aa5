"""The gateway's `Commands`, in memory: records what was asked, and lets a test say what happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

from sulla.agent import environment_rpc, files_rpc
from sulla.agent import rpc as agents
from sulla.agent.approvals import permissions_rpc
from sulla.agent.approvals.approvals import RuleMade
from sulla.agent.environment_rpc import EnvironmentEvent
from sulla.agent.rpc import AgentRow, Agents, ModelRow, Models, ToolRow, Tools, WorkRow
from sulla.changes import rpc as changes
from sulla.channels import rpc as channels
from sulla.core.errors import MessageIdReused, NotFound
from sulla.core.ids import derived_id
from sulla.core.jsontypes import JsonObject
from sulla.finding import rpc as finding
from sulla.gateway.commands import Advanced, Event, Hear, Live, Over, Signal, Verdict, WaitingThread
from sulla.gateway.methods import asked as asked_rpc
from sulla.gateway.methods import lifecycle as lifecycle_rpc
from sulla.gateway.methods import switch as switch_rpc
from sulla.gateway.methods import system as system_rpc
from sulla.gateway.wire import QuestionRow, ThreadRow, TurnSend, TurnSent
from sulla.heartbeat import rpc as heartbeat
from sulla.live import rpc as live
from sulla.memory.entities import rpc as entities
from sulla.notify import rpc as notify
from sulla.people import notices_rpc, presence_rpc
from sulla.playbooks import rpc as playbooks
from sulla.playbooks.projects import rpc as project_plans
from sulla.projects import rpc as projects
from sulla.projects.page import TaskState
from sulla.projects.rpc import ProjectRow, ProjectRows, ProjectText, TaskRow
from sulla.routes import rpc as routes
from sulla.rpc.caller import Context
from sulla.rpc.method import Needs
from sulla.safety import rpc as safety
from sulla.schedules import rpc as schedules
from sulla.skills import rpc as skills
from sulla.skills.rpc import SkillRow, SkillRows
from sulla.speech import rpc as speech
from sulla.threads.log.family import child_thread
from tests.doubles.agent_files import MemoryAgentFiles
from tests.doubles.beats import MemoryBeats
from tests.doubles.bookmarks import MemoryBookmarks
from tests.doubles.changes import MemoryChanges
from tests.doubles.channels import MemoryChannels, MemoryLines
from tests.doubles.console import console_services
from tests.doubles.entities import MemoryEntities
from tests.doubles.finding import MemoryFinding
from tests.doubles.lifecycle import MemoryLifecycle
from tests.doubles.live import MemoryAsked, MemoryLive
from tests.doubles.people import MemoryNotices, MemoryPeople
from tests.doubles.plans import MemoryPlans
from tests.doubles.playbooks import MemoryPlaybooks
from tests.doubles.routes import MemoryRoutes
from tests.doubles.safety import MemorySafety
from tests.doubles.schedules import MemorySchedules
from tests.doubles.speech import MemorySpeech
from tests.doubles.switch import MemorySwitch

_AT_MS = 1_800_000_000_000
_GARDEN = ProjectRow("garden", "Garden", "active", "p2", 1, 1, 0, 0, "", "")
_ALWAYS: dict[str, JsonObject] = {
    "INPUT": {"message_id": "m", "text": ""},
    "ANSWER": {"text": ""},
    "CHILD_STARTED": {"agent": "sulla", "mode": "call"},
    "RUN_STARTED": {"input_seq": 1, "message_id": "m"},
    "MODEL_STARTED": {"call_id": "c"},
    "TEXT_MESSAGE_END": {"call_id": "c"},
    "RUN_FINISHED": {"outcome": {}},
    "RUN_ERROR": {"code": "internal", "message": ""},
}
"""What events of a type always hold, where it says nothing to a test."""
_NAME_THEIR_RUN = ("RUN_FINISHED", "RUN_ERROR", "CHILD_STARTED")


@dataclass(slots=True)
class _Thread:
    """One thread: its log."""

    title: str
    agent: str
    log: list[Event] = field(default_factory=list)
    messages: dict[str, tuple[TurnSend, TurnSent]] = field(default_factory=dict)
    lost: set[int] = field(default_factory=set)
    """Numbers that the log no longer has."""


class MemoryCommands:
    """Implements `gateway.Commands` without a daemon: nothing runs, the test plays the agent.

    Attributes:
        calls: every call as its name and arguments, in order.
        failures: an error to raise instead, by the name of the method, until it is taken out again.
        gates: an event to wait for first, by the name of the method.
        deaf: while True, signals are lost.
        questions: what suspended runs wait for.
        urgent: messages that must not wait.
        schedules: schedules that never fire.
        playbooks: one of playbooks that nobody works on.
        plans: has projects planned by nobody.
        switch: one that stops nothing.
        speech: keeps nothing.
        people: remembers what it is told of them.
        notices: what they are told.
        bookmarks: notes of clients.
        beats: another one, of an agent that never beats.
        live: one thread at work.
        asked: nobody asks.
        retell: what `ask_text` does for a thread; by default nothing.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []
        self.failures: dict[str, Exception] = {}
        self.gates: dict[str, asyncio.Event] = {}
        self.deaf = False
        self.retell: Callable[[str], None] = lambda thread_id: None
        self.questions: list[WaitingThread] = []
        self.urgent: set[str] = set()
        self.schedules = MemorySchedules()
        self.playbooks = MemoryPlaybooks()
        self.plans: project_plans.PlanService = MemoryPlans()
        self.switch = MemorySwitch()
        self.speech = MemorySpeech(lambda thread_id: thread_id in self._threads)
        self.people = MemoryPeople()
        self.notices = MemoryNotices()
        self.talks = MemoryLines()
        self.beats = MemoryBeats()
        self.bookmarks = MemoryBookmarks()
        self.live = MemoryLive()
        self.asked = MemoryAsked()
        self.carried = True
        """Whether the signal that something was kept has it along, as in the daemon that kept it."""
        self._threads: dict[str, _Thread] = {}
        self._listeners: dict[str, list[Hear]] = {}
        self._made = 0

    # ------------------------------------------------------------------------------------------- what a test says

    def make(self, thread_id: str, title: str = "", agent: str = "sulla") -> str:
        """There is a thread; its id."""
        self._threads[thread_id] = _Thread(title, agent)
        return thread_id

    def add(self, thread_id: str, type_: str, /, run_id: str | None = None, **data: object) -> Event:
        """Something is kept in the thread's log, and its listeners are woken."""
        thread = self._threads[thread_id]
        ends: JsonObject = {"run_id": run_id} if type_ in _NAME_THEIR_RUN else {}
        whole = _ALWAYS.get(type_, {}) | ends | _json(data)
        event = Event(thread_id, len(thread.log) + 1, run_id, None, thread.agent, 0, type_, _AT_MS, whole)
        thread.log.append(event)
        self.tell(thread_id, Advanced(event.seq or 0, (event,) if self.carried else ()))
        return event

    def show(self, thread_id: str, type_: str, run_id: str | None = None, **data: object) -> None:
        """Something is shown live."""
        agent = self._threads[thread_id].agent
        self.tell(thread_id, Live(Event(thread_id, None, run_id, None, agent, 0, type_, _AT_MS, _json(data))))

    def tell(self, thread_id: str, signal: Signal) -> None:
        """The thread's listeners hear a signal."""
        if not self.deaf:
            for hear in tuple(self._listeners.get(thread_id, ())):
                hear(signal)

    def listeners(self, thread_id: str) -> int:
        """How many listen to the thread."""
        return len(self._listeners.get(thread_id, ()))

    def lose(self, thread_id: str, *seqs: int) -> None:
        """The log no longer has these."""
        self._threads[thread_id].lost.update(seqs)

    def forget(self, thread_id: str) -> None:
        """The thread is gone, without anybody being told."""
        del self._threads[thread_id]

    # --------------------------------------------------------------------------------------- what the gateway asks

    @property
    def services(self) -> dict[str, object]:
        """What does the methods of each capability, as the attributes are now."""
        return dict(
            (
                agents.METHODS.done_by(self),
                files_rpc.METHODS.done_by(MemoryAgentFiles(self._called)),
                skills.METHODS.done_by(self),
                routes.METHODS.done_by(MemoryRoutes(self._called)),
                entities.METHODS.done_by(MemoryEntities(self._called)),
                finding.METHODS.done_by(MemoryFinding(self._called, self._thread)),
                changes.METHODS.done_by(MemoryChanges(self._called)),
                safety.METHODS.done_by(MemorySafety(self._called, self._thread)),
                environment_rpc.METHODS.done_by(self),
                permissions_rpc.METHODS.done_by(MemoryRules(self._called)),
                projects.METHODS.done_by(self),
                presence_rpc.METHODS.done_by(self.people),
                notices_rpc.METHODS.done_by(self.notices),
                switch_rpc.METHODS.done_by(self.switch),
                lifecycle_rpc.METHODS.done_by(MemoryLifecycle()),
                schedules.METHODS.done_by(self.schedules),
                heartbeat.METHODS.done_by(self.beats),
                live.METHODS.done_by(self.live),
                *console_services(self._thread),
                asked_rpc.METHODS.done_by(self.asked),
                playbooks.METHODS.done_by(self.playbooks),
                notify.METHODS.done_by(MemoryChannels()),
                channels.METHODS.done_by(self.talks),
                project_plans.METHODS.done_by(self.plans),
                speech.METHODS.done_by(self.speech),
                system_rpc.METHODS.done_by(self),
            )
        )

    def check_ready(self, needs: Needs) -> None:
        """It always is, but for what `failures` has under `needs`."""
        if (failure := self.failures.get(needs)) is not None:
            raise failure

    async def create_thread(
        self, agent: str | None, title: str, project: str | None, request_id: str | None, channel: str = ""
    ) -> str:
        """Make a thread; the same `request_id` gives the same one."""
        await self._called("create_thread", agent, title, project, request_id, channel)
        self._made += 1
        thread_id = derived_id("thr", request_id or str(self._made))
        if thread_id not in self._threads:
            self.make(thread_id, title, agent or "sulla")
        return thread_id

    async def list_threads(self, after: str | None, limit: int) -> Sequence[ThreadRow]:
        """Threads by id."""
        await self._called("list_threads", after, limit)
        ids = sorted(id_ for id_ in self._threads if id_ > (after or ""))[:limit]
        return [_info(id_, self._threads[id_]) for id_ in ids]

    async def get_thread(self, thread_id: str) -> ThreadRow:
        """One thread."""
        await self._called("get_thread", thread_id)
        return _info(thread_id, self._thread(thread_id))

    async def last_seq(self, thread_id: str) -> int:
        """The number of the log's last event."""
        await self._called("last_seq", thread_id)
        return len(self._thread(thread_id).log)

    async def history(self, thread_id: str, after: int, before: int | None, limit: int) -> Sequence[Event]:
        """Durable events in order."""
        await self._called("history", thread_id, after, before, limit)
        thread = self._thread(thread_id)
        wanted = thread.log[after : len(thread.log) if before is None else max(after, before - 1)]
        return [event for event in wanted if event.seq not in thread.lost][:limit]

    async def delete_thread(self, thread_id: str) -> None:
        """Remove a thread."""
        await self._called("delete_thread", thread_id)
        self._thread(thread_id)
        del self._threads[thread_id]

    async def send(self, message: TurnSend, caller: str) -> TurnSent:
        """Keep a message as an `INPUT`."""
        await self._called("send", message, caller)
        thread_id, message_id = message.thread_id, message.message_id
        thread = self._thread(thread_id)
        known = thread.messages.get(message_id)
        if known is not None:
            if known[0] != message:
                raise MessageIdReused(f"message {message_id!r} came before with other content: use a new id")
            return known[1]
        run_id = derived_id("run", thread_id, message_id)
        event = self.add(thread_id, "INPUT", run_id, message_id=message_id, text=message.text, mode=message.mode)
        sent = TurnSent(run_id, event.seq or 0)
        thread.messages[message_id] = (message, sent)
        return sent

    async def stop(self, thread_id: str, request_id: str | None, *, drop: bool = False) -> int:
        """Keep a `STOP`."""
        await self._called("stop", thread_id, request_id)
        self._thread(thread_id)
        return self.add(thread_id, "STOP").seq or 0

    async def resume_turns(self, thread_id: str, request_id: str | None) -> int:
        """Keep a `CONTINUE`."""
        await self._called("resume_turns", thread_id, request_id)
        self._thread(thread_id)
        return self.add(thread_id, "CONTINUE").seq or 0

    async def list_questions(self, after: str | None, limit: int) -> Sequence[WaitingThread]:
        """What was put into `questions`."""
        await self._called("list_questions", after, limit)
        found = [item for item in self.questions if item.thread_id > (after or "")]
        return found[:limit]

    async def questions_of(self, thread_id: str) -> Sequence[QuestionRow]:
        """What was put into `questions` of one thread."""
        await self._called("questions_of", thread_id)
        self._thread(thread_id)
        return [one for waiting in self.questions if waiting.thread_id == thread_id for one in waiting.questions]

    async def must_not_wait(self, thread_id: str, text: str) -> bool:
        """Whether the words are in `urgent`."""
        await self._called("must_not_wait", thread_id, text)
        return text in self.urgent

    async def answer(
        self, thread_id: str, question: str, verdict: Verdict, text: str, by: str = "", for_s: int = 0
    ) -> int:
        """Keep an answer as an event."""
        await self._called("answer", thread_id, question, verdict, text)
        self._thread(thread_id)
        return self.add(thread_id, "ANSWER", wait_id=question, verdict=verdict, text=text, by=by).seq or 0

    async def list_agents(self) -> Agents:
        """One agent."""
        await self._called("list_agents")
        return Agents((AgentRow("sulla", "wrapper", "scripted", ("note",), (WorkRow("thr_1", "garden", _AT_MS),)),))

    async def list_projects(self) -> ProjectRows:
        """One project."""
        await self._called("list_projects")
        return ProjectRows((_GARDEN,))

    async def get_project(self, name: str) -> ProjectText:
        """The one project, if that is its name."""
        await self._called("get_project", name)
        if name != _GARDEN.project:
            raise NotFound(f"no project {name!r}")
        return ProjectText(
            _GARDEN, (TaskRow("Dig", False, "", 0, "pending", "", ()),), "0" * 16, "# Garden\n\n- [ ] Dig\n"
        )

    async def move_task(self, name: str, number: int, state: TaskState, why: str, digest: str) -> ProjectText:
        """As it was."""
        await self._called("move_task", name, number, state, why, digest)
        return await self.get_project(name)

    async def list_models(self) -> Models:
        """One that an agent has, and one that none has."""
        await self._called("list_models")
        return Models((ModelRow("scripted", ("sulla",)), ModelRow("ollama:other")))

    async def list_tools(self) -> Tools:
        """One tool."""
        await self._called("list_tools")
        return Tools((ToolRow("note", "Note something.", "general", "once", {"type": "object", "properties": {}}),))

    async def list_skills(self) -> SkillRows:
        """One skill."""
        await self._called("list_skills")
        skill = SkillRow("digging", "How to dig.", "home", False, False, "sha256:0", ("sulla",))
        return SkillRows((skill,), ("skills/Bad Name: a skill cannot be called that",))

    async def report_environment(self, thread_id: str, seen: Sequence[EnvironmentEvent], caller: str) -> int:
        """All of it is known."""
        await self._called("report_environment", thread_id, tuple(seen), caller)
        self._thread(thread_id)
        return len(seen)

    async def status(self) -> JsonObject:
        """A small status."""
        await self._called("status")
        return {"version": "0", "model": "scripted"}

    async def check(self, everything: Context | None) -> JsonObject:
        """A store without fault, and of the rest nothing."""
        await self._called("check")
        return {"logs": len(self._threads), "damaged": 0}

    async def open_children(self, thread_id: str) -> Sequence[str]:
        """Those of which the log says that they began, and not that they reported."""
        await self._called("open_children", thread_id)
        log = self._thread(thread_id).log
        told = {child_thread(str(one.data["wait_id"]).partition(":")[2]) for one in log if one.type == "ANSWER"}
        return [
            str(one.data["thread_id"])
            for one in log
            if one.type == "CHILD_STARTED" and one.data["thread_id"] not in told
        ]

    async def works_for(self, thread_id: str) -> str:
        """The one whose log says that it began."""
        await self._called("works_for", thread_id)
        self._thread(thread_id)
        for parent, thread in self._threads.items():
            if any(one.type == "CHILD_STARTED" and one.data["thread_id"] == thread_id for one in thread.log):
                return parent
        return ""

    def listen(self, thread_id: str, hear: Hear) -> AbstractAsyncContextManager[None]:
        """Hear what `tell` says."""
        return self._listen(thread_id, hear)

    async def ask_text(self, thread_id: str) -> None:
        """Do what `retell` says."""
        await self._called("ask_text", thread_id)
        self.retell(thread_id)

    # ------------------------------------------------------------------------------------------------------ private

    @asynccontextmanager
    async def _listen(self, thread_id: str, hear: Hear) -> AsyncIterator[None]:
        await self._called("listen", thread_id)
        listeners = self._listeners.setdefault(thread_id, [])  # there need not be a thread yet
        listeners.append(hear)
        try:
            yield
        finally:
            listeners.remove(hear)
            hear(Over())

    async def _called(self, name: str, *arguments: object) -> None:
        self.calls.append((name, *arguments))
        if (gate := self.gates.get(name)) is not None:
            await gate.wait()
        if (failure := self.failures.get(name)) is not None:
            raise failure

    def _thread(self, thread_id: str) -> _Thread:
        try:
            return self._threads[thread_id]
        except KeyError:
            raise NotFound(f"no thread {thread_id!r}: create one with thread.create") from None


class MemoryRules:
    """Implements `permissions_rpc.RuleService`: one rule, which cannot be taken back.

    Args:
        called: is told of every call.
    """

    def __init__(self, called: Callable[..., Awaitable[None]]) -> None:
        self._called = called

    async def list(self) -> Sequence[RuleMade]:
        """One rule."""
        await self._called("list_rules")
        return [RuleMade("rule_1", "sulla", "note", "args:0", _AT_MS, _AT_MS + 1)]

    async def forget(self, rule_id: str) -> None:
        """The one rule, if that is it."""
        await self._called("forget_rule", rule_id)
        if rule_id != "rule_1":
            raise NotFound(f"no rule {rule_id!r}")


def _info(thread_id: str, thread: _Thread) -> ThreadRow:
    return ThreadRow(thread_id, thread.title, thread.agent, "idle", len(thread.log), _AT_MS, 0)


def _json(data: dict[str, object]) -> JsonObject:
    found: JsonObject = {}
    for name, value in data.items():
        if not isinstance(value, str | int | float | bool | list | dict | None):
            raise TypeError(f"{name!r} is no JSON: {type(value).__name__}")
        found[name] = value
    return found
