"""What travels over ``sulla.v1`` about tokens, agents and tools, as strict models. Pure."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue

from sulla.access import ALL_SCOPES, MOST_TOKEN_S, Scope
from sulla.gateway.wire_form import Name, Wire

# ------------------------------------------------------------------------------------------------------ parameters


class AgentList(Wire):
    """`agent.list`."""


class ToolList(Wire):
    """`tool.list`."""


class TokenCreate(Wire):
    """`token.create`."""

    name: Name
    scopes: Annotated[list[Scope], Field(min_length=1, max_length=len(ALL_SCOPES))]
    expires_s: Annotated[int, Field(ge=1, le=MOST_TOKEN_S)] | None = None
    """For how long it is good, in seconds; null for ever."""


class TokenList(Wire):
    """`token.list`."""


class TokenRevoke(Wire):
    """`token.revoke`."""

    name: Name


class TokenTicket(Wire):
    """`token.ticket`."""


# ---------------------------------------------------------------------------------------------------------- results


class WorkRow(Wire):
    """What an agent is doing at this moment."""

    thread_id: str
    project: str
    """Empty for none."""
    since: str


class AgentRow(Wire):
    """One agent."""

    id: str
    completion: str
    """How it says that it is done: `wrapper` or `plain`."""
    model: str
    tools: list[str]
    working: list[WorkRow]
    """The conversations that it works in, in whichever daemon on the same store; the longest first."""


class Agents(Wire):
    """The answer to `agent.list`."""

    agents: list[AgentRow]


class ToolRow(Wire):
    """One tool."""

    name: str
    description: str
    category: str
    effect: str
    """Whether it may be called again after a crash: see docs/retries.md."""
    parameters: dict[str, JsonValue]
    """A JSON Schema."""


class Tools(Wire):
    """The answer to `tool.list`."""

    tools: list[ToolRow]


class TokenCreated(Wire):
    """The answer to `token.create`."""

    name: str
    token: str
    """The secret; nobody can show it again."""
    scopes: list[Scope]
    expires_at: str | None


class TokenRow(Wire):
    """One token, without its secret, which nobody has."""

    name: str
    scopes: list[Scope]
    created_at: str | None
    """Null for the owner's."""
    expires_at: str | None
    expired: bool
    by: str
    """The name of the token that it was made with; empty for the owner's."""


class TokenRows(Wire):
    """The answer to `token.list`."""

    tokens: list[TokenRow]


class TokenRevoked(Wire):
    """The answer to `token.revoke`."""

    revoked: bool
    """Whether it was good until now."""


class TicketMade(Wire):
    """The answer to `token.ticket`."""

    ticket: str
    """The secret; good once, until `expires_at`."""
    path: str
    """Where it opens the door, behind the daemon's address."""
    expires_at: str
