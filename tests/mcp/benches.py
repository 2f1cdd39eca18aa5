"""Real servers, looked after as the daemon does it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from sulla.core.clock import Clock
from sulla.core.ids import CallId
from sulla.core.jsontypes import Json
from sulla.core.message import ToolCall
from sulla.host.system import SystemClock
from sulla.mcp.client import McpConnector
from sulla.mcp.process import ServerFolders
from sulla.mcp.server import McpServer
from sulla.mcp.servers import McpServers
from sulla.mcp.trust import TrustFiles
from sulla.testing.clock import ManualClock
from sulla.tools.base import Done, Tool
from sulla.tools.call import run_call
from sulla.tools.registry import Toolbox
from tests.soon import a_pause
from tests.tools.contexts import context_in

HERE = Path(__file__).parent
WAIT_S = 50.0
"""How long a test waits for a process before it fails."""


def real(how: str = "stdio", **more: Any) -> McpServer:
    """A server made with the protocol's own library."""
    return replace(McpServer("real", sys.executable, (str(HERE / "real_server.py"), how)), **more)


def rough(how: str, **more: Any) -> McpServer:
    """A server that misbehaves."""
    return replace(McpServer("rough", sys.executable, (str(HERE / "rough_server.py"), how)), **more)


class Bench:
    """A hub whose servers run, and what a test does with it."""

    def __init__(self, hub: McpServers, folder: Path) -> None:
        self.hub = hub
        self.trust = TrustFiles(folder / "trusted")
        self._folder = folder

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait for something."""
        async with asyncio.timeout(WAIT_S):
            while not true():
                await a_pause()

    async def up(self) -> None:
        """Wait for all servers."""
        await self.until(lambda: {one["state"] for one in self.hub.status()} == {"up"})

    async def down(self) -> dict[str, Json]:
        """Wait for the only server to be lost; how it is then."""
        await self.until(lambda: self.hub.status()[0]["state"] == "down")
        return self.hub.status()[0]

    async def use(
        self, tool: str, /, *, tools: tuple[Tool, ...] | None = None, clock: Clock | None = None, **args: Json
    ) -> Done:
        """Call a tool as an agent would, by its whole name; of those that there are now, or of others."""
        call = ToolCall(CallId("call_1"), tool, dict(args))
        toolbox = Toolbox(self.hub.current() if tools is None else tools)
        result = await run_call(toolbox, call, context_in(self._folder, clock or SystemClock()))
        assert isinstance(result, Done)
        return result

    async def use_in_vain(self, tool: str, limit_s: float = 60.0) -> Done:
        """Call one that does not answer, until its time is up; other calls have all the time they need."""
        clock = ManualClock()
        using = asyncio.ensure_future(self.use(tool, clock=clock))
        await clock.advance(limit_s)
        return await using


@asynccontextmanager
async def bench(folder: Path, *servers: McpServer) -> AsyncIterator[Bench]:
    """Looks after servers for as long as a test takes."""
    clock = SystemClock()
    hub = McpServers(servers, McpConnector(ServerFolders(folder / "mcp"), clock), TrustFiles(folder / "trusted"), clock)
    running = asyncio.create_task(hub.run())
    try:
        yield Bench(hub, folder)
    finally:
        running.cancel()
        await asyncio.wait((running,))
