"""All servers together, and the tools that they offer right now."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from sulla.core.clock import Clock
from sulla.core.jsontypes import JsonObject
from sulla.mcp.server import McpServer, check_server
from sulla.tools.base import Tool

if TYPE_CHECKING:
    from sulla.mcp.catalog import McpCatalog
    from sulla.mcp.session import ConnectMcp
    from sulla.mcp.supervisor import McpSupervisor
    from sulla.mcp.trust import TrustFiles


class McpServers:
    """All MCP servers of the settings: keeps them connected, and knows their tools. It lives as long as the daemon.

    Args:
        servers: those of the settings.
        connect: makes connections.
        trust: knows what the owner has allowed them to offer.
        clock: all time.

    Raises:
        SettingsError: a server cannot be tried as it is described.
    """

    def __init__(self, servers: Iterable[McpServer], connect: ConnectMcp, trust: TrustFiles, clock: Clock) -> None:
        self._connect = connect
        self._trust = trust
        self._clock = clock
        self._supervisors: tuple[McpSupervisor, ...] = ()
        self._changed = asyncio.Event()
        self.take(servers)
        self._seen: tuple[McpCatalog, ...] = ()
        self._tools: tuple[Tool, ...] = ()

    async def run(self) -> None:
        """Keep all of them connected, for as long as this is not cancelled."""
        running: dict[McpSupervisor, asyncio.Task[None]] = {}
        async with asyncio.TaskGroup() as group:
            while True:
                self._changed.clear()
                for gone in running.keys() - set(self._supervisors):
                    running.pop(gone).cancel()
                for new in set(self._supervisors) - running.keys():
                    running[new] = group.create_task(new.run(), name=f"mcp {new.server.name}")
                await self._changed.wait()

    def take(self, servers: Iterable[McpServer]) -> None:
        """Have these servers from now on. One that is as it was stays connected; calls of one that goes end as lost.

        Args:
            servers: all of them.

        Raises:
            SettingsError: a server cannot be tried as it is described; nothing has changed.
        """
        known = sorted(servers, key=lambda server: server.name)
        for server in known:
            check_server(server)
        kept = {supervisor.server.name: supervisor for supervisor in self._supervisors}
        self._supervisors = tuple(
            old if (old := kept.get(server.name)) is not None and old.server == server else self._make(server)
            for server in known
        )
        self._changed.set()

    def _make(self, server: McpServer) -> McpSupervisor:
        """What looks after a server; it is loaded with the first one that a home names."""
        from sulla.mcp.supervisor import McpSupervisor

        return McpSupervisor(server, self._connect, self._trust, self._clock)

    def current(self) -> tuple[Tool, ...]:
        """What can be used at this moment, in the order of servers and names; implements `tools.ToolSource`.

        Returns:
            The same object as before, as long as nothing has changed.
        """
        for supervisor in self._supervisors:
            supervisor.check_trust()
        catalogs = tuple(supervisor.tools.catalog for supervisor in self._supervisors)
        if len(catalogs) != len(self._seen) or any(a is not b for a, b in zip(catalogs, self._seen, strict=False)):
            self._seen = catalogs
            self._tools = tuple(chain.from_iterable(map(_tools_of, self._supervisors)))
        return self._tools

    def status(self) -> list[JsonObject]:
        """How each server is, for people, with the names of its tools."""
        for supervisor in self._supervisors:
            supervisor.check_trust()
        return [
            {**supervisor.status(), "tools": [tool.name for tool in _tools_of(supervisor)]}
            for supervisor in self._supervisors
        ]

    def waiting(self) -> str:
        """Which servers have tools that wait for the owner, in one line; empty if none has."""
        names = ", ".join(repr(supervisor.server.name) for supervisor in self._supervisors if supervisor.tools.held)
        return f"tools that came or changed wait for `sulla mcp trust`, of these MCP servers: {names}" if names else ""


def _tools_of(supervisor: McpSupervisor) -> Iterator[Tool]:
    from sulla.mcp.tools import tools_of

    return tools_of(supervisor)
