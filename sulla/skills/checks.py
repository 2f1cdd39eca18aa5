"""What `sulla doctor` says of skills."""

from __future__ import annotations

import asyncio

from sulla.host.checks import Check, CheckContext
from sulla.host.findings import Finding, counted, ok, warning
from sulla.skills.folders import looked_at
from sulla.skills.shelf import SkillCatalog


async def skills(of: CheckContext) -> list[Finding]:
    """The skills: each readable, and allowed by a person."""
    return judge_skills(await asyncio.to_thread(looked_at, of.settings, of.clock))


def judge_skills(shelf: SkillCatalog) -> list[Finding]:
    """What the folders of skills come to.

    Args:
        shelf: the skills, looked at.
    """
    found = [warning(said, "`sulla skills check` says what is wrong with a skill") for said in shelf.troubles]
    waiting = [name for name, known in shelf.known.items() if not known.trusted]
    if waiting:
        said = f"nobody has allowed these skills as they are now: {', '.join(waiting)}"
        found.append(warning(said, "read them with `sulla skills show`, then `sulla skills trust`; else you are asked"))
    return found or ok(f"{counted(len(shelf.known), 'skill')}: {', '.join(shelf.known) or 'none'}")


CHECKS = (Check("skills", skills),)
