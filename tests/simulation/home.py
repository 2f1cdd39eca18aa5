"""A simulated daemon: threads, agent and work wired as in the real one, over a store, a model and tools that are
watched.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import TypeVar

from sulla.agent.model.request import request_hash
from sulla.agent.subagents.child_tools import sub_agent_tools
from sulla.agent.turn.turns import TurnDriver
from sulla.core.clock import Clock
from sulla.core.errors import ProviderRejected, ProviderTransient, StoreUnavailable, Unavailable
from sulla.core.ids import CallId, MessageId, ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.message import Message, Text, ToolCall, ToolResult
from sulla.core.words import ours
from sulla.handoffs.groups import TurnGroups
from sulla.models.base import ChatRequest, Completed, Delta, TextDelta, TokenUsage
from sulla.store.base import Store
from sulla.testing.world import World
from sulla.threads.retention import Retention
from sulla.threads.store import ThreadStore
from sulla.tools.base import Done, Result, Tool, ToolContext, Waiting
from sulla.tools.base import Effect as EffectClass
from sulla.work.base import Group, Job
from sulla.work.local import LocalWork
from sulla.work.queue import JobCaps
from tests.simulation.clock import SimulatedClock
from tests.simulation.heart import give_heart
from tests.simulation.history import Asked, Effect
from tests.simulation.loop import Process, SimulatedLoop

T = TypeVar("T")

LEASE_TTL_S = 3.0
"""Short, so that few simulated seconds tell much."""

KEPT_S = 1e7
"""How long what sub-agents did is kept: longer than any clock is set wrong, for the judge reads it."""

PATIENCE_S = 1.0
"""How long a home that is stopped in order waits for its turns."""

MAX_RESULTS = 3
"""After so many tool results in a conversation's turn the model says its last word."""


@dataclass(slots=True)
class Ledgers:
    """What services outside saw."""

    asked: list[Asked] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    """What should not have happened at all."""


Tell = Callable[..., None]
"""Takes what happened, in words, for the trace."""


@dataclass(frozen=True, slots=True)
class Fickle:
    """How a simulated model behaves, each from 0 to 1."""

    fails: float = 0.0
    cuts: float = 0.0
    stalls: float = 0.0


class SimulatedModel:
    """Keeps `models.Provider`: what it says is drawn, and it fails, breaks off and stands still.

    Args:
        random: draws.
        clock: for the time that it takes.
        ledgers: told of each request.
        tell: for the trace.
    """

    name = "simulated"

    def __init__(self, random: Random, clock: Clock, ledgers: Ledgers, tell: Tell) -> None:
        self.mood = Fickle()
        self._random = random
        self._clock = clock
        self._ledgers = ledgers
        self._tell = tell
        self._numbers = count(1)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """See `models.Provider.stream`."""
        number, asked, random = next(self._numbers), request_hash(request), self._random
        place = len(self._ledgers.asked)
        self._ledgers.asked.append(Asked(asked, completed=False))
        drawn, mood = random.random(), self.mood
        self._tell("model asked", number, asked)
        await self._clock.sleep(random.random() * 0.3)
        if drawn < mood.fails:
            raise ProviderTransient("simulated: overloaded", retry_after_s=1.0)
        if drawn < mood.fails * 1.1:
            raise ProviderRejected("simulated: no")
        text, calls = self._reply(request, number)
        for start in range(0, len(text), 12):
            yield TextDelta(text[start : start + 12])
            await self._clock.sleep(random.random() * 0.05)
        if drawn < mood.fails * 1.1 + mood.cuts:
            raise ProviderTransient("simulated: the reply broke off", retry_after_s=1.0)
        if drawn < mood.fails * 1.1 + mood.cuts + mood.stalls:
            await self._clock.sleep(3.0 + random.random() * 6.0)
        self._ledgers.asked[place] = Asked(asked, completed=True)
        self._tell("model answered", number, text, [call.name for call in calls])
        usage = TokenUsage(input_tokens=100 + number, output_tokens=10)
        parts = (*((Text(text, "agent"),) if text else ()), *calls)
        yield Completed(
            Message(MessageId(f"reply{number}"), "assistant", parts), usage, "tool_calls" if calls else "end"
        )

    async def close(self) -> None:
        """Nothing to let go of."""

    def _call(self, call_id: str, name: str, number: int, request: ChatRequest) -> ToolCall:
        args: JsonObject = {"n": number}
        if name == "spawn_sub_agent":
            args = {"task": f"Task {number}", "mode": self._random.choice(("call", "spawn", "spawn"))}
        elif name == "wait_sub_agents":
            ids = _sub_agents(request) or ["nobody"]
            args = {"ids": [*ids], "combine": self._random.choice(("all", "first_success"))}
        return ToolCall(CallId(call_id), name, args)

    def _reply(self, request: ChatRequest, number: int) -> tuple[str, tuple[ToolCall, ...]]:
        random = self._random
        results = 0
        for message in reversed(request.messages):
            if message.role == "user" and not message.hidden:
                break
            results += message.role == "tool"
        if results < MAX_RESULTS and random.random() < 0.6:
            names = [random.choice(CALLED) for _ in range(random.choice((1, 1, 2, 3)))]
            calls = (self._call(f"c{number}.{n}", name, number, request) for n, name in enumerate(names))
            return random.choice(("", "One moment.")), tuple(calls)
        ends = ("<AGENT_DONE>yes</AGENT_DONE>",) * 6 + ("<AGENT_CONTINUE>more</AGENT_CONTINUE>", "")
        return f"Reply {number}. {random.choice(ends)}", ()


CALLED = ("look", "mark", "pay", "pay", "ask", "spawn_sub_agent", "wait_sub_agents")
EFFECTS: dict[str, EffectClass] = {"look": "pure", "mark": "idempotent", "pay": "once", "ask": "pure"}
"""The tools, and what repeating them would really do."""


def _sub_agents(request: ChatRequest) -> list[str]:
    """The sub-agents that a model was told of."""
    results = (part for message in request.messages for part in message.parts if isinstance(part, ToolResult))
    return [word for result in results if (word := result.text.partition(" ")[0]).startswith("sub_")]


@dataclass(frozen=True, slots=True)
class Wiring:
    """What each boot of a home is made with."""

    store: Callable[[], Store]
    whereabouts: Callable[[str], tuple[int, str]]
    """The newest record of a log and whose its newest lease is, as it really is."""
    declared: dict[str, EffectClass]
    """What the tools say that repeating them does."""


class Home:
    """One home: it boots, dies, stands still and boots again.

    Args:
        number: names it.
        loop: where it lives.
        random: draws how long its tools take.
        model: what it asks.
        ledgers: told of what its tools do.
        wiring: what its boots are made with.
    """

    def __init__(
        self,
        number: int,
        loop: SimulatedLoop,
        random: Random,
        model: SimulatedModel,
        ledgers: Ledgers,
        wiring: Wiring,
        tell: Tell,
    ) -> None:
        self.name = f"home{number}"
        self.clock = SimulatedClock(loop)
        self.boots = 0
        self.process: Process | None = None
        self.troubled_s = 0.0
        """When anything that may cost it a lease last befell it."""
        self.work: LocalWork | None = None
        self._loop = loop
        self._random = random
        self._model = model
        self._ledgers = ledgers
        self._wiring = wiring
        self._tell = tell
        self._main: asyncio.Task[None] | None = None
        self._threads: ThreadStore | None = None
        self._turns: TurnDriver | None = None

    @property
    def up(self) -> bool:
        """Whether a process of it is alive; it may stand still."""
        return self.process is not None and self.process.alive

    @property
    def owner(self) -> str:
        """Its newest boot, as leases name it."""
        return f"{self.name}:boot{self.boots}"

    def start(self) -> None:
        """Boot."""
        self.boots += 1
        self.process = Process(f"{self.name}.{self.boots}")
        store = self._wiring.store()
        world = World(
            store,
            self._model,
            tools=(*self._tools(self.owner), *sub_agent_tools(lambda: world.family)),
            clock=self.clock,
            boot=self.boots,
            home=self.name,
            lease_ttl_s=LEASE_TTL_S,
            retention=Retention(child_s=KEPT_S),
        )
        give_heart(world, self._random)
        self._threads, self._turns = world.threads, world.turns
        self.work = LocalWork(store, self._handle, self._group_of, self.clock, JobCaps())
        self._main = self._loop.spawn(self.process, self.work.run())

    def kill(self) -> None:
        """SIGKILL."""
        if self.process is not None:
            self._loop.kill(self.process)

    async def stop(self) -> None:
        """SIGTERM: let turns come to a step border, then leave."""
        process, turns, work = self.process, self._turns, self.work
        if process is None or turns is None or work is None:
            return

        async def leave() -> None:
            turns.drain()
            await work.stop(PATIENCE_S)

        task = self._loop.spawn(process, leave())
        await asyncio.wait((task,), timeout=PATIENCE_S + 3.0)
        self._loop.kill(process)

    async def request(self, ask: Callable[[ThreadStore, LocalWork], Awaitable[T]], patience_s: float) -> T:
        """Have this home do something for a client, who waits in the world outside.

        Raises:
            Unavailable: the home is down.
            TimeoutError: it did not answer; nobody knows whether it did what it was asked.
        """
        threads, work, process = self._threads, self.work, self.process
        if not self.up or threads is None or work is None or process is None:
            raise Unavailable(f"{self.name} is down")

        async def serve() -> T:
            return await ask(threads, work)

        task = self._loop.spawn(process, serve())
        done, _ = await asyncio.wait((task,), timeout=patience_s)
        if not done:
            task.cancel()  # as a connection that is closed
            raise TimeoutError(f"{self.name} says nothing")
        return task.result()

    # -------------------------------------------------------------------------------------------------- private

    async def _handle(self, job: Job) -> None:
        turns = self._turns
        if turns is None:
            return
        try:
            await turns.attend(ThreadId(job.key))
        except StoreUnavailable:
            raise
        except Exception as error:
            self._ledgers.findings.append(f"{self.name}: a job of {job.key} raised {error!r}")
            raise

    async def _group_of(self, key: str) -> Group:
        return await TurnGroups(self._threads)(key) if self._threads is not None else Group("")

    def _tools(self, owner: str) -> tuple[Tool, ...]:
        schema: JsonObject = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
        return tuple(
            Tool(name, f"Simulated: {name}.", schema, self._tool(name, real, owner), self._wiring.declared[name])
            for name, real in EFFECTS.items()
        )

    def _tool(self, name: str, real: EffectClass, owner: str) -> Callable[..., Awaitable[Result]]:
        async def run(args: object, context: ToolContext) -> Result:
            # The effect is the first thing that it does: what comes before it is the caller's part.
            last_seq, holder = self._wiring.whereabouts(context.thread_id)
            self._ledgers.effects.append(Effect(name, context.idempotency_key, real, last_seq, owner, holder))
            self._tell("effect", name, context.idempotency_key)
            await context.clock.sleep(self._random.random() * 0.4)
            if name == "ask":
                return Waiting(f"answer:{context.run_id}:{context.call_id}:1", "may I?")
            return Done(ours(f"{name} done"), is_error=self._random.random() < 0.1)

        return run
