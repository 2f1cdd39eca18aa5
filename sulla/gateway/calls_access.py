"""Requests about tokens, agents and tools: who may come in, and what there is to work with."""

from __future__ import annotations

from typing import Final

from sulla.access import Principal, TokenOffice
from sulla.core.jsontypes import JsonObject
from sulla.core.stamp import stamp
from sulla.gateway import wire_access as wire
from sulla.gateway.commands import Commands

TokenRequest = wire.TokenCreate | wire.TokenList | wire.TokenRevoke | wire.TokenTicket
TICKETS: Final = "/hub/"
"""The path where a ticket opens the door stands before it."""


async def perform_token(office: TokenOffice, params: TokenRequest, by: Principal) -> JsonObject:
    """Make, list or revoke tokens.

    Args:
        office: does it.
        params: what is asked for.
        by: who asks.
    """
    match params:
        case wire.TokenCreate(name=name, scopes=scopes, expires_s=expires_s):
            made = await office.create(name, frozenset(scopes), expires_s, by)
            return wire.TokenCreated(
                name=made.name, token=made.secret, scopes=sorted(made.scopes), expires_at=_stamp(made.expires_ms)
            ).model_dump()
        case wire.TokenRevoke(name=name):
            return wire.TokenRevoked(revoked=await office.revoke(name, by)).model_dump()
        case wire.TokenTicket():
            ticket = await office.mint_ticket(by)
            path, expires_at = TICKETS + ticket.secret, stamp(ticket.expires_ms)
            return wire.TicketMade(ticket=ticket.secret, path=path, expires_at=expires_at).model_dump()
        case wire.TokenList():
            rows = [
                wire.TokenRow(
                    name=info.name,
                    scopes=sorted(info.scopes),
                    created_at=_stamp(info.created_ms),
                    expires_at=_stamp(info.expires_ms),
                    expired=info.expired,
                    by=info.by,
                )
                for info in await office.list()
            ]
            return wire.TokenRows(tokens=rows).model_dump()


async def list_agents(commands: Commands) -> JsonObject:
    """Everybody who can answer."""
    rows = [
        wire.AgentRow(
            id=agent.id,
            completion=agent.completion,
            model=agent.model,
            tools=list(agent.tools),
            working=[
                wire.WorkRow(thread_id=work.thread_id, project=work.project, since=stamp(work.since_ms))
                for work in agent.working
            ],
        )
        for agent in await commands.list_agents()
    ]
    return wire.Agents(agents=rows).model_dump()


async def list_tools(commands: Commands) -> JsonObject:
    """Everything that they can use."""
    rows = [
        wire.ToolRow(
            name=tool.name,
            description=tool.description,
            category=tool.category,
            effect=tool.effect,
            parameters=tool.parameters,
        )
        for tool in await commands.list_tools()
    ]
    return wire.Tools(tools=rows).model_dump()


def _stamp(at_ms: int | None) -> str | None:
    return None if at_ms is None else stamp(at_ms)
