"""What `sulla doctor` says of the knowledge of a home."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from sulla.host.checks import Check, CheckContext
from sulla.host.findings import Finding, counted, ok, size, warning
from sulla.knowledge.build import origins_of
from sulla.knowledge.folder import KNOWLEDGE
from sulla.knowledge.shelf import KnowledgeShelf, Shelved

CHECK_S: Final = 120.0
"""How long all of it may take to be read."""
MOST_TOLD: Final = 20
"""Files that are named one by one."""


async def knowledge(of: CheckContext) -> list[Finding]:
    """The knowledge: each file readable, and none written by somebody whom nobody trusts."""
    host = await asyncio.to_thread(of.host)
    shelf = host.needed(KnowledgeShelf)
    shelved, origins = await shelf.read(), origins_of(host, shelf)
    files = [file.found for file in shelved.files]
    marked = await asyncio.to_thread(lambda: [file.path for file in files if origins.is_outside(file)])
    return judge_knowledge(shelved, marked)


def judge_knowledge(shelved: Shelved, marked: Sequence[str]) -> list[Finding]:
    """What the folder comes to.

    Args:
        shelved: what was read, and what was not.
        marked: the files that were written by a run that had read what nobody trusts.
    """
    found = [
        warning(f"{KNOWLEDGE}/{one.path} {one.why}", "mend that, or move the file out of the folder")
        for one in shelved.left_out[:MOST_TOLD]
    ]
    if more := len(shelved.left_out) - len(found):
        found.append(warning(f"{counted(more, 'more file')} cannot be read", "`sulla knowledge list` names them"))
    for path in marked[:MOST_TOLD]:
        said = f"{KNOWLEDGE}/{path} was written by a run that had read what nobody trusts: so is each answer out of it"
        found.append(warning(said, "look at it, then `sulla safety trust` it; or write it anew"))
    if len(marked) > MOST_TOLD:
        said = f"{counted(len(marked) - MOST_TOLD, 'more file')} were written by such runs"
        found.append(warning(said, "trust the folder that they lie in once you have looked at them"))
    read = sum(file.cost_bytes for file in shelved.files)
    there = f"{counted(len(shelved.files), 'file')}, {counted(shelved.sections, 'section')}, {size(read)}"
    return found or ok(there if shelved.files else f"none: files in {KNOWLEDGE}/ are what agents can quote")


CHECKS = (Check("knowledge", knowledge, CHECK_S),)
