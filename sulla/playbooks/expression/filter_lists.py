"""Filters that sift, order and gather lists. Pure."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from typing import Final

from sulla.core.errors import InvalidInput
from sulla.playbooks.expression.compare import HOWS, holds
from sulla.playbooks.expression.filter_form import (
    Filter,
    boolean_in,
    keyed,
    list_in,
    object_in,
    pick,
    text_in,
    text_or_nothing,
)
from sulla.playbooks.expression.filter_patterns import matches
from sulla.playbooks.expression.reckon import SIGNS, reckon
from sulla.playbooks.expression.values import ENTRY_WORK, MAX_ITEMS, CostMeter, check_text, shown, text_of, to_json
from sulla.tools.nearest import did_you_mean

_ALL: Final = object()
QUOTED: Final = '""'
_TESTS: Final = {
    **dict.fromkeys(("=", "eq", "equalto"), "=="),
    **dict.fromkeys(("lt", "lessthan"), "<"),
    **dict.fromkeys(("gt", "greaterthan"), ">"),
    "ne": "!=",
    "le": "<=",
    "ge": ">=",
}
"""What Jinja calls its comparisons, by which its own `select` goes."""
SIFTS: Final = (*HOWS, "contains", "matches")
"""What lists are sifted by."""
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def sort(meter: CostMeter, value: object, reverse: object = False, attribute: object = None) -> list[object]:
    """In order."""
    back = boolean_in(reverse)
    found = keyed(list_in(value), attribute)
    meter.spend(len(found) * max(1, len(found).bit_length()))
    return [item for _, item in sorted(found, key=lambda pair: pair[0], reverse=back)]  # type: ignore[arg-type, return-value]  # `keyed` saw to it


def sort_by(meter: CostMeter, value: object, attribute: object, reverse: object = False) -> list[object]:
    """In the order of a field."""
    return sort(meter, value, reverse, text_in(attribute))


def unique(meter: CostMeter, value: object, attribute: object = None) -> list[object]:
    """Each entry once, or the first of each with the same field."""
    seen: dict[object, object] = {}
    for item in list_in(value):
        seen.setdefault(_mark(pick(item, attribute) if attribute else item, meter), item)
    return list(seen.values())


def _mark(value: object, meter: CostMeter) -> object:
    """What is the same for equal values alone; true is not 1."""
    plain = value is None or isinstance(value, bool | int | float | str)
    meter.spend(len(value) if isinstance(value, str) else ENTRY_WORK)
    return (type(value) is bool, value) if plain else to_json(value, meter)


def _how(how: object) -> None:
    if how not in SIFTS:
        near = _TESTS.get(str(how))
        meant = f" Write {near!r}." if near else did_you_mean(str(how), SIFTS)
        raise InvalidInput(f"{shown(how)} is no comparison.{meant} Known: {', '.join(SIFTS)}")


def _fits(how: str, field: object, other: object, meter: CostMeter) -> bool:
    if how == "contains":
        return holds("in", other, field, meter)
    return matches(meter, field, other) if how == "matches" else holds(how, field, other, meter)


def select(
    meter: CostMeter, value: object, attribute: object, how: object = _ALL, other: object = None, *, wanted: bool = True
) -> list[object]:
    """The entries whose field is true, or compares so; `wanted` False for all others."""
    if how is not _ALL:
        _how(how)
    found: list[object] = []
    for item in list_in(value):
        field = pick(item, attribute) if text_in(attribute) else item
        meter.spend(ENTRY_WORK)
        if how is not _ALL:
            is_so = _fits(str(how), field, other, meter)
        elif isinstance(field, bool):
            is_so = field
        else:
            raise InvalidInput(f"one of them is {shown(field)} and not true or false: say how to compare it")
        if is_so == wanted:
            found.append(item)
    return found


def reject(
    meter: CostMeter, value: object, attribute: object, how: object = _ALL, other: object = None
) -> list[object]:
    """All entries but those that `select` gives."""
    return select(meter, value, attribute, how, other, wanted=False)


def compute(meter: CostMeter, value: object, name: object, left: object, how: object, right: object) -> list[object]:
    """Each object with one field more, reckoned of two others; what is no text is taken as it is."""
    found: list[object] = []
    for item in list_in(value):
        meter.spend(ENTRY_WORK)
        sides = [pick(item, side) if isinstance(side, str) else side for side in (left, right)]
        found.append({**object_in(item), text_in(name): reckon(meter, sides[0], _sign(how), sides[1])})
    return found


def _sign(how: object) -> str:
    if how not in SIGNS:
        raise InvalidInput(f"{shown(how)} is nothing to reckon by. Known: {', '.join(SIGNS)}")
    return str(how)


def group_by(meter: CostMeter, value: object, attribute: object) -> list[object]:
    """The entries gathered by a field, in the order in which its values come up."""
    groups: dict[object, dict[str, object]] = {}
    for item in list_in(value):
        key = pick(item, text_in(attribute))
        entries = groups.setdefault(_mark(key, meter), {"key": key, "entries": []})["entries"]
        if isinstance(entries, list):
            entries.append(item)
    return list(groups.values())


def from_csv(meter: CostMeter, value: object, separator: object = ",") -> list[object]:
    """The rows of a table as objects: its first line has the names (RFC 4180)."""
    text = text_in(value).removeprefix("\ufeff")
    meter.spend(len(text))
    lines = csv.reader(_LINE.findall(text), delimiter=_one(separator), strict=True)
    try:
        names = next(lines, [])
        if len(set(names)) < len(names):
            raise InvalidInput("two columns of the table have the same name")
        found: list[object] = []
        for row in lines:
            meter.spend(ENTRY_WORK * len(row))
            if row and len(row) != len(names):
                raise InvalidInput(f"line {lines.line_num} of the table has {len(row)} fields, and {len(names)} names")
            if row:
                found.append(dict(zip(names, row, strict=True)))
    except csv.Error as error:
        raise InvalidInput(f"line {lines.line_num} is none of a table: {error}") from None
    if len(found) > MAX_ITEMS:
        raise InvalidInput(f"the table has {len(found)} rows; {MAX_ITEMS} are allowed")
    return found


def to_csv(meter: CostMeter, value: object, separator: object = ",", columns: object = None) -> str:
    """Objects as a table: its first line has the names of the first one's fields, or those of the columns."""
    rows, between = list_in(value), _one(separator)
    names = list(rows[0]) if rows and isinstance(rows[0], Mapping) else []
    if (wanted := _columns(columns)) is not None:
        names = wanted
        rows = [{name: object_in(row).get(name) for name in names} for row in rows]
    lines = [[str(name) for name in names]] if rows or columns is not None else []
    for row in rows:
        if not isinstance(row, Mapping) or list(row) != names:
            raise InvalidInput(
                f"expected objects with the fields {', '.join(names)}, one is {json.dumps(_names(row))}; name the "
                "columns where some lack one: `tocsv(columns=['a', 'b'])`"
            )
        lines.append([text_of(field, meter) for field in row.values()])
    check_text(sum(len(field) + 1 for line in lines for field in line))
    # A line of nothing would be none: one empty field alone stands in quotes.
    found = "".join(f"{between.join(_field(field, between) for field in line) or QUOTED}\r\n" for line in lines)
    check_text(len(found))
    return found


def _field(text: str, between: str) -> str:
    """A field of a table, in quotes if need be."""
    doubled = text.replace('"', '""')
    return f'"{doubled}"' if any(mark in text for mark in (between, '"', "\r", "\n")) else text


def _names(row: object) -> object:
    return list(row) if isinstance(row, Mapping) else shown(row)


def _columns(columns: object) -> list[str] | None:
    return None if columns is None else [text_in(name) for name in list_in(columns)]


def _one(separator: object) -> str:
    found = text_in(separator)
    if len(found) != 1 or found in '"\r\n':
        raise InvalidInput(f"expected one character between fields, got {shown(separator)}")
    return found


_LIST: Final = ("list",)
_KEY: Final = {"attribute": text_or_nothing}
_ORDERED: Final = {**_KEY, "reverse": boolean_in}
_SIFTED: Final = {"attribute": text_in, "how": _how}
LIST_FILTERS: Final[Mapping[str, Filter]] = {
    "sort": Filter(
        sort, "list", "in order, of a field if need be", ("reverse", "attribute"), of=_LIST, checks=_ORDERED
    ),
    "sort_by": Filter(
        sort_by, "list", "in the order of the field `attribute`", ("attribute", "reverse"), 1, _LIST,
        {**_ORDERED, "attribute": text_in},
    ),
    "unique": Filter(
        unique, "list", "each entry once; the first with the same `attribute` if need be", ("attribute",), of=_LIST,
        checks=_KEY,
    ),
    "select": Filter(
        select, "list",
        "the entries whose field `attribute` is true, or compares so: `select('age', '>', 17)`; `''` is the entry. "
        "`how` is `==`, `!=`, `<`, `<=`, `>`, `>=`; `in` and `not in` where the field stands in `other`; `contains` "
        "where `other` stands in the field; `matches` where a regular expression fits in it",
        ("attribute", "how", "other"), 1, _LIST, _SIFTED,
    ),
    "compute": Filter(
        compute, "list",
        "objects with one field more, reckoned of two others or a number: `compute('total', 'count', '*', 'price')`",
        ("name", "left", "how", "right"), 4, _LIST, {"name": text_in, "how": _sign},
    ),
    "reject": Filter(reject, "list", "all entries but those", ("attribute", "how", "other"), 1, _LIST, _SIFTED),
    "group_by": Filter(
        group_by, "list", "an object `{key, entries}` for each value of the field `attribute`", ("attribute",), 1,
        _LIST, {"attribute": text_in},
    ),
    "fromcsv": Filter(
        from_csv, "list", "the rows of a table as objects; its first line has the names", ("separator",),
        of=("string",), checks={"separator": _one},
    ),
    "tocsv": Filter(
        to_csv, "string",
        "objects as a table with a line of names; of all fields, or of those in `columns`, empty where one has none",
        ("separator", "columns"), of=_LIST, checks={"separator": _one, "columns": _columns},
    ),
}  # fmt: skip
"""By name, with what the page says of each."""
