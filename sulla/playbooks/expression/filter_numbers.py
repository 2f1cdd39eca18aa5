"""The filters of expressions that make numbers, and texts of numbers. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Final

from sulla.core.errors import InvalidInput
from sulla.playbooks.expression.filter_form import Filter, whole_in
from sulla.playbooks.expression.values import CostMeter, number, shown

_MOST_DIGITS: Final = 400
"""Of a number that is written out: the greatest one has 309 before its point."""


def with_point(does: Callable[..., object], mark: str) -> Callable[..., object]:
    """A filter that makes numbers, for texts with another sign in the place of the decimal point.

    Args:
        does: the filter.
        mark: the sign.
    """

    def read(meter: CostMeter, value: object) -> object:
        if not isinstance(value, str):
            return does(meter, value)
        if "." in value:  # it could stand between thousands, or be the point after all
            raise InvalidInput(f"expected a number with {mark!r} for its point, got {shown(value)}")
        return does(meter, value.replace(mark, "."))

    return read


def _int(meter: CostMeter, value: object) -> int:
    found = _float(meter, value)
    if isinstance(value, str) and re.fullmatch(r"\s*[-+]?\d{1,19}\s*", value):
        return int(number(int(value)))
    return int(found) if not isinstance(value, int) else value


def _float(meter: CostMeter, value: object) -> float:
    if isinstance(value, str) and re.fullmatch(r"\s*[-+]?\d{1,40}(\.\d{0,40})?([eE][-+]?\d{1,3})?\s*", value):
        return float(number(float(value)))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"expected a number, or a text that is one, got {shown(value)}")
    return float(value)


def _digits(digits: object) -> int:
    return whole_in(digits, 0, 15)


def _round(meter: CostMeter, value: object, digits: object = 0) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"expected a number, got {shown(value)}")
    places = _digits(digits)
    return round(value, places) if places else round(value)


def _fixed(meter: CostMeter, value: object, digits: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"expected a number, got {shown(value)}")
    # As it is written, and not as binary numbers keep it: 2.675 is none of them, and would become 2.67.
    found = Decimal(repr(value)).quantize(Decimal(1).scaleb(-_digits(digits)), ROUND_HALF_UP, Context(_MOST_DIGITS))
    return f"{found or abs(found):f}"


def _abs(meter: CostMeter, value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"expected a number, got {shown(value)}")
    return abs(value)


_NUMBER: Final = ("number", "integer")
NUMBERS: Final = ("int", "float")
"""Those that read numbers."""
NUMBER_FILTERS: Final[Mapping[str, Filter]] = {
    "int": Filter(_int, "integer", "as a whole number, cut off", of=("string", *_NUMBER)),
    "float": Filter(_float, "number", "as a number", of=("string", *_NUMBER)),
    "round": Filter(
        _round,
        "number",
        "rounded to so many `digits`; a half goes to the even one (2.5 to 2), and numbers are binary, as in Python: "
        "reckon money in whole cents, and write it with `fixed`",
        ("digits",),
        of=_NUMBER,
        checks={"digits": _digits},
    ),
    "fixed": Filter(_fixed, "string", "a number as text with so many `digits` behind the point: `3.5 | fixed(2)` is "
                    "`3.50`; a half goes away from zero, of the number as it is written (2.675 to 2.68)", ("digits",),
                    1, _NUMBER, {"digits": _digits}),
    "abs": Filter(_abs, "number", "without its sign", of=_NUMBER),
}  # fmt: skip
"""By name, with what the page says of each."""
