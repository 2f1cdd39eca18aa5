"""All wiring, by hand, top to bottom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sulla.agent import (
    Actor,
    AgentNode,
    AgentSpec,
    Breaker,
    Calls,
    Chat,
    Gauge,
    InputHandler,
    Ledger,
    Mind,
    Model,
    RunLimits,
    Summarizer,
    TurnDriver,
    create_agent_graph,
    sections,
)
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.trail import trail
from sulla.daemon import bounds
from sulla.daemon.access import Access, make_access
from sulla.daemon.account import Account
from sulla.daemon.agents import home_agent, surroundings, tool_specs, toolbox_of
from sulla.daemon.checkup import BUDGET_S, Checkup, StoreReport, check_store
from sulla.daemon.config import Settings
from sulla.daemon.health import look_after
from sulla.daemon.instruments import Instruments, make_instruments
from sulla.daemon.intake import Intake
from sulla.daemon.journaling import journal_status, make_journal
from sulla.daemon.minds import asker, exact_count, make_provider
from sulla.daemon.models import Choice
from sulla.daemon.place import Place
from sulla.daemon.ranks import LazyRanks
from sulla.daemon.report import report_settings, report_troubles, report_use
from sulla.daemon.roster import roster_of
from sulla.daemon.service import Service
from sulla.daemon.stores import make_store, store_reader, store_source
from sulla.daemon.watch import StoreWatch
from sulla.journal import Frame, Journal
from sulla.providers import (
    OFFLINE,
    Calibrations,
    Provider,
    estimate_tokens,
    parse_model,
    read_prices,
    window_of,
)
from sulla.store import Store
from sulla.threads import ThreadStore
from sulla.tools import Effect, Toolbox
from sulla.work import Job, LocalWork


@dataclass(frozen=True, slots=True)
class System:
    """Everything that was built."""

    store: Store
    threads: ThreadStore
    provider: Provider
    turns: TurnDriver
    work: LocalWork
    service: Service
    account: Account
    summarizer: Summarizer
    journal: Journal | None
    watch: StoreWatch
    access: Access
    instruments: Instruments


def build(settings: Settings, choice: Choice, place: Place) -> System:
    """Wire a daemon together; nothing is opened or started yet.

    Raises:
        SettingsError: a setting asks for something that there is not.
    """
    store = place.wrap_store(make_store(settings, place))
    spec = home_agent(settings)
    toolbox = toolbox_of(spec, place.extra_tools)
    instruments = make_instruments(settings, choice, place, [tool.name for tool in tool_specs(toolbox)])
    kept, stream = bounds.threads(settings), instruments.stream
    threads = ThreadStore(store, place.clock, place.make_id, place.owner, estimate_tokens, kept, stream)
    ledger, ranks = Ledger(bounds.day(settings)), LazyRanks(exact_count)
    provider = place.wrap_provider(make_provider(settings, choice, place))
    model = _model(settings, choice, provider, ledger, ranks, place)
    limits = bounds.run(settings)
    summarizer = Summarizer(threads, model, place.clock, place.make_id, limits)
    able = settings.model.summaries and choice.model.provider != OFFLINE
    chat = _chat(spec, model, toolbox, settings, limits, summarizer.ask if able else _no_summary)
    graph = create_agent_graph(InputHandler(chat), AgentNode(chat, Calls(toolbox, settings.workspace, place.jitter)))
    actors = {spec.id: Actor(spec, choice.model.model, graph)}
    turns = TurnDriver(threads, store, place.clock, actors, limits, ledger)
    frames = {spec.id: Frame(tuple(part.text for part in sections(spec, chat.surroundings)), chat.tools)}
    journal = make_journal(settings, threads, store, place.clock, place.redactor, frames)

    async def handle(job: Job) -> None:
        try:
            with trail(thread_id=job.key):
                await turns.attend(ThreadId(job.key))
        finally:
            if journal is not None:
                journal.wake(ThreadId(job.key))

    async def group_of(key: str) -> str:
        return await threads.agent_of(ThreadId(key))

    work = LocalWork(store, handle, group_of, place.clock, bounds.work(settings))
    access = make_access(settings, store, place)
    intake = Intake(threads, bounds.rates(settings), place.clock)

    async def check() -> StoreReport:
        return await check_store(store_reader(settings, place.clock, quiet=False), store, place.clock, BUDGET_S)

    def report() -> JsonObject:
        said = report_settings(settings, choice, store_source(settings))
        used = report_use(settings, model, ranks, place.clock) | journal_status(journal)
        return said | used | access.status() | report_troubles(instruments.health.troubles())

    watch = StoreWatch(store, place.clock, lambda: turns.abort("store_replaced"))
    service = Service(threads, intake, watch, work, roster_of(spec, choice, toolbox), report, Checkup(check).run)
    account = Account(ledger, store, place.clock)
    look_after(instruments.health, watch, service, model.breaker, journal, access)
    return System(
        store, threads, provider, turns, work, service, account, summarizer, journal, watch, access, instruments
    )


def _chat(
    spec: AgentSpec,
    model: Model,
    toolbox: Toolbox,
    settings: Settings,
    limits: RunLimits,
    summarize: Callable[[ThreadId], bool],
) -> Chat:
    def effect_of(name: str) -> Effect:
        tool = toolbox.get(name)
        return tool.effect if tool is not None else "pure"  # a call of no tool does nothing, however often

    return Chat(model, spec, tool_specs(toolbox), effect_of, limits, surroundings(settings), summarize)


def _no_summary(thread_id: ThreadId) -> bool:
    """Nobody could make one: the rules that answer offline cannot sum anything up."""
    return False


def _model(
    settings: Settings, choice: Choice, provider: Provider, ledger: Ledger, ranks: LazyRanks, place: Place
) -> Model:
    window = window_of(choice.model, settings.model.window_tokens)
    stand_in = parse_model(settings.model.fallback) if settings.model.fallback else None
    mind = Mind(choice.model, window, read_prices(settings.prices), stand_in)
    gauge = Gauge(mind, Calibrations(), ranks, asker(provider))
    return Model(provider, gauge, ledger, Breaker(), place.jitter)
