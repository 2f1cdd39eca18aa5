"""What `sulla doctor` says of flows."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sulla.agent.spec import AgentSpec
from sulla.core.errors import InvalidInput
from sulla.flows.begin import FlowBeginnings
from sulla.flows.shelf import FlowShelf
from sulla.host.checks import Check, CheckContext
from sulla.host.findings import Finding, counted, ok, warning


async def flows(of: CheckContext) -> list[Finding]:
    """The flows: each can be walked, and each that an agent names is there."""
    host = await asyncio.to_thread(of.host)
    shelf = host.needed(FlowShelf)
    await asyncio.to_thread(shelf.read)
    return judge_flows(shelf, host.needed(FlowBeginnings), host.agents.team.specs)


def judge_flows(shelf: FlowShelf, beginnings: FlowBeginnings, specs: Sequence[AgentSpec]) -> list[Finding]:
    """What the files of flows come to, and what agents say of them.

    Args:
        shelf: the flows, looked at.
        beginnings: chooses a flow.
        specs: the agents.
    """
    found: list[Finding] = []
    for flow in shelf.flows.values():
        faults = flow.found if isinstance(flow.found, tuple) else ()
        found += [warning(one.told(str(flow.file)), "no turn is walked by it until that is mended") for one in faults]
    for spec in specs:
        try:
            if spec.flow:
                beginnings.chosen(spec.flow)
        except InvalidInput as error:
            said = f"the agent {spec.id!r}: {error.message}"
            found.append(warning(said, "each message to it fails until that is mended"))
    return found or ok(
        f"{counted(len(shelf.flows), 'flow')}: {', '.join(shelf.flows) or 'none beside the default one'}"
    )


CHECKS = (Check("flows", flows),)
