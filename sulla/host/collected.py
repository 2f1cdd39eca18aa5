"""What the manifests of capabilities come to, put together. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from sulla.core.errors import SettingsError
from sulla.host.capability import Capability, find
from sulla.rpc import Methods
from sulla.telemetry.tally import Counter, Histogram
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
    dotted = [each for one in capabilities for each in one.metrics]
    return tuple(_found(each, (Counter, Histogram)) for each in dotted)


def _found(dotted: str, kind: type[T] | tuple[type[T], ...]) -> T:
    found = find(dotted)
    if not isinstance(found, kind):
        wanted = " or ".join(one.__name__ for one in (kind if isinstance(kind, tuple) else (kind,)))
        raise SettingsError(f"{dotted} of a capability is no {wanted} but {type(found).__name__}")
    return found
