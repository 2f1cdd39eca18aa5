"""The door to agents at work."""

from sulla.agent.active import ActiveAgents
from sulla.agent.approvals.approvals import RuleMade, refusal
from sulla.agent.approvals.open_questions import OpenQuestion, OpenQuestions
from sulla.agent.approvals.permissions import Permissions
from sulla.agent.calls.call_node import CallNode, create_call_graph, order
from sulla.agent.calls.calls import Made, ToolCalls
from sulla.agent.calls.file_marks import FileMarks
from sulla.agent.calls.guard import CallGuard
from sulla.agent.ending import Closing, WalkCut, close_run
from sulla.agent.environment import Observation
from sulla.agent.feed import EnvironmentFeed
from sulla.agent.limits.ledger import DayLimits, Ledger
from sulla.agent.limits.ledger_homes import made_room, read_homes, read_others, read_part, with_part
from sulla.agent.limits.limits import Charge, RunLimits, bounds_of, check_used, set_aside
from sulla.agent.limits.rate import RateAllowed, RateLimits, RateReason, Rates, TooFast
from sulla.agent.model.breaker import Breaker
from sulla.agent.model.decider import Decided, Decider, ForcedReply
from sulla.agent.model.model import Model
from sulla.agent.model.request import request_hash
from sulla.agent.model.retry import Compress, FailureClass, GiveUp, classify, next_try
from sulla.agent.model.summarizer import Summarizer
from sulla.agent.model.token_estimator import ModelInfo, TokenEstimator
from sulla.agent.prompt import ActiveAgent, Surroundings, sections, turn_context
from sulla.agent.spec import SULLA, AgentSpec, Completion
from sulla.agent.subagents.child_tools import Subagents, sub_agent_tools
from sulla.agent.subagents.children import Children, ChildTask, child_thread
from sulla.agent.subagents.reports import cut_report
from sulla.agent.turn.actor import Actor, actor_key
from sulla.agent.turn.ambient_context import TurnContext
from sulla.agent.turn.chat import AgentChat
from sulla.agent.turn.graph import create_agent_graph, create_general_graph
from sulla.agent.turn.input import InputHandler
from sulla.agent.turn.node import AgentNode, Opening
from sulla.agent.turn.offers import Offers, tool_specs, tool_tokens
from sulla.agent.turn.route import INPUT_HANDLER
from sulla.agent.turn.turns import TurnDriver

__all__ = [
    "INPUT_HANDLER",
    "SULLA",
    "ActiveAgent",
    "ActiveAgents",
    "Actor",
    "AgentChat",
    "AgentNode",
    "AgentSpec",
    "Breaker",
    "CallGuard",
    "CallNode",
    "Charge",
    "ChildTask",
    "Children",
    "Closing",
    "Completion",
    "Compress",
    "DayLimits",
    "Decided",
    "Decider",
    "EnvironmentFeed",
    "FailureClass",
    "FileMarks",
    "ForcedReply",
    "GiveUp",
    "InputHandler",
    "Ledger",
    "Made",
    "Model",
    "ModelInfo",
    "Observation",
    "Offers",
    "OpenQuestion",
    "OpenQuestions",
    "Opening",
    "Permissions",
    "RateAllowed",
    "RateLimits",
    "RateReason",
    "Rates",
    "RuleMade",
    "RunLimits",
    "Subagents",
    "Summarizer",
    "Surroundings",
    "TokenEstimator",
    "TooFast",
    "ToolCalls",
    "TurnContext",
    "TurnDriver",
    "WalkCut",
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
    "tool_specs",
    "tool_tokens",
    "turn_context",
    "with_part",
]
