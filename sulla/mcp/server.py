"""What is known of a server before it was ever asked: how it is reached, and what the owner allows it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import SettingsError
from sulla.core.pattern import late_pattern
from sulla.tools.base import Reach

MAX_NAME: Final = 24
"""Characters of a server's name: it stands before the name of each of its tools, which has 64 in all."""

_NAME = late_pattern(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
_HEADER = late_pattern(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VARIABLE = late_pattern(r"[A-Za-z_][A-Za-z0-9_]*")
_URL = late_pattern(r"https?://[^\s/?#]+\S*")


@dataclass(frozen=True, slots=True)
class McpServer:
    """One server: a program that is started here, or an address.

    Args:
        name: what the owner calls it.
        command: the program; empty for a server that has an address.
        args: its arguments.
        env: what it sees of an environment, beside what every program needs; nothing of the daemon's own.
        url: where it is asked over HTTP; empty for a program.
        headers: what each request carries, e.g. a key.
        tools: the tools that may be used; None for all that it offers.
        timeout_s: how long one call may take, in seconds.
        reach: where its tools can take effect. `inward` is the owner's word that they change nothing elsewhere.
        direct: the tools whose results are for the person and not for the model, `*` for any letters.
    """

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    url: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    tools: tuple[str, ...] | None = None
    timeout_s: float = 60.0
    reach: Reach = "outward"
    direct: tuple[str, ...] = ()


def check_server(server: McpServer) -> None:
    """Find out whether a server can be tried at all.

    Raises:
        SettingsError: its name, its address or another value is none; the message names the setting.
    """
    where = f"mcp.servers.{server.name}"
    if len(server.name) > MAX_NAME or not _NAME.fullmatch(server.name):
        said = f"mcp.servers: {server.name[:100]!r} cannot be a server's name"
        raise SettingsError(f"{said}; use 1 to {MAX_NAME} lower-case letters, digits and '-' within them")
    if bool(server.command) == bool(server.url):
        raise SettingsError(f"{where}: expected either `command`, for a program, or `url`, for an address")
    if server.url and not _URL.fullmatch(server.url):
        raise SettingsError(f"{where}.url: expected an address such as https://example.org/mcp")
    if server.url and (server.args or server.env):
        raise SettingsError(f"{where}: `args` and `env` are for a server with `command`")
    if server.command and server.headers:
        raise SettingsError(f"{where}: `headers` are for a server with `url`; a program is given `env`")
    _check_words(server, where)


def _check_words(server: McpServer, where: str) -> None:
    for name, value in server.headers.items():
        if not _HEADER.fullmatch(name) or not value.isprintable() or not value.isascii():
            raise SettingsError(f"{where}.headers: {name[:100]!r} is no header with one line of plain characters")
    for name, value in server.env.items():
        if not _VARIABLE.fullmatch(name) or "\0" in value:
            raise SettingsError(f"{where}.env: {name[:100]!r} is no variable with a value that has no zero byte")
    if any("\0" in word for word in (server.command, *server.args)):
        raise SettingsError(f"{where}: a zero byte cannot be handed to a program")
