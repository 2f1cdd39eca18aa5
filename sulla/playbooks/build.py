"""Playbooks: what there is of them, who does what is asked about them, and what walks their runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from sulla.agent import Calls, Children, Decider, Model, RunLimits
from sulla.core.ids import RunId, ThreadId
from sulla.daemon.agents import Kit
from sulla.daemon.settings.config import Settings
from sulla.graph import Graph
from sulla.host.place import Place
from sulla.host.waker import Waker
from sulla.mcp.settings import McpSettings
from sulla.people.notifier import NoticeDesk
from sulla.playbooks.file.check_known import Known
from sulla.playbooks.files import known_of, playbook_folder
from sulla.playbooks.run.node import PlayNode, create_playbook_graph
from sulla.playbooks.run.steps import StepHands
from sulla.playbooks.settings import PlaybookSettings
from sulla.playbooks.shelf import PlaybookShelf
from sulla.playbooks.stored_runs import PlayDesk
from sulla.threads import ThreadState, ThreadStore
from sulla.tools import Note, ToolSource


@dataclass(frozen=True, slots=True)
class Plays:
    """Makes what playbooks are walked with.

    Args:
        settings: what they may use, and their secrets.
        shelf: the home's playbooks.
        desk: does what is asked about them.
        threads: where their runs are kept.
        children: sets agents to work.
        notices: tells people.
        limits: what any run may use.
    """

    settings: Settings
    shelf: PlaybookShelf
    desk: PlayDesk
    threads: ThreadStore
    children: Children
    notices: NoticeDesk
    limits: RunLimits

    def graph(self, calls: Calls, model: Model) -> Graph[ThreadState]:
        """The graph of the runs that an agent is asked in.

        Args:
            calls: what its calls run on.
            model: what routers and conditions are asked of.
        """
        hands = StepHands(
            self.threads,
            self.desk.wake,
            self.children,
            calls,
            Decider(model),
            self.desk,
            self.desk,
            self._tell,
            self.secret,
            self.limits,
        )
        return create_playbook_graph(PlayNode(hands))

    def secret(self, name: str) -> str | None:
        """A secret by its name; None for one that is not set."""
        kept = self.settings.section(PlaybookSettings).secrets.get(name)
        return kept.get_secret_value() if kept is not None else None

    async def _tell(self, thread_id: ThreadId, run_id: RunId, key: str, text: str) -> None:
        await self.notices(Note(thread_id, run_id, "", text, "normal", False, key))


@dataclass(frozen=True, slots=True)
class Around:
    """What playbooks work with."""

    threads: ThreadStore
    """Where their runs are kept."""
    children: Children
    """Sets agents to work."""
    notices: NoticeDesk
    """Tells people."""
    wake: Waker
    limits: RunLimits
    """What any run may use."""


def make_plays(settings: Settings, place: Place, kit: Kit, source: ToolSource, around: Around) -> Plays:
    """Nothing is read yet.

    Args:
        settings: what they may use, and their secrets.
        place: what the daemon stands on.
        kit: the agents, and their tools.
        source: tools that come and go.
        around: what they work with.
    """
    agents = tuple(spec.id for spec in kit.team.specs)
    shelf = PlaybookShelf((playbook_folder(settings),), partial(_known, settings, kit, source))
    wake = around.wake
    desk = PlayDesk(around.threads, shelf, place.clock, place.make_id, agents, wake, wake.queued)
    return Plays(settings, shelf, desk, around.threads, around.children, around.notices, around.limits)


def _known(settings: Settings, kit: Kit, source: ToolSource) -> Known:
    """What the names in playbooks are held against: the tools of the home's own agent, which makes their calls."""
    own = kit.boxes[0][1]
    tools = {tool.name: tool for tool in (*own, *source())}
    known = known_of(
        tools.values(), (spec.id for spec in kit.team.specs), all_tools=not settings.section(McpSettings).servers
    )
    return replace(known, secrets=frozenset(settings.section(PlaybookSettings).secrets))
