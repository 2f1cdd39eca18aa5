"""Who asks for something, and what a request comes with beside its parameters. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from sulla.access.principal import Principal
from sulla.core.dataclass import dataclass
from sulla.core.ids import MakeId

Way = Literal["ws", "rest", "voice"]
"""By which door somebody came."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The client that sent a request: its token, and how it came."""

    principal: Principal
    address: str
    """The peer's IP address."""
    way: Way
    session: str
    """Names the connection."""

    @property
    def name(self) -> str:
        """The name of the token, never the token itself."""
        return self.principal.name


@dataclass(frozen=True, slots=True)
class Context:
    """What a handler is handed beside its service and the parameters, for as long as one request takes."""

    caller: Caller
    at_ms: int
    """When the request came, UTC milliseconds."""
    page_bytes: int
    """Where a page of an answer is cut, so that it fits a client's frame."""
    make_id: MakeId
    """Names what the request has not named."""
    taken: Callable[[], None] | None = None
    """For methods that overlap: to be called as soon as the next request may be taken; None if nobody waits."""
