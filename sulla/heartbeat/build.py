"""Heartbeats in a daemon: what they look at, what they may use, and what wakes agents. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from sulla.agent.active import ActiveAgents
from sulla.agent.approvals.open_questions import OpenQuestions
from sulla.agent.turn.actor import Actor
from sulla.definitions.agent_file import allows
from sulla.heartbeat.graph import create_heartbeat_graph
from sulla.heartbeat.people import PeopleBriefing
from sulla.heartbeat.rpc import METHODS
from sulla.heartbeat.schedules import wanted_by
from sulla.heartbeat.service import HeartbeatService
from sulla.heartbeat.settings import HeartbeatSettings
from sulla.heartbeat.slice import HEARTBEAT_THREAD
from sulla.heartbeat.threads import BeatThreads, limits_of
from sulla.heartbeat.tools import heartbeat_tools
from sulla.host.host import AgentParts, Built, Host
from sulla.people.inbox import NoticeInbox
from sulla.people.notifier import Notifier
from sulla.people.registry import PresenceRegistry
from sulla.playbooks.run.late_node import LateNode
from sulla.playbooks.triggers.agents import AgentPlaybooks
from sulla.projects.projects import Projects
from sulla.schedules.build import Timetable
from sulla.skills.catalog import SkillCatalog
from sulla.skills.found import index

if TYPE_CHECKING:
    from sulla.heartbeat.node import HeartbeatNode


def build(host: Host) -> Built:
    """Make what agents beat with; see `host.Built`.

    Raises:
        SettingsError: agents could not beat as the settings say.
    """
    wanted, team, clock = host.settings.section(HeartbeatSettings), host.agents.team, host.place.clock
    threads, limits, timetable = BeatThreads(host.threads), limits_of(wanted), host.needed(Timetable)
    timetable.begins.beat_thread = threads.open
    timetable.want(wanted_by(wanted, team.ids, host.place.zone))
    questions = OpenQuestions(host.threads, clock)
    people = PeopleBriefing(host.needed(PresenceRegistry), host.needed(NoticeInbox), questions, clock)
    warn, catalog, playbooks = host.needed(Notifier).warn, host.needed(SkillCatalog), host.needed(AgentPlaybooks)
    active, workspace = ActiveAgents(host.threads), host.settings.workspace
    projects = host.needed(Projects)

    def actors(parts: AgentParts) -> Mapping[str, Actor]:
        spec = parts.spec

        def skills() -> str:
            return index(known for name, known in catalog.known.items() if allows(spec.skills, name))

        def node() -> HeartbeatNode:
            from sulla.heartbeat.agenda import Agenda
            from sulla.heartbeat.node import HeartbeatNode

            look = Agenda(
                projects,
                active=active,
                workspace=workspace,
                skills=skills,
                around=people.around,
                mistrusted=host.agents.marks.mistrusted,
                playbooks=partial(playbooks.beat_lines, parts.tools),
            )
            return HeartbeatNode(
                look, host.agents.children, limits, warn, wanted.model, wanted.prompt, wanted.zone or host.place.zone
            )

        answers = parts.model.estimator.info.name.model
        return {HEARTBEAT_THREAD.graph: Actor(spec, answers, create_heartbeat_graph(parts.first, LateNode(node)))}

    service = HeartbeatService(threads, limits, wanted.agent or team.ids[0], host, timetable)
    # Beats may be answered by another model than conversations; it is the same agent all the same.
    models = (wanted.model,) if wanted.model else ()
    return Built(methods=(METHODS.done_by(service),), tools=heartbeat_tools(), models=models, actors=actors)
