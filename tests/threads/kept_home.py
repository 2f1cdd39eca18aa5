"""A home with everything that threads can be: conversations with sub-agents, playbooks, an agent that wakes by itself.

It plays no part in what a store holds but the model's, the tools' and the people's; so two versions of Sulla can be
asked to work on the same store.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from sulla.agent.active import ActiveAgents
from sulla.agent.spec import AgentSpec
from sulla.agent.subagents.child_tools import sub_agent_tools
from sulla.agent.turn.actor import Actor, actor_key
from sulla.agent.turn.input import InputHandler
from sulla.core.ids import CallId, MessageId
from sulla.core.message import ToolCall, ToolResult
from sulla.heartbeat.agenda import Agenda, BeatView
from sulla.heartbeat.graph import create_heartbeat_graph
from sulla.heartbeat.limits import BeatLimits
from sulla.heartbeat.node import HeartbeatNode
from sulla.heartbeat.plan import ProjectSummary
from sulla.models.base import ChatRequest, Delta
from sulla.projects.projects import Projects
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.testing.tools import EffectLedger
from sulla.threads.log.records import Answer, Input, ThreadCreated
from sulla.threads.log.state import ThreadState
from sulla.threads.log.waits import Wait
from tests.doubles.play_world import PlayWorld
from tests.playbooks.run.crash_cases import CASES, name_of
from tests.playbooks.run.dying import ANSWERS, Thinker, tools_of

MOST_ROUNDS = 400
DAY_S = 86_400.0
CYCLES = 2


class Answers(Thinker):
    """Replies by what it is shown alone: to playbooks as `Thinker`, to whom it is sent, and in cycles of a beat."""

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        said = "\n".join(message.text for message in request.messages if message.role == "user")
        results = [part for message in request.messages for part in message.parts if isinstance(part, ToolResult)]
        if request.forced is not None or not (say := self._spoken(said, len(results))):
            async for delta in super().stream(request):
                yield delta
            return
        async for delta in ScriptedProvider([say]).stream(request):
            yield delta

    def _spoken(self, said: str, results: int) -> Say | None:
        if found := re.search(r"cycle (\d+) of at most", said):
            end = "DONE" if int(found[1]) == CYCLES else "CONTINUE"
            report = f"<AGENT_{end}><STATUS_REPORT>cycle {found[1]}</STATUS_REPORT></AGENT_{end}>"
            return Say(report) if results else _calls("note_once", what=f"cycle {found[1]}")
        for mark, tool, args in (
            ("(once)", "note_once", {"what": "once"}),
            ("(person)", "ask_person", {"what": "Which one?"}),
            ("(child)", "spawn_sub_agent", {"task": "(once) write it down"}),
            ("(beside)", "spawn_sub_agent", {"task": "(person) find out", "wait": False}),
        ):
            if mark in said and not results:
                return _calls(tool, **args)
        return Say("All right. <AGENT_DONE>ok</AGENT_DONE>") if results else None


def _calls(name: str, **args: Any) -> Say:
    return Say("", (ToolCall(CallId(f"call_{name}"), name, args),))


class StandingAgenda(Agenda):
    """There is always the same to do."""

    async def look(self) -> BeatView:
        return BeatView((ProjectSummary("tour", "Tour", "active", "p2", 2, 0, 0, "", "same"),), "")

    async def written(self, since_ms: int) -> int:
        return 0


class KeptHome(PlayWorld):
    """A home over a store; people answer what they are asked.

    Args:
        store: what is worked on; open.
        clock: all time.
        folder: for the tools' effects.
        boot: which boot this is.
    """

    def __init__(self, store: Any, clock: ManualClock, folder: Path, boot: int) -> None:
        self.ledger = EffectLedger(folder / "effects")
        texts = {name_of(text): text for case in CASES for text in (case.text, *case.others)}
        tools = (*tools_of(self.ledger), *sub_agent_tools(lambda: self.family))
        super().__init__(store, Answers(), texts, tools=tools, clock=clock, boot=boot)
        agenda = StandingAgenda(Projects(folder), lambda: "", ActiveAgents(self.threads), folder)
        node = HeartbeatNode(agenda, self.family.children, BeatLimits(CYCLES), self._tell)
        graph = create_heartbeat_graph(InputHandler(self.chat), node)
        self.actors[actor_key("sulla", graph="heartbeat")] = Actor(AgentSpec("sulla", "Sulla", ""), "", graph)
        self._time = clock

    async def begin_play(self, number: int) -> None:
        """Begin the playbook of a case, with a conversation that hears of it."""
        case = CASES[number]
        how: dict[str, Any] = {} if case.attended else {"trigger": "schedule", "origin": "playbook"}
        await self.play(case.name, thread=await self.thread(), **how)

    async def begin_talk(self, text: str) -> None:
        """Have a person say something in a new conversation."""
        await self.send(await self.thread(), text)

    async def begin_beat(self) -> None:
        """Wake the agent, in a thread of its own."""
        thread = await self.threads.create(ThreadCreated("sulla", "heartbeat", graph="heartbeat"), self._make_id("req"))
        await self.threads.send(thread, Input(MessageId(self._make_id("beat")), "", origin="beat"))

    async def states(self) -> list[ThreadState]:
        """Every thread, without its messages."""
        return [state for _, state in await self.threads.list(limit=1_000) if state is not None]

    async def live(self, longest_s: float = DAY_S) -> None:
        """Work, and answer what is asked, until no run is open.

        Args:
            longest_s: how much time passes at most between two looks, in seconds; it begins with little.

        Raises:
            AssertionError: they go on for ever.
        """
        open_runs: list[ThreadState] = []
        for number in range(MOST_ROUNDS):
            await self.work()
            open_runs = [state for state in await self.states() if state.run is not None]
            if not open_runs:
                return
            for state in open_runs:
                for wait in list(state.run.waits.values()) if state.run is not None else []:
                    if wait.prompt and not wait.wait_id.startswith("child:"):
                        await self.threads.answer(state.thread_id, self._answer(wait))
            await self._time.advance(min(2.0**number, longest_s))
        raise AssertionError(f"it does not end: {[(s.thread_id, s.run and s.run.waits) for s in open_runs]}")

    def _answer(self, wait: Wait) -> Answer:
        if wait.wait_id.startswith("review:"):
            return Answer(wait.wait_id, "noted as far as anybody knows", "result")
        if wait.wait_id.startswith("answer:"):
            text = next((text for said, text in ANSWERS.items() if said in wait.prompt), "that one")
            return Answer(wait.wait_id, text)
        return Answer(wait.wait_id, "", "approve")
