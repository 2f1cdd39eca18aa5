"""The door to the gateway: the only way in from outside."""

from sulla.access import KnownToken, Principal, Scope, Tokens, token_digest
from sulla.gateway.app import Gateway, GatewayConfig, build_app
from sulla.gateway.auth import address_key
from sulla.gateway.bookmarks import BOOKMARK_BYTES, Bookmarks
from sulla.gateway.commands import (
    Advanced,
    Commands,
    Event,
    Hear,
    Live,
    Mode,
    Over,
    Question,
    RuleInfo,
    Sent,
    Signal,
    ThreadInfo,
    Verdict,
    WaitingThread,
)
from sulla.gateway.hooks import Hooks
from sulla.gateway.infos import (
    AgentInfo,
    ProjectInfo,
    ProjectText,
    SeenInfo,
    SkillInfo,
    SkillInfos,
    TaskInfo,
    ToolInfo,
    WorkInfo,
)
from sulla.gateway.limits import Limits
from sulla.gateway.observing import OK, Asked, Caller, Done, Observer, Observers, Unobserved, Way
from sulla.gateway.probes import Operations, Trouble
from sulla.gateway.server import Server, bind, serve
from sulla.gateway.voice_frames import Recognizer
from sulla.gateway.voice_moves import Drop, Flush, Say, Wrong
from sulla.gateway.wire import PROTOCOL, SUBPROTOCOL

__all__ = [
    "BOOKMARK_BYTES",
    "OK",
    "PROTOCOL",
    "SUBPROTOCOL",
    "Advanced",
    "AgentInfo",
    "Asked",
    "Bookmarks",
    "Caller",
    "Commands",
    "Done",
    "Drop",
    "Event",
    "Flush",
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
    "Recognizer",
    "RuleInfo",
    "Say",
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
    "Wrong",
    "address_key",
    "bind",
    "build_app",
    "serve",
    "token_digest",
]
