"""What all connections share. Pure."""

from __future__ import annotations

from dataclasses import field

from sulla.access.token_store import TokenStore
from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.gateway.commands import Commands
from sulla.gateway.feed.backlog import EventFrames
from sulla.gateway.methods.calls import Calls
from sulla.gateway.methods.observing import Observer
from sulla.gateway.server.auth import Guard
from sulla.gateway.server.presence import Presence
from sulla.rpc.limits import Limits


@dataclass(frozen=True, slots=True)
class ServerContext:
    """What all connections share."""

    commands: Commands
    """Where logs and signals come from."""
    calls: Calls
    """Carries requests out."""
    guard: Guard
    """Who may come in."""
    presence: Presence
    """Who may stay."""
    clock: Clock
    limits: Limits
    observer: Observer
    tickets: TokenStore
    frames: EventFrames = field(default_factory=EventFrames)
    """Events for ``sulla.v1``."""
