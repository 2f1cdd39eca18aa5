"""What a filter of expressions is, and what filters ask of the values that they are given. Pure.

A filter that is given what it does not take says so; nothing is guessed, so ``'a' | int`` is a mistake and no 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.playbooks.expression.values import MAX_ITEMS, Missing, is_number, kind_of, shown

Type = str
"""``string``, ``number``, ``integer``, ``boolean``, ``list``, ``object``, ``null``, or ``any`` where nobody knows."""


@dataclass(frozen=True, slots=True)
class Filter:
    """``value | name(takes…)``."""

    does: Callable[..., object]
    """Takes the meter, the value, then what `takes` names."""
    gives: Type
    about: str
    takes: tuple[str, ...] = ()
    needs: int = 0
    """How many of those have to be given."""
    of: tuple[Type, ...] = ()
    """What it can be used on; empty for anything."""
    checks: Mapping[str, Callable[[object], object]] = field(default_factory=dict)
    """By what `takes` names: raises an `InvalidInput` for what the filter takes in no case, whatever it is used on."""


def text_in(value: object) -> str:
    """A text.

    Raises:
        InvalidInput: it is none.
    """
    if not isinstance(value, str):
        raise InvalidInput(f"expected a text, got {shown(value)}")
    return value


def boolean_in(value: object) -> bool:
    """True or false.

    Raises:
        InvalidInput: it is neither.
    """
    if not isinstance(value, bool):
        raise InvalidInput(f"expected true or false, got {shown(value)}")
    return value


def text_or_nothing(value: object) -> object:
    """A text, or what stands for none.

    Raises:
        InvalidInput: it is something else.
    """
    return text_in(value) if value else value


def list_in(value: object) -> Sequence[object]:
    """A list that is not too long.

    Raises:
        InvalidInput: it is none.
    """
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise InvalidInput(f"expected a list, got {shown(value)}")
    if len(value) > MAX_ITEMS:
        raise InvalidInput(f"expected a list of at most {MAX_ITEMS} entries, got {len(value)}")
    return value


def object_in(value: object) -> Mapping[str, object]:
    """An object.

    Raises:
        InvalidInput: it is none.
    """
    if not isinstance(value, Mapping):
        raise InvalidInput(f"expected an object, got {shown(value)}")
    return value


def whole_in(value: object, low: int, high: int) -> int:
    """A whole number within bounds.

    Raises:
        InvalidInput: it is none.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise InvalidInput(f"expected a whole number from {low} to {high}, got {shown(value)}")
    return value


def numbers_in(value: object) -> list[int | float]:
    """A list of numbers.

    Raises:
        InvalidInput: it is none.
    """
    found: list[int | float] = []
    for item in list_in(value):
        if isinstance(item, bool) or not isinstance(item, int | float):
            raise InvalidInput(f"expected a list of numbers, one is {shown(item)}")
        found.append(item)
    return found


def pick(item: object, attribute: object) -> object:
    """A field of an object, or a field of that, and so on: ``a.b``.

    Raises:
        Missing: there is none.
    """
    for word in text_in(attribute).split("."):
        if not isinstance(item, Mapping) or word not in item:
            raise Missing(f"{kind_of(item)} of the list has no {word!r}")
        item = item[word]
    return item


def keyed(items: Sequence[object], attribute: object) -> list[tuple[object, object]]:
    """Each item with what it is sorted by.

    Raises:
        InvalidInput: they are not numbers alone or texts alone.
    """
    keyed = [(pick(item, attribute) if attribute else item, item) for item in items]
    if not all(isinstance(key, str) for key, _ in keyed) and not all(is_number(key) for key, _ in keyed):
        raise InvalidInput("expected numbers alone or texts alone, to be put in order")
    return keyed
