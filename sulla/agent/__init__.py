"""The door to agents at work."""

from sulla.agent.active import ActiveAgents
from sulla.agent.actor import Actor, actor_key
from sulla.agent.approvals import RuleMade, refusal
from sulla.agent.breaker import Breaker
from sulla.agent.call_node import CallNode, create_call_graph, order
from sulla.agent.calls import Calls, Made
from sulla.agent.chat import Chat
from sulla.agent.child_tools import Family, sub_agent_tools
from sulla.agent.children import Children, Errand, child_thread
from sulla.agent.decider import Decided, Decider, Forced
from sulla.agent.ending import Closing, Cut, close_run
from sulla.agent.environment import Sight
from sulla.agent.feed import EnvironmentFeed
from sulla.agent.file_marks import FileMarks
from sulla.agent.gauge import Gauge, Mind
from sulla.agent.graph import create_agent_graph, create_general_graph
from sulla.agent.guard import Guard
from sulla.agent.input import InputHandler
from sulla.agent.ledger import DayLimits, Ledger
from sulla.agent.ledger_homes import made_room, read_homes, read_others, read_part, with_part
from sulla.agent.limits import Charge, RunLimits, bounds_of, check_used, set_aside
from sulla.agent.model import Model
from sulla.agent.node import AgentNode, Opening
from sulla.agent.open_questions import OpenQuestion, OpenQuestions
from sulla.agent.permissions import Permissions
from sulla.agent.prompt import ActiveAgent, Surroundings, sections, turn_context
from sulla.agent.rate import Allowed, RateLimits, RateReason, Rates, TooFast
from sulla.agent.reports import cut_report
from sulla.agent.request import request_hash
from sulla.agent.retry import Compress, FailureClass, GiveUp, classify, next_try
from sulla.agent.route import INPUT_HANDLER
from sulla.agent.spec import SULLA, AgentSpec, Completion
from sulla.agent.summarizer import Summarizer
from sulla.agent.told import Told
from sulla.agent.turns import TurnDriver

__all__ = [
    "INPUT_HANDLER",
    "SULLA",
    "ActiveAgent",
    "ActiveAgents",
    "Actor",
    "AgentNode",
    "AgentSpec",
    "Allowed",
    "Breaker",
    "CallNode",
    "Calls",
    "Charge",
    "Chat",
    "Children",
    "Closing",
    "Completion",
    "Compress",
    "Cut",
    "DayLimits",
    "Decided",
    "Decider",
    "EnvironmentFeed",
    "Errand",
    "FailureClass",
    "Family",
    "FileMarks",
    "Forced",
    "Gauge",
    "GiveUp",
    "Guard",
    "InputHandler",
    "Ledger",
    "Made",
    "Mind",
    "Model",
    "OpenQuestion",
    "OpenQuestions",
    "Opening",
    "Permissions",
    "RateLimits",
    "RateReason",
    "Rates",
    "RuleMade",
    "RunLimits",
    "Sight",
    "Summarizer",
    "Surroundings",
    "Told",
    "TooFast",
    "TurnDriver",
    "actor_key",
    "bounds_of",
    "check_used",
    "child_thread",
    "classify",
    "close_run",
    "create_agent_graph",
    "create_call_graph",
    "create_general_graph",
    "cut_report",
    "made_room",
    "next_try",
    "order",
    "read_homes",
    "read_others",
    "read_part",
    "refusal",
    "request_hash",
    "sections",
    "set_aside",
    "sub_agent_tools",
    "turn_context",
    "with_part",
]
