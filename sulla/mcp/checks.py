"""What is wrong with the MCP servers as the settings have them. None is started: they may do something then."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from sulla.core.errors import Refused, SettingsError
from sulla.host.checks import Check, CheckContext
from sulla.host.findings import Finding, counted, fault, ok, warning
from sulla.host.sections import ShellSettings
from sulla.host.settings import HomeSettings
from sulla.mcp.build import servers_of, trust_of
from sulla.mcp.server import McpServer
from sulla.mcp.trust import TrustFiles
from sulla.tools.shell.process import environment

LIST = "`sulla mcp list` says how the servers of a running daemon are"


async def mcp(of: CheckContext) -> list[Finding]:
    """The servers: each described as it must be, its program there, its key not for everybody on the way to read."""
    return await asyncio.to_thread(judge_servers, of.settings)


def judge_servers(settings: HomeSettings) -> list[Finding]:
    """What the servers of the settings come to; programs are looked for, and nothing is asked."""
    try:
        servers = servers_of(settings)
    except SettingsError as error:
        return [fault(error.message, "`sulla up` does not start before this is mended")]
    found = [finding for server in servers for finding in _judge(server, settings.section(ShellSettings).path)]
    found += [finding for server in servers for finding in _waiting(server, trust_of(settings))]
    return found or ok(f"{counted(len(servers), 'server')}; {LIST}" if servers else "no MCP servers")


def _judge(server: McpServer, path: str) -> Iterator[Finding]:
    where = f"mcp.servers.{server.name}"
    if server.command:
        searched = server.env.get("PATH") or environment(Path("/"), path)["PATH"]
        if shutil.which(server.command, path=searched) is None:
            said = f"{where}: there is no program {server.command!r} in {searched}"
            yield fault(said, "write its whole path as `command`, or set shell.path, or PATH in the server's `env`")
        return
    parts = urlsplit(server.url)
    if parts.scheme == "http" and server.headers and not _is_here(parts.hostname or ""):
        said = f"{where}: its headers go over plain HTTP to {parts.hostname}"
        yield warning(said, "use https, or leave keys out")


def _waiting(server: McpServer, trust: TrustFiles) -> Iterator[Finding]:
    try:
        kept = trust.read(server.name)
    except Refused as error:
        yield fault(error.message, "see docs/mcp.md, what is trusted")
        return
    if kept is not None and kept.waiting:
        names = ", ".join(tool.name for tool in kept.waiting)
        said = f"mcp.servers.{server.name}: tools that came or changed are not used: {names}"
        yield warning(said, f"read them with `sulla mcp show {server.name}`, then `sulla mcp trust {server.name}`")


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


CHECKS = (Check("mcp", mcp),)
