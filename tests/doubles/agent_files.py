"""One agent's files, in memory."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Protocol

from sulla.agent.files_rpc import AgentText


class Called(Protocol):
    """Remembers a call."""

    def __call__(self, name: str, *args: object) -> Awaitable[None]:
        """One more."""


class MemoryAgentFiles:
    """Implements `agent.files_rpc.AgentFiles`.

    Args:
        called: hears of each call.
    """

    def __init__(self, called: Called) -> None:
        self._called = called

    async def get(self, agent: str) -> AgentText:
        """Its soul."""
        await self._called("get_agent", agent)
        return AgentText(agent, {"soul.md": "You read."}, "sha256:0")

    async def create(self, agent: str, files: Mapping[str, str]) -> AgentText:
        """What is given."""
        await self._called("create_agent", agent, dict(files))
        return AgentText(agent, dict(files), "sha256:0")

    async def update(self, agent: str, files: Mapping[str, str | None], digest: str) -> AgentText:
        """What is given."""
        await self._called("update_agent", agent, dict(files), digest)
        return AgentText(agent, {name: text for name, text in files.items() if text is not None}, "sha256:1")

    async def delete(self, agent: str, digest: str) -> None:
        """Remember it."""
        await self._called("delete_agent", agent, digest)
