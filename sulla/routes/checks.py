"""What `sulla doctor` says of routes."""

from __future__ import annotations

import asyncio

from sulla.definitions.file_fault import FileFault
from sulla.host.checks import Check, CheckContext
from sulla.host.findings import Finding, counted, fault, ok, warning
from sulla.host.host import Host
from sulla.procedures.shelf import ProcedureShelf
from sulla.routes.faults import KnownNames
from sulla.routes.last_good import LAST_FILE
from sulla.routes.reading import read_routes
from sulla.routes.shelf import RouteShelf
from sulla.skills.catalog import SkillCatalog


async def routes(of: CheckContext) -> list[Finding]:
    """The file of routes: it can be used, and all that it names is there."""
    host = await asyncio.to_thread(of.host)
    shelf = host.needed(RouteShelf)
    await asyncio.to_thread(shelf.read)
    await asyncio.to_thread(host.needed(SkillCatalog).look_now)  # nothing has looked at them yet
    procedures = host.needed(ProcedureShelf)
    await asyncio.to_thread(procedures.read)
    found = [warning(said, "it cannot be begun until that is mended") for said in procedures.faults]
    table = shelf.routes.table
    if shelf.routes.broken or table is None:
        found += [_told(one, shelf) for one in shelf.routes.faults]
        return found or ok("none: every turn goes to its agent")
    text = await asyncio.to_thread(shelf.file.read_text, "utf-8")
    found += [_told(one, shelf) for one in read_routes(text, names_of(host)).faults]
    return found or ok(f"{counted(len(table.routes), 'route')} and {counted(len(table.gates), 'gate')}")


def names_of(host: Host) -> KnownNames:
    """What routes may name now.

    Args:
        host: has the agents, their tools and the skills.
    """
    tools = {*host.tools.all(), *(tool.name for tool in host.tools.moving())}
    skills = frozenset(host.needed(SkillCatalog).known)
    procedures = frozenset(host.needed(ProcedureShelf).known)
    return KnownNames(frozenset(spec.id for spec in host.agents.team.specs), None, frozenset(tools), skills, procedures)


def _told(one: FileFault, shelf: RouteShelf) -> Finding:
    said = one.told(str(shelf.file))
    if shelf.routes.broken and one.severity == "error":
        held = f"those of its copy {LAST_FILE} hold" if shelf.routes.copied else "no message takes a route"
        return fault(said, f"until that is mended {held}; a daemon at work goes by what it has read")
    if one.path.endswith(".style"):
        return warning(said, "until that is mended turns of this route are answered without it, and the audit says so")
    return warning(said, "turns that need it fail, or have the route's fixed text, until that is mended")


CHECKS = (Check("routes", routes),)
