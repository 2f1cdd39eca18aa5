"""The door to the gateway: the only way in from outside."""

from sulla.access import KnownToken, Principal, Scope, Tokens, token_digest
from sulla.gateway.app import Gateway, GatewayConfig, build_app
from sulla.gateway.auth import address_key
from sulla.gateway.commands import (
    Advanced,
    Commands,
    Event,
    Hear,
    Live,
    Mode,
    Over,
    ProjectInfo,
    ProjectText,
    Question,
    RuleInfo,
    Sent,
    Signal,
    TaskInfo,
    ThreadInfo,
    Verdict,
    WaitingThread,
)
from sulla.gateway.hooks import Hooks
from sulla.gateway.infos import AgentInfo, SeenInfo, SkillInfo, SkillInfos, ToolInfo, WorkInfo
from sulla.gateway.limits import Limits
from sulla.gateway.observing import OK, Asked, Caller, Done, Observer, Observers, Unobserved, Way
from sulla.gateway.probes import Operations, Trouble
from sulla.gateway.server import Server, bind, serve
from sulla.gateway.wire import PROTOCOL, SUBPROTOCOL

__all__ = [
    "OK",
    "PROTOCOL",
    "SUBPROTOCOL",
    "Advanced",
    "AgentInfo",
    "Asked",
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
    "ProjectInfo",
    "ProjectText",
    "Question",
    "RuleInfo",
    "Scope",
    "SeenInfo",
    "Sent",
    "Server",
    "Signal",
    "SkillInfo",
    "SkillInfos",
    "TaskInfo",
    "ThreadInfo",
    "Tokens",
    "ToolInfo",
    "Trouble",
    "Unobserved",
    "Verdict",
    "WaitingThread",
    "Way",
    "WorkInfo",
    "address_key",
    "bind",
    "build_app",
    "serve",
    "token_digest",
]
