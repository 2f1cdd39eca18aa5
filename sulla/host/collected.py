"""What the manifests of capabilities come to, put together. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from sulla.core.errors import SettingsError
from sulla.host.capability import Capability, find
from sulla.host.checks import Check
from sulla.host.compaction import Compaction
from sulla.rpc.method import Methods
from sulla.telemetry.tally import Counter, Histogram
from sulla.threads.log.kind import ThreadKind
from sulla.threads.log.schema import Slice, ThreadSchema
from sulla.threads.log.transcript import Measure

T = TypeVar("T")


def slices(capabilities: Iterable[Capability]) -> tuple[Slice[Any], ...]:
    """What capabilities keep of threads.

    Raises:
        SettingsError: one of them names something else.
    """
    return tuple(_found(dotted, Slice, one) for one in capabilities for dotted in one.state)


def thread_schema(capabilities: Iterable[Capability], measure: Measure) -> ThreadSchema:
    """What threads hold: every capability's records, what these add up to, and the kinds of threads.

    Args:
        capabilities: all that there are.
        measure: the size of a message in tokens.

    Raises:
        SettingsError: one of them names something else.
    """
    brought = tuple(capabilities)
    kinds = tuple(_found(dotted, ThreadKind, one) for one in brought for dotted in one.kinds)
    try:
        return ThreadSchema(measure, slices(brought), kinds)
    except ValueError as error:
        raise SettingsError(f"the capabilities cannot be used together: {error}") from error


def method_groups(capabilities: Iterable[Capability]) -> tuple[Methods[Any], ...]:
    """What clients can ask of capabilities.

    Raises:
        SettingsError: one of them names something else.
    """
    return tuple(_found(dotted, Methods, one) for one in capabilities for dotted in one.methods)


def families(capabilities: Iterable[Capability]) -> tuple[Counter | Histogram, ...]:
    """What capabilities count and measure.

    Raises:
        SettingsError: one of them names something else.
    """
    return tuple(family for one in capabilities for dotted in one.metrics for family in _families(dotted, one))


def checks(capabilities: Iterable[Capability]) -> tuple[Check[Any], ...]:
    """What `sulla doctor` looks at for capabilities.

    Raises:
        SettingsError: one of them names something else.
    """
    found: list[Check[Any]] = []
    for one in capabilities:
        for check in _found(one.checks, tuple, one) if one.checks else ():
            if not isinstance(check, Check):
                raise SettingsError(f"{one.checks} of the capability {one.name!r} holds {check!r}, expected a Check")
            found.append(check)
    return tuple(found)


def compactions(capabilities: Iterable[Capability]) -> dict[str, Compaction]:
    """What `sulla doctor --compact` has capabilities do, by their names.

    Raises:
        SettingsError: one of them names something else.
    """
    found: dict[str, Compaction] = {}
    for one in capabilities:
        if one.compact:
            compact = find(one.compact, _whose(one))
            if not callable(compact):
                raise SettingsError(f"{one.compact} of {_whose(one)} cannot be called")
            found[one.name] = compact
    return found


def _families(dotted: str, of: Capability) -> Iterator[Counter | Histogram]:
    found = find(dotted, _whose(of))
    for one in found if isinstance(found, tuple) else (found,):
        if not isinstance(one, Counter | Histogram):
            said = f"{dotted} of {_whose(of)} is no Counter or Histogram but {type(one).__name__}"
            raise SettingsError(said)
        yield one


def _found(dotted: str, kind: type[T], of: Capability) -> T:
    found = find(dotted, _whose(of))
    if not isinstance(found, kind):
        raise SettingsError(f"{dotted} of {_whose(of)} is no {kind.__name__} but {type(found).__name__}")
    return found


def _whose(of: Capability) -> str:
    return f"the capability {of.name!r}"
