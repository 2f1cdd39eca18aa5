"""The filters and tests of expressions: few, total, and bounded. Pure.

A filter that is given what it does not take says so; nothing is guessed, so ``'a' | int`` is a mistake and no 0.
"""

from __future__ import annotations

import base64
import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json
from sulla.playbooks.expression.filter_form import (
    Filter,
    keyed,
    list_in,
    numbers_in,
    object_in,
    pick,
    text_in,
    text_or_nothing,
    whole_in,
)
from sulla.playbooks.expression.filter_lists import LIST_FILTERS
from sulla.playbooks.expression.filter_numbers import NUMBER_FILTERS, NUMBERS, with_point
from sulla.playbooks.expression.filter_patterns import PATTERN_FILTERS
from sulla.playbooks.expression.filter_times import TIME_FILTERS
from sulla.playbooks.expression.values import (
    ENTRY_WORK,
    MAX_ITEMS,
    MAX_TEXT_CHARS,
    CostMeter,
    Missing,
    check_text,
    is_number,
    number,
    shown,
    text_of,
    to_json,
)
from sulla.tools.nearest import did_you_mean

# --------------------------------------------------------------------------------------------------------- on texts

_NOT_GIVEN: Final = object()
"""What stands for a value that an expression does not say; null is one."""


def _join(meter: CostMeter, value: object, separator: object = "") -> str:
    check_text(len(text_in(separator)) * (len(list_in(value)) - 1))
    parts = [text_of(item, meter) for item in list_in(value)]
    check_text(sum(map(len, parts)) + len(text_in(separator)) * len(parts))
    return text_in(separator).join(parts)


def _replace(meter: CostMeter, value: object, old: object, new: object) -> str:
    text, out, into = text_in(value), _old(old), text_in(new)
    check_text(len(text) + text.count(out) * (len(into) - len(out)))
    return text.replace(out, into)


def _old(old: object) -> str:
    if not text_in(old):
        raise InvalidInput("replace: there is nothing to look for")
    return text_in(old)


def _split(meter: CostMeter, value: object, separator: object = None) -> list[str]:
    parts = text_in(value).split(text_in(separator) if separator else None, MAX_ITEMS)
    if len(parts) > MAX_ITEMS:
        raise InvalidInput(f"split: this makes more than {MAX_ITEMS} parts")
    return parts


def _lines(meter: CostMeter, value: object) -> list[str]:
    parts = _split(meter, value, "\n")
    if not parts[-1]:
        parts.pop()  # what ends with a line break has no empty line behind it, and no text has no line
    return [part.removesuffix("\r") for part in parts]


def _chars(length: object) -> int:
    return whole_in(length, 1, MAX_TEXT_CHARS)


def _truncate(meter: CostMeter, value: object, length: object) -> str:
    text, most = text_in(value), _chars(length)
    return text if len(text) <= most else f"{text[: most - 1]}…"


# ------------------------------------------------------------------------------------------------- on lists and objects


def _end(last: bool) -> Callable[[CostMeter, object], object]:
    def take(meter: CostMeter, value: object) -> object:
        items = value if isinstance(value, str) else list_in(value)
        if not items:
            raise Missing(f"there is no {'last' if last else 'first'} one: it is empty")
        return items[-1 if last else 0]

    return take


def _length(meter: CostMeter, value: object) -> int:
    if not isinstance(value, str | Sequence | Mapping):
        raise InvalidInput(f"expected a text, a list or an object, got {shown(value)}")
    return len(value)


def _extreme(choose: Callable[..., object]) -> Callable[[CostMeter, object], object]:
    def take(meter: CostMeter, value: object) -> object:
        if not list_in(value):
            raise Missing("there is none: the list is empty")
        return choose(key for key, _ in keyed(list_in(value), None))

    return take


def _map(meter: CostMeter, value: object, attribute: object, default: object = _NOT_GIVEN) -> list[object]:
    found: list[object] = []
    for item in list_in(value):
        try:
            found.append(pick(item, attribute))
        except Missing:
            if default is _NOT_GIVEN:
                raise
            found.append(default)
    return found


def _each(meter: CostMeter, value: object, filter_: object) -> list[object]:
    does = single(filter_)
    return [_of_one(meter, does, item, f"entry {number_}") for number_, item in enumerate(list_in(value), 1)]


def _columns(columns: object) -> dict[str, Callable[..., object]]:
    return {name: single(filter_) for name, filter_ in object_in(columns).items()}


def _decimal(mark: object) -> str:
    if mark not in (".", ","):
        raise InvalidInput(f"the decimal sign is '.' or ',', got {shown(mark)}")
    return str(mark)


def _typed(
    meter: CostMeter, value: object, columns: object, empty: object = _NOT_GIVEN, decimal: object = "."
) -> list[object]:
    does, mark = _columns(columns), _decimal(decimal)
    if mark != ".":
        numbers = {name for name, filter_ in object_in(columns).items() if _named(filter_)[0] in NUMBERS}
        does = {name: with_point(make, mark) if name in numbers else make for name, make in does.items()}
    found: list[object] = []
    for number_, item in enumerate(list_in(value), 1):
        row = dict(object_in(item))
        meter.spend(ENTRY_WORK * len(row))
        for name, make in does.items():
            if name not in row:
                raise Missing(f"entry {number_} has no {name!r}")
            if row[name] == "" and empty is not _NOT_GIVEN:
                row[name] = empty
            else:
                row[name] = _of_one(meter, make, row[name], f"entry {number_}, {name!r}")
        found.append(row)
    return found


def _of_one(meter: CostMeter, does: Callable[..., object], item: object, where: str) -> object:
    long = isinstance(item, str | Sequence | Mapping)
    meter.spend(len(item) + ENTRY_WORK if long else ENTRY_WORK)  # type: ignore[arg-type]  # it has a length
    try:
        return does(meter, item)
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error.message}") from None


def single(filter_: object) -> Callable[..., object]:
    """What a filter does that turns one value into one that is no bigger: what `each` and `typed` take.

    Args:
        filter_: its name; with what else it is given, a list.

    Raises:
        InvalidInput: it is none of these, or is given what it does not take.
    """
    name, args = _named(filter_)
    if name not in SINGLE:
        meant = did_you_mean(name, SINGLE) or f" Known: {', '.join(SINGLE)}."
        raise InvalidInput(f"{name[:60]!r} is no filter that entries can go through.{meant}")
    how = FILTERS[name]
    if not how.needs <= len(args) <= len(how.takes):
        takes = f"takes {', '.join(how.takes)}" if how.takes else "takes nothing more"
        raise InvalidInput(f"{name!r} {takes}, got {len(args)}: write it as ['date', '%Y-%m-%d', 'Europe/Berlin']")
    for word, arg in zip(how.takes, args, strict=False):
        if word in how.checks:
            how.checks[word](arg)

    def does(meter: CostMeter, value: object) -> object:
        meter.spend(ENTRY_WORK * len(args))
        return how.does(meter, value, *args)

    return does if args else how.does


def _named(filter_: object) -> tuple[str, list[object]]:
    """The name of a filter, and what else it is given: ``'float'``, ``['date', '%d.%m.', 'Europe/Berlin']``."""
    if isinstance(filter_, str) or not isinstance(filter_, Sequence) or not filter_:
        return text_in(filter_), []
    return text_in(filter_[0]), list(filter_[1:])


def _flatten(meter: CostMeter, value: object) -> list[object]:
    found: list[object] = []
    for item in list_in(value):
        if isinstance(item, str) or not isinstance(item, Sequence):
            raise InvalidInput(f"expected a list of lists, one is {shown(item)}")
        meter.spend(len(item))
        found += list_in(item)
        list_in(found)
    return found


def _entries(size: object) -> int:
    return whole_in(size, 1, MAX_ITEMS)


def _batches(meter: CostMeter, value: object, size: object) -> list[object]:
    items, most = list_in(value), _entries(size)
    meter.spend(len(items))
    return [list(items[at : at + most]) for at in range(0, len(items), most)]


def _sum(meter: CostMeter, value: object, attribute: object = None) -> int | float:
    return number(sum(numbers_in(_map(meter, value, attribute) if attribute else value)))


# ------------------------------------------------------------------------------------------------------ between kinds


def _from_json(meter: CostMeter, value: object) -> Json:
    try:
        found: Json = json.loads(text_in(value).removeprefix("\ufeff"), parse_constant=_no_constant)
    except RecursionError:
        raise InvalidInput("this JSON is nested too deep") from None
    except ValueError as error:
        raise InvalidInput(f"expected JSON, got {shown(value)} ({error})") from None
    return found


def _to_base64(meter: CostMeter, value: object) -> str:
    found = base64.b64encode(text_in(value).encode()).decode()
    check_text(len(found))
    return found


def _from_base64(meter: CostMeter, value: object) -> str:
    try:
        return base64.b64decode("".join(text_in(value).split()), validate=True).decode()
    except UnicodeDecodeError:
        raise InvalidInput("what this Base64 says is no text in UTF-8: keep it as it is") from None
    except ValueError:
        raise InvalidInput(f"expected Base64, got {shown(value)}") from None


_PLAIN: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
"""What stands for itself in an address (RFC 3986 §2.3)."""


def _quoted(text: str) -> str:
    return "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in text.encode())


def _to_url(meter: CostMeter, value: object) -> str:
    if isinstance(value, str):
        meter.spend(2 * len(value))
        found = _quoted(value)
    else:
        fields = {name: text_of(field, meter) for name, field in object_in(value).items()}
        found = "&".join(f"{_quoted(name)}={_quoted(field)}" for name, field in fields.items())
    check_text(len(found))
    return found


def _no_constant(word: str) -> Json:
    raise ValueError(f"{word} is no JSON")


def _quote(meter: CostMeter, value: object) -> str:
    found = shlex.quote(text_of(value, meter))
    check_text(len(found))
    return found


def _reverse(meter: CostMeter, value: object) -> object:
    return value[::-1] if isinstance(value, str) else list(list_in(value))[::-1]


_TEXT: Final = ("string",)
_LIST: Final = ("list",)
_FIELDS: Final = ("string", "object")

FILTERS: Final[Mapping[str, Filter]] = {
    "upper": Filter(lambda meter, value: text_in(value).upper(), "string", "in capitals", of=_TEXT),
    "lower": Filter(lambda meter, value: text_in(value).lower(), "string", "in small letters", of=_TEXT),
    "capitalize": Filter(lambda meter, value: text_in(value).capitalize(), "string", "first letter big", of=_TEXT),
    "trim": Filter(lambda meter, value: text_in(value).strip(), "string", "without white space around it", of=_TEXT),
    "replace": Filter(_replace, "string", "with each `old` replaced", ("old", "new"), 2, _TEXT,
                      {"old": _old, "new": text_in}),
    "truncate": Filter(_truncate, "string", "cut to `length` characters, the last a …", ("length",), 1, _TEXT,
                       {"length": _chars}),
    "split": Filter(_split, "list", "parts between `separator`, else between white space", ("separator",), of=_TEXT,
                    checks={"separator": text_or_nothing}),
    "lines": Filter(_lines, "list", "its lines, without what ends them", of=_TEXT),
    "join": Filter(_join, "string", "as one text, `separator` between", ("separator",), of=_LIST,
                   checks={"separator": text_in}),
    "length": Filter(_length, "integer", "characters, entries or fields", of=("string", "list", "object")),
    "first": Filter(_end(last=False), "any", "the first entry or character", of=("list", "string")),
    "last": Filter(_end(last=True), "any", "the last entry or character", of=("list", "string")),
    "reverse": Filter(_reverse, "any", "back to front", of=("list", "string")),
    "map": Filter(_map, "list", "the field `attribute` of each entry; `a.b` goes deeper; `default` where it has none",
                  ("attribute", "default"), 1, _LIST, {"attribute": text_in}),
    "each": Filter(_each, "list", "each entry through a filter: `each('float')`", ("filter",), 1, _LIST,
                   {"filter": single}),
    "typed": Filter(_typed, "list", "objects whose fields have gone through filters: `typed({'price': 'float'})`; "
                    "`empty` is what an empty text comes to, and `decimal=','` reads a comma for the point of numbers",
                    ("columns", "empty", "decimal"), 1, _LIST, {"columns": _columns, "decimal": _decimal}),
    "flatten": Filter(_flatten, "list", "the entries of the lists in it, as one list", of=_LIST),
    "batches": Filter(_batches, "list", "lists of `size` entries at the most, in their order", ("size",), 1, _LIST,
                      {"size": _entries}),
    "sum": Filter(_sum, "number", "all added up", ("attribute",), of=_LIST, checks={"attribute": text_or_nothing}),
    "min": Filter(_extreme(min), "any", "the least entry", of=_LIST),
    "max": Filter(_extreme(max), "any", "the greatest entry", of=_LIST),
    "keys": Filter(lambda meter, value: list(object_in(value)), "list", "the names of its fields", of=("object",)),
    "values": Filter(lambda meter, value: list(object_in(value).values()), "list", "its fields", of=("object",)),
    **NUMBER_FILTERS,
    "string": Filter(lambda meter, value: text_of(value, meter), "string", "as text"),
    "tojson": Filter(lambda meter, value: to_json(value, meter), "string", "as JSON"),
    "fromjson": Filter(_from_json, "any", "what a JSON text says", of=_TEXT),
    "base64": Filter(_to_base64, "string", "its bytes in UTF-8 as Base64", of=_TEXT),
    "frombase64": Filter(_from_base64, "string", "what Base64 says, where that is text in UTF-8", of=_TEXT),
    "quote": Filter(_quote, "string", "as one word of a command line, whatever is in it"),
    "urlencode": Filter(_to_url, "string", "as it stands in an address, a blank as `%20`; an object as `a=1&b=2`",
                        of=_FIELDS),
    **LIST_FILTERS,
    **TIME_FILTERS,
    **PATTERN_FILTERS,
    "default": Filter(lambda meter, value, other: other if value is None else value, "any",
                      "`other` where it is missing or null", ("other",), 1),
}  # fmt: skip
"""By name, with what the page says of each."""

SINGLE: Final = (
    *("int", "float", "round", "fixed", "abs", "string", "trim", "lower", "upper", "length", "fromjson"),
    *("date", "in_zone", "timestamp"),
)
"""The filters that entries can go through by `each` and `typed`."""

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
