"""The folders of agents, as clients with the scope `admin` read and write them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType

from sulla.agent.files_rpc import AgentText
from sulla.core.dataclass import dataclass
from sulla.daemon.agents import unusable
from sulla.daemon.home.agent_folders import AgentFolders
from sulla.definitions.agents import AGENTS
from sulla.flows.begin import FlowBeginnings


@dataclass(frozen=True, slots=True)
class AgentWriter:
    """Implements `agent.files_rpc.AgentFiles`. It lives as long as the daemon.

    Args:
        home: the home's folder.
        folders: looks at them.
        flows: say what may be a slip of the pen beside that.
    """

    home: Path
    folders: AgentFolders
    flows: FlowBeginnings

    async def get(self, agent: str) -> AgentText:
        """See `AgentFiles.get`."""
        texts = await asyncio.to_thread(_writing().read_texts, self.home / AGENTS, agent)
        await self.flows.shelf.look_now()
        said = (*self.folders.said_of(agent), *self.flows.said_of(agent))
        return AgentText(agent, texts, _writing().digest_of(texts), said)

    async def create(self, agent: str, files: Mapping[str, str]) -> AgentText:
        """See `AgentFiles.create`."""
        return await self._change(partial(_writing().create, self.home / AGENTS, agent, files, unusable), agent)

    async def update(self, agent: str, files: Mapping[str, str | None], digest: str) -> AgentText:
        """See `AgentFiles.update`."""
        return await self._change(partial(_writing().update, self.home / AGENTS, agent, files, digest, unusable), agent)

    async def delete(self, agent: str, digest: str) -> None:
        """See `AgentFiles.delete`."""
        await self.folders.change(partial(_writing().delete, self.home / AGENTS, agent, digest))

    async def _change(self, write: Callable[[], None], agent: str) -> AgentText:
        await self.folders.change(write)
        return await self.get(agent)


def _writing() -> ModuleType:
    """What writes them, loaded when it is first asked for."""
    from sulla.definitions import agent_writing  # noqa: PLC0415 - few daemons ever need it

    return agent_writing
