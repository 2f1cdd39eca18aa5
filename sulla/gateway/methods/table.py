"""The table of methods: all that can be asked for, by name. Pure."""

from __future__ import annotations

from typing import Any

from sulla.agent import environment_rpc, files_rpc
from sulla.agent import rpc as agents
from sulla.agent.approvals import permissions_rpc
from sulla.capabilities import capabilities
from sulla.gateway.methods import asked as asked_rpc
from sulla.gateway.methods import calendar as calendar_rpc
from sulla.gateway.methods import copies as copies_rpc
from sulla.gateway.methods import lifecycle as lifecycle_rpc
from sulla.gateway.methods import logs as logs_rpc
from sulla.gateway.methods import notes as notes_rpc
from sulla.gateway.methods import playbook_files as playbook_files_rpc
from sulla.gateway.methods import rehearsals as rehearsals_rpc
from sulla.gateway.methods import shown_flows as shown_flows_rpc
from sulla.gateway.methods import switch as switch_rpc
from sulla.gateway.methods import system as system_rpc
from sulla.gateway.methods import threads as threads_rpc
from sulla.gateway.methods import tokens as tokens_rpc
from sulla.gateway.methods import usage as usage_rpc
from sulla.host.capability import refuse_twice
from sulla.host.collected import method_groups
from sulla.rpc.form import Params
from sulla.rpc.method import Method, Methods

GROUPS: tuple[Methods[Any], ...] = (
    threads_rpc.METHODS,
    asked_rpc.METHODS,
    permissions_rpc.METHODS,
    agents.METHODS,
    files_rpc.METHODS,
    environment_rpc.METHODS,
    *method_groups(capabilities()),
    tokens_rpc.METHODS,
    switch_rpc.METHODS,
    system_rpc.METHODS,
    lifecycle_rpc.METHODS,
    usage_rpc.METHODS,
    shown_flows_rpc.METHODS,
    notes_rpc.METHODS,
    playbook_files_rpc.METHODS,
    rehearsals_rpc.METHODS,
    copies_rpc.METHODS,
    calendar_rpc.METHODS,
    logs_rpc.METHODS,
)
"""What belongs to every daemon, and what each capability brings."""

_ROWS = tuple((group, row) for group in GROUPS for row in group.rows)
refuse_twice("group of methods", ((group.name, f"a group of {len(group.rows)} methods") for group in GROUPS))
refuse_twice("method", ((row.name, f"the group {group.name!r}") for group, row in _ROWS))
_PATHS = ((f"{row.rest.verb} {row.rest.path}", f"the method {row.name!r}") for _, row in _ROWS if row.rest is not None)
refuse_twice("REST path", _PATHS)

METHODS: dict[str, Method[Any, Any, Any]] = {row.name: row for group in GROUPS for row in group.rows}
"""By name."""

METHOD_OF: dict[type[Params], str] = {method.params: name for name, method in METHODS.items()}
"""The name of the method that takes these parameters."""

GROUP_OF: dict[str, str] = {row.name: group.name for group in GROUPS for row in group.rows}
"""The name of the capability that a method belongs to."""
