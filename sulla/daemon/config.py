"""Settings: the only reader of the environment and of `sulla.toml`.

Later wins: defaults, `$SULLA_HOME/sulla.toml`, `SULLA_*` variables, flags. A section is one frozen model; each
capability is handed its own values and knows nothing of this file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_origin

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, ValidationInfo, field_validator

from sulla.core.errors import SettingsError
from sulla.core.jsontypes import Json
from sulla.daemon.sources import HOME, Given, Wrong, from_environ, from_file
from sulla.providers import read_prices

FILE = "sulla.toml"

Port = Annotated[int, Field(ge=0, le=65535)]
Seconds = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]
Money = Annotated[float | None, Field(ge=0, le=1_000_000)]
Address = Annotated[str, Field(repr=False)]
"""A URL; never shown, because it can hold a password."""


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _as_written(cls, value: object, info: ValidationInfo) -> object:
        """A variable holds a list as one text with commas; and `true` is no number, though Python says so."""
        wanted = cls.model_fields[info.field_name or ""].annotation
        if isinstance(value, bool) and wanted is not bool:
            raise ValueError("Input should not be true or false")
        if isinstance(value, str) and get_origin(wanted) is tuple:
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value


class GatewaySettings(_Section):
    """Where clients connect."""

    host: str = "127.0.0.1"
    """The address to listen on. Anything but a loopback address lets other machines try, and needs `expose`."""
    expose: bool = False
    """Whether it is meant that other machines can reach the daemon; put a proxy with TLS before it then."""
    port: Port = 8137
    """The port; 0 picks a free one."""
    allowed_hosts: tuple[str, ...] = ()
    """Names, besides loopback ones, under which clients may address the daemon (the Host header)."""
    allowed_origins: tuple[str, ...] = ()
    """Web pages, besides the daemon's own, that may connect (the Origin header), e.g. `https://example.org`."""
    on_leave: Literal["go_on", "stop"] = "go_on"
    """What becomes of a turn whose client leaves while it is shown over REST: it goes on, or it is stopped."""


class StoreSettings(_Section):
    """Where everything is kept."""

    url: Address = ""
    """`sqlite:///path`, in the home unless the path begins with `/` or `~`, a server's URL as in the next two, or
    `memory:`; empty for what those say, or else `sqlite:///sulla.db`.
    """
    redis_url: SecretStr = SecretStr("")
    """A Redis, `redis://user:password@host:port/database` (docs/redis.md); not used if `url` or `postgres_url` is."""
    postgres_url: SecretStr = SecretStr("")
    """A PostgreSQL, `postgresql://user:password@host:port/database` (docs/postgres.md); not used if `url` is set."""
    lease_ttl_s: Annotated[float, Field(ge=1)] = 30.0
    """How long a thread stays somebody's without renewal, in seconds (seed 004 §4)."""
    thread_ttl_s: Annotated[float | None, Field(ge=60)] = None
    """How long a conversation is kept after its last word, in seconds; without it, for ever."""


class ModelSettings(_Section):
    """Which language model answers."""

    name: str = ""
    """`anthropic:<model>`, `ollama:<model>`, `openai:<model>` or `offline`; empty to choose by what is configured."""
    anthropic_api_key: SecretStr = SecretStr("")
    """The key for Anthropic. It is never shown."""
    anthropic_base_url: Address = ""
    """Where Anthropic's API is; empty for the service's own address."""
    anthropic_model: str = "claude-sonnet-5-5"
    """The model that an Anthropic key alone selects."""
    ollama_host: Address = ""
    """Where Ollama is: `host`, `host:port` or a URL; empty for `http://127.0.0.1:11434`."""
    openai_api_key: SecretStr = SecretStr("")
    """The key for OpenAI, or for a server that speaks its API and asks for one. It is never shown."""
    openai_base_url: Address = ""
    """Where such a server is, e.g. `http://127.0.0.1:8000/v1`; empty for OpenAI's own address."""
    openai_form: Literal["chat", "responses"] = "chat"
    """Which of OpenAI's two APIs to speak, `chat` or `responses`; every server knows `chat`."""
    reply_tokens: Count = 8192
    """The most tokens that one reply may have; never more than a quarter of the model's window."""
    window_tokens: Annotated[int, Field(ge=0, le=10_000_000)] = 0
    """Tokens that the model takes in and gives out in one call; 0 for what its provider usually has. Ollama's window is
    made this large (16,384 with 0).
    """
    fallback: str = ""
    """The model that answers where the chosen one cannot be asked at all, written like `name`; empty for none."""
    fallback_reasons: tuple[Literal["key_missing", "unauthorized", "unreachable"], ...] = (
        "key_missing",
        "unauthorized",
        "unreachable",
    )
    """What it may answer for. It never answers in the place of a service that is overloaded or refuses a request."""
    summaries: bool = True
    """Whether the model sums up what lies further back in a long conversation."""


class LimitSettings(_Section):
    """Bounds that are always on (design §4.8). A day goes from midnight to midnight, UTC."""

    model_calls: Count = 50
    """Model calls per run."""
    run_tokens: Count = 500_000
    """Tokens per run."""
    run_cost: Money = None
    """Money per run, in the unit that `[prices]` speaks of; without it only tokens are counted."""
    thread_day_tokens: Count = 2_000_000
    """Tokens per thread and day."""
    agent_day_tokens: Count = 4_000_000
    """Tokens per agent and day, over all its threads."""
    day_tokens: Count = 5_000_000
    """Tokens per day, of all agents together."""
    day_cost: Money = None
    """Money per day, of all agents together; without it only tokens are counted."""
    run_wall_s: Seconds = 1800.0
    """Seconds per run."""
    history_tokens: Count = 96_000
    """Tokens that a model is shown: the conversation, the prompt and the tools (seed 004 §1)."""
    waiting_inputs: Count = 100
    """Inputs that may wait in one thread."""
    runs: Count = 16
    """Runs at once."""
    runs_per_agent: Count = 5
    """Runs of one agent at once (seed 001)."""
    message_interval_ms: Annotated[int, Field(ge=0, le=60_000)] = 400
    """Milliseconds between two messages of one thread (seed 004); 0 for none."""
    message_burst: Annotated[int, Field(ge=1, le=1_000)] = 12
    """Messages that one thread takes within `message_window_s` (seed 004)."""
    message_window_s: Annotated[float, Field(ge=0.001, le=3600)] = 10.0
    """The window of `message_burst` and `token_burst`, in seconds (seed 004)."""
    token_burst: Annotated[int, Field(ge=1, le=10_000)] = 60
    """Messages of one token, over all its threads, that are taken within `message_window_s`."""


class DaemonSettings(_Section):
    """The process itself."""

    drain_s: Seconds = 10.0
    """How long a stop waits for turns to reach a step border, in seconds."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """`debug`, `info`, `warning` or `error`: this and what is worse goes to the log (docs/operations.md)."""
    log_form: Literal["auto", "json", "plain"] = "auto"
    """What the log looks like on standard error: `plain` for people, `json` for machines; with `auto` the first on a
    terminal and else the second. The file in the home is always JSON.
    """


class AgentSettings(_Section):
    """The home's own agent."""

    workspace: str = ""
    """The folder that its file tools work in; in the home, unless it begins with `/` or `~`. Empty for `workspace`."""
    completion: Literal["wrapper", "plain"] = "wrapper"
    """How it says that it is done: `wrapper`, by a tag that is asked for once if it is missing, or `plain`, by a reply
    without tool calls.
    """


class JournalSettings(_Section):
    """Copies of conversations as lines of JSON, in the folder `journal` of the home (docs/journal.md)."""

    enabled: bool = True
    """Whether every event of every thread is written to `conversations.jsonl`."""
    training: bool = False
    """Whether finished runs are written to `training.jsonl` too, as examples for fine-tuning."""
    training_outcomes: tuple[Literal["done", "blocked", "failed", "cancelled"], ...] = ("done",)
    """Runs that ended in one of these ways become examples: `done`, `blocked`, `failed`, `cancelled`."""
    file_bytes: Annotated[int, Field(ge=65_536)] = 16 * 1024 * 1024
    """The most bytes of one file; then another one is begun."""
    keep_files: Annotated[int, Field(ge=1, le=10_000)] = 10
    """Older files that are kept of each of the two; the oldest one goes first."""


class TelemetrySettings(_Section):
    """What the daemon sends to whoever watches it (docs/operations.md)."""

    otlp_endpoint: Address = ""
    """Where a collector takes spans by OTLP over HTTP, e.g. `http://127.0.0.1:4318/v1/traces`; empty for none. It needs
    the extra `otel`.
    """


class Settings(_Section):
    """Everything that can be set."""

    home: Path
    """Where the daemon keeps what is its own."""
    gateway: GatewaySettings = GatewaySettings()
    store: StoreSettings = StoreSettings()
    model: ModelSettings = ModelSettings()
    limits: LimitSettings = LimitSettings()
    daemon: DaemonSettings = DaemonSettings()
    agent: AgentSettings = AgentSettings()
    journal: JournalSettings = JournalSettings()
    telemetry: TelemetrySettings = TelemetrySettings()
    prices: dict[str, Any] = {}
    """What models cost, by name: a table each with the price of a million tokens (docs/tokens.md)."""

    @property
    def workspace(self) -> Path:
        """The folder that the agent's file tools work in."""
        return self.place(self.agent.workspace or "workspace")

    def place(self, path: str) -> Path:
        """A path as people write it: in the home, unless it begins with `/` or `~`.

        Raises:
            SettingsError: it begins with a `~` that stands for no folder.
        """
        return self.home / _expanded(Path(path))


def _expanded(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError:
        raise SettingsError(
            f"nobody knows which folder the ~ in {str(path)!r} stands for: write the path out"
        ) from None


def find_home(environ: Mapping[str, str], given: Path | None) -> Path:
    """Where the home is.

    Args:
        environ: the process's environment.
        given: from the command line; None to look at `SULLA_HOME`, and then at `~/.sulla`.

    Raises:
        SettingsError: it begins with a `~` that stands for no folder.
    """
    return _expanded(given or Path(environ.get(HOME) or "~/.sulla")).absolute()


def load_settings(environ: Mapping[str, str], flags: Mapping[tuple[str, str], Json], home: Path | None) -> Settings:
    """Put the settings together.

    Args:
        environ: the process's environment.
        flags: settings from the command line by (section, key); None values count as not given.
        home: from the command line; None to look at `SULLA_HOME`, and then at `~/.sulla`.

    Raises:
        SettingsError: a key is unknown or a value is wrong; the message names each with its place and the remedy.
    """
    examined = examine_settings(environ, flags, find_home(environ, home))
    if examined.faults:
        raise SettingsError("; ".join(examined.faults))
    return examined.settings


@dataclass(frozen=True, slots=True)
class Examined:
    """Settings, and what is wrong with them."""

    settings: Settings
    """What is right of them; what is wrong counts as not given."""
    faults: tuple[str, ...]
    """Each with its place and the remedy."""
    sources: Mapping[tuple[str, str], str]
    """Who says so, for each (section, key) that is given and right."""


def examine_settings(
    environ: Mapping[str, str], flags: Mapping[tuple[str, str], Json], home: Path, *, file: bool = True
) -> Examined:
    """Put the settings together, and find every fault at once.

    Args:
        environ: the process's environment.
        flags: settings from the command line by (section, key); None values count as not given.
        home: the home.
        file: whether to look at its `sulla.toml`.
    """
    values: dict[str, dict[str, Any]] = {}
    source: dict[tuple[str, str], str] = {}
    faults: list[str] = []
    for given in _all_given(environ, flags, home if file else None):
        if isinstance(given, Wrong):
            faults.append(given.said)
            continue
        values.setdefault(given.section, {})[given.key] = given.value
        source[given.section, given.key] = given.source
    try:
        settings = Settings.model_validate({"home": home, **values})
    except ValidationError as error:
        wrong = error.errors(include_url=False)
        faults += [_explain(fault["msg"], fault["loc"], values, source) for fault in wrong]
        for section, key in {(str(fault["loc"][0]), str(fault["loc"][1])) for fault in wrong}:
            del values[section][key], source[section, key]
        settings = Settings.model_validate({"home": home, **values})
    try:
        read_prices(settings.prices)
    except SettingsError as error:
        faults.append(f"{home / FILE}: {error.message}")
        settings = settings.model_copy(update={"prices": {}})
    return Examined(settings, tuple(faults), source)


def sections() -> dict[str, type[BaseModel]]:
    """The sections by name."""
    kinds = {name: field.annotation for name, field in Settings.model_fields.items()}
    return {name: kind for name, kind in kinds.items() if isinstance(kind, type) and issubclass(kind, BaseModel)}


class _AnyName(frozenset[str]):
    """The keys of a section whose keys are names that people choose."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)


def _all_given(
    environ: Mapping[str, str], flags: Mapping[tuple[str, str], Json], home: Path | None
) -> Iterator[Given | Wrong]:
    known: dict[str, Collection[str]] = {name: kind.model_fields for name, kind in sections().items()}
    known["prices"] = _AnyName()
    if home is not None:
        yield from from_file(home / FILE, known)
    yield from from_environ(environ, known)
    for (section, key), value in flags.items():
        if value is not None:
            yield Given(f"--{key.replace('_', '-')}", section, key, value)


def _explain(
    message: str,
    place: tuple[int | str, ...],
    values: Mapping[str, Mapping[str, object]],
    source: Mapping[tuple[str, str], str],
) -> str:
    section, key = str(place[0]), str(place[1])
    field = sections()[section].model_fields[key]
    shown = field.repr and field.annotation is not SecretStr
    value = f" is {values[section][key]!r}" if shown else ""
    expected = message.removeprefix("Value error, ").replace("Input should", "it should", 1)
    return f"{source[section, key]}: {section}.{key}{value}: {expected}"
