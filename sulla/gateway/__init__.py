"""The door to the gateway: the only way in from outside."""

from sulla.access import KnownToken, Principal, Scope, token_digest
from sulla.gateway.app import Gateway, GatewayConfig, build_app
from sulla.gateway.bookmarks import BOOKMARK_BYTES, Bookmarks
from sulla.gateway.commands import (
    Advanced,
    Commands,
    Event,
    Hear,
    Live,
    Mode,
    Over,
    Signal,
    Verdict,
    WaitingThread,
)
from sulla.gateway.methods.observing import OK, Asked, Done, Observer, Observers, Unobserved
from sulla.gateway.rest.hooks import Hooks
from sulla.gateway.rest.probes import Operations
from sulla.gateway.server.auth import address_key
from sulla.gateway.server.server import Server, bind, serve
from sulla.gateway.wire import PROTOCOL, SUBPROTOCOL, QuestionRow, ThreadRow, TurnSent
from sulla.rpc import Caller, Limits, Way

__all__ = [
    "BOOKMARK_BYTES",
    "OK",
    "PROTOCOL",
    "SUBPROTOCOL",
    "Advanced",
    "Asked",
    "Bookmarks",
    "Caller",
    "Commands",
    "Done",
    "Event",
    "Gateway",
    "GatewayConfig",
    "Hear",
    "Hooks",
    "KnownToken",
    "Limits",
    "Live",
    "Mode",
    "Observer",
    "Observers",
    "Operations",
    "Over",
    "Principal",
    "QuestionRow",
    "Scope",
    "Server",
    "Signal",
    "ThreadRow",
    "TurnSent",
    "Unobserved",
    "Verdict",
    "WaitingThread",
    "Way",
    "address_key",
    "bind",
    "build_app",
    "serve",
    "token_digest",
]
