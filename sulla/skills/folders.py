"""Where skills lie: in the home, in the workspace, and those that Sulla brings along. Pure."""

from __future__ import annotations

from typing import Final

from sulla.core.clock import Clock
from sulla.host.settings import HomeSettings
from sulla.host.shipped import shipped
from sulla.skills.catalog import SkillCatalog, SkillRoot
from sulla.skills.trust import TrustedSkills

SKILLS: Final = "skills"
"""The folder of the home that its owner's skills are in."""

TRUSTED: Final = "trusted_skills.json"
"""What of them, and of others, the owner has allowed."""


def catalog_of(settings: HomeSettings, clock: Clock) -> SkillCatalog:
    """The skills that agents can have, not looked at yet.

    Args:
        settings: the home's.
        clock: all time.
    """
    work = settings.workspace
    roots = (
        SkillRoot(settings.home / SKILLS, "home"),
        SkillRoot(shipped(SKILLS), "shipped"),
        SkillRoot(work / ".agents" / SKILLS, "workspace"),
        SkillRoot(work / ".claude" / SKILLS, "workspace"),
    )
    return SkillCatalog(roots, TrustedSkills(settings.home / TRUSTED), clock)


def looked_at(settings: HomeSettings, clock: Clock) -> SkillCatalog:
    """The same, looked at once, for where no daemon runs. It reads files: not for the loop.

    Args:
        settings: the home's.
        clock: all time.
    """
    catalog = catalog_of(settings, clock)
    catalog.look_now()
    return catalog
