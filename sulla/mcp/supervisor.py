"""One server's life: connected, looked after, and connected again when it is lost."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack, suppress
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import Unavailable, leaf
from sulla.core.jsontypes import FrozenJson, JsonObject
from sulla.mcp.catalog import McpTool
from sulla.mcp.server import McpServer
from sulla.mcp.server_tools import ServerTools
from sulla.mcp.session import ConnectMcp, McpResult, McpSession
from sulla.mcp.trust import TrustFiles

START_S: Final = 30.0
"""How long a server may take to start and to list its tools: some fetch themselves first."""
LIST_S: Final = 10.0
"""How long a server that runs may take to list its tools."""
RELIST_S: Final = 300.0
"""How often it is asked again, though it said nothing: not every server tells of changes, or that it is gone."""
SETTLE_S: Final = 0.25
"""How long is waited for more, once it told of a change: many come in bursts."""
FIRST_S: Final = 1.0
LONGEST_S: Final = 300.0
"""How long after a loss it is tried again; each time twice as long."""
STEADY_S: Final = 60.0
"""How long it has to last to count as one that works."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ServerOutage:
    """A server cannot be used now: why, and when it is tried again."""

    why: str
    """In our words."""
    until: float
    """When it is tried again, by `Clock.elapsed`."""


class McpSupervisor:
    """Keeps one server connected, with its tools read and judged. It lives as long as the daemon.

    Args:
        server: how it is reached.
        connect: makes connections.
        trust: knows what the owner has allowed it to offer.
        clock: all time.
    """

    def __init__(self, server: McpServer, connect: ConnectMcp, trust: TrustFiles, clock: Clock) -> None:
        self.server = server
        self._connect = connect
        self._clock = clock
        self._session: McpSession | None = None
        self._down: ServerOutage | None = None
        self._why = ""
        self._said = ""
        self._starts = 0
        self._calls = 0
        self._asked_late = False
        self._notice = asyncio.Event()
        self.tools = ServerTools(server, trust)

    async def run(self) -> None:
        """Keep it connected, for as long as this is not cancelled."""
        failures = 0
        while True:
            began = self._clock.elapsed()
            self._starts += 1
            self._down = None
            self._why = why = await self._live()
            failures = 1 if self._clock.elapsed() - began >= STEADY_S else failures + 1
            after = min(LONGEST_S, FIRST_S * 2 ** min(failures - 1, 20))
            self._down = ServerOutage(why, self._clock.elapsed() + after)
            about = {"server": self.server.name, "said": self._said}
            _LOG.warning(
                "the MCP server %r is lost: %s; tried again in %.0f s", self.server.name, why, after, extra=about
            )
            await self._clock.sleep(after)

    async def call(self, tool: McpTool, args: FrozenJson) -> McpResult:
        """Use a tool.

        Args:
            tool: as it was when the caller chose it.
            args: what it is given.

        Raises:
            Unavailable: the server is not there, or was lost meanwhile; then the call may have taken effect.
            Refused: the tool is another one now.
        """
        session = self._session
        if session is None or session.over:
            raise self._absence(session.over if session is not None else "")
        self.tools.check(tool)
        answered = False
        self._calls += 1
        try:
            answer = await session.call(tool.name, args)
            answered = True
        except Unavailable as error:
            said = f"the MCP server {self.server.name!r} was lost during the call: {error.message}"
            raise Unavailable(f"{said}; nobody knows whether the call took effect") from error
        finally:
            self._calls -= 1
            if not answered or (self._asked_late and not self._calls):
                self._notice.set()  # lost, or out of time: see whether it still answers
        return answer

    def check_trust(self) -> None:
        """See whether the owner has spoken; if so, what can be used is found anew."""
        if self._session is not None and self.tools.has_word():
            self._notice.set()

    def status(self) -> JsonObject:
        """How it is, for people; while it is not up, why it was lost last."""
        up, down = self._session is not None, self._down
        return {
            "name": self.server.name,
            "transport": "stdio" if self.server.command else "http",
            "state": "up" if up else "starting" if down is None else "down",
            "why": "" if up else self._why,
            "said": "" if up else self._said,
            "retry_after_s": self._left(down) if down is not None and not up else None,
            "starts": self._starts,
            "reach": self.server.reach,
            "notes": [*self.tools.waits(), *self.tools.catalog.notes],
        }

    async def _live(self) -> str:
        """One connection from its beginning to its end; why it ended."""
        try:
            return await self._one_connection()
        except Exception as error:  # noqa: BLE001 - whatever a connection dies of, its supervisor lives on
            cause = leaf(error)
            if isinstance(cause, Unavailable):
                return cause.message
            if isinstance(cause, TimeoutError):
                return "it did not answer in time"
            _LOG.debug("a connection to an MCP server failed", exc_info=error)
            return f"the connection failed ({type(cause).__name__})"
        finally:
            self._session = None

    async def _one_connection(self) -> str:
        self._notice.clear()
        async with AsyncExitStack() as stack:
            async with self._clock.timeout(START_S):
                made = self._connect(self.server, self._notice.set, self._heard)
                session = await stack.enter_async_context(made)
                await self.tools.take(await session.list())
            self._session = session
            while not session.over:
                await self._wait_for_news()
                # A server that works on a call may be unable to answer anything else: that is no reason to end it.
                self._asked_late = self._calls > 0
                if not session.over and not self._calls:
                    async with self._clock.timeout(LIST_S):
                        listed = await session.list()
                    await self.tools.take(listed)
            return session.over

    async def _wait_for_news(self) -> None:
        # A cancellation that comes in the moment in which a connection breaks is taken for that one's by the scopes
        # within the session. Whoever stops us would wait for ever.
        if (task := asyncio.current_task()) is not None and task.cancelling():
            raise asyncio.CancelledError
        with suppress(TimeoutError):
            async with self._clock.timeout(RELIST_S):
                await self._notice.wait()
        self._notice.clear()
        await self._clock.sleep(SETTLE_S)

    def _heard(self, said: str) -> None:
        self._said = said

    def _absence(self, over: str) -> Unavailable:
        name, down = self.server.name, self._down
        if down is None and not over:
            return Unavailable(f"the MCP server {name!r} is still starting: it was not called", retry_after_s=FIRST_S)
        why, left = (over, FIRST_S) if over or down is None else (down.why, max(FIRST_S, self._left(down)))
        said = f"the MCP server {name!r} is not there: {why}. It was not called; it is tried again within {left:.0f} s"
        return Unavailable(said, retry_after_s=left)

    def _left(self, down: ServerOutage) -> float:
        return max(0.0, round(down.until - self._clock.elapsed(), 1))
