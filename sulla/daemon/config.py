"""Settings: the only reader of the environment and of `sulla.toml`.

Later wins: defaults, `$SULLA_HOME/sulla.toml`, `SULLA_*` variables, flags. A section is one frozen model; each
capability is handed its own values and knows nothing of this file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_origin

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, ValidationInfo, field_validator

from sulla.core.errors import SettingsError
from sulla.core.jsontypes import Json
from sulla.daemon.sources import HOME, Given, from_environ, from_file

FILE = "sulla.toml"

Port = Annotated[int, Field(ge=0, le=65535)]
Seconds = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]
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
    """The address to listen on. Anything but a loopback address lets other machines try."""
    port: Port = 8137
    """The port; 0 picks a free one."""
    allowed_hosts: tuple[str, ...] = ()
    """Names, besides loopback ones, under which clients may address the daemon (the Host header)."""
    allowed_origins: tuple[str, ...] = ()
    """Web pages, besides the daemon's own, that may connect (the Origin header), e.g. `https://example.org`."""


class StoreSettings(_Section):
    """Where everything is kept."""

    url: Address = ""
    """`sqlite:///path`, in the home unless the path begins with `/` or `~`, or `memory:`; empty for `sqlite:///sulla.db`."""
    redis_url: SecretStr = SecretStr("")
    """A shared Redis. Not used by this version: it refuses to start when only this is set."""
    postgres_url: SecretStr = SecretStr("")
    """A shared PostgreSQL. Not used by this version: it refuses to start when only this is set."""
    lease_ttl_s: Annotated[float, Field(ge=1)] = 30.0
    """How long a thread stays somebody's without renewal, in seconds (seed 004 §4)."""


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
    """The most tokens that one reply may have."""


class LimitSettings(_Section):
    """Bounds that are always on (design §4.8)."""

    model_calls: Count = 50
    """Model calls per run."""
    run_tokens: Count = 500_000
    """Tokens per run."""
    run_wall_s: Seconds = 1800.0
    """Seconds per run."""
    history_tokens: Count = 96_000
    """Tokens of the conversation that a model is shown (seed 004 §1)."""
    waiting_inputs: Count = 100
    """Inputs that may wait in one thread."""
    runs: Count = 16
    """Runs at once."""
    runs_per_agent: Count = 5
    """Runs of one agent at once (seed 001)."""


class DaemonSettings(_Section):
    """The process itself."""

    drain_s: Seconds = 10.0
    """How long a stop waits for turns to reach a step border, in seconds."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """`debug`, `info`, `warning` or `error`: this and what is worse goes to standard error."""


class AgentSettings(_Section):
    """The home's own agent."""

    workspace: str = ""
    """The folder that its file tools work in; in the home, unless it begins with `/` or `~`. Empty for `workspace`."""
    completion: Literal["wrapper", "plain"] = "wrapper"
    """How it says that it is done: `wrapper`, by a tag that is asked for once if it is missing, or `plain`, by a reply
    without tool calls.
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
        SettingsError: a key is unknown or a value is wrong; the message names the place and the remedy.
    """
    where = find_home(environ, home)
    values: dict[str, dict[str, Any]] = {}
    source: dict[tuple[str, str], str] = {}
    for given in _all_given(environ, flags, where):
        values.setdefault(given.section, {})[given.key] = given.value
        source[given.section, given.key] = given.source
    try:
        return Settings.model_validate({"home": where, **values})
    except ValidationError as error:
        faults = [_explain(fault["msg"], fault["loc"], values, source) for fault in error.errors(include_url=False)]
        raise SettingsError("; ".join(faults)) from None


def sections() -> dict[str, type[BaseModel]]:
    """The sections by name."""
    kinds = {name: field.annotation for name, field in Settings.model_fields.items()}
    return {name: kind for name, kind in kinds.items() if isinstance(kind, type) and issubclass(kind, BaseModel)}


def _all_given(environ: Mapping[str, str], flags: Mapping[tuple[str, str], Json], home: Path) -> Iterator[Given]:
    known: dict[str, Collection[str]] = {name: kind.model_fields for name, kind in sections().items()}
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
