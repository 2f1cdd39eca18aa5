"""The settings of MCP servers, `[mcp]`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field, SecretStr

from sulla.host.section import Address, Section
from sulla.store.url import secrets_in_url

_SECRET_WORD: Final = re.compile("KEY|TOKEN|SECRET|PASS|PWD|CREDENTIAL|AUTH", re.IGNORECASE)
"""In the names of variables that hold one. Others hold paths and words, which cannot be taken out of every text."""


class McpServerSettings(Section):
    """One MCP server (docs/mcp.md): a program that is started, or an address."""

    command: str = ""
    """The program; empty for a server that has an address."""
    args: tuple[str, ...] = ()
    """Its arguments."""
    env: dict[str, SecretStr] = Field(default={})
    """What it sees of an environment, beside what every program needs. It is never shown."""
    url: Address = ""
    """Where it is asked over HTTP, e.g. `https://example.org/mcp`; empty for a program."""
    headers: dict[str, SecretStr] = Field(default={})
    """What each request to it carries, e.g. `Authorization`. They are never shown."""
    tools: tuple[str, ...] | None = None
    """The tools that agents may use, by the server's own names; without it, all."""
    direct: tuple[str, ...] = ()
    """The tools whose results end the turn and are shown as they stand; `*` stands for any letters."""
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 60.0
    """How long one call may take, in seconds."""
    reach: Literal["outward", "inward"] = "outward"
    """`inward` is your word that its tools change nothing outside the daemon: then they are used without a question."""


class McpSettings(Section):
    """Servers whose tools agents can use (docs/mcp.md)."""

    live: ClassVar[frozenset[str]] = frozenset({"servers"})

    servers: Annotated[dict[str, McpServerSettings], Field(repr=False)] = Field(default={})
    """Each in a section of its own, `[mcp.servers.<name>]`."""

    def more_secrets(self) -> Iterator[tuple[str, str]]:
        """What servers are given that others must not see."""
        for name, server in self.servers.items():
            kept = [value for word, value in server.env.items() if _SECRET_WORD.search(word)]
            held = [value.get_secret_value() for value in (*kept, *server.headers.values())]
            secrets = (*held, *(value.removeprefix("Bearer ") for value in held), *secrets_in_url(server.url))
            yield from ((f"servers.{name}", secret) for secret in secrets)
