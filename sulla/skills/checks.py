"""What `sulla doctor` says of skills."""

from __future__ import annotations

import asyncio

from sulla.host.checks import Check, CheckContext
from sulla.host.findings import Finding, counted, ok, warning
from sulla.skills.catalog import SkillCatalog
from sulla.skills.folders import looked_at


async def skills(of: CheckContext) -> list[Finding]:
    """The skills: each readable, and allowed by a person."""
    return judge_skills(await asyncio.to_thread(looked_at, of.settings, of.clock))


def judge_skills(catalog: SkillCatalog) -> list[Finding]:
    """What the folders of skills come to.

    Args:
        catalog: the skills, looked at.
    """
    found = [warning(said, "`sulla skills check` says what is wrong with a skill") for said in catalog.troubles]
    waiting = [name for name, known in catalog.known.items() if not known.trusted]
    if waiting:
        said = f"nobody has allowed these skills as they are now: {', '.join(waiting)}"
        found.append(warning(said, "read them with `sulla skills show`, then `sulla skills trust`; else you are asked"))
    return found or ok(f"{counted(len(catalog.known), 'skill')}: {', '.join(catalog.known) or 'none'}")


CHECKS = (Check("skills", skills),)
