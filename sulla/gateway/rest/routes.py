"""Which path of the REST interface stands for which method of the protocol. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from sulla.core.dataclass import dataclass
from sulla.gateway.methods.table import METHODS
from sulla.rpc.method import ROOT, Example, Method, Rest


@dataclass(frozen=True, slots=True, kw_only=True)
class RestRoute(Rest):
    """One verb on one path, and the method that does it."""

    method: Method[Any, Any, Any]
    example: Example
    """A request, and its answer."""

    @property
    def name(self) -> str:
        """The method's name."""
        return self.method.name

    @property
    def in_path(self) -> tuple[str, ...]:
        """The fields that are in the path."""
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("{"))

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """The fields that are in the query or in the body."""
        return tuple(name for name in self.method.params.model_fields if name not in self.in_path)


def _routes() -> Iterator[RestRoute]:
    for row in METHODS.values():
        if row.rest is None:
            continue
        if row.example is None:
            raise TypeError(f"{row.name!r} has a path of the REST interface, but no example: give it one")
        rest = {field.name: getattr(row.rest, field.name) for field in fields(Rest)}
        yield RestRoute(**rest | {"path": ROOT + row.rest.path}, method=row, example=row.example)


ROUTES: tuple[RestRoute, ...] = tuple(_routes())


def by_path() -> dict[str, dict[str, RestRoute]]:
    """The routes of each path, by verb."""
    found: dict[str, dict[str, RestRoute]] = {}
    for route in ROUTES:
        found.setdefault(route.path, {})[route.verb] = route
    return found
