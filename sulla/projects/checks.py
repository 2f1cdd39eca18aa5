"""What `sulla doctor` says of projects."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sulla.host.checks import Check, CheckContext
from sulla.host.findings import Finding, counted, ok, warning
from sulla.projects.projects import PROJECTS, ListedProject, Projects


async def projects(of: CheckContext) -> list[Finding]:
    """The projects: each readable."""
    return judge_projects(await asyncio.to_thread(Projects(of.settings.place(PROJECTS)).all))


def judge_projects(rows: Sequence[ListedProject]) -> list[Finding]:
    """What the files of projects come to.

    Args:
        rows: all of a home's.
    """
    remedy = "docs/projects.md says what a project's file holds"
    found: list[Finding] = []
    for one in rows:
        said = one.trouble if one.project is None else "; ".join(one.project.warnings)
        if said:
            found.append(warning(f"{one.slug}: {said}", remedy))
    return found or ok(f"{counted(len(rows), 'project')}: {', '.join(one.slug for one in rows) or 'none'}")


CHECKS = (Check("projects", projects),)
