"""Comparisons of values, as `==` and `in` make them and as lists are sifted by. Pure."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from sulla.core.errors import InvalidInput
from sulla.playbooks.expression.values import CostMeter, is_number, same, shown

_ORDER: Final[Mapping[str, Callable[[object, object], bool]]] = {
    "<": operator.lt,  # type: ignore[dict-item]  # both sides are numbers, or texts
    "<=": operator.le,  # type: ignore[dict-item]  # the same
    ">": operator.gt,  # type: ignore[dict-item]  # the same
    ">=": operator.ge,  # type: ignore[dict-item]  # the same
}
HOWS: Final = ("==", "!=", *_ORDER, "in", "not in")
"""All comparisons."""


def holds(how: str, left: object, right: object, meter: CostMeter) -> bool:
    """Whether a comparison holds.

    Args:
        how: ``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in`` or ``not in``.
        left: one value.
        right: the other.
        meter: what it may cost.

    Raises:
        InvalidInput: the two cannot be compared like that.
    """
    if how in ("==", "!="):
        return same(left, right, meter) == (how == "==")
    if how in ("in", "not in"):
        return _within(left, right, meter) == (how == "in")
    if not (is_number(left) and is_number(right)) and not (isinstance(left, str) and isinstance(right, str)):
        raise InvalidInput(f"'{how}' compares two numbers or two texts, got {shown(left)} and {shown(right)}")
    meter.spend(min(len(left), len(right)) if isinstance(left, str) and isinstance(right, str) else 1)
    return _ORDER[how](left, right)


def _within(item: object, of: object, meter: CostMeter) -> bool:
    if isinstance(of, str):
        if not isinstance(item, str):
            raise InvalidInput(f"'in' looks for a text in a text, got {shown(item)}")
        meter.spend(len(of))
        return item in of
    if isinstance(of, Mapping):
        return isinstance(item, str) and item in of
    if isinstance(of, Sequence):
        return any(same(item, other, meter) for other in of)
    raise InvalidInput(f"'in' looks into a text, a list or an object, got {shown(of)}")
