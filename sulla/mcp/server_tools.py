"""The tools that an MCP server offers, as far as its owner allows them."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Final

from sulla.core.errors import Refused
from sulla.mcp.catalog import McpCatalog, McpTool, changes, read_catalog
from sulla.mcp.server import McpServer
from sulla.mcp.trust import Stamp, TrustFiles

MAX_SHOWN: Final = 20
"""How many changes of tools are told one by one."""

_LOG = logging.getLogger(__name__)


class ServerTools:
    """What can be used of one server. Lives as long as its supervisor, over all connections.

    Args:
        server: whose tools.
        trust: knows what the owner has allowed it to offer.
    """

    def __init__(self, server: McpServer, trust: TrustFiles) -> None:
        self._server = server
        self._trust = trust
        self._listed: McpCatalog | None = None
        self._stamp: Stamp = None
        self.held: tuple[str, ...] = ()
        """The tools that came or changed since the owner took the server in, and wait for a yes."""
        self.catalog = McpCatalog()
        """What can be used; while it is lost, what could be last. The same object until something is different."""

    def has_word(self) -> bool:
        """Whether the owner has said something since the tools were listed."""
        return self._trust.stamp(self._server.name) != self._stamp

    async def take(self, listed: Sequence[McpTool]) -> None:
        """Learn what the server has listed, and which of that the owner allows."""
        now = read_catalog(listed, self._server.tools, self._server.direct)
        judged = await self._trust.judge(self._server, now)
        if self._listed is not None and (different := list(changes(self._listed, now))):
            shown = "; ".join(different[:MAX_SHOWN])
            _LOG.warning("the tools of the MCP server %r changed: %s", self._server.name, shown)
        waited, self.held = self.held, judged.held
        if self.held and self.held != waited:
            _LOG.warning("the MCP server %r: %s", self._server.name, *self.waits())
        self._listed, self._stamp = now, judged.stamp
        if judged.catalog != self.catalog:
            self.catalog = judged.catalog

    def waits(self) -> Iterator[str]:
        """What is said of tools that wait for the owner."""
        if self.held:
            name, shown = self._server.name, ", ".join(self.held[:MAX_SHOWN])
            more = f" and {len(self.held) - MAX_SHOWN} more" if len(self.held) > MAX_SHOWN else ""
            yield (
                f"not used, since they came or changed after you took the server in: {shown}{more}; read them with "
                f"`sulla mcp show {name}`, then allow them with `sulla mcp trust {name}`"
            )

    def check(self, tool: McpTool) -> None:
        """See whether a tool is still what it was.

        Args:
            tool: as it was when the caller chose it.

        Raises:
            Refused: it is another one now.
        """
        now = self.catalog.get(tool.name)
        if now is None or now.digest != tool.digest:
            there = self._listed is not None and self._listed.get(tool.name) is not None
            what = "has changed" if there else "is gone"
            raise Refused(
                f"this tool of the MCP server {self._server.name!r} {what} since the turn began: it was not called"
            )
