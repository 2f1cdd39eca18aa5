"""Rows go out with times and money as clients see them, come back as they were, and are described as they go out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from pydantic import Field, ValidationError

from sulla.rpc.row import Money, Time, adapter_of, describe, describe_one, dump, size_of


@dataclass(frozen=True, slots=True)
class Cup:
    """One cup."""

    name: str
    at_ms: Annotated[Time, Field(alias="at")]
    over_ms: Annotated[Time | None, Field(alias="over_at")]
    cost_micro: Annotated[Money, Field(alias="cost")]


@dataclass(frozen=True, slots=True)
class Tray:
    """All of them."""

    cups: tuple[Cup, ...]


TEA = Cup("tea", 1_800_000_000_000, None, 1_250_000)
SEEN: dict[str, Any] = {"name": "tea", "at": "2027-01-15T08:00:00.000Z", "over_at": None, "cost": 1.25}


def test_times_and_money_go_out_as_clients_see_them_and_come_back_as_they_were() -> None:
    assert dump(Tray, Tray((TEA,))) == {"cups": [SEEN]}
    assert adapter_of(Tray).validate_python({"cups": [SEEN]}) == Tray((TEA,))


def test_a_time_that_is_none_is_refused() -> None:
    with pytest.raises(ValidationError, match="is not a time like"):
        adapter_of(Cup).validate_python({**SEEN, "at": "noon"})


def test_its_size_is_that_of_its_json() -> None:
    assert size_of(Cup, TEA) == len(b'{"name":"tea","at":"2027-01-15T08:00:00.000Z","over_at":null,"cost":1.25}')


def test_it_is_described_as_it_goes_out_with_all_that_is_in_it() -> None:
    found: dict[str, Any] = describe([Tray, Tray], "#/x/{model}")
    assert set(found) == {"Tray", "Cup"}
    assert found["Tray"]["properties"]["cups"]["items"] == {"$ref": "#/x/Cup"}
    assert found["Cup"]["description"] == "One cup."
    shapes = found["Cup"]["properties"]
    assert (shapes["at"]["type"], shapes["cost"]["type"]) == ("string", "number")
    assert [kind["type"] for kind in shapes["over_at"]["anyOf"]] == ["string", "null"]
    assert set(describe_one(Tray)["$defs"]) == {"Cup"}  # type: ignore[arg-type]  # an object
