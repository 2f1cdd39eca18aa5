"""A whole agent in memory: threads, tools, the loop, and whatever plays the model. Time stands still until it is
moved.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

from sulla.agent.active import ActiveAgents
from sulla.agent.approvals.open_questions import OpenQuestions
from sulla.agent.approvals.permissions import Permissions
from sulla.agent.calls.calls import ToolCalls
from sulla.agent.calls.guard import CallGuard
from sulla.agent.feed import EnvironmentFeed
from sulla.agent.limits.ledger import DayLimits, Ledger
from sulla.agent.limits.limits import RunLimits
from sulla.agent.model.breaker import Breaker
from sulla.agent.model.model import Model
from sulla.agent.model.token_estimator import ModelInfo, TokenEstimator
from sulla.agent.prompt import Surroundings
from sulla.agent.spec import AgentSpec, Completion
from sulla.agent.subagents.child_tools import Subagents
from sulla.agent.subagents.children import Children
from sulla.agent.turn.actor import Actor, actor_key
from sulla.agent.turn.ambient_context import TurnContext
from sulla.agent.turn.chat import AgentChat
from sulla.agent.turn.graph import create_agent_graph
from sulla.agent.turn.input import InputHandler
from sulla.agent.turn.node import AgentNode
from sulla.agent.turn.turns import TurnDriver
from sulla.core.clock import Clock
from sulla.core.ids import MessageId, ThreadId
from sulla.core.message import ToolCall
from sulla.core.redact import Redactor
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.models.base import Provider, ToolSpec
from sulla.models.catalog import ModelName
from sulla.models.tokens.calibration import Calibrations
from sulla.models.tokens.prices import Prices
from sulla.store.base import Store
from sulla.store.values import LogInfo
from sulla.testing.clock import ManualClock
from sulla.threads.bounds import ThreadLimits
from sulla.threads.log.codec import Entry
from sulla.threads.log.records import Input, Mode, ThreadCreated
from sulla.threads.retention import Retention
from sulla.threads.store import Sent, ThreadStore
from sulla.threads.watching import Watcher
from sulla.tools.base import Effect, Tool
from sulla.tools.policy import effect_of
from sulla.tools.registry import Toolbox

MOST_ROUNDS = 1_000
"""How often `World.work` looks for more to do."""


def scripted_model(
    provider: Provider,
    *,
    window_tokens: int = 200_000,
    prices: Prices | None = None,
    day: DayLimits | None = None,
    name: str = "",
) -> Model:
    """A model as the daemon makes it, over any provider.

    Args:
        provider: plays it.
        window_tokens: of prompt, conversation and reply.
        prices: None for a model without one.
        day: what all agents may use on one day.
        name: what the service calls it.
    """
    estimator = TokenEstimator(
        ModelInfo(ModelName("offline", name), window_tokens, prices if prices is not None else Prices({})),
        Calibrations(),
    )
    return Model(provider, estimator, Ledger(day if day is not None else DayLimits()), Breaker(), lambda: 0.0)


def _effects(box: Toolbox) -> Callable[[ToolCall], Effect]:
    return lambda call: effect_of(box.get(call.name), call.args)


class World:
    """One home's agent over a store. Make a second one over the same store for the next boot.

    Args:
        store: where everything is kept; open.
        provider: plays the model.
        tools: what the agent can use.
        clock: all time.
        completion: how the agent says that it is done.
        limits: bounds of each run.
        model: what it is asked through; None for one with a wide window and no price.
        retention: how long threads are kept.
        boot: which boot of the home this is.
        home: which home.
        lease_ttl_s: how long its leases hold, in seconds.
        watcher: is told what is kept and shown.
        guard: rules on calls; None for the usual one, with rules in the store.
        workspace: where its file tools work.
    """

    def __init__(  # noqa: PLR0913 - every knob of a double has a name and a default
        self,
        store: Store,
        provider: Provider,
        *,
        tools: tuple[Tool, ...] = (),
        clock: Clock | None = None,
        completion: Completion = "wrapper",
        limits: RunLimits | None = None,
        model: Model | None = None,
        retention: Retention | None = None,
        boot: int = 1,
        home: str = "home",
        lease_ttl_s: float = 30.0,
        watcher: Watcher | None = None,
        guard: CallGuard | None = None,
        workspace: Path = Path("workspace"),
    ) -> None:
        self.store = store
        self.clock = clock if clock is not None else ManualClock()
        self._numbers, self._boot = count(1), boot
        kept = ThreadLimits(lease_ttl_s=lease_ttl_s, retention=retention if retention is not None else Retention())
        make_id, owner = self._make_id, f"{home}:boot{boot}"
        self.threads = ThreadStore(store, self.clock, make_id, owner, THREAD_SCHEMA, kept, watcher)
        limits = limits or RunLimits()
        spec = AgentSpec("sulla", "Sulla", "You are Sulla.", completion)
        specs = tuple(ToolSpec(tool.name, tool.description, tool.schema) for tool in tools)
        self.model = model if model is not None else scripted_model(provider)
        self.summaries: list[ThreadId] = []
        """Threads that asked for a summary."""
        box = Toolbox(tools)
        around = Surroundings()
        chat = self.chat = AgentChat(self.model, spec, specs, _effects(box), limits, around, self._summarize)
        effects: dict[str, Effect] = {tool.name: tool.effect for tool in tools}
        self.permissions = Permissions(store, self.clock)
        usual = CallGuard(self.permissions, asked=OpenQuestions(self.threads, self.clock))
        calls = ToolCalls(box, workspace, lambda: 0.0, guard if guard is not None else usual)
        graph = create_agent_graph(InputHandler(chat), AgentNode(chat, calls))
        names = ("sulla", "helper", actor_key("sulla", "scripted:cheap"))
        self.actors = {name: Actor(spec, "scripted", graph) for name in names}
        self.held: tuple[LogInfo, ...] = ()
        """Logs at work, as the last `sweep` saw them."""
        self.feed = EnvironmentFeed(store, self.clock, Redactor())
        """What its people look at."""
        active = ActiveAgents(self.threads, lambda: self.held).lately
        told = TurnContext(self.clock, active=active, environment=self.feed.seen)
        children = Children(self.threads, lambda thread_id: None, limits)
        self.family = Subagents(children, self.threads, _helpers, lambda agent: effects)
        """What tools for sub-agents need (`sub_agent_tools`)."""
        self.turns = TurnDriver(self.threads, store, self.clock, self.actors, limits, self.model.ledger, children, told)

    def _summarize(self, thread_id: ThreadId) -> bool:
        self.summaries.append(thread_id)
        return True

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

    async def sweep(self) -> None:
        """Look for logs at work, as a daemon does twice a second."""
        self.held = tuple(info for info in await self.store.find(ready=True) if info.held)

    async def work(self) -> None:
        """Work on every thread until all of them rest or wait.

        Raises:
            AssertionError: they go on for ever.
        """
        for _ in range(MOST_ROUNDS):
            if not (ready := await self.store.find(ready=True)):
                return
            for info in ready:
                await self.turns.attend(ThreadId(info.key))
        raise AssertionError(f"threads still go on after {MOST_ROUNDS} rounds")

    async def log(self, thread_id: ThreadId) -> list[Entry]:
        """Every record."""
        found: list[Entry] = []
        while page := await self.threads.entries(thread_id, after=found[-1].seq if found else 0):
            found += page
        return found

    async def kinds(self, thread_id: ThreadId) -> list[str]:
        """The kinds of every record behind the thread's creation."""
        return [entry.kind for entry in await self.log(thread_id)][1:]


def _helpers(agent: str) -> tuple[str, ...]:
    """Whom an agent may set to work."""
    return ("helper",) if agent == "sulla" else ()
