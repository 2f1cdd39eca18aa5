"""One row of the table of methods: all that there is to say of a method, in one place."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import Any, Generic, Literal, TypeVar, cast

from sulla.access.principal import Scope
from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.rpc.caller import Context
from sulla.rpc.form import Params
from sulla.rpc.row import dump
from sulla.rpc.watch import Watch

ROOT = "/api"
"""What all paths of the REST interface begin with."""
Verb = Literal["GET", "POST", "DELETE"]
Needs = Literal["nothing", "store", "open"]
"""What has to be so before a method is begun: that the store can be relied on, or that new work is taken too."""
S = TypeVar("S")
P = TypeVar("P", bound=Params)
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Rest:
    """One verb on one path of the REST interface. What stands in braces is a field of the parameters; the others come
    in the query of a ``GET`` and in the body of a ``POST``.
    """

    verb: Verb
    path: str
    """Behind `ROOT`."""
    summary: str
    """For the OpenAPI document."""
    status: int = 200
    """What a good answer says."""
    key: str | None = None
    """The field that the header ``Idempotency-Key`` stands for."""
    numbers: tuple[str, ...] = ("limit",)
    """Fields that are numbers; a query holds nothing but text."""
    streams: bool = False
    """Whether ``Accept: text/event-stream`` is understood."""


@dataclass(frozen=True, slots=True)
class Example:
    """A request's body and what comes back, for the OpenAPI document."""

    answered: JsonObject
    asked: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Method(Generic[S, P, R]):
    """One method: what it takes and gives, who may call it, and what does it."""

    name: str
    """As in ``turn.send``."""
    params: type[P]
    result: type[R]
    """A frozen dataclass."""
    scope: Scope | None
    """What the token must allow; None before anybody is known."""
    handler: Callable[[S, P, Context], Awaitable[R | JsonObject]] | None
    """Does it, with the service of its group; None for what a connection does by itself. Where there is much of it, it
    answers with the JSON of such a row at once: a page of events would be copied three times otherwise."""
    rest: Rest | None = None
    """Where the REST interface has it; None for nowhere."""
    example: Example | None = None
    """For what the REST interface has."""
    overlaps: bool = False
    """Whether a connection's next one is taken before it is answered; they are answered in order all the same."""
    needs: Needs = "nothing"
    heavy: bool = False
    """Whether it takes the processor for a while: one such request is worked at at a time."""
    idle_s: Callable[[P], float | None] | None = None
    """How long ago a person did what such a request says, in seconds; None if it says nothing of a person. None for
    methods that clients call by themselves."""
    watch: Watch[S] | None = None
    """What a WebSocket is told behind the answer; None for nothing."""

    async def answer(self, service: S, params: P, context: Context) -> JsonObject:
        """Do it; what goes to the client.

        Args:
            service: does it.
            params: what is asked for.
            context: what comes with the request.

        Raises:
            TypeError: a connection does it by itself.
            SullaError: whatever the service refuses it with.
        """
        if self.handler is None:
            raise TypeError(f"{self.name!r} is in the table of methods, but no handler does it")
        row = await self.handler(service, params, context)
        return row if isinstance(row, dict) else dump(self.result, row)


@dataclass(frozen=True, slots=True)
class Methods(Generic[S]):
    """The methods of one capability, which one service does."""

    name: str
    """The capability's."""
    rows: tuple[Method[S, Any, Any], ...]

    def done_by(self, service: S) -> tuple[str, object]:
        """Who does them: a pair for the mapping that the gateway is handed.

        Args:
            service: does them.
        """
        return self.name, service

    def service_in(self, services: Mapping[str, object]) -> S:
        """Who does them.

        Args:
            services: what `done_by` said, of all capabilities.
        """
        return cast(S, services[self.name])
