"""A whole agent in memory: threads, tools, the loop, and whatever plays the model. Time stands still until it is
moved.
"""

from __future__ import annotations

from itertools import count
from pathlib import Path

from sulla.agent import (
    Actor,
    AgentNode,
    AgentSpec,
    Calls,
    Chat,
    Completion,
    InputHandler,
    RunLimits,
    TurnDriver,
    create_agent_graph,
)
from sulla.core.clock import Clock
from sulla.core.ids import MessageId, ThreadId
from sulla.providers import Provider, ToolSpec, estimate_tokens
from sulla.store import Store
from sulla.testing.clock import ManualClock
from sulla.threads import Entry, Input, Mode, Sent, ThreadCreated, ThreadLimits, ThreadStore
from sulla.tools import Effect, Tool, Toolbox


class World:
    """One home's agent over a store. Make a second one over the same store for the next boot.

    Args:
        store: where everything is kept; open.
        provider: plays the model.
        tools: what the agent can use.
        workspace: where its file tools work.
        clock: all time.
        completion: how the agent says that it is done.
        limits: bounds of each run.
        boot: which boot of the home this is.
    """

    def __init__(
        self,
        store: Store,
        provider: Provider,
        *,
        tools: tuple[Tool, ...] = (),
        workspace: Path = Path("workspace"),
        clock: Clock | None = None,
        completion: Completion = "wrapper",
        limits: RunLimits | None = None,
        boot: int = 1,
    ) -> None:
        self.store = store
        self.clock = clock if clock is not None else ManualClock()
        self._numbers = count(1)
        self._boot = boot
        self.threads = ThreadStore(
            store, self.clock, self._make_id, f"home:boot{boot}", estimate_tokens, ThreadLimits()
        )
        limits = limits if limits is not None else RunLimits()
        toolbox = Toolbox(tools)
        effects: dict[str, Effect] = {tool.name: tool.effect for tool in tools}
        spec = AgentSpec("sulla", "Sulla", "You are Sulla.", completion)
        specs = tuple(ToolSpec(tool.name, tool.description, tool.schema) for tool in tools)
        chat = Chat(provider, spec, specs, lambda name: effects.get(name, "pure"), limits, lambda: 0.0)
        graph = create_agent_graph(InputHandler(limits), AgentNode(chat, Calls(toolbox, workspace)))
        actors = {"sulla": Actor(spec, "scripted", graph)}
        self.turns = TurnDriver(self.threads, store, self.clock, actors, limits)

    def _make_id(self, prefix: str) -> str:
        return f"{prefix}_{self._boot}_{next(self._numbers)}"

    async def thread(self) -> ThreadId:
        """A new thread."""
        return await self.threads.create(ThreadCreated("sulla"))

    async def send(self, thread_id: ThreadId, text: str, mode: Mode = "queue") -> Sent:
        """Offer a message; nobody works on it yet."""
        return await self.threads.send(thread_id, Input(MessageId(self._make_id("msg")), text, mode))

    async def ask(self, thread_id: ThreadId, text: str) -> Sent:
        """Offer a message and work until the thread rests."""
        sent = await self.send(thread_id, text)
        await self.turns.attend(thread_id)
        return sent

    async def log(self, thread_id: ThreadId) -> list[Entry]:
        """Every record."""
        found: list[Entry] = []
        while page := await self.threads.entries(thread_id, after=found[-1].seq if found else 0):
            found += page
        return found

    async def kinds(self, thread_id: ThreadId) -> list[str]:
        """The kinds of every record behind the thread's creation."""
        return [entry.kind for entry in await self.log(thread_id)][1:]
