"""What is promised of a connection to a server, whatever it runs over.

Messages of the errors are ours and never hold a word of the server's: they reach a model as trusted text. Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import FrozenJson
from sulla.mcp.catalog import McpTool
from sulla.mcp.server import McpServer


@dataclass(frozen=True, slots=True)
class McpResult:
    """The result of a tool call, in the server's words."""

    text: str
    is_error: bool = False
    data: FrozenJson | None = None
    """The same as values; None for an error."""
    cut: str = ""
    """What of it is not there, in words; empty for nothing."""


class McpSession(Protocol):
    """An open connection to one server."""

    @property
    def over(self) -> str:
        """Why it has ended, in our words; empty while it has not."""

    async def list(self) -> list[McpTool]:
        """All tools.

        Raises:
            Unavailable: there was no answer to be had.
        """

    async def call(self, name: str, args: FrozenJson) -> McpResult:
        """Use a tool, by the server's own name for it.

        Raises:
            Unavailable: there was no answer to be had; the call may have taken effect.
        """


class ConnectMcp(Protocol):
    """Opens a connection to a server."""

    def __call__(
        self, server: McpServer, notice: Callable[[], None], heard: Callable[[str], None]
    ) -> AbstractAsyncContextManager[McpSession]:
        """Connect.

        Args:
            server: who to.
            notice: is called whenever the tools may have changed, and when the connection is over.
            heard: gets the last that a program wrote beside the protocol, once it is gone: for people alone.

        Returns:
            What holds it. Entering raises `Unavailable`; when it was left nothing of the server runs here any more.
        """
