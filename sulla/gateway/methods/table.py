"""The table of methods: all that can be asked for, by name. Pure."""

from __future__ import annotations

from typing import Any

from sulla.agent import environment_rpc
from sulla.agent import rpc as agents
from sulla.agent.approvals import permissions_rpc
from sulla.gateway.methods import switch as switch_rpc
from sulla.gateway.methods import system as system_rpc
from sulla.gateway.methods import threads as threads_rpc
from sulla.gateway.methods import tokens as tokens_rpc
from sulla.heartbeat import rpc as heartbeat
from sulla.people import notices_rpc, presence_rpc
from sulla.playbooks import rpc as playbooks
from sulla.projects import rpc as projects
from sulla.rpc import Method, Methods, Params
from sulla.schedules import rpc as schedules
from sulla.skills import rpc as skills
from sulla.speech import rpc as speech

GROUPS: tuple[Methods[Any], ...] = (
    threads_rpc.METHODS,
    permissions_rpc.METHODS,
    agents.METHODS,
    skills.METHODS,
    environment_rpc.METHODS,
    presence_rpc.METHODS,
    notices_rpc.METHODS,
    projects.METHODS,
    schedules.METHODS,
    heartbeat.METHODS,
    speech.METHODS,
    playbooks.METHODS,
    tokens_rpc.METHODS,
    switch_rpc.METHODS,
    system_rpc.METHODS,
)
"""What each capability brings."""

METHODS: dict[str, Method[Any, Any, Any]] = {row.name: row for group in GROUPS for row in group.rows}
"""By name."""

METHOD_OF: dict[type[Params], str] = {method.params: name for name, method in METHODS.items()}
"""The name of the method that takes these parameters."""

GROUP_OF: dict[str, str] = {row.name: group.name for group in GROUPS for row in group.rows}
"""The name of the capability that a method belongs to."""
