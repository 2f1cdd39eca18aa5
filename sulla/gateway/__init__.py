"""The door to the gateway: the only way in from outside."""

from sulla.gateway.app import GatewayConfig, build_app
from sulla.gateway.auth import KnownToken, Principal, TokenBook, Tokens, token_digest
from sulla.gateway.commands import (
    Advanced,
    Commands,
    Event,
    Live,
    Mode,
    Question,
    Sent,
    Signal,
    Signals,
    ThreadInfo,
    Verdict,
    WaitingThread,
)
from sulla.gateway.limits import Limits
from sulla.gateway.observing import OK, Asked, Caller, Done, Observer, Unobserved, Way
from sulla.gateway.server import Server, bind, serve
from sulla.gateway.wire import PROTOCOL, SUBPROTOCOL, Scope

__all__ = [
    "OK",
    "PROTOCOL",
    "SUBPROTOCOL",
    "Advanced",
    "Asked",
    "Caller",
    "Commands",
    "Done",
    "Event",
    "GatewayConfig",
    "KnownToken",
    "Limits",
    "Live",
    "Mode",
    "Observer",
    "Principal",
    "Question",
    "Scope",
    "Sent",
    "Server",
    "Signal",
    "Signals",
    "ThreadInfo",
    "TokenBook",
    "Tokens",
    "Unobserved",
    "Verdict",
    "WaitingThread",
    "Way",
    "bind",
    "build_app",
    "serve",
    "token_digest",
]
