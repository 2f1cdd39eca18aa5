"""Turns that nobody hears, soon after the start: what the first real one would have to wait for is done by then.

Much is made at its first use: classes are compiled (decision 038), patterns and tables are built, libraries load parts
of themselves, a client finds out what machine it runs on. So some turns are had in memory, with a model that says its
one line, some requests are made to a service within this process, and the classes of all that is loaded are compiled.
Nothing of it leaves this machine or is kept.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import AsyncGenerator, Iterator
from dataclasses import is_dataclass

from sulla.agent.calls.calls import ToolCalls
from sulla.agent.limits.ledger import DayLimits, Ledger
from sulla.agent.limits.limits import RunLimits
from sulla.agent.model.breaker import Breaker
from sulla.agent.model.model import Model
from sulla.agent.model.token_estimator import ModelInfo, TokenEstimator
from sulla.agent.prompt import Surroundings
from sulla.agent.spec import SULLA
from sulla.agent.subagents.children import Children
from sulla.agent.turn.actor import Actor
from sulla.agent.turn.chat import AgentChat
from sulla.agent.turn.graph import create_agent_graph
from sulla.agent.turn.input import InputHandler
from sulla.agent.turn.node import AgentNode
from sulla.agent.turn.turns import TurnDriver
from sulla.core.clock import Clock
from sulla.core.errors import SullaError
from sulla.core.ids import MessageId, ThreadId
from sulla.core.message import Message, Text
from sulla.core.words import ours
from sulla.daemon.models.choice import Choice
from sulla.daemon.models.one_line_service import one_line_service
from sulla.daemon.models.providers import make_provider
from sulla.daemon.settings.config import Settings
from sulla.daemon.stores import make_store
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.gateway.methods.table import METHODS
from sulla.host.place import Place
from sulla.host.store_url import MEMORY
from sulla.models.base import ChatRequest, Completed, Delta, PromptSection, TextDelta, TokenUsage
from sulla.models.catalog import OFFLINE, ModelName
from sulla.models.tokens.calibration import Calibrations
from sulla.models.tokens.prices import Prices
from sulla.rpc.row import adapter_of
from sulla.threads.bounds import ThreadLimits
from sulla.threads.log.provenance import from_outside
from sulla.threads.log.records import Input, ThreadCreated
from sulla.threads.store import ThreadStore
from sulla.tools.registry import Toolbox

log = logging.getLogger(__name__)

_LINE = "Ready. <AGENT_DONE>ready</AGENT_DONE>"
_TURNS = 8
"""Python rewrites what runs so often for speed."""
_BREATH_S = 0.01
"""Between two turns, for whoever wants something meanwhile."""
_REQUEST_S = 5.0
_AT_ONCE = 8
"""Classes that are compiled in one step: a millisecond."""
_METHODS = ("hello", "thread.create", "events.subscribe", "turn.send")
"""What a client asks for its first turn."""


class _OneLine:
    """Implements `models.Provider`: a model that always says the same."""

    name = OFFLINE

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """See `models.Provider.stream`."""
        yield TextDelta(_LINE)
        yield Completed(Message(MessageId("rehearsal"), "assistant", (Text(_LINE, "agent"),)), TokenUsage(1, 1), "end")

    async def close(self) -> None:
        """Nothing to let go of."""


async def rehearse(settings: Settings, choice: Choice, place: Place) -> None:
    """Have the turns, and make the request; what goes wrong is for the first real turn to say.

    Args:
        settings: the daemon's.
        choice: its model.
        place: what it stands on.
    """
    for name in _METHODS:
        METHODS[name].params.model_rebuild()
        adapter_of(METHODS[name].result)  # type: ignore[arg-type]  # a class can be hashed
    try:
        await _turns(settings, place)
        await _ask(settings, choice, place)
    except SullaError as error:
        log.warning("the rehearsal of a turn failed: %s", error.message)
    await compile_loaded(place.clock)


async def compile_loaded(clock: Clock) -> None:
    """Have the methods compiled that the dataclasses of all loaded modules have put off: 560 classes take 0.1 s of a
    processor and 1.7 MiB, and a first turn uses some forty of them in whose code no rehearsed turn comes by.

    Args:
        clock: to let others have their turn in between.
    """
    for number, cls in enumerate(list(_dataclasses())):
        for name in ("__init__", "__eq__", "__hash__"):
            getattr(cls, name)
        if number % _AT_ONCE == 0:
            await clock.sleep(0)


def _dataclasses() -> Iterator[type]:
    """Those that the loaded modules of Sulla define."""
    for name, module in list(sys.modules.items()):
        if name.startswith("sulla."):
            yield from (
                one
                for one in vars(module).values()
                if isinstance(one, type) and one.__module__ == name and is_dataclass(one)
            )


async def _turns(settings: Settings, place: Place) -> None:
    kept = settings.model_copy(update={"store": settings.store.model_copy(update={"url": MEMORY})})
    store, clock, limits = make_store(kept, place), place.clock, RunLimits()
    await store.open()
    try:
        threads = ThreadStore(store, clock, place.make_id, "rehearsal:1", THREAD_SCHEMA, ThreadLimits())
        info, ledger = ModelInfo(ModelName(OFFLINE), 200_000, Prices({})), Ledger(DayLimits())
        model = Model(_OneLine(), TokenEstimator(info, Calibrations()), ledger, Breaker(), place.jitter)
        chat = AgentChat(model, SULLA, (), lambda name: "pure", limits, Surroundings(), lambda thread_id: False)
        node = AgentNode(chat, ToolCalls(Toolbox(()), settings.workspace, place.jitter))
        actors = {SULLA.id: Actor(SULLA, OFFLINE, create_agent_graph(InputHandler(chat), node))}
        children = Children(threads, lambda thread_id: None, limits)
        turns = TurnDriver(threads, store, clock, actors, limits, ledger, children)
        thread_id: ThreadId = await threads.create(ThreadCreated(SULLA.id))
        for number in range(_TURNS):
            said = Input(MessageId(f"rehearsal_{number}"), "Are you ready?")
            from_outside(said)  # as those who read along ask
            await threads.send(thread_id, said)
            await turns.attend(thread_id)
            await threads.entries(thread_id)
            await clock.sleep(_BREATH_S)
    finally:
        await store.close()


async def _ask(settings: Settings, choice: Choice, place: Place) -> None:
    async with one_line_service() as url:
        where = {"anthropic_base_url": url, "openai_base_url": f"{url}/v1", "ollama_host": url, "fallback": ""}
        there = settings.model_copy(update={"model": settings.model.model_copy(update=where)})
        provider = make_provider(there, choice, place)
        hello = Message(MessageId("rehearsal"), "user", (Text("Are you ready?"),))
        request = ChatRequest(
            choice.model.model, (PromptSection("agent", ours("You are ready.")),), [hello], (), 16, _REQUEST_S
        )
        try:
            for _ in range(_TURNS):
                async for _ in provider.stream(request):
                    pass
                await place.clock.sleep(_BREATH_S)
        finally:
            await provider.close()
