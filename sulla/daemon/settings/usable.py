"""Settings of the right form with which a daemon could not start all the same. `sulla up`, `sulla reload` and the check
`settings` of `sulla doctor` find the same, because all of them read the settings by way of here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Final

from sulla.agent.spec import SULLA
from sulla.capabilities import capabilities
from sulla.core.distribution import install_hint
from sulla.core.errors import SettingsError
from sulla.definitions.agents import AGENTS, read_agents
from sulla.heartbeat.settings import HeartbeatSettings
from sulla.host.capability import find
from sulla.host.exposure import check_exposure
from sulla.host.section import Section
from sulla.host.sections import (
    DaemonSettings,
    GatewaySettings,
    ModelSettings,
    TelemetrySettings,
    WebSettings,
    WorkSettings,
)
from sulla.host.settings import HomeSettings
from sulla.host.store_url import POSTGRES, REDIS, SERVERS, named_store, not_installed, store_file, work_database
from sulla.host.zone import home_zone
from sulla.journal.settings import JournalSettings
from sulla.models.catalog import parse_model
from sulla.models.ollama.probe import address
from sulla.store.url import check_login

_LIBRARIES: Final = {**dict.fromkeys(POSTGRES, ("psycopg", "postgres")), **dict.fromkeys(REDIS, ("redis", "redis"))}
"""The library that a server's scheme needs, and the extra of this package that brings it."""

Place = tuple[str, str]
"""A setting: its section and its key."""


def _store(key: str) -> Callable[[HomeSettings], object]:
    def check(settings: HomeSettings) -> None:
        if (named := named_store(settings)).source.endswith(f"store.{key}"):
            store_file(settings)
            if named.is_shared:
                check_login(named.url)
            library, extra = _LIBRARIES.get(named.scheme, ("", ""))
            if library and find_spec(library) is None:
                raise not_installed(named, ModuleNotFoundError(name=library), extra)

    return check


def _work_database(settings: HomeSettings) -> None:
    if not (url := settings.section(WorkSettings).database_url.get_secret_value()):
        return
    if (scheme := url.partition("://")[0]) not in POSTGRES:
        # Only the scheme is shown, and only of a URL: what follows can hold a password.
        asked = f"asks for {scheme!r}" if "://" in url else "is not the URL of a server"
        raise SettingsError(f"work.database_url {asked}: expected postgresql://user:password@host:port/database")
    check_login(url)


def _login(kind: type[Section], key: str) -> Callable[[HomeSettings], object]:
    return lambda settings: check_login(getattr(settings.section(kind), key))


def _role(settings: HomeSettings) -> None:
    work = settings.section(WorkSettings)
    if work.role != "all" and not named_store(settings).is_shared:
        raise SettingsError(
            f"work.role is {work.role!r}, and nobody else can use this home's store: name a server that all share, by "
            f"POSTGRES_URL or REDIS_URL ({SERVERS})"
        )
    if work.role == "gateway" and work.engine == "local":
        raise SettingsError("work.role is 'gateway', which asks workers by a queue: set work.engine to 'dbos' too")


def _engine(settings: HomeSettings) -> None:
    if settings.section(WorkSettings).engine == "local":
        return
    if not named_store(settings).is_shared:
        raise SettingsError(
            "work.engine is 'dbos', and nobody else can use this home's store: name a server by POSTGRES_URL or "
            f"REDIS_URL ({SERVERS}), or leave work.engine at 'local'"
        )
    if not work_database(settings):
        raise SettingsError("work.engine is 'dbos', which needs a PostgreSQL beside this store: set work.database_url")
    if missing := next((name for name in ("dbos", "psycopg") if find_spec(name) is None), None):
        raise SettingsError(f"work.engine is 'dbos', which needs the library {missing!r}: {install_hint('cluster')}")


def _model(key: str) -> Callable[[HomeSettings], object]:
    def check(settings: HomeSettings) -> None:
        if name := getattr(settings.section(ModelSettings), key):
            parse_model(name)

    return check


def _ollama(settings: HomeSettings) -> None:
    try:
        address(settings.section(ModelSettings).ollama_host)
    except SettingsError:  # its message has the address, and that may hold a password
        raise SettingsError("expected host, host:port or a URL with http or https") from None


def _search(settings: HomeSettings) -> None:
    web = settings.section(WebSettings)
    if web.search == "brave" and not web.brave_api_key.get_secret_value():
        raise SettingsError("web.search is 'brave', which needs web.brave_api_key (or BRAVE_API_KEY)")
    if web.search == "searxng" and not web.searxng_url:
        raise SettingsError("web.search is 'searxng', which needs web.searxng_url, e.g. 'http://127.0.0.1:8888'")


def _native_tools(settings: HomeSettings) -> None:
    model = settings.section(ModelSettings)
    if model.native_tools.get("openai") and model.openai_form != "responses":
        raise SettingsError(
            'model.native_tools.openai works with model.openai_form = "responses" alone: set that too, or take it out'
        )


def _training(settings: HomeSettings) -> None:
    journal = settings.section(JournalSettings)
    if journal.training and not journal.enabled:
        raise SettingsError(
            "journal.training is true and journal.enabled is false: the training log is written beside the "
            "journal, so set both to true, or both to false"
        )


def _beating_agent(settings: HomeSettings) -> None:
    beats = settings.section(HeartbeatSettings)
    if beats.enabled:
        _check_agent(settings, "heartbeat", beats.agent)


def _jitter(settings: HomeSettings) -> None:
    beats = settings.section(HeartbeatSettings)
    if beats.enabled and not beats.cron:
        _check_jitter("heartbeat", beats.period_s, beats.jitter_s)


def _beat_schedules(settings: HomeSettings) -> None:
    beats = settings.section(HeartbeatSettings)
    for name, one in beats.schedules.items() if beats.enabled else ():
        where = f"heartbeat.schedules.{name}"
        _check_agent(settings, where, one.agent)
        if not one.cron and (one.period_s or not beats.cron):
            jitter_s = beats.jitter_s if one.jitter_s is None else one.jitter_s
            _check_jitter(where, one.period_s or beats.period_s, jitter_s)


def _check_agent(settings: HomeSettings, where: str, agent: str) -> None:
    if agent in ("", SULLA.id):
        return
    known = [SULLA.id, *(one.id for one in read_agents(settings.home / AGENTS, (agent,)).good), *_packaged()]
    if agent not in known:
        raise SettingsError(f"{where}.agent: no agent {agent!r} (known: {', '.join(known)})")


def _packaged() -> Iterator[str]:
    """The agents that capabilities bring."""
    for one in capabilities():
        for dotted in one.agents:
            yield str(getattr(getattr(find(dotted, f"the capability {one.name!r}"), "spec", None), "id", ""))


def _check_jitter(where: str, period_s: int, jitter_s: int) -> None:
    if jitter_s >= period_s:
        raise SettingsError(f"{where}.jitter_s: got {jitter_s} seconds, expected less than every {period_s}")


_CHECKS: Final[tuple[tuple[Place, Callable[[HomeSettings], object]], ...]] = (
    (("gateway", "host"), lambda settings: check_exposure(settings.section(GatewaySettings))),
    (("store", "url"), _store("url")),
    (("store", "postgres_url"), _store("postgres_url")),
    (("store", "redis_url"), _store("redis_url")),
    (("work", "database_url"), _work_database),
    (("work", "engine"), _engine),
    (("work", "role"), _role),
    (("model", "name"), _model("name")),
    (("model", "fallback"), _model("fallback")),
    (("model", "anthropic_base_url"), _login(ModelSettings, "anthropic_base_url")),
    (("model", "openai_base_url"), _login(ModelSettings, "openai_base_url")),
    (("model", "ollama_host"), _login(ModelSettings, "ollama_host")),
    (("model", "ollama_host"), _ollama),
    (("model", "native_tools"), _native_tools),
    (("web", "searxng_url"), _login(WebSettings, "searxng_url")),
    (("web", "search"), _search),
    (("telemetry", "otlp_endpoint"), _login(TelemetrySettings, "otlp_endpoint")),
    (("journal", "training"), _training),
    (("heartbeat", "agent"), _beating_agent),
    (("heartbeat", "jitter_s"), _jitter),
    (("heartbeat", "schedules"), _beat_schedules),
    (("daemon", "zone"), lambda settings: home_zone(settings.section(DaemonSettings).zone)),
)
"""What each setting has to stand. None of their defaults fails."""


def first_unusable(settings: HomeSettings) -> tuple[Place, str] | None:
    """The first setting that a daemon could not start with, and what is wrong with it; None if it could.

    Args:
        settings: each of the right form.
    """
    for place, check in _CHECKS:
        try:
            check(settings)
        except SettingsError as error:
            return place, error.message
    return None
