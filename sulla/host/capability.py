"""What a capability declares of itself, in the `capability.py` of its folder.

A manifest is read by whoever only wants to know what there is: the command line for its help, the daemon before it has
opened anything. So it imports nothing but this module, and names what it brings as ``module:NAME``, which is imported
when it is first used. Pure.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from sulla.core.errors import SettingsError
from sulla.host.installed import entry_points_of

GROUP: Final = "sulla.capabilities"
"""The entry-point group by which installed packages bring capabilities of their own; each names a `Capability`."""


class Command(NamedTuple):  # no dataclass: `sulla --help` would take a quarter longer, as it loads what makes those
    """A command of the command line."""

    module: str
    """Has `arguments` and `run`; imported when the command is chosen."""
    help: str
    """One line for `sulla --help`."""
    group: str = ""
    """The group of `sulla --help` that it stands in (`cli.grammar.GROUPS`); empty for the last one."""
    examples: tuple[str, ...] = ()
    """Command lines for its ``--help``, and for those of the commands below it that they begin with."""


class Capability(NamedTuple):
    """Something that Sulla can do, with all that it brings. One value for each, for as long as the process lives."""

    name: str
    """Its folder's name below `sulla/`; for a package's own, any word that no other capability has."""
    needs: tuple[str, ...] = ()
    """The capabilities that it imports; everything else it is handed."""
    commands: Mapping[str, Command] = MappingProxyType({})
    """By name, in the order of the help."""
    settings: str = ""
    """``module:CLASS`` of its `host.section.Section`, which has the capability's name; empty for no settings."""
    state: tuple[str, ...] = ()
    """``module:NAME`` of each `threads.Slice` that it keeps of threads."""
    kinds: tuple[str, ...] = ()
    """``module:NAME`` of each `threads.ThreadKind` that it brings."""
    methods: tuple[str, ...] = ()
    """``module:NAME`` of each `rpc.Methods` that it does."""
    agents: tuple[str, ...] = ()
    """``module:NAME`` of each `agent.packaged.PackagedAgent` that it brings."""
    conditions: tuple[str, ...] = ()
    """``module:NAME`` of each function that flows may name as a condition (`flows.conditions.ConditionRegistry`)."""
    metrics: tuple[str, ...] = ()
    """``module:NAME`` of each `telemetry.Counter` and `telemetry.Histogram` that it adds to, or of a tuple of them."""
    build: str = ""
    """``module:FUNCTION``, takes a `host.host.Host` and gives a `host.host.Built`; empty for what runs in no daemon."""
    checks: str = ""
    """``module:NAME`` of a tuple of `host.checks.Check`, for `sulla doctor`; empty for none."""
    compact: str = ""
    """``module:FUNCTION``, a `host.compaction.Compaction`, for `sulla doctor --compact`; empty where nothing of threads
    is kept beside them."""


def find(dotted: str, of: str) -> object:
    """What ``module:NAME`` names.

    Args:
        dotted: the module and the name.
        of: whose it is, for the error: a capability's name, or a package's.

    Raises:
        SettingsError: the module cannot be imported or has no such name.
    """
    module, _, name = dotted.partition(":")
    try:
        return getattr(importlib.import_module(module), name)
    except Exception as error:
        said = f"{dotted} of {of} cannot be loaded: {type(error).__name__}: {error}"
        raise SettingsError(f"{said}; mend its package, or uninstall it") from error


def refuse_twice(what: str, named: Iterable[tuple[str, str]]) -> None:
    """Do nothing if no name stands there twice.

    Args:
        what: what is named, e.g. ``method``.
        named: each name with whose it is.

    Raises:
        SettingsError: one does.
    """
    owners: dict[str, str] = {}
    for name, owner in named:
        if name in owners:
            raise SettingsError(f"{owners[name]} and {owner} both have the {what} {name!r}: rename or uninstall one")
        owners[name] = owner


def manifests(names: Iterable[str], *, installed: bool = True) -> tuple[Capability, ...]:
    """The capabilities, each behind all that it needs.

    Args:
        names: the folders below `sulla/` that bring one, in the order of the help.
        installed: whether to look for those of other packages too.

    Raises:
        SettingsError: one cannot be loaded, stands there twice, or needs what is not there or needs it in turn.
    """
    found = [_manifest(f"sulla.{name}.capability:CAPABILITY", "Sulla") for name in names]
    if installed:
        found += [
            _manifest(point.value, f"the package {point.dist.name if point.dist else '?'!r}")
            for point in entry_points_of(GROUP)
        ]
    by_name: dict[str, Capability] = {}
    for one in found:
        if one.name in by_name:
            raise SettingsError(f"there are two capabilities named {one.name!r}: remove one, or rename it")
        by_name[one.name] = one
    return tuple(_ordered(by_name))


def _manifest(dotted: str, of: str) -> Capability:
    found = find(dotted, of)
    if not isinstance(found, Capability):
        raise SettingsError(f"{dotted} of {of} is no Capability but {type(found).__name__}")
    for name in ("needs", "state", "kinds", "methods", "agents", "conditions", "metrics"):
        if isinstance(value := getattr(found, name), str):
            said = f"the capability {found.name!r}: {name} is the text {value!r}, expected a tuple of texts"
            raise SettingsError(said)
    return found


def _ordered(by_name: Mapping[str, Capability]) -> Iterator[Capability]:
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> Iterator[Capability]:
        if name in done:
            return
        if name in path:
            raise SettingsError(f"capabilities need each other in a circle: {' -> '.join((*path, name))}")
        if name not in by_name:
            raise SettingsError(f"the capability {path[-1]!r} needs {name!r}, and there is none of that name")
        for needed in by_name[name].needs:
            yield from visit(needed, (*path, name))
        done.add(name)
        yield by_name[name]

    for name in by_name:
        yield from visit(name, ())
