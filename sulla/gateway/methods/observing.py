"""What the gateway tells whoever keeps the audit log and the metrics. Pure."""

from __future__ import annotations

from typing import Any, Protocol

from sulla.access.principal import Scope
from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.gateway.methods.table import METHOD_OF, METHODS
from sulla.rpc.caller import Caller, Way
from sulla.rpc.form import Params
from sulla.rpc.method import Method

OK = "ok"
GIVEN_UP = "given_up"
"""The connection ended before the request did."""
_UNSAID = {
    *("text", "quoted", "title", "token", "events", "source", "inputs", "files", "goal", "remarks", "plan"),
    *("entity", "other", "what", "value", "named", "why"),
}
"""Fields that hold people's words, or a secret."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that somebody known makes."""

    caller: Caller
    request_id: str
    """The client's id of it."""
    params: Params

    @property
    def method(self) -> str:
        """Its name, e.g. ``turn.send``."""
        return METHOD_OF[type(self.params)]

    @property
    def row(self) -> Method[Any, Any, Any]:
        """The row of the table."""
        return METHODS[self.method]

    @property
    def scope(self) -> Scope | None:
        """What a token must allow for it."""
        return self.row.scope

    @property
    def about(self) -> JsonObject:
        """What it names, without people's words and secrets."""
        said: JsonObject = self.params.model_dump(mode="json", exclude=_UNSAID, exclude_none=True)
        return said


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a request."""

    asked: Asked
    code: str
    """`OK`, `GIVEN_UP`, or the error's code."""
    took_s: float


class Observer(Protocol):
    """Is told what happens at the door, before the client is. Must return at once, and never raises."""

    def done(self, done: Done) -> None:
        """A request was carried out or refused."""

    def refused(self, way: Way, address: str, code: str) -> None:
        """Somebody was not let in."""

    def came(self, way: Way) -> None:
        """A connection (or a stream) has begun."""

    def left(self, way: Way) -> None:
        """It has ended."""


class Observers:
    """Tells several.

    Args:
        observers: those.
    """

    def __init__(self, *observers: Observer) -> None:
        self._observers = observers

    def done(self, done: Done) -> None:
        """A request was carried out or refused."""
        for observer in self._observers:
            observer.done(done)

    def refused(self, way: Way, address: str, code: str) -> None:
        """Somebody was not let in."""
        for observer in self._observers:
            observer.refused(way, address, code)

    def came(self, way: Way) -> None:
        """A connection has begun."""
        for observer in self._observers:
            observer.came(way)

    def left(self, way: Way) -> None:
        """It has ended."""
        for observer in self._observers:
            observer.left(way)


class Unobserved:
    """Keeps `Observer` for nobody."""

    def done(self, done: Done) -> None:
        """A request was carried out or refused."""

    def refused(self, way: Way, address: str, code: str) -> None:
        """Somebody was not let in."""

    def came(self, way: Way) -> None:
        """A connection has begun."""

    def left(self, way: Way) -> None:
        """It has ended."""
