"""What methods answer with: frozen dataclasses, which pydantic dumps and describes. What does so is made at first use.
Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Annotated, Any, cast

from pydantic import BeforeValidator, PlainSerializer, TypeAdapter

from sulla.core.jsontypes import JsonObject
from sulla.core.stamp import stamp, unstamp
from sulla.core.units import MICRO


def _at_ms(value: object) -> object:
    return unstamp(value) if isinstance(value, str) else value


def _micro(value: object) -> object:
    return round(value * MICRO) if isinstance(value, int | float) else value


def _money(micro: int) -> float:
    return micro / MICRO


Time = Annotated[int, BeforeValidator(_at_ms), PlainSerializer(stamp, return_type=str)]
"""UTC milliseconds, which clients see as ``2027-01-15T08:00:00.000Z``."""
Money = Annotated[int, BeforeValidator(_micro), PlainSerializer(_money, return_type=float)]
"""Millionths of the currency of the price table, which clients see as a number of that currency."""


def money_of(cost_micro: int, tokens: int, *, ended: bool = True) -> int | None:
    """A sum in money as clients are told it; None where nobody knows it.

    Args:
        cost_micro: what is known of it, in millionths.
        tokens: what was used for it: where that cost nothing, it has no price.
        ended: whether nothing more is used; until then no money is none that is known.
    """
    return cost_micro if cost_micro or (ended and not tokens) else None


@cache
def adapter_of(kind: type) -> TypeAdapter[Any]:
    """What reads, dumps and describes rows of a kind.

    Args:
        kind: a frozen dataclass, or a model.
    """
    return TypeAdapter(kind)


def dump(kind: type, row: object) -> JsonObject:
    """A row as it goes to clients.

    Args:
        kind: what the method says that it answers with.
        row: one of these.
    """
    return cast(JsonObject, adapter_of(kind).dump_python(row, mode="json", by_alias=True))


def size_of(kind: type, row: object) -> int:
    """How many bytes a row is for clients."""
    return len(adapter_of(kind).dump_json(row, by_alias=True))


def describe_one(kind: type) -> JsonObject:
    """The JSON Schema of a row, with all that is in it in its ``$defs``."""
    return cast(JsonObject, adapter_of(kind).json_schema(mode="serialization"))


def describe(kinds: Iterable[type], ref_template: str) -> JsonObject:
    """The JSON Schemas of rows, and of all that is in them, by the names of their classes.

    Args:
        kinds: those.
        ref_template: how one refers to another, with ``{model}`` in the place of the name.
    """
    inputs = [(kind.__name__, "serialization", adapter_of(kind)) for kind in dict.fromkeys(kinds)]
    _, whole = TypeAdapter.json_schemas(cast(Any, inputs), ref_template=ref_template)
    return cast(JsonObject, whole["$defs"])
