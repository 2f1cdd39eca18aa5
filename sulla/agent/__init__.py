"""The door to agents at work."""

from sulla.agent.approvals import RuleMade
from sulla.agent.breaker import Breaker
from sulla.agent.calls import Calls
from sulla.agent.chat import Chat
from sulla.agent.ending import Closing, Cut, close_run
from sulla.agent.file_marks import FileMarks
from sulla.agent.gauge import Gauge, Mind
from sulla.agent.graph import create_agent_graph, create_general_graph
from sulla.agent.guard import Guard
from sulla.agent.input import InputHandler
from sulla.agent.ledger import DayLimits, Ledger
from sulla.agent.limits import Charge, RunLimits
from sulla.agent.model import Model
from sulla.agent.node import AgentNode
from sulla.agent.permissions import Permissions
from sulla.agent.prompt import Surroundings, sections, turn_context
from sulla.agent.rate import Allowed, RateLimits, RateReason, Rates, TooFast
from sulla.agent.request import request_hash
from sulla.agent.spec import SULLA, AgentSpec, Completion
from sulla.agent.summarizer import Summarizer
from sulla.agent.turns import Actor, TurnDriver

__all__ = [
    "SULLA",
    "Actor",
    "AgentNode",
    "AgentSpec",
    "Allowed",
    "Breaker",
    "Calls",
    "Charge",
    "Chat",
    "Closing",
    "Completion",
    "Cut",
    "DayLimits",
    "FileMarks",
    "Gauge",
    "Guard",
    "InputHandler",
    "Ledger",
    "Mind",
    "Model",
    "Permissions",
    "RateLimits",
    "RateReason",
    "Rates",
    "RuleMade",
    "RunLimits",
    "Summarizer",
    "Surroundings",
    "TooFast",
    "TurnDriver",
    "close_run",
    "create_agent_graph",
    "create_general_graph",
    "request_hash",
    "sections",
    "turn_context",
]
