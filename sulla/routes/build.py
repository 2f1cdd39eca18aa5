"""What a daemon does so that turns can take routes."""

from __future__ import annotations

from functools import partial

from sulla.agent.turn.node import Opening
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.graph.draft import Patcher
from sulla.handoffs.routing import AgentRouter
from sulla.host.host import AgentParts, Built, Host
from sulla.models.base import PromptSection
from sulla.procedures.shelf import ProcedureShelf
from sulla.routes.audit.recorder import RouteAudit
from sulla.routes.begin import RouteBeginnings
from sulla.routes.faults import KnownNames
from sulla.routes.node import with_routes
from sulla.routes.rpc import METHODS
from sulla.routes.service import HomeRoutes
from sulla.routes.shelf import RouteShelf
from sulla.routes.turn import RouteSteps
from sulla.skills.catalog import SkillCatalog
from sulla.threads.follower import LogFollower
from sulla.threads.log.state import ThreadState
from sulla.tools.base import Effect
from sulla.tools.policy import effect_of


def build(host: Host) -> Built:
    """Make it; see `host.Built`."""
    team, catalog = host.agents.team, host.needed(SkillCatalog)
    # What comes and goes beside the file takes no gate away: the doctor says which names are not there.
    shelf = RouteShelf(host.settings.home, KnownNames, host.place.clock)

    def effect(agent: str, call: ToolCall) -> Effect:
        spec = next((spec for spec in team.specs if spec.id == agent), None)
        tool = host.tools.now(spec).get(call.name) if spec is not None else None
        return effect_of(tool, call.args)

    procedures, router = ProcedureShelf(catalog), host.needed(AgentRouter)
    steps = RouteSteps(lambda: shelf.routes.table, partial(style_of, catalog), effect, lambda: procedures.known)
    beginnings = RouteBeginnings(
        lambda: shelf.routes.table,
        router.current,
        lambda: [spec.id for spec in team.specs],
        lambda: procedures.known,
    )

    async def look() -> None:
        await shelf.look()
        await procedures.look()

    def look_now() -> None:
        shelf.read()
        procedures.read()

    kept = RouteAudit(host.threads, host.store, host.place.owner, lambda: shelf.routes.table is not None)
    follower = LogFollower("route_audit", kept, host.threads, host.store, host.place.clock)
    service = HomeRoutes(lambda: shelf.routes.table, lambda: team.get("").id, kept)

    def graph(parts: AgentParts, opening: Opening) -> Patcher[ThreadState]:
        return partial(with_routes, steps, parts.tools)

    return Built(
        provides=(shelf, procedures, beginnings),
        methods=(METHODS.done_by(service),),
        gate=beginnings.gate,
        urgent=beginnings.urgent,
        instead=beginnings.instead,
        begins=beginnings.begin,
        graph=graph,
        part=steps.part,
        part_over=steps.over,
        look_now=look_now,
        followers={"route_audit": follower},
        before_work=look,
        troubles={"routes": shelf.trouble},
    )


def style_of(catalog: SkillCatalog, name: str) -> PromptSection | None:
    """What a skill says of how to reply; None where there is none of that name that a person has allowed.

    Args:
        catalog: the skills.
        name: the skill's.
    """
    known = catalog.known.get(name)
    return PromptSection("style", ours(known.skill.body)) if known is not None and known.trusted else None
