"""All wiring, by hand, top to bottom: the only place that names adapters.

Heavy adapters are imported inside their factories, which run on a worker thread when a model is first used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sulla import __version__
from sulla.agent import (
    SULLA,
    Actor,
    AgentNode,
    AgentSpec,
    Calls,
    Chat,
    InputHandler,
    RunLimits,
    TurnDriver,
    create_agent_graph,
)
from sulla.core.clock import Clock
from sulla.core.errors import SettingsError
from sulla.core.ids import MakeId, ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.daemon.config import Settings
from sulla.daemon.lazy import LazyProvider
from sulla.daemon.models import HOW_TO, Choice
from sulla.daemon.service import Service
from sulla.providers import Provider, ToolSpec, estimate_tokens
from sulla.store import Store
from sulla.threads import ThreadLimits, ThreadStore
from sulla.tools import Effect, Tool, Toolbox, builtin_tools
from sulla.work import Caps, Job, LocalWork

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


def build(settings: Settings, choice: Choice, place: Place) -> System:
    """Wire a daemon together; nothing is opened or started yet.

    Raises:
        SettingsError: a setting asks for something that there is not.
    """
    store = place.wrap_store(_store(settings, place))
    limits = ThreadLimits(
        max_waiting=settings.limits.waiting_inputs,
        load_tokens=settings.limits.history_tokens,
        lease_ttl_s=settings.store.lease_ttl_s,
    )
    threads = ThreadStore(store, place.clock, place.make_id, place.owner, estimate_tokens, limits)
    provider = place.wrap_provider(_provider(settings, choice, place))
    run_limits = RunLimits(
        model_calls=settings.limits.model_calls,
        tokens=settings.limits.run_tokens,
        wall_s=settings.limits.run_wall_s,
        history_tokens=settings.limits.history_tokens,
        reply_tokens=settings.model.reply_tokens,
    )
    toolbox = Toolbox((*builtin_tools(), *place.extra_tools))
    spec = AgentSpec(SULLA.id, SULLA.name, SULLA.prompt, settings.agent.completion)
    model, workspace = choice.model.model, settings.workspace
    actors = {spec.id: _actor(spec, model, provider, toolbox, workspace, run_limits, place.jitter)}
    turns = TurnDriver(threads, store, place.clock, actors, run_limits)

    async def handle(job: Job) -> None:
        await turns.attend(ThreadId(job.key))

    async def group_of(key: str) -> str:
        return await threads.agent_of(ThreadId(key))

    caps = Caps(settings.limits.runs, settings.limits.runs_per_agent)
    work = LocalWork(store, handle, group_of, place.clock, caps)
    service = Service(threads, store, work, tuple(actors), lambda: _report(settings, choice))
    return System(store, threads, provider, turns, work, service)


def _actor(
    spec: AgentSpec,
    model: str,
    provider: Provider,
    toolbox: Toolbox,
    workspace: Path,
    limits: RunLimits,
    jitter: Callable[[], float],
) -> Actor:
    box = toolbox if spec.tools is None else toolbox.select(spec.tools)
    specs = tuple(ToolSpec(tool.name, tool.description, tool.schema) for tool in box)

    def effect_of(name: str) -> Effect:
        tool = box.get(name)
        return tool.effect if tool is not None else "pure"  # a call of no tool does nothing, however often

    chat = Chat(provider, spec, specs, effect_of, limits, jitter)
    return Actor(spec, model, create_agent_graph(InputHandler(limits), AgentNode(chat, Calls(box, workspace))))


def _store(settings: Settings, place: Place) -> Store:
    url = settings.store.url
    if not url:
        for name, given in (("POSTGRES_URL", settings.store.postgres_url), ("REDIS_URL", settings.store.redis_url)):
            if given.get_secret_value():
                raise SettingsError(
                    f"{name} is set, but this version keeps everything in SQLite only: unset it, or set "
                    "SULLA_STORE=sqlite:///path to say so"
                )
    if url == "memory:":
        from sulla.store.memory import MemoryStore

        return MemoryStore(place.clock, place.make_id)
    path = url.removeprefix(SQLITE)
    if url and path in ("", url):
        scheme, found, _ = url.partition("://")  # what follows can hold a password
        known = not found or scheme == "sqlite"
        fault = "is not the URL of a store" if known else f"asks for {scheme!r}, but this version keeps all in SQLite"
        raise SettingsError(f"store.url (SULLA_STORE) {fault}: expected sqlite:///path or memory:")
    from sulla.store.sqlite import SqliteStore

    return SqliteStore(settings.place(path or STORE_FILE), place.clock, place.make_id)


def _provider(settings: Settings, choice: Choice, place: Place) -> Provider:
    def anthropic() -> Provider:
        from sulla.providers.anthropic import AnthropicProvider

        key = settings.model.anthropic_api_key.get_secret_value()
        base_url = settings.model.anthropic_base_url
        return (
            AnthropicProvider(key, place.clock, base_url=base_url) if base_url else AnthropicProvider(key, place.clock)
        )

    def ollama() -> Provider:
        from sulla.providers.ollama import OllamaProvider

        return OllamaProvider(settings.model.ollama_host, place.clock, place.make_id)

    def openai() -> Provider:
        try:
            from sulla.providers.openai import BASE_URL, OpenAiProvider
        except ModuleNotFoundError as error:
            raise SettingsError(
                f"the model {str(choice.model)!r} needs the library {error.name!r}: pip install 'sulla[openai]'"
            ) from error
        from sulla.providers.openai_wire import OpenAiOptions

        key = settings.model.openai_api_key.get_secret_value()
        base_url = settings.model.openai_base_url or BASE_URL
        options = OpenAiOptions(settings.model.openai_form)
        return OpenAiProvider(key, place.clock, place.make_id, base_url=base_url, options=options)

    def offline() -> Provider:
        from sulla.providers.offline import OfflineProvider

        return OfflineProvider()

    makers = {"anthropic": anthropic, "ollama": ollama, "openai": openai, "offline": offline}
    return LazyProvider(choice.model.provider, makers[choice.model.provider])


def store_source(settings: Settings) -> str:
    """Where everything is kept, and which setting says so, for people."""
    url, source = settings.store.url, "SULLA_STORE or store.url" if settings.store.url else "the default"
    if url != "memory:":
        url = f"{SQLITE}{settings.place(url.removeprefix(SQLITE) or STORE_FILE)}"
    return f"{url} ({source})"


def _report(settings: Settings, choice: Choice) -> JsonObject:
    return {
        "version": __version__,
        "home": str(settings.home),
        "store": store_source(settings),
        "model": str(choice.model),
        "model_why": choice.why,
        "offline": choice.model.provider == "offline",
        "how_to": HOW_TO,
        "workspace": str(settings.workspace),
    }
