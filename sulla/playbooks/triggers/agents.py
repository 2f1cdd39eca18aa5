"""What agents do with playbooks: given to them before there is anybody who runs playbooks."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from sulla.core.errors import NotAvailable
from sulla.core.jsontypes import FrozenJson
from sulla.core.run import Run
from sulla.models import Section
from sulla.playbooks.service import PlaybookOffice, TriggerKind
from sulla.playbooks.shelf import PlaybookShelf, Shelved, listed
from sulla.playbooks.tools import Starts, playbook_line, playbook_tools
from sulla.playbooks.triggers.chat import ChatPlays, Chooser
from sulla.threads import ThreadState, ThreadStore
from sulla.tools import Tool, Toolbox

RUN_PLAYBOOK: Final = "run_playbook"
SECTION_CHARS: Final = 6_000
"""Of a list of playbooks that an agent is told without asking."""

CHAT: Final = (
    "Playbooks are prepared ways to do something. Where a message is for one of these, start it with run_playbook "
    "instead of doing it yourself:\n{0}"
)


@dataclass(frozen=True, slots=True)
class _Open:
    starts: Starts
    shelf: PlaybookShelf
    chat: ChatPlays


def chat_section(playbooks: Iterable[Shelved], toolbox: Toolbox) -> tuple[Section, ...]:
    """What a model is told of playbooks that messages may be for; nothing if there are none or it could start none.

    Args:
        playbooks: all that the home has.
        toolbox: what its agent may use.
    """
    lines = _lines(playbooks, "chat") if RUN_PLAYBOOK in toolbox else ""
    return (Section("playbooks", CHAT.format(lines)),) if lines else ()


class PlayHands:
    """Starts playbooks for agents, from `open` on."""

    def __init__(self) -> None:
        self._opened: _Open | None = None

    def open(self, office: PlaybookOffice, shelf: PlaybookShelf, threads: ThreadStore, choose: Chooser) -> None:
        """From now on playbooks can be started.

        Args:
            office: starts them.
            shelf: those of the home, as they were at the last look.
            threads: where agents work.
            choose: asked which playbook a message is for that is about several.
        """
        starts = Starts(office, threads, self._given)
        self._opened = _Open(starts, shelf, ChatPlays(shelf, office, choose))

    def __call__(self) -> Starts:
        """What the tools need.

        Raises:
            NotAvailable: no daemon runs.
        """
        if self._opened is None:
            raise NotAvailable("no playbook can be started: no daemon runs")
        return self._opened.starts

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What agents can do with playbooks."""
        return playbook_tools(self)

    async def opening(self, state: ThreadState, run: Run) -> str:
        """Start the playbook that a person's message is for: see `agent.Opening`."""
        return await self._opened.chat.opening(state, run) if self._opened is not None else ""

    def sections(self, toolbox: Toolbox) -> tuple[Section, ...]:
        """What a model is told of playbooks: see `chat_section`."""
        return chat_section(self._playbooks, toolbox)

    def beat_lines(self, toolbox: Toolbox) -> str:
        """The playbooks that an agent may start at its heartbeat, a line each; empty for none.

        Args:
            toolbox: what it may use.
        """
        return _lines(self._playbooks, "heartbeat") if RUN_PLAYBOOK in toolbox else ""

    @property
    def _playbooks(self) -> Collection[Shelved]:
        return self._opened.shelf.playbooks.values() if self._opened is not None else ()

    def _given(self, playbook: str, kinds: Collection[TriggerKind]) -> FrozenJson:
        found = self._opened.shelf.playbooks.get(playbook) if self._opened is not None else None
        if found is None or found.definition is None:
            return {}
        return next((trigger.inputs for trigger in found.definition.on if trigger.kind in kinds), {})


def _lines(playbooks: Iterable[Shelved], kind: TriggerKind) -> str:
    """Those that something of this kind starts, a line each."""
    found = [one for one in playbooks if one.definition is not None and any(t.kind == kind for t in one.definition.on)]
    return "\n".join(playbook_line(listed(one)) for one in found)[:SECTION_CHARS]
