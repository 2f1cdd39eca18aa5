"""Requests about skills."""

from __future__ import annotations

from sulla.core.jsontypes import JsonObject
from sulla.gateway import wire_skills as wire
from sulla.gateway.commands import Commands


async def list_skills(commands: Commands) -> JsonObject:
    """All of them, and what is wrong with others."""
    found = await commands.list_skills()
    rows = [
        wire.SkillRow(
            name=skill.name,
            description=skill.description,
            source=skill.source,
            trusted=skill.trusted,
            changed=skill.changed,
            digest=skill.digest,
            agents=list(skill.agents),
        )
        for skill in found.skills
    ]
    return wire.SkillRows(skills=rows, troubles=list(found.troubles)).model_dump()
