"""Settings: the only reader of the environment and of `sulla.toml`.

Later wins: defaults, `sulla.toml` and `keys.toml` of the home, variables, flags. A section is one frozen model; each
capability is handed its own values and knows nothing of this file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, Field, SecretStr, ValidationError, create_model

from sulla.capabilities import capabilities
from sulla.core.dataclass import dataclass
from sulla.core.errors import SettingsError
from sulla.core.jsontypes import Json
from sulla.daemon.settings.keys import KEYS_FILE, from_keys, secret_names
from sulla.daemon.settings.sources import SECRETS, Given, Wrong, from_environ, from_file
from sulla.daemon.settings.usable import first_unusable
from sulla.host.capability import find
from sulla.host.home import expanded, find_home
from sulla.host.section import Section
from sulla.host.sections import (
    AgentSettings,
    DaemonSettings,
    GatewaySettings,
    LimitSettings,
    ModelSettings,
    ShellSettings,
    StoreSettings,
    TelemetrySettings,
    WebSettings,
    WorkSettings,
)
from sulla.models.tokens.prices import read_prices

FILE = "sulla.toml"

S = TypeVar("S")


class Settings(Section):
    """Everything that can be set. The sections here are no capability's own; `settings_model` has those too."""

    home: Path
    """Where the daemon keeps what is its own."""
    gateway: GatewaySettings = GatewaySettings.model_construct()
    store: StoreSettings = StoreSettings.model_construct()
    work: WorkSettings = WorkSettings.model_construct()
    model: ModelSettings = ModelSettings.model_construct()
    limits: LimitSettings = LimitSettings.model_construct()
    daemon: DaemonSettings = DaemonSettings.model_construct()
    agent: AgentSettings = AgentSettings.model_construct()
    shell: ShellSettings = ShellSettings.model_construct()
    web: WebSettings = WebSettings.model_construct()
    telemetry: TelemetrySettings = TelemetrySettings.model_construct()
    prices: dict[str, Any] = Field(default={})
    """What models cost, by name: a table each with the price of a million tokens (docs/inside/tokens.md)."""

    def section(self, kind: type[S]) -> S:
        """See `host.settings.HomeSettings`."""
        for name in type(self).model_fields:
            if isinstance(found := getattr(self, name), kind):
                return found
        raise SettingsError(f"no capability of this Sulla has the settings {kind.__name__}")

    @property
    def workspace(self) -> Path:
        """The folder that the agent's file tools work in."""
        return self.place(self.agent.workspace or "workspace")

    def place(self, path: str) -> Path:
        """A path as people write it: in the home, unless it begins with `/` or `~`.

        Raises:
            SettingsError: it begins with a `~` that stands for no folder.
        """
        return self.home / expanded(Path(path))


@cache
def settings_model() -> type[Settings]:
    """The settings with a section for each capability that has settings: what an installation has does not change.

    Raises:
        SettingsError: a capability brings something else than a section, or one that there is already.
    """
    brought: dict[str, Any] = {}
    for one in capabilities():
        if not one.settings:
            continue
        kind = find(one.settings, f"the capability {one.name!r}")
        if not isinstance(kind, type) or not issubclass(kind, Section):
            raise SettingsError(f"{one.settings} of the capability {one.name!r} is no host.section.Section")
        if one.name in Settings.model_fields:
            raise SettingsError(f"the capability {one.name!r} has settings, and [{one.name}] is Sulla's own: rename it")
        if wanting := [name for name, field in kind.model_fields.items() if field.is_required()]:
            raise SettingsError(f"{one.settings} of the capability {one.name!r} has no default for {wanting[0]!r}")
        brought[one.name] = (kind, kind.model_construct())
    return create_model("Settings", __base__=Settings, __doc__=Settings.__doc__, **brought)


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
    places: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Where each of these stands, with its line in a file."""


def examine_settings(
    environ: Mapping[str, str], flags: Mapping[tuple[str, str], Json], home: Path, *, file: bool = True
) -> Examined:
    """Put the settings together, and find every fault at once.

    Args:
        environ: the process's environment.
        flags: settings from the command line by (section, key); None values count as not given.
        home: the home.
        file: whether to look at its `sulla.toml`; at its `keys.toml` in any case.
    """
    values: dict[str, dict[str, Any]] = {}
    source: dict[tuple[str, str], str] = {}
    written: dict[tuple[str, str], Given] = {}
    faults: list[str] = []
    for given in _all_given(environ, flags, home, file=file):
        if isinstance(given, Wrong):
            faults.append(given.said)
            continue
        kept = values.setdefault(given.section, {})
        # Named one by one, each in a variable of its own or in the file of keys: what sulla.toml says of others stays.
        is_more = (given.section, given.key) == SECRETS or given.source == str(home / KEYS_FILE)
        kept[given.key] = _merged(kept.get(given.key), given.value) if is_more else given.value
        source[given.section, given.key], written[given.section, given.key] = given.source, given
    try:
        settings = settings_model().model_validate({"home": home, **values})
    except ValidationError as error:
        wrong = [(fault["msg"], _place_of(fault["msg"], fault["loc"], written)) for fault in error.errors()]
        faults += [_explain(said, loc, values, written) for said, loc in wrong]
        for section, key in {(str(loc[0]), str(loc[1])) for _, loc in wrong}:
            del values[section][key], source[section, key]
        settings = settings_model().model_validate({"home": home, **values})
    while (unusable := first_unusable(settings)) is not None:
        (section, key), said = unusable
        name, place = f"{section}.{key}", written[section, key].place()
        faults.append(f"{place}: {said}" if said.startswith(name) else f"{place}: {name}: {said}")
        del values[section][key], source[section, key]
        settings = settings_model().model_validate({"home": home, **values})
    try:
        read_prices(settings.prices)
    except SettingsError as error:
        faults.append(f"{home / FILE}: {error.message}")
        settings = settings.model_copy(update={"prices": {}})
    for name in values:
        if isinstance(section := getattr(settings, name), Section):
            section.say_sources({key: said for (where, key), said in source.items() if where == name})
    return Examined(settings, tuple(faults), source, {place: written[place].place() for place in source})


def _merged(before: object, value: object) -> object:
    """A value over another one: of tables, what the second does not name stays."""
    if not isinstance(before, dict) or not isinstance(value, dict):
        return value
    return {**before, **{name: _merged(before.get(name), inner) for name, inner in value.items()}}


def sections() -> dict[str, type[BaseModel]]:
    """The sections by name."""
    kinds = {name: field.annotation for name, field in settings_model().model_fields.items()}
    return {name: kind for name, kind in kinds.items() if isinstance(kind, type) and issubclass(kind, BaseModel)}


class _AnyName(frozenset[str]):
    """The keys of a section whose keys are names that people choose."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)


def _all_given(
    environ: Mapping[str, str], flags: Mapping[tuple[str, str], Json], home: Path, *, file: bool
) -> Iterator[Given | Wrong]:
    known: dict[str, Collection[str]] = {name: kind.model_fields for name, kind in sections().items()}
    known["prices"] = _AnyName()
    if file:
        yield from from_file(home / FILE, known)
    yield from from_keys(home / KEYS_FILE, secret_names(sections()), known)
    yield from from_environ(environ, known)
    for (section, key), value in flags.items():
        if value is not None:
            yield Given(f"--{key.replace('_', '-')}", section, key, value)


def _place_of(
    message: str, loc: tuple[int | str, ...], written: Mapping[tuple[str, str], Given]
) -> tuple[int | str, ...]:
    """Which setting a fault is of. That of a section as a whole begins with the name of one."""
    if len(loc) > 1:
        return loc
    section = str(loc[0])
    key = message.removeprefix("Value error, ").partition(":")[0]
    return section, key if (section, key) in written else next(name for where, name in written if where == section)


def _explain(
    message: str,
    loc: tuple[int | str, ...],
    values: Mapping[str, Mapping[str, object]],
    written: Mapping[tuple[str, str], Given],
) -> str:
    section, key = str(loc[0]), str(loc[1])
    parts = [part for part in loc[2:] if isinstance(part, str)]
    inner = "".join(f".{part}" for part in parts)
    field = sections()[section].model_fields[key]
    shown = field.repr and field.annotation is not SecretStr
    value = f" is {values[section][key]!r}" if shown else ""
    expected = message.removeprefix("Value error, ").replace("Input should", "it should", 1)
    if not shown:
        expected = expected.removeprefix(f"{key}: ")
    expected = expected.replace(
        "Extra inputs are not permitted", "there is no such setting; docs/settings.md lists all"
    )
    return f"{written[section, key].place(*parts)}: {section}.{key}{inner}{value}: {expected}"
