"""All wiring, by hand, top to bottom: the only place that names adapters.

Heavy adapters are imported inside their factories, which run on a worker thread when a model is first used.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

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
from sulla.core.clock import Clock
from sulla.core.errors import ProviderUnreachable, SettingsError
from sulla.core.ids import MakeId, ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.redact import Redactor
from sulla.daemon import bounds
from sulla.daemon.account import Account
from sulla.daemon.agents import home_agent, surroundings, tool_specs, toolbox_of
from sulla.daemon.checkup import BUDGET_S, Checkup, StoreFile, StoreReport, check_store
from sulla.daemon.config import ModelSettings, Settings
from sulla.daemon.intake import Intake
from sulla.daemon.journaling import journal_status, make_journal
from sulla.daemon.lazy import LazyProvider
from sulla.daemon.models import Choice
from sulla.daemon.ranks import LazyRanks
from sulla.daemon.report import report_settings, report_use
from sulla.daemon.service import Service
from sulla.journal import Frame, Journal
from sulla.providers import (
    OFFLINE,
    Calibrations,
    CountText,
    ModelName,
    Provider,
    StandIn,
    estimate_tokens,
    find_ollama,
    parse_model,
    read_prices,
    window_of,
)
from sulla.store import Store
from sulla.threads import ThreadStore
from sulla.tools import Effect, Tool, Toolbox
from sulla.work import Job, LocalWork

log = logging.getLogger(__name__)

SQLITE = "sqlite:///"
STORE_FILE = "sulla.db"


@dataclass(frozen=True, slots=True)
class Place:
    """What a daemon stands on: passed in, so that a test can put doubles there."""

    clock: Clock
    make_id: MakeId
    owner: str
    """``<home id>:<boot nonce>``, as leases name it."""
    jitter: Callable[[], float]
    """A random number from 0 to 1 at each call: spreads what would otherwise be tried again all at once."""
    redactor: Redactor = field(default_factory=Redactor)
    """What must not be shown."""
    wrap_store: Callable[[Store], Store] = lambda store: store
    wrap_provider: Callable[[Provider], Provider] = lambda provider: provider
    extra_tools: tuple[Tool, ...] = ()


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


def build(settings: Settings, choice: Choice, place: Place) -> System:
    """Wire a daemon together; nothing is opened or started yet.

    Raises:
        SettingsError: a setting asks for something that there is not.
    """
    store = place.wrap_store(make_store(settings, place))
    threads = ThreadStore(store, place.clock, place.make_id, place.owner, estimate_tokens, bounds.threads(settings))
    ledger, ranks = Ledger(bounds.day(settings)), LazyRanks(_load_ranks)
    provider = place.wrap_provider(_providers(settings, choice, place))
    model = _model(settings, choice, provider, ledger, ranks, place)
    limits = bounds.run(settings)
    summarizer = Summarizer(threads, model, place.clock, place.make_id, limits)
    spec = home_agent(settings)
    toolbox = toolbox_of(spec, place.extra_tools)
    chat = _chat(spec, model, toolbox, settings, limits)
    able = settings.model.summaries and choice.model.provider != OFFLINE
    handler = InputHandler(chat, summarizer.ask if able else _no_summary)
    graph = create_agent_graph(handler, AgentNode(chat, Calls(toolbox, settings.workspace, place.jitter)))
    actors = {spec.id: Actor(spec, choice.model.model, graph)}
    turns = TurnDriver(threads, store, place.clock, actors, limits, ledger)
    frames = {spec.id: Frame(tuple(part.text for part in sections(spec, chat.surroundings)), chat.tools)}
    journal = make_journal(settings, threads, store, place.clock, place.redactor, frames)

    async def handle(job: Job) -> None:
        try:
            await turns.attend(ThreadId(job.key))
        finally:
            if journal is not None:
                journal.wake(ThreadId(job.key))

    async def group_of(key: str) -> str:
        return await threads.agent_of(ThreadId(key))

    work = LocalWork(store, handle, group_of, place.clock, bounds.work(settings))
    intake = Intake(threads, bounds.rates(settings), place.clock)

    async def check() -> StoreReport:
        return await check_store(store_reader(settings, place.clock, quiet=False), store, place.clock, BUDGET_S)

    def report() -> JsonObject:
        said = report_settings(settings, choice, store_source(settings))
        return said | report_use(settings, model, ranks, place.clock) | journal_status(journal)

    service = Service(threads, intake, store, work, tuple(actors), report, Checkup(check).run)
    account = Account(ledger, store, place.clock)
    return System(store, threads, provider, turns, work, service, account, summarizer, journal)


def _chat(spec: AgentSpec, model: Model, toolbox: Toolbox, settings: Settings, limits: RunLimits) -> Chat:
    def effect_of(name: str) -> Effect:
        tool = toolbox.get(name)
        return tool.effect if tool is not None else "pure"  # a call of no tool does nothing, however often

    return Chat(model, spec, tool_specs(toolbox), effect_of, limits, surroundings(settings))


def _no_summary(thread_id: ThreadId) -> bool:
    """Nobody could make one: the rules that answer offline cannot sum anything up."""
    return False


def _model(
    settings: Settings, choice: Choice, provider: Provider, ledger: Ledger, ranks: LazyRanks, place: Place
) -> Model:
    window = window_of(choice.model, settings.model.window_tokens)
    mind = Mind(choice.model, window, read_prices(settings.prices))
    gauge = Gauge(mind, Calibrations(), ranks)
    return Model(provider, gauge, ledger, Breaker(), place.jitter)


def _load_ranks() -> CountText:
    from sulla.providers.ranks import load_ranks

    return load_ranks().count_text


def store_file(settings: Settings) -> Path | None:
    """The file that everything is kept in; None for a store without one.

    Raises:
        SettingsError: the settings name no store that there is.
    """
    url = settings.store.url
    if not url:
        for name, given in (("POSTGRES_URL", settings.store.postgres_url), ("REDIS_URL", settings.store.redis_url)):
            if given.get_secret_value():
                raise SettingsError(
                    f"{name} is set, but this version keeps everything in SQLite only: unset it, or set "
                    "SULLA_STORE=sqlite:///path to say so"
                )
    if url == "memory:":
        return None
    path = url.removeprefix(SQLITE)
    if url and path in ("", url):
        scheme, found, _ = url.partition("://")  # what follows can hold a password
        known = not found or scheme == "sqlite"
        fault = "is not the URL of a store" if known else f"asks for {scheme!r}, but this version keeps all in SQLite"
        raise SettingsError(f"store.url (SULLA_STORE) {fault}: expected sqlite:///path or memory:")
    return settings.place(path or STORE_FILE)


def make_store(settings: Settings, place: Place) -> Store:
    """The store that the settings name; not opened yet.

    Raises:
        SettingsError: they name none that there is.
    """
    path = store_file(settings)
    if path is None:
        from sulla.store.memory import MemoryStore

        return MemoryStore(place.clock, place.make_id)
    from sulla.store.sqlite import SqliteStore

    return SqliteStore(path, place.clock, place.make_id)


def store_reader(settings: Settings, clock: Clock, *, quiet: bool) -> StoreFile | None:
    """The file that everything is kept in, to be looked at; None for a store without one.

    Args:
        settings: where it is.
        clock: for deadlines.
        quiet: nobody writes to it meanwhile.

    Raises:
        SettingsError: the settings ask for a store that there is not.
    """
    path = store_file(settings)
    if path is None:
        return None
    from sulla.store.sqlite_reader import SqliteReader

    return SqliteReader(path, clock, quiet=quiet)


async def known_models(settings: ModelSettings, model: ModelName, clock: Clock) -> tuple[str, ...]:
    """What a service says that it has, of the model that is asked for at least.

    Raises:
        ProviderError: it does not answer, or the key is refused.
        SettingsError: its library is not installed, or its address is none.
    """
    if model.provider == "anthropic":
        from sulla.providers.anthropic_probe import find_anthropic

        key = settings.anthropic_api_key.get_secret_value()
        there = await find_anthropic(model.model, key, settings.anthropic_base_url, clock)
        return (model.model,) if there else ()
    if model.provider == "openai":
        try:
            from sulla.providers.openai_probe import list_openai
        except ModuleNotFoundError as error:
            raise _not_installed(model, error) from error
        key = settings.openai_api_key.get_secret_value()
        return await list_openai(model.model, key, settings.openai_base_url, clock)
    found = await find_ollama(settings.ollama_host, clock)
    if found is None:
        raise ProviderUnreachable("no Ollama answers: start it with `ollama serve`, or check OLLAMA_HOST")
    return found


def _providers(settings: Settings, choice: Choice, place: Place) -> Provider:
    """The chosen model's provider, with the one behind it that answers where it cannot be asked."""
    first = _provider(settings, choice.model, place)
    if not settings.model.fallback:
        return first
    from sulla.providers.fallback import FallbackProvider

    second = parse_model(settings.model.fallback)
    reasons = settings.model.fallback_reasons
    return FallbackProvider(first, _provider(settings, second, place), second.model, reasons=reasons, told=_stands_in)


def _stands_in(other: StandIn) -> None:
    log.warning("%s answers for %s: %s", ModelName(other.provider, other.model), other.instead_of, other.detail)


def _provider(settings: Settings, model: ModelName, place: Place) -> Provider:
    def anthropic() -> Provider:
        from sulla.providers.anthropic import AnthropicProvider

        key = settings.model.anthropic_api_key.get_secret_value()
        base_url = settings.model.anthropic_base_url
        return (
            AnthropicProvider(key, place.clock, base_url=base_url) if base_url else AnthropicProvider(key, place.clock)
        )

    def ollama() -> Provider:
        from sulla.providers.ollama import OllamaProvider
        from sulla.providers.ollama_wire import OllamaOptions

        options = OllamaOptions(num_ctx=window_of(model, settings.model.window_tokens))
        return OllamaProvider(settings.model.ollama_host, place.clock, place.make_id, options)

    def openai() -> Provider:
        try:
            from sulla.providers.openai import BASE_URL, OpenAiProvider
        except ModuleNotFoundError as error:
            raise _not_installed(model, error) from error
        from sulla.providers.openai_wire import OpenAiOptions

        key = settings.model.openai_api_key.get_secret_value()
        base_url = settings.model.openai_base_url or BASE_URL
        options = OpenAiOptions(settings.model.openai_form)
        return OpenAiProvider(key, place.clock, place.make_id, base_url=base_url, options=options)

    def offline() -> Provider:
        from sulla.providers.offline import OfflineProvider

        return OfflineProvider()

    makers = {"anthropic": anthropic, "ollama": ollama, "openai": openai, "offline": offline}
    return LazyProvider(model.provider, makers[model.provider])


def _not_installed(model: ModelName, error: ModuleNotFoundError) -> SettingsError:
    return SettingsError(f"the model {str(model)!r} needs the library {error.name!r}: pip install 'sulla[openai]'")


def store_source(settings: Settings) -> str:
    """Where everything is kept, and which setting says so, for people."""
    url, source = settings.store.url, "SULLA_STORE or store.url" if settings.store.url else "the default"
    if url != "memory:":
        url = f"{SQLITE}{settings.place(url.removeprefix(SQLITE) or STORE_FILE)}"
    return f"{url} ({source})"
