"""The journal in a daemon: written behind the turns. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from sulla.agent.prompt import sections
from sulla.agent.turn.offers import tool_specs, tool_tokens
from sulla.core.errors import SettingsError
from sulla.core.jsontypes import JsonObject
from sulla.host.host import Built, Host
from sulla.journal.folder import JournalFolder
from sulla.journal.runs import TrainingFilter
from sulla.journal.settings import JournalSettings
from sulla.journal.training import PromptFrame
from sulla.journal.writer import JournalWriter, journal_follower
from sulla.tools.web.browse import catalogue_of

FOLDER: Final = "journal"


class PromptFrames(Mapping[str, PromptFrame]):
    """The prompt frame of each agent by its id, made when it is asked for, with the tools of that moment.

    Args:
        host: has the agents and their tools.
    """

    def __init__(self, host: Host) -> None:
        self._host = host

    def __getitem__(self, agent: str) -> PromptFrame:
        if agent not in (agents := self._host.agents).team.ids:
            raise KeyError(agent)
        spec = agents.team.get(agent)
        told = catalogue_of(self._host.tools.now(spec), tool_tokens).toolbox
        system = tuple(part.text for part in sections(spec, agents.where))
        return PromptFrame(system, tool_specs(told), wrappers=spec.completion == "wrapper")

    def __iter__(self) -> Iterator[str]:
        return iter(self._host.agents.team.ids)

    def __len__(self) -> int:
        return len(self._host.agents.team.ids)


def build(host: Host) -> Built:
    """Make what writes the journal; see `host.Built`.

    Raises:
        SettingsError: a training log is wanted without the journal that it is written beside.
    """
    wanted = host.settings.section(JournalSettings)
    if not wanted.enabled:
        if wanted.training:
            raise SettingsError(
                "journal.training is true and journal.enabled is false: the training log is written beside the "
                "journal, so set both to true, or both to false"
            )
        return Built(status=_off)
    folder = host.settings.home / FOLDER
    files = JournalFolder(folder, wanted.file_bytes, wanted.keep_files, training=wanted.training)
    training = TrainingFilter(PromptFrames(host), wanted.training_outcomes) if wanted.training else None
    journal = JournalWriter(host.threads, files, host.place.redactor, training)
    follower = journal_follower(journal, host.threads, host.store, host.place.clock)

    async def status() -> JsonObject:
        return follower.status() | {"journal_folder": str(folder)}

    def trouble() -> str:
        return f"the journal cannot be written: {follower.error}" if follower.error else ""

    return Built(followers={"journal": follower}, status=status, troubles={"journal": trouble})


async def _off() -> JsonObject:
    return {"journal": "off"}
