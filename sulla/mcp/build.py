"""The MCP servers that the settings name, and the tools that come and go with them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.core.late import late
from sulla.host.host import Built, Host
from sulla.host.loading import load
from sulla.host.sections import ShellSettings
from sulla.host.settings import HomeSettings
from sulla.mcp.server import McpServer, check_server
from sulla.mcp.servers import McpServers
from sulla.mcp.settings import McpSettings

if TYPE_CHECKING:
    from sulla.mcp.session import ConnectMcp, McpSession
    from sulla.mcp.trust import TrustFiles

SERVERS: Final = "mcp"
"""The folder of the home in which each server that is a program has one of its own."""

TRUSTED: Final = "trusted_mcp"
"""The folder of the home that says what of each server the owner has allowed."""


def servers_of(settings: HomeSettings) -> tuple[McpServer, ...]:
    """The servers, by name.

    Raises:
        SettingsError: one cannot be tried as it is described.
    """
    found = tuple(
        McpServer(
            name,
            given.command,
            given.args,
            {key: value.get_secret_value() for key, value in given.env.items()},
            given.url,
            {key: value.get_secret_value() for key, value in given.headers.items()},
            given.tools,
            given.timeout_s,
            given.reach,
            given.direct,
        )
        for name, given in sorted(settings.section(McpSettings).servers.items())
    )
    for server in found:
        check_server(server)
    return found


def make_servers(settings: HomeSettings, clock: Clock) -> McpServers:
    """Nothing is started or connected yet.

    Args:
        settings: name the servers.
        clock: all time.

    Raises:
        SettingsError: one cannot be tried as it is described.
    """
    return McpServers(servers_of(settings), connect_for(settings, clock), late(lambda: trust_of(settings)), clock)


def trust_of(settings: HomeSettings) -> TrustFiles:
    """What the owner has allowed the servers to offer."""
    from sulla.mcp.trust import TrustFiles

    return TrustFiles(settings.home / TRUSTED)


def connect_for(settings: HomeSettings, clock: Clock) -> ConnectMcp:
    """What makes connections; the protocol's library, which takes half a second to load, comes with the first one."""
    return _LazyConnector(settings, clock)


@dataclass(frozen=True, slots=True)
class _LazyConnector:
    """Implements `ConnectMcp`."""

    settings: HomeSettings
    clock: Clock

    def __call__(
        self, server: McpServer, notice: Callable[[], None], heard: Callable[[str], None]
    ) -> AbstractAsyncContextManager[McpSession]:
        """Connect."""
        return self._connect(server, notice, heard)

    @asynccontextmanager
    async def _connect(
        self, server: McpServer, notice: Callable[[], None], heard: Callable[[str], None]
    ) -> AsyncGenerator[McpSession]:
        def make() -> ConnectMcp:
            from sulla.mcp.client import McpConnector
            from sulla.mcp.process import ServerFolders

            folders = ServerFolders(self.settings.home / SERVERS, self.settings.section(ShellSettings).path)
            return McpConnector(folders, self.clock)

        connect = await load(make)
        async with connect(server, notice, heard) as session:
            yield session


def build(host: Host) -> Built:
    """Make what a daemon does with MCP servers; see `host.Built`."""
    servers = make_servers(host.settings, host.place.clock)

    async def status() -> JsonObject:
        return {"mcp": [*servers.status()]}

    source = servers.current if host.settings.section(McpSettings).servers else None

    def take_up(settings: HomeSettings) -> Callable[[], None]:
        wanted = servers_of(settings)
        redact = [secret for _, secret in settings.section(McpSettings).more_secrets()]

        def take() -> None:
            nonlocal source
            for secret in redact:
                host.place.redactor.learn(secret)
            servers.take(wanted)
            if wanted and source is None:
                source = servers.current
                host.tools.add(source=source)

        return take

    return Built(
        provides=(servers,),
        tool_source=source,
        tasks={"mcp": servers.run},
        take_up=take_up,
        status=status,
        troubles={"mcp_trust": servers.waiting},
    )
