"""The browser of a daemon: one Chromium for all conversations that have pages open, and none where nobody has."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from sulla.browser.folders import sweep
from sulla.browser.settings import BrowserSettings
from sulla.browser.snapshot import Snapshot
from sulla.core.clock import Clock
from sulla.core.errors import Busy, NotAvailable
from sulla.core.ids import ThreadId

if TYPE_CHECKING:
    from sulla.browser.chromium import Chromium
    from sulla.browser.session import BrowserSession

LOOK_S: Final = 5.0
"""How often is looked for what nobody asks for any more, in seconds, while Chromium runs."""
_GONE: Final = (
    "no page is open in this conversation: pages are closed when nobody asks for them for a while, and with the "
    "daemon, and what was typed there is gone; open one with browser_navigate"
)


class AgentBrowser:
    """Keeps the pages of conversations. It lives as long as the daemon.

    Args:
        make: a Chromium that was not begun yet.
        settings: how much of the machine it may take.
        clock: all time.

    Raises:
        NotAvailable: by `make`, where something is missing on this machine.
    """

    def __init__(self, make: Callable[[], Chromium], settings: BrowserSettings, clock: Clock) -> None:
        self._make = make
        self._settings = settings
        self._clock = clock
        self._chromium: Chromium | None = None
        self._sessions: dict[ThreadId, BrowserSession] = {}
        self._turn = asyncio.Lock()
        self._runs = asyncio.Event()

    @property
    def open(self) -> int:
        """How many conversations have pages open."""
        return len(self._sessions)

    @property
    def running(self) -> bool:
        """Whether Chromium runs."""
        return self._chromium is not None

    def known(self, thread_id: ThreadId) -> BrowserSession | None:
        """The pages of a conversation; None where none are open.

        Args:
            thread_id: the conversation.
        """
        alive = self._chromium is not None and self._chromium.browser is not None
        return self._sessions.get(thread_id) if alive else None

    def shown(self, thread_id: ThreadId) -> Snapshot | None:
        """The newest look at a conversation's page; None for none.

        Args:
            thread_id: the conversation.
        """
        session = self.known(thread_id)
        return session.snapshot if session is not None else None

    def needed(self, thread_id: ThreadId) -> BrowserSession:
        """The pages of a conversation.

        Args:
            thread_id: the conversation.

        Raises:
            NotAvailable: none are open.
        """
        if (session := self.known(thread_id)) is None:
            raise NotAvailable(_GONE)
        return session

    async def session(self, thread_id: ThreadId) -> BrowserSession:
        """The same, with a new context and no page where none are open. Chromium is started if it does not run.

        Args:
            thread_id: the conversation.

        Raises:
            NotAvailable: something is missing on this machine.
            Unavailable: Chromium does not start.
            Busy: others are all at work.
        """
        async with self._turn:
            if (session := self.known(thread_id)) is not None:
                return session
            if self._chromium is not None and self._chromium.browser is None:  # it broke down
                await self._end()
            while len(self._sessions) >= self._settings.conversations:
                await self._close_one()
            if self._chromium is None:
                self._chromium = chromium = self._make()
                try:
                    await chromium.start()
                except BaseException:
                    self._chromium = None
                    raise
                self._runs.set()
            from sulla.browser.session import BrowserSession  # loads Playwright

            context, proxy = await self._chromium.context()
            session = BrowserSession(context, proxy, self._settings, self._clock)
            self._sessions[thread_id] = session
            return session

    async def run(self) -> None:
        """Remove what a killed daemon has left; then close what nobody asks for any more, until this is cancelled."""
        await asyncio.to_thread(sweep)
        while True:
            await self._runs.wait()
            await self._clock.sleep(LOOK_S)
            async with self._turn:
                await self._close_idle()

    async def forget(self, thread_id: ThreadId) -> None:
        """A conversation was deleted: so are its pages.

        Args:
            thread_id: the conversation.
        """
        if (session := self._sessions.pop(thread_id, None)) is not None:
            await self._close_session(session)

    async def close(self) -> None:
        """End everything."""
        async with self._turn:
            await self._end()

    async def _close_session(self, session: BrowserSession) -> None:
        await session.close()
        if self._chromium is not None:
            await self._chromium.drop(session.proxy)

    async def _close_idle(self) -> None:
        now = self._clock.elapsed()
        for thread_id, session in list(self._sessions.items()):
            if not session.busy and now - session.used_at >= self._settings.idle_s:
                await self.forget(thread_id)
        if not self._sessions or (self._chromium is not None and self._chromium.browser is None):
            await self._end()

    async def _close_one(self) -> None:
        resting = [(one.used_at, thread_id) for thread_id, one in self._sessions.items() if not one.busy]
        if not resting:
            raise Busy(
                f"{self._settings.conversations} conversations have pages open (browser.conversations), and all of "
                "them are at work: try again later"
            )
        await self.forget(min(resting)[1])

    async def _end(self) -> None:
        self._runs.clear()
        sessions, chromium = list(self._sessions.values()), self._chromium
        self._sessions.clear()
        for session in sessions:
            await session.close()
        if chromium is not None:
            await chromium.stop()
        self._chromium = None
