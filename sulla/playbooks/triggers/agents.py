"""What agents do with playbooks. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from sulla.agent.model.choosing import Chooser
from sulla.core.jsontypes import FrozenJson
from sulla.core.words import ours
from sulla.models.base import PromptSection
from sulla.playbooks.catalog import CatalogEntry, PlaybookCatalog
from sulla.playbooks.playbook_rows import listed
from sulla.playbooks.service import PlaybookService, TriggerKind
from sulla.playbooks.tools import Starts, playbook_line
from sulla.playbooks.triggers.chat import ChatStarts
from sulla.threads.store import ThreadStore
from sulla.tools.registry import Toolbox

RUN_PLAYBOOK: Final = "run_playbook"
SECTION_CHARS: Final = 6_000
"""Of a list of playbooks that an agent is told without asking."""

CHAT: Final = (
    "Playbooks are prepared ways to do something. Where a message is for one of these, start it with run_playbook "
    "instead of doing it yourself:\n{0}"
)


def chat_section(lines: str, toolbox: Toolbox) -> tuple[PromptSection, ...]:
    """What a model is told of playbooks that messages may be for; nothing if there are none or it could start none.

    Args:
        lines: those playbooks, a line each.
        toolbox: what its agent may use.
    """
    return (PromptSection("playbooks", ours(CHAT.format(lines))),) if lines and RUN_PLAYBOOK in toolbox else ()


class AgentPlaybooks:
    """Starts playbooks for agents, and tells them which there are. It lives as long as the daemon.

    Args:
        service: starts them.
        catalog: those of the home, as they were at the last look.
        threads: where agents work.
        choose: asked which playbook a message is for that is about several.
    """

    def __init__(
        self, service: PlaybookService, catalog: PlaybookCatalog, threads: ThreadStore, choose: Chooser
    ) -> None:
        self.starts = Starts(service, threads, self._given)
        """What the tools need."""
        self._catalog = catalog
        self._listed: tuple[Mapping[str, CatalogEntry], str] = {}, ""
        """What the catalog had when it was last listed for messages, and the lines: most turns find it as it was."""
        self.chat = ChatStarts(catalog, service, choose)
        """Starts those that messages are for."""

    def sections(self, toolbox: Toolbox) -> tuple[PromptSection, ...]:
        """What a model is told of playbooks: see `chat_section`."""
        return chat_section(self._chat_lines(), toolbox)

    def beat_lines(self, toolbox: Toolbox) -> str:
        """The playbooks that an agent may start at its heartbeat, a line each; empty for none.

        Args:
            toolbox: what it may use.
        """
        return _lines(self._catalog.playbooks.values(), "heartbeat") if RUN_PLAYBOOK in toolbox else ""

    def _chat_lines(self) -> str:
        playbooks = self._catalog.playbooks
        if playbooks is not self._listed[0]:
            self._listed = playbooks, _lines(playbooks.values(), "chat")
        return self._listed[1]

    def _given(self, playbook: str, kinds: Collection[TriggerKind]) -> FrozenJson:
        found = self._catalog.playbooks.get(playbook)
        if found is None or found.definition is None:
            return {}
        return next((trigger.inputs for trigger in found.definition.on if trigger.kind in kinds), {})


def _lines(playbooks: Iterable[CatalogEntry], kind: TriggerKind) -> str:
    """Those that something of this kind starts, a line each."""
    found = [one for one in playbooks if one.definition is not None and any(t.kind == kind for t in one.definition.on)]
    return "\n".join(playbook_line(listed(one)) for one in found)[:SECTION_CHARS]
