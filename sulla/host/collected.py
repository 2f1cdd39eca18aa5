"""What the manifests of capabilities come to, put together. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from sulla.core.errors import SettingsError
from sulla.host.capability import Capability, find
from sulla.rpc import Methods
from sulla.telemetry import Counter, Histogram
from sulla.threads import Measure, Slice, ThreadKind, ThreadSchema

T = TypeVar("T")


def slices(capabilities: Iterable[Capability]) -> tuple[Slice[Any], ...]:
    """What capabilities keep of threads.

    Raises:
        SettingsError: one of them names something else.
    """
    return tuple(_found(dotted, Slice) for one in capabilities for dotted in one.state)


def thread_schema(capabilities: Iterable[Capability], measure: Measure) -> ThreadSchema:
    """What threads hold: every capability's records, what these add up to, and the kinds of threads.

    Args:
        capabilities: all that there are.
        measure: the size of a message in tokens.

    Raises:
        SettingsError: one of them names something else.
    """
    brought = tuple(capabilities)
    kinds = tuple(_found(dotted, ThreadKind) for one in brought for dotted in one.kinds)
    return ThreadSchema(measure, slices(brought), kinds)


def method_groups(capabilities: Iterable[Capability]) -> tuple[Methods[Any], ...]:
    """What clients can ask of capabilities.

    Raises:
        SettingsError: one of them names something else.
    """
    return tuple(_found(dotted, Methods) for one in capabilities for dotted in one.methods)


def families(capabilities: Iterable[Capability]) -> tuple[Counter | Histogram, ...]:
    """What capabilities count and measure.

    Raises:
        SettingsError: one of them names something else.
    """
    found = ((dotted, find(dotted)) for one in capabilities for dotted in one.metrics)
    return tuple(family for dotted, one in found for family in _families(dotted, one))


def _families(dotted: str, found: object) -> Iterator[Counter | Histogram]:
    for one in found if isinstance(found, tuple) else (found,):
        if not isinstance(one, Counter | Histogram):
            raise SettingsError(f"{dotted} of a capability is no Counter or Histogram but {type(one).__name__}")
        yield one


def _found(dotted: str, kind: type[T]) -> T:
    found = find(dotted)
    if not isinstance(found, kind):
        raise SettingsError(f"{dotted} of a capability is no {kind.__name__} but {type(found).__name__}")
    return found
