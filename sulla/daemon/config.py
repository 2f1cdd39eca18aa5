"""Settings: the only reader of the environment and of `sulla.toml`.

Later wins: defaults, `$SULLA_HOME/sulla.toml`, `SULLA_*` variables, flags. A section is one frozen model; each
capability is handed its own values and knows nothing of this file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from sulla.core.errors import SettingsError
from sulla.core.jsontypes import Json

PREFIX = "SULLA_"
FILE = "sulla.toml"

SHORT_NAMES: dict[str, tuple[str, str]] = {"SULLA_STORE": ("store", "url"), "SULLA_MODEL": ("model", "name")}
"""Variables that are shorter than their setting (design §14)."""

FOREIGN_NAMES: dict[str, tuple[str, str]] = {
    "REDIS_URL": ("store", "redis_url"),
    "POSTGRES_URL": ("store", "postgres_url"),
    "ANTHROPIC_API_KEY": ("model", "anthropic_api_key"),
    "ANTHROPIC_BASE_URL": ("model", "anthropic_base_url"),
    "OLLAMA_HOST": ("model", "ollama_host"),
}
"""Variables that other programs use for the same thing; they stand between the file and ours."""

Port = Annotated[int, Field(ge=0, le=65535)]
Seconds = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=False, hide_input_in_errors=True)


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

    url: str = ""
    """`sqlite:///path`, `memory:`; empty for a SQLite file in the home."""
    redis_url: SecretStr = SecretStr("")
    """From `REDIS_URL`."""
    postgres_url: SecretStr = SecretStr("")
    """From `POSTGRES_URL`."""
    lease_ttl_s: Annotated[float, Field(ge=1)] = 30.0
    """How long a thread stays somebody's without renewal, in seconds (seed 004 §4)."""


class ModelSettings(_Section):
    """Which language model answers."""

    name: str = ""
    """`anthropic:<model>`, `ollama:<model>` or `offline`; empty to choose by what is configured."""
    anthropic_api_key: SecretStr = SecretStr("")
    """From `ANTHROPIC_API_KEY`."""
    anthropic_base_url: str = ""
    """From `ANTHROPIC_BASE_URL`; empty for the service's own."""
    anthropic_model: str = "claude-sonnet-5-5"
    """The model that an Anthropic key alone selects."""
    ollama_host: str = ""
    """From `OLLAMA_HOST`; empty for `http://127.0.0.1:11434`."""
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


class AgentSettings(_Section):
    """The home's own agent."""

    workspace: str = ""
    """The folder that its file tools work in; empty for `workspace` in the home."""
    completion: Literal["wrapper", "plain"] = "wrapper"
    """How it says that it is done."""


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
        return Path(self.agent.workspace).expanduser() if self.agent.workspace else self.home / "workspace"


def load_settings(environ: Mapping[str, str], flags: Mapping[tuple[str, str], Json], home: Path | None) -> Settings:
    """Put the settings together.

    Args:
        environ: the process's environment.
        flags: settings from the command line by (section, key); None values count as not given.
        home: from the command line; None to look at `SULLA_HOME`, and then at `~/.sulla`.

    Raises:
        SettingsError: a key is unknown or a value is wrong; the message names the place and the remedy.
    """
    where = (home or Path(environ.get("SULLA_HOME") or Path.home() / ".sulla")).expanduser().absolute()
    values: dict[str, dict[str, Any]] = {}
    origin: dict[tuple[str, str], str] = {}
    for source, section, key, value in _all_values(environ, flags, where):
        _check_known(source, section, key)
        values.setdefault(section, {})[key] = value
        origin[section, key] = source
    try:
        return Settings.model_validate({"home": where, **values})
    except ValidationError as error:
        raise SettingsError(_explain(error, origin)) from None


def _all_values(
    environ: Mapping[str, str], flags: Mapping[tuple[str, str], Json], home: Path
) -> Iterator[tuple[str, str, str, Any]]:
    yield from _from_file(home / FILE)
    for name, (section, key) in FOREIGN_NAMES.items():
        if environ.get(name):
            yield name, section, key, environ[name]
    for name in sorted(environ):
        if name.startswith(PREFIX) and name != "SULLA_HOME":
            yield (name, *_target(name), environ[name])
    for (section, key), value in flags.items():
        if value is not None:
            yield f"--{key.replace('_', '-')}", section, key, value


def _from_file(path: Path) -> Iterator[tuple[str, str, str, Any]]:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: not valid TOML: {error}") from None
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from None
    for section, table in data.items():
        if not isinstance(table, dict):
            _check_known(str(path), section, "")
            raise SettingsError(f"{path}: {section!r} stands outside a section; write it under one, e.g. [gateway]")
        for key, value in table.items():
            yield str(path), section, key, value


def _target(name: str) -> tuple[str, str]:
    if name in SHORT_NAMES:
        return SHORT_NAMES[name]
    section, _, key = name.removeprefix(PREFIX).lower().partition("__")
    return section, key


def _check_known(source: str, section: str, key: str) -> None:
    sections = {
        name: set(field.annotation.model_fields)
        for name, field in Settings.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)
    }
    if section in sections and key in sections[section]:
        return
    known = [f"{name}.{field}" for name, fields in sections.items() for field in sorted(fields)]
    asked = f"{section}.{key}" if key else section
    by_env = source.startswith(PREFIX)
    spelled = source if by_env else f"{source}: {asked!r}"
    nearest = get_close_matches(asked, known, n=1, cutoff=0.5)
    hint = ""
    if nearest:
        near_section, near_key = nearest[0].split(".")
        hint = f"; did you mean {f'{PREFIX}{near_section}__{near_key}'.upper() if by_env else nearest[0]!r}?"
    raise SettingsError(f"{spelled} is not a setting{hint}")


def _explain(error: ValidationError, origin: Mapping[tuple[str, str], str]) -> str:
    lines = []
    for fault in error.errors(include_url=False, include_input=False):
        section, key = (*(str(part) for part in fault["loc"]), "", "")[:2]
        place = origin.get((section, key), "the settings")
        lines.append(f"{place}: {section}.{key}: {fault['msg']}")
    return "; ".join(lines)
