"""What values of expressions may be and cost, and how they are shown. Pure.

Every step of an expression is charged for what it looks at, and refused before it makes something big: so an expression
ends within its `CostMeter`, whatever it says.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, TooLarge
from sulla.core.jsontypes import Json

MAX_TEXT_CHARS: Final = 1_000_000
"""Of any text that an expression makes."""
MAX_ITEMS: Final = 100_000
"""Of any list that an expression makes."""
MAX_WORK: Final = 10_000_000
"""Code points that one evaluation may look at, about a second; entries count for more, as they cost more. A table of
1 MB whose rows are made objects, typed, grouped and added up takes 6 to 9 millions, by the number of its columns."""
HEAVY_WORK: Final = 100_000
"""Values that cost so much to look at keep whoever waits for what is made of them: some hundredths of a second."""
ENTRY_WORK: Final = 5
MAX_NUMBER: Final = 2**63


class Missing(Exception):
    """What an expression looks up is not there; `default` and `is defined` take it. It never leaves this package.

    Args:
        message: what is missing, and what there is.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(slots=True)
class CostMeter:
    """What one evaluation may still cost."""

    left: int = MAX_WORK

    def spend(self, amount: int) -> None:
        """Charge for so many code points or entries.

        Raises:
            TooLarge: that is more than is left.
        """
        self.left -= amount + 1
        if self.left < 0:
            raise TooLarge(
                f"it takes more than {MAX_WORK:,} steps of work: look at a part of it at a time, make its values in "
                "several `set` steps one after another, or have a tool do it, such as `bash`"
            )

    def weigh(self, value: object) -> None:
        """Charge for a value with all that is in it."""
        waiting = [value]
        while waiting:
            item = waiting.pop()
            if isinstance(item, str):
                self.spend(len(item))
            elif isinstance(item, Mapping):
                self.spend(2 * ENTRY_WORK * len(item))
                waiting.extend(item.values())
            elif isinstance(item, Sequence):
                self.spend(ENTRY_WORK * len(item))
                waiting.extend(item)


def is_heavy(values: Iterable[object]) -> bool:
    """Whether one of some values costs more than `HEAVY_WORK` to look at.

    Args:
        values: JSON.
    """
    try:
        for value in values:
            CostMeter(HEAVY_WORK).weigh(value)
    except TooLarge:
        return True
    return False


def check_text(chars: int) -> None:
    """Do nothing if a text may be that long.

    Raises:
        TooLarge: it may not.
    """
    if chars > MAX_TEXT_CHARS:
        raise TooLarge(f"it makes a text of {chars} characters; {MAX_TEXT_CHARS} are allowed")


def number(value: float) -> int | float:
    """A number that was reckoned.

    Raises:
        InvalidInput: it is too big, or none.
    """
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidInput("it makes a number that is too big")
    if abs(value) > MAX_NUMBER:
        raise InvalidInput("it makes a number that is too big")
    return value


def is_number(value: object) -> bool:
    """Whether it is one; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def kind_of(value: object) -> str:
    """What a value is, for people."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case Mapping():
            return "an object"
        case Sequence():
            return "a list"
        case _:
            return type(value).__name__


def shown(value: object) -> str:
    """A value in a message: what it is, and its beginning if it is short to say."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    if isinstance(value, str):
        return f"the text {value!r}" if len(value) <= 40 else f"the text {value[:37]!r}…"
    return f"the number {value}" if is_number(value) else kind_of(value)


def text_of(value: object, meter: CostMeter) -> str:
    """A value within a text: null is nothing, lists and objects are JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        meter.spend(len(value))
        return value
    if isinstance(value, int):
        meter.spend(ENTRY_WORK)
        return str(value).lower()
    return to_json(value, meter)


def to_json(value: object, meter: CostMeter) -> str:
    """A value as JSON on one line."""
    for _ in range(2):  # it is gone through once to be copied, and once to be written
        meter.weigh(value)
    found = json.dumps(thawed(value), ensure_ascii=False)
    check_text(len(found))
    return found


def thawed(value: object) -> Json:
    """A value of JSON's own types, of which nothing is shared with the one given but texts and numbers."""
    if isinstance(value, Mapping):
        return {str(key): thawed(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [thawed(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise InvalidInput(f"{type(value).__name__} is no value that an expression can have")


def same(left: object, right: object, meter: CostMeter) -> bool:
    """Whether two values are equal; true is not 1."""
    if isinstance(left, bool) != isinstance(right, bool):
        return False
    if isinstance(left, str) or isinstance(right, str):
        meter.spend(min(len(left), len(right)) if isinstance(left, str) and isinstance(right, str) else 1)
        return left == right
    meter.weigh(left)
    meter.weigh(right)
    return left == right
