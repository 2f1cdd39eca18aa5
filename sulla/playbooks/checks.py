"""What `sulla doctor` says of playbooks."""

from __future__ import annotations

import asyncio

from sulla.host.checks import Check, CheckContext
from sulla.host.findings import Finding, counted, ok, warning
from sulla.playbooks.catalog import PlaybookCatalog
from sulla.playbooks.playbook_rows import listed


async def playbooks(of: CheckContext) -> list[Finding]:
    """The playbooks: each can be run."""
    catalog = (await asyncio.to_thread(of.host)).needed(PlaybookCatalog)
    await catalog.look()
    return judge_playbooks(catalog)


def judge_playbooks(catalog: PlaybookCatalog) -> list[Finding]:
    """What the files of playbooks come to.

    Args:
        catalog: the playbooks, looked at.
    """
    remedy = "`sulla flow check` says all that is wrong with playbooks"
    rows = [listed(one) for one in catalog.playbooks.values()]
    found = [warning(said, remedy) for said in (*catalog.troubles, *(row.trouble for row in rows)) if said]
    return found or ok(f"{counted(len(rows), 'playbook')}: {', '.join(row.playbook for row in rows) or 'none'}")


CHECKS = (Check("playbooks", playbooks),)
