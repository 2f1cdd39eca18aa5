"""The filters and tests of expressions: few, total, and bounded. Pure.

A filter that is given what it does not take says so; nothing is guessed, so ``'a' | int`` is a mistake and no 0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json
from sulla.playbooks.expression.values import (
    ENTRY_WORK,
    MAX_ITEMS,
    MAX_TEXT_CHARS,
    CostMeter,
    Missing,
    check_text,
    is_number,
    kind_of,
    number,
    shown,
    text_of,
    to_json,
)

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


# ------------------------------------------------------------------------------------------------------ what is needed


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"expected a text, got {shown(value)}")
    return value


def _list(value: object) -> Sequence[object]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise InvalidInput(f"expected a list, got {shown(value)}")
    if len(value) > MAX_ITEMS:
        raise InvalidInput(f"expected a list of at most {MAX_ITEMS} entries, got {len(value)}")
    return value


def _object(value: object) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise InvalidInput(f"expected an object, got {shown(value)}")
    return value


def _whole(value: object, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise InvalidInput(f"expected a whole number from {low} to {high}, got {shown(value)}")
    return value


def _numbers(value: object) -> list[int | float]:
    found: list[int | float] = []
    for item in _list(value):
        if isinstance(item, bool) or not isinstance(item, int | float):
            raise InvalidInput(f"expected a list of numbers, one is {shown(item)}")
        found.append(item)
    return found


# --------------------------------------------------------------------------------------------------------- on texts


def _join(meter: CostMeter, value: object, separator: object = "") -> str:
    check_text(len(_text(separator)) * (len(_list(value)) - 1))
    parts = [text_of(item, meter) for item in _list(value)]
    check_text(sum(map(len, parts)) + len(_text(separator)) * len(parts))
    return _text(separator).join(parts)


def _replace(meter: CostMeter, value: object, old: object, new: object) -> str:
    text, out, into = _text(value), _text(old), _text(new)
    if not out:
        raise InvalidInput("replace: there is nothing to look for")
    check_text(len(text) + text.count(out) * (len(into) - len(out)))
    return text.replace(out, into)


def _split(meter: CostMeter, value: object, separator: object = None) -> list[str]:
    parts = _text(value).split(_text(separator) if separator else None, MAX_ITEMS)
    if len(parts) > MAX_ITEMS:
        raise InvalidInput(f"split: this makes more than {MAX_ITEMS} parts")
    return parts


def _lines(meter: CostMeter, value: object) -> list[str]:
    parts = _split(meter, value, "\n")
    if not parts[-1]:
        parts.pop()  # what ends with a line break has no empty line behind it, and no text has no line
    return [part.removesuffix("\r") for part in parts]


def _truncate(meter: CostMeter, value: object, length: object) -> str:
    text, most = _text(value), _whole(length, 1, MAX_TEXT_CHARS)
    return text if len(text) <= most else f"{text[: most - 1]}…"


# ------------------------------------------------------------------------------------------------- on lists and objects


def _end(last: bool) -> Callable[[CostMeter, object], object]:
    def take(meter: CostMeter, value: object) -> object:
        items = value if isinstance(value, str) else _list(value)
        if not items:
            raise Missing(f"there is no {'last' if last else 'first'} one: it is empty")
        return items[-1 if last else 0]

    return take


def _length(meter: CostMeter, value: object) -> int:
    if not isinstance(value, str | Sequence | Mapping):
        raise InvalidInput(f"expected a text, a list or an object, got {shown(value)}")
    return len(value)


def _key(items: Sequence[object], attribute: object) -> list[tuple[object, object]]:
    """Each item with what it is sorted by; those have to be of one kind."""
    keyed = [(_pick(item, attribute) if attribute else item, item) for item in items]
    if not all(isinstance(key, str) for key, _ in keyed) and not all(is_number(key) for key, _ in keyed):
        raise InvalidInput("expected numbers alone or texts alone, to be put in order")
    return keyed


def _sort(meter: CostMeter, value: object, reverse: object = False, attribute: object = None) -> list[object]:
    keyed = _key(_list(value), attribute)
    meter.spend(len(keyed) * max(1, len(keyed).bit_length()))
    return [item for _, item in sorted(keyed, key=lambda pair: pair[0], reverse=bool(reverse))]  # type: ignore[arg-type, return-value]  # `_key` saw to it


def _extreme(choose: Callable[..., object]) -> Callable[[CostMeter, object], object]:
    def take(meter: CostMeter, value: object) -> object:
        if not _list(value):
            raise Missing("there is none: the list is empty")
        return choose(key for key, _ in _key(_list(value), None))

    return take


def _unique(meter: CostMeter, value: object) -> list[object]:
    seen: dict[object, object] = {}
    for item in _list(value):
        plain = item is None or isinstance(item, bool | int | float | str)
        meter.spend(len(item) if isinstance(item, str) else ENTRY_WORK)
        seen.setdefault((type(item) is bool, item) if plain else to_json(item, meter), item)
    return list(seen.values())


def _pick(item: object, attribute: object) -> object:
    """A field of an object, or a field of that, and so on: ``a.b``."""
    for word in _text(attribute).split("."):
        if not isinstance(item, Mapping) or word not in item:
            raise Missing(f"{kind_of(item)} of the list has no {word!r}")
        item = item[word]
    return item


def _map(meter: CostMeter, value: object, attribute: object) -> list[object]:
    return [_pick(item, attribute) for item in _list(value)]


def _sum(meter: CostMeter, value: object, attribute: object = None) -> int | float:
    return number(sum(_numbers(_map(meter, value, attribute) if attribute else value)))


# ------------------------------------------------------------------------------------------------------ between kinds


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


def _round(meter: CostMeter, value: object, digits: object = 0) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"expected a number, got {shown(value)}")
    places = _whole(digits, 0, 15)
    return round(value, places) if places else round(value)


def _abs(meter: CostMeter, value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"expected a number, got {shown(value)}")
    return abs(value)


def _from_json(meter: CostMeter, value: object) -> Json:
    try:
        found: Json = json.loads(_text(value), parse_constant=_no_constant)
    except RecursionError:
        raise InvalidInput("this JSON is nested too deep") from None
    except ValueError as error:
        raise InvalidInput(f"expected JSON, got {shown(value)} ({error})") from None
    return found


def _no_constant(word: str) -> Json:
    raise ValueError(f"{word} is no JSON")


def _reverse(meter: CostMeter, value: object) -> object:
    return value[::-1] if isinstance(value, str) else list(_list(value))[::-1]


_TEXT: Final = ("string",)
_LIST: Final = ("list",)
_NUMBER: Final = ("number", "integer")
_SORTED: Final = ("attribute",)

FILTERS: Final[Mapping[str, Filter]] = {
    "upper": Filter(lambda meter, value: _text(value).upper(), "string", "in capitals", of=_TEXT),
    "lower": Filter(lambda meter, value: _text(value).lower(), "string", "in small letters", of=_TEXT),
    "capitalize": Filter(lambda meter, value: _text(value).capitalize(), "string", "first letter big", of=_TEXT),
    "trim": Filter(lambda meter, value: _text(value).strip(), "string", "without white space around it", of=_TEXT),
    "replace": Filter(_replace, "string", "with each `old` replaced", ("old", "new"), 2, _TEXT),
    "truncate": Filter(_truncate, "string", "cut to `length` characters, the last a …", ("length",), 1, _TEXT),
    "split": Filter(_split, "list", "parts between `separator`, else between white space", ("separator",), of=_TEXT),
    "lines": Filter(_lines, "list", "its lines, without what ends them", of=_TEXT),
    "join": Filter(_join, "string", "as one text, `separator` between", ("separator",), of=_LIST),
    "length": Filter(_length, "integer", "characters, entries or fields", of=("string", "list", "object")),
    "first": Filter(_end(last=False), "any", "the first entry or character", of=("list", "string")),
    "last": Filter(_end(last=True), "any", "the last entry or character", of=("list", "string")),
    "reverse": Filter(_reverse, "any", "back to front", of=("list", "string")),
    "sort": Filter(_sort, "list", "in order, of a field if need be", ("reverse", "attribute"), of=_LIST),
    "unique": Filter(_unique, "list", "each entry once", of=_LIST),
    "map": Filter(_map, "list", "the field `attribute` of each entry; `a.b` goes deeper", _SORTED, 1, _LIST),
    "sum": Filter(_sum, "number", "all added up", _SORTED, of=_LIST),
    "min": Filter(_extreme(min), "any", "the least entry", of=_LIST),
    "max": Filter(_extreme(max), "any", "the greatest entry", of=_LIST),
    "keys": Filter(lambda meter, value: list(_object(value)), "list", "the names of its fields", of=("object",)),
    "values": Filter(lambda meter, value: list(_object(value).values()), "list", "its fields", of=("object",)),
    "int": Filter(_int, "integer", "as a whole number, cut off", of=("string", *_NUMBER)),
    "float": Filter(_float, "number", "as a number", of=("string", *_NUMBER)),
    "round": Filter(_round, "number", "rounded to so many `digits`", ("digits",), of=_NUMBER),
    "abs": Filter(_abs, "number", "without its sign", of=_NUMBER),
    "string": Filter(lambda meter, value: text_of(value, meter), "string", "as text"),
    "tojson": Filter(lambda meter, value: to_json(value, meter), "string", "as JSON"),
    "fromjson": Filter(_from_json, "any", "what a JSON text says", of=_TEXT),
    "default": Filter(lambda meter, value, other: other if value is None else value, "any",
                      "`other` where it is missing or null", ("other",), 1),
}  # fmt: skip
"""By name, with what the page says of each."""

TESTS: Final[Mapping[str, Callable[[object], bool]]] = {
    "defined": lambda value: True,
    "undefined": lambda value: False,
    "none": lambda value: value is None,
    "string": lambda value: isinstance(value, str),
    "number": is_number,
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "sequence": lambda value: isinstance(value, Sequence) and not isinstance(value, str),
    "mapping": lambda value: isinstance(value, Mapping),
}
"""``value is name``. The first two are answered before there is a value."""
