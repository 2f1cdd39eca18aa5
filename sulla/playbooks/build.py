"""Playbooks in a daemon: what there is of them, who does what is asked about them, and what walks their runs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from sulla.agent.model.choosing import chooser
from sulla.agent.model.decider import Decider
from sulla.agent.turn.actor import Actor
from sulla.core.errors import NotFound, Refused
from sulla.core.ids import RunId, ThreadId
from sulla.core.late import late
from sulla.core.words import Words
from sulla.host.host import AgentParts, Built, Host
from sulla.host.shipped import shipped
from sulla.people.notifier import Notifier
from sulla.playbooks.catalog import PLAYBOOKS, PlaybookCatalog
from sulla.playbooks.file.check_known import KnownNames
from sulla.playbooks.files import bring_playbooks, known_of, playbook_folder
from sulla.playbooks.projects.pages import ProjectPages
from sulla.playbooks.projects.rpc import METHODS as PLAN_METHODS
from sulla.playbooks.projects.service import ProjectDesk
from sulla.playbooks.projects.tools import plan_tools
from sulla.playbooks.rpc import METHODS
from sulla.playbooks.run.late_node import LateNode, create_playbook_graph
from sulla.playbooks.settings import PlaybookSettings
from sulla.playbooks.thread_kind import PLAYBOOK_THREAD
from sulla.playbooks.tools import playbook_tools
from sulla.playbooks.triggers.agents import AgentPlaybooks
from sulla.playbooks.triggers.events import event_follower
from sulla.playbooks.triggers.timed import ScheduledStarts, TriggerSchedules, end_of_run
from sulla.playbooks.triggers.webhooks import PlaybookHooks
from sulla.projects.projects import Projects
from sulla.schedules.build import Timetable
from sulla.tools.builtin.notify import PersonNote, Urgency
from sulla.tools.registry import Toolbox

if TYPE_CHECKING:
    from sulla.playbooks.run.node import PlaybookNode
    from sulla.playbooks.stored_runs import StoredRuns

log = logging.getLogger(__name__)


def build(host: Host) -> Built:
    """Make what a daemon does with playbooks; see `host.Built`."""
    clock, team = host.place.clock, host.agents.team
    wanted, timetable = host.settings.section(PlaybookSettings), host.needed(Timetable)

    def secret(name: str) -> str | None:
        kept = wanted.secrets.get(name)
        return kept.get_secret_value() if kept is not None else None

    catalog = PlaybookCatalog((playbook_folder(host.settings),), _NamesOfHome(host, wanted))
    runs = late(lambda: _runs(host, catalog))
    timed = ScheduledStarts(catalog, runs)
    timetable.begins.playbook, timetable.begins.check_playbook = timed.begin, timed.check
    timetable.begins.playbook_end = end_of_run
    agents = AgentPlaybooks(runs, catalog, host.threads, chooser(partial(_decider, host)))
    triggers = TriggerSchedules(catalog, timetable.service, clock)
    events = event_follower(catalog, runs, host.threads, host.store, clock)
    desk = ProjectDesk(runs, host.needed(Projects), lambda: team.ids, host.agents.marks)
    pages = ProjectPages(runs, host.needed(Projects), clock, host.agents.marks)

    def waiting() -> str:
        return "; ".join(filter(None, (triggers.trouble(), events.error)))

    return Built(
        provides=(agents, PlaybookHooks(runs, catalog, secret), catalog),
        methods=(METHODS.done_by(runs), PLAN_METHODS.done_by(desk)),
        tools=(*playbook_tools(lambda: agents.starts), *plan_tools(desk, host.threads)),
        sections=lambda spec, toolbox: agents.sections(toolbox),
        opening=agents.chat.opening,
        actors=partial(_actors, host, runs, secret),
        look_now=catalog.look_now,
        prepare=lambda: _bring(host),
        before_work=catalog.known_at_all,
        tasks={"playbooks": lambda: triggers.run(timetable.settled), "project_pages": pages.run},
        followers={"playbook_events": events},
        woken=(pages,),
        troubles={"playbook_starts": waiting},
    )


def _runs(host: Host, catalog: PlaybookCatalog) -> StoredRuns:
    from sulla.playbooks.stored_runs import StoredRuns

    waker, team = host.waker, host.agents.team
    return StoredRuns(
        host.threads, catalog, host.place.clock, host.place.make_id, lambda: team.ids, waker, waker.queued
    )


class _NamesOfHome:
    """What the names in a home's playbooks are held against. It lives as long as the daemon and is asked before each
    turn, so the names are made anew only where a tool or an agent came or went.

    Args:
        host: what the daemon has.
        wanted: the settings of playbooks.
    """

    def __init__(self, host: Host, wanted: PlaybookSettings) -> None:
        self._host = host
        self._wanted = wanted
        self._made: tuple[Toolbox, frozenset[str], KnownNames] | None = None

    def __call__(self) -> KnownNames:
        """The names, as they are now: the same object, as long as they are the same."""
        host = self._host
        # Held against the tools of the home's own agent, which makes the calls of steps.
        tools, ids = host.tools.now(host.agents.team.specs[0]), frozenset(host.agents.team.ids)
        if self._made is None or self._made[0] is not tools or self._made[1] != ids:
            names = replace(
                known_of(tools, ids, all_tools=not host.tools.has_moving),
                secrets=frozenset(self._wanted.secrets),
                short_secrets=frozenset(self._wanted.short_secrets()),
                reply_tokens=host.agents.limits.reply_tokens,
            )
            self._made = (tools, ids, names)
        return self._made[2]


def _bring(host: Host) -> None:
    bring_playbooks(playbook_folder(host.settings), shipped(PLAYBOOKS))


def _decider(host: Host, agent: str) -> Decider:
    return Decider(host.agents.model_of(host.agents.team.get(agent).model))


def _actors(
    host: Host, runs: StoredRuns, secret: Callable[[str], str | None], parts: AgentParts
) -> Mapping[str, Actor]:
    """What walks the runs that an agent is asked in."""
    notify = host.needed(Notifier)

    async def tell(thread_id: ThreadId, run_id: RunId, key: str, words: Words, urgency: Urgency) -> None:
        try:
            await notify(PersonNote(thread_id, run_id, "", words, urgency, key))
        except NotFound:
            raise
        except Refused as refused:  # it is told in its conversation, and nowhere else
            log.warning("what a playbook says rings no bell: %s", refused.message)

    def node() -> PlaybookNode:
        from sulla.playbooks.run.lanes import StoredLanes
        from sulla.playbooks.run.node import PlaybookNode
        from sulla.playbooks.run.steps import StepEffects

        agents = host.agents
        decider = Decider(parts.model)
        effects = StepEffects(
            host.threads, host.waker, agents.children, parts.calls, decider, runs, runs, tell, secret, agents.limits
        )
        return PlaybookNode(effects, StoredLanes(host.store, host.threads, host.waker))

    return {PLAYBOOK_THREAD.graph: Actor(parts.spec, "", create_playbook_graph(LateNode(node)))}
