"""Reckoning with two values, as `+` and `*` do it and as columns of a list are made. Pure."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Final

from sulla.core.errors import InvalidInput
from sulla.playbooks.expression.values import MAX_ITEMS, CostMeter, check_text, is_number, number, shown

_NUMBERS: Final[Mapping[str, Callable[[float, float], float]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}
SIGNS: Final = tuple(_NUMBERS)
"""All that can be reckoned."""


def reckon(meter: CostMeter, left: object, how: str, right: object) -> object:
    """What two values make: of numbers a number; of two texts or lists one, by ``+``.

    Args:
        meter: what it may cost.
        left: one value.
        how: one of `SIGNS`.
        right: the other.

    Raises:
        InvalidInput: these two cannot be reckoned with like that.
    """
    if how == "+" and isinstance(left, str) and isinstance(right, str):
        check_text(len(left) + len(right))
        meter.spend(len(left) + len(right))
        return left + right
    if how == "+" and isinstance(left, list | tuple) and isinstance(right, list | tuple):
        meter.spend(len(left) + len(right))
        if len(left) + len(right) > MAX_ITEMS:
            raise InvalidInput(f"it makes a list of {len(left) + len(right)} entries; {MAX_ITEMS} are allowed")
        return [*left, *right]
    if not is_number(left) or not is_number(right):
        both = "two numbers, two texts or two lists" if how == "+" else "two numbers"
        raise InvalidInput(f"'{how}' takes {both}, got {shown(left)} and {shown(right)}; '~' joins anything as text")
    if right == 0 and how in ("/", "//", "%"):
        raise InvalidInput("it divides by 0")
    try:
        return number(_NUMBERS[how](left, right))  # type: ignore[arg-type]  # both are numbers
    except OverflowError:
        raise InvalidInput("it makes a number that is too big") from None
