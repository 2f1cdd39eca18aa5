"""What `sulla doctor` says of phrases that lead to playbooks."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sulla.agent.spec import AgentSpec
from sulla.host.checks import Check, CheckContext
from sulla.host.findings import Finding, counted, ok, warning
from sulla.playbooks.catalog import PlaybookCatalog
from sulla.playbooks.triggers.chat import cannot_start


async def intents(of: CheckContext) -> list[Finding]:
    """The intents: each that leads to a playbook can start it."""
    host = await asyncio.to_thread(of.host)
    catalog = host.needed(PlaybookCatalog)
    await catalog.look()
    return judge_intents(host.agents.team.specs, catalog)


def judge_intents(specs: Sequence[AgentSpec], catalog: PlaybookCatalog) -> list[Finding]:
    """What the intents come to that lead to playbooks.

    Args:
        specs: the agents.
        catalog: the playbooks, looked at.
    """
    found = [
        warning(
            f"the agent {spec.id!r}: its intent {intent.phrases[0]!r} leads nowhere: {why}",
            "mend the intent in the agent's folder, or the playbook; until then the agent answers",
        )
        for spec in specs
        for intent in spec.led_by("playbook")
        if (why := cannot_start(catalog, intent.to, intent.args))
    ]
    return found or ok(counted(sum(len(spec.intents) for spec in specs), "intent"))


CHECKS = (Check("intents", intents),)
