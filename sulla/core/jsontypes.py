"""JSON values as types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Union

Json = Union[None, bool, int, float, str, list["Json"], dict[str, "Json"]]  # noqa: UP007  - a recursive alias
"""Any JSON value as Python's own types hold it."""

JsonObject = dict[str, Json]
"""A JSON object that is being built."""

FrozenJson = Mapping[str, Json]
"""A JSON object that nobody may change."""
