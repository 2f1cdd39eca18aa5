"""JSON values as types, and words of theirs replaced. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Union

Json = Union[None, bool, int, float, str, list["Json"], dict[str, "Json"]]  # noqa: UP007  - a recursive alias
"""Any JSON value as Python's own types hold it."""

JsonObject = dict[str, Json]
"""A JSON object that is being built."""

FrozenJson = Mapping[str, Json]
"""A JSON object that nobody may change."""


def replaced(value: Json, words: Mapping[str, str]) -> Json:
    """A value with other words in its texts; the names of fields stay.

    Args:
        value: any JSON.
        words: what takes the place of each, in this order.
    """
    match value:
        case str():
            for word, other in words.items():
                value = value.replace(word, other)
            return value
        case Mapping():
            return {name: replaced(item, words) for name, item in value.items()}
        case list():
            return [replaced(item, words) for item in value]
        case _:
            return value
