"""What only a connection of ``/hub`` knows how to carry out. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sulla.core.dataclass import dataclass
from sulla.core.errors import SullaError
from sulla.gateway.dialects.hub.places import HubPlaces
from sulla.gateway.websocket.machine import Effect, Own
from sulla.gateway.wire import QuestionRow

Failed = Callable[[SullaError], Sequence[Effect]]
"""What comes next where something did not work out."""


@dataclass(frozen=True, slots=True)
class Recall(Own):
    """Look up what was noted."""

    key: str
    then: Callable[[str | None], Sequence[Effect]]
    failed: Failed


@dataclass(frozen=True, slots=True)
class NotePlaces(Own):
    """Note where the client is, beside what other connections have noted."""

    key: str
    places: HubPlaces
    then: Callable[[], Sequence[Effect]]
    failed: Failed


@dataclass(frozen=True, slots=True)
class Look(Own):
    """See what a thread's run waits to be told by people."""

    thread_id: str
    then: Callable[[Sequence[QuestionRow]], Sequence[Effect]]
    failed: Failed


@dataclass(frozen=True, slots=True)
class AskUrgent(Own):
    """See whether a person's message must not wait, also where the agent waits for an answer."""

    thread_id: str
    text: str
    then: Callable[[bool], Sequence[Effect]]
    failed: Failed


@dataclass(frozen=True, slots=True)
class Relay(Own):
    """Tell the client's other connections on a channel."""

    channel: str
    frame: bytes
