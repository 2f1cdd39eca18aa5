"""The door to agents at work."""

from sulla.agent.calls import Calls
from sulla.agent.chat import Chat
from sulla.agent.graph import create_agent_graph, create_general_graph
from sulla.agent.input import InputHandler
from sulla.agent.limits import RunLimits
from sulla.agent.node import AgentNode
from sulla.agent.spec import SULLA, AgentSpec, Completion
from sulla.agent.turns import Actor, TurnDriver

__all__ = [
    "SULLA",
    "Actor",
    "AgentNode",
    "AgentSpec",
    "Calls",
    "Chat",
    "Completion",
    "InputHandler",
    "RunLimits",
    "TurnDriver",
    "create_agent_graph",
    "create_general_graph",
]
