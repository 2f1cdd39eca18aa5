"""Changes a project's file, and waits while somebody else is writing it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from sulla.core.clock import Clock
from sulla.core.errors import Conflict
from sulla.core.stamp import stamp
from sulla.projects.projects import FILE, FoundProject, Projects

PAUSES_S: Final = (0.02, 0.1, 0.5, 2.0)
"""How long is waited between tries while somebody else writes the file; a save takes an editor some milliseconds."""


async def change_project(
    projects: Projects, clock: Clock, slug: str, change: Callable[[str], str], digest: str = ""
) -> tuple[FoundProject, bool]:
    """Change a project's file.

    Args:
        projects: the home's.
        clock: all time.
        slug: which one.
        change: makes the new text of the old one; may be called several times, in a thread.
        digest: of what the change was thought up for; empty if it fits any text.

    Returns:
        What it is now, and whether anything has changed.

    Raises:
        Conflict: somebody is writing it all the time, or the file is not the one of that digest any more.
        NotFound, CorruptRecord, InvalidInput: as `Projects.read`, or what `change` raises.
    """
    at = stamp(round(clock.now() * 1000))
    for pause_s in (*PAUSES_S, None):
        if found := await asyncio.to_thread(projects.change, slug, change, at, digest):
            return found, found.project.fields.get("last_activity_at") == at
        if pause_s is not None:
            await clock.sleep(pause_s)
    raise Conflict(
        f"{slug}/{FILE} is being written by somebody else all the time, and was left as it is: try again later"
    )
