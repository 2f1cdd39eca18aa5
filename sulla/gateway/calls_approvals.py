"""Requests about what is allowed until further notice."""

from __future__ import annotations

from sulla.core.jsontypes import JsonObject
from sulla.core.stamp import stamp
from sulla.gateway import wire_approvals as wire
from sulla.gateway.commands import Commands


async def list_rules(commands: Commands) -> JsonObject:
    """All that hold."""
    rows = [
        wire.RuleRow(
            rule=info.id,
            agent=info.agent,
            tool=info.tool,
            target=info.target,
            created_at=stamp(info.created_ms),
            expires_at=stamp(info.expires_ms),
        )
        for info in await commands.list_rules()
    ]
    return wire.RuleRows(rules=rows).model_dump()


async def forget_rule(commands: Commands, rule: str) -> JsonObject:
    """Have people asked again."""
    await commands.forget_rule(rule)
    return wire.Forgotten(rule=rule).model_dump()
