"""What can be wrong with what every daemon has."""

from __future__ import annotations

import logging

from sulla.agent.model.breaker import Breaker
from sulla.core.errors import StoreReplaced, StoreUnavailable
from sulla.core.stamp import stamp
from sulla.daemon.access.access import Access
from sulla.daemon.agents import doubts
from sulla.daemon.models.pool import ModelPool
from sulla.daemon.service import Service
from sulla.daemon.store_watch import StoreWatch
from sulla.host.health import Health
from sulla.host.team import Team
from sulla.host.tools import ToolRegistry

log = logging.getLogger(__name__)


def look_after(health: Health, watch: StoreWatch, service: Service, models: ModelPool, access: Access) -> None:
    """Have everything that can fail looked at.

    Args:
        health: looks.
        watch: knows about the store.
        service: knows whether the daemon is stopping.
        models: what agents answer with. Without its service messages are still taken, and each ends in an error that
            says so.
        access: keeps the audit log.
    """

    def store(kind: type[StoreUnavailable | StoreReplaced]) -> str:
        trouble = watch.trouble
        return trouble.message if isinstance(trouble, kind) else ""

    def model() -> str:
        if models.home.breaker.state == "closed":
            return ""
        last = f"; it said last: {said}" if (said := models.home.breaker.said) else ""
        rests = f"the service of the model {models.choice.model} failed several times in a row"
        return f"{rests} and is left alone for a while{last}{trying(models.home.breaker)}"

    def trying(breaker: Breaker) -> str:
        if breaker.trial_began_s is None:
            return ""
        began_ms = round(1000 * (models.clock.now() - models.clock.elapsed() + breaker.trial_began_s))
        return f"; one call has been trying since {stamp(began_ms)} whether it is back"

    def resting() -> str:
        names = [name for name, breaker in models.breakers.items() if breaker is not models.home.breaker]
        names = [name for name in names if models.breakers[name].state != "closed"]
        told = ", ".join(f"{name}{trying(models.breakers[name])}" for name in names)
        return f"services that failed several times in a row and are left alone: {told}" if names else ""

    health.watch("stopping", lambda: "the daemon is stopping" if service.stopping else "", blocks=True)
    health.watch(StoreUnavailable.code, lambda: store(StoreUnavailable), blocks=True)
    health.watch(StoreReplaced.code, lambda: store(StoreReplaced), blocks=True)
    health.watch("store_failing", lambda: watch.failing, blocks=False)
    health.watch("model_service", model, blocks=False)
    health.watch("agent_models", resting, blocks=False)
    health.watch("tokens", lambda: access.tokens.damage or "", blocks=False)
    health.watch("audit", lambda: "the audit log cannot be written" if access.audit.failing else "", blocks=False)


def look_after_team(health: Health, team: Team, tools: ToolRegistry) -> None:
    """Say what is wrong with agents now, and have it told for as long as the daemon runs.

    Args:
        health: tells it.
        team: who was found, and who could not be used.
        tools: those that there are.
    """
    for said in team.faults:
        log.warning("an agent cannot be used: %s", said)
    for said in (*team.warnings, *doubts(team, tools)):
        log.warning("an agent is not quite as it should be: %s", said)
    health.watch("agents", lambda: "; ".join(team.faults)[:1_000], blocks=False)
