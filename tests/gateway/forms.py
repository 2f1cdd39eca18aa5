"""Whether what a daemon sends has the form that a method or a notification promises."""

from __future__ import annotations

from typing import Any, TypeVar, cast

import orjson

from sulla.rpc.row import adapter_of, dump

R = TypeVar("R")


def check_form(kind: type[R], value: object) -> R:
    """Fail unless `value` is a row of this kind, without guessing of types, and without a field that there is not."""
    row: R = adapter_of(cast(type, kind)).validate_json(orjson.dumps(value), strict=True)
    whole = dump(kind, row)
    assert _is_in(value, whole), f"{value} is no {kind.__name__}: {whole}"
    return row


def _is_in(part: Any, whole: Any) -> bool:
    """Whether `whole` says all that `part` does; of objects it may say more, which is what was left out."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(name in whole and _is_in(value, whole[name]) for name, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) == len(whole) and all(map(_is_in, part, whole))
    return (type(part) is type(whole) and bool(part == whole)) or (
        (type(part), type(whole)) == (int, float) and part == whole
    )
