"""The pages of one conversation: a context of Chromium's own, which shares nothing with those of others."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, TypeVar

from playwright.async_api import BrowserContext, Dialog, Download, Error, Frame, Page
from playwright.async_api import TimeoutError as Late

from sulla.browser.frames import PageLooks
from sulla.browser.notes import PageNotes
from sulla.browser.proxy import OURS, GuardedProxy, Refusal
from sulla.browser.settings import BrowserSettings
from sulla.browser.snapshot import PageElement, Snapshot, Visited, host_of
from sulla.core.clock import Clock
from sulla.core.errors import NotAvailable, Refused, SullaError, Unavailable
from sulla.tools.builtin.web import useless
from sulla.tools.web.urls import MAX_URL

T = TypeVar("T")

SETTLE_S: Final = 2.0
"""How long is waited until a page has loaded what it loads by itself, in seconds."""
LOADING_S: Final = 8.0
"""How long is waited for the whole of a page that has begun to come, in seconds, if `load_s` is not less; then it is
looked at as it is."""
PAUSE_S: Final = 0.3
"""How long is waited for what a click begins, in seconds."""
LATE_S: Final = 1.0
"""How much later than Playwright we give up ourselves, in seconds."""
CLOSE_S: Final = 5.0
"""How long a page or a context may take to close, in seconds."""
MAX_PICTURE: Final = (1280, 6_000)
"""The largest picture, in pixels."""

_NET = re.compile(r"net::(ERR_[A-Z_]+)")
_NO_PAGE: Final = "no page is open here any more, or it shows nothing: open one with browser_navigate"


class BrowserSession:
    """The pages of one conversation. Its calls are made one at a time.

    Args:
        context: Chromium's.
        proxy: the way out.
        settings: what it may take.
        clock: all time.
    """

    def __init__(self, context: BrowserContext, proxy: GuardedProxy, settings: BrowserSettings, clock: Clock) -> None:
        self._context = context
        self.proxy = proxy
        """Its way out."""
        self._settings = settings
        self._clock = clock
        self._turn = asyncio.Lock()
        self._pages: list[Page] = []
        self._looks = PageLooks()
        self._notes = PageNotes()
        self._clicking = False
        self.snapshot: Snapshot | None = None
        """The newest look at the page; None where the page has changed since."""
        self.typed = False
        """Whether anything was typed in it: a site may know the person by that."""
        self.used_at = clock.elapsed()
        """When it was last asked for anything."""
        context.set_default_timeout(settings.load_s * 1000)
        context.on("page", self._opened)
        context.on("dialog", self._dialog)

    @property
    def busy(self) -> bool:
        """Whether a call is made in it."""
        return self._turn.locked()

    async def go(self, url: str) -> Visited:
        """Open an address.

        Args:
            url: http or https, as it is to be asked for.

        Raises:
            Forbidden: it is, or leads to, an address that may not be asked.
            Refused: there is no page, but a file; or it does not answer, and was closed.
            Unavailable: it cannot be reached.
        """
        async with self._call() as since:
            for page in [one for one in self._pages if host_of(one.url) != host_of(url)]:
                await self._give_up(page)  # what it does as it is left could keep the new one waiting
            if not self._pages:
                self._take(await self._within(None, self._context.new_page))
            status = await self._open(self._pages[-1], url, since)
            return await self._seen(status, since)

    async def look(self) -> Visited:
        """Look at the page as it is now.

        Raises:
            NotAvailable: there is none.
            Refused: it does not answer, and was closed.
        """
        async with self._call() as since:
            return await self._seen(0, since)

    async def click(self, element: PageElement) -> Visited:
        """Click something.

        Args:
            element: of the newest look.

        Raises:
            Refused: it has changed since.
        """
        return await self._act(element, "click", gesture=True)

    async def type(self, element: PageElement, text: str, *, submit: bool) -> Visited:
        """Fill a field in.

        Args:
            element: of the newest look.
            text: all that it shall hold.
            submit: whether to send its form.

        Raises:
            Refused: it has changed since, or cannot be filled in so.
        """
        self.typed = True
        return await self._act(element, "type", text, submit, gesture=submit)

    async def picture(self, *, whole: bool) -> bytes:
        """A picture of the page, as PNG.

        Args:
            whole: also what lies further down, as far as `MAX_PICTURE` goes.

        Raises:
            NotAvailable: there is no page.
        """
        async with self._call():
            page = self._page()
            if not whole:
                return await self._within(page, lambda: page.screenshot(type="png", animations="disabled"))
            height = await self._within(page, lambda: self._looks.height(page))
            clip = {"x": 0.0, "y": 0.0, "width": float(MAX_PICTURE[0]), "height": float(min(height, MAX_PICTURE[1]))}
            taken: Any = {"type": "png", "full_page": True, "clip": clip, "animations": "disabled"}
            return await self._within(page, lambda: page.screenshot(**taken))

    async def close(self) -> None:
        """Close all of its pages."""
        with suppress(Exception):  # Chromium may be gone
            async with self._clock.timeout(CLOSE_S):
                await self._context.close()

    @asynccontextmanager
    async def _call(self) -> AsyncIterator[int]:
        """One call; gives what had been refused before."""
        async with self._turn:
            self.used_at = self._clock.elapsed()
            self._clicking = False
            self.proxy.allow(self._settings.load_mb * 1024 * 1024)
            try:
                yield self.proxy.refused
            finally:
                self.used_at = self._clock.elapsed()

    async def _open(self, page: Page, url: str, since: int) -> int:
        self.snapshot = None
        try:
            answer = await self._within(page, lambda: page.goto(url, wait_until="commit"))
        except Late:
            await self._give_up(page, hung=True)
            raise self._silent(url) from None
        except Error as error:
            await self._give_up(page)
            if "ERR_TUNNEL" in str(error) and (refused := self.proxy.refusals(since)):
                raise _not_opened(refused[-1]) from None
            raise self._failed(url, error) from None
        if answer is None:
            return 0
        if (why := useless(answer.headers.get("content-type", ""))) is not None:
            await self._give_up(page)
            raise Refused(f"{host_of(page.url)} {why}")
        with suppress(Error):  # it is looked at all the same
            loading_s = min(LOADING_S, self._settings.load_s)
            await page.wait_for_load_state("domcontentloaded", timeout=loading_s * 1000)
        await self._settle(page)
        return answer.status

    async def _refuse_ours(self, page: Page, shown: Snapshot) -> None:
        """Where what the page shows are our words, because its address was refused, it is closed."""
        if not shown.text.startswith(OURS):
            return
        for one in self.proxy.refusals(0):
            if shown.text == OURS + " ".join(one.why.split()):
                await self._give_up(page)
                raise _not_opened(one)

    def _failed(self, url: str, error: Exception) -> Refused | Unavailable:
        said = str(error)
        if "Download is starting" in said or any("to download" in note for note in self._notes.said):
            return Refused(
                f"{host_of(url)} has a file to download there, and the browser takes none: read it with web_fetch if "
                "it is text"
            )
        found = _NET.search(said)
        if found is not None and found[1] == "ERR_INVALID_AUTH_CREDENTIALS":
            return Refused(f"{host_of(url)} asks for a name and a password, and the browser gives none")
        if found is not None and found[1] in ("ERR_NAME_NOT_RESOLVED", "ERR_ABORTED", "ERR_BLOCKED_BY_CLIENT"):
            return Refused(f"{host_of(url)} has no page there ({found[1]})")
        return Unavailable(f"{host_of(url)} could not be opened ({found[1] if found else 'it broke off'})")

    async def _seen(self, status: int, since: int) -> Visited:
        snapshot = await self._look()
        refused = [one.why for one in self.proxy.refusals(since)]
        return Visited(status, self._notes.take(refused), snapshot)

    async def _look(self) -> Snapshot:
        page = self._page()

        for _ in range(2):
            try:
                snapshot = await self._within(page, lambda: self._looks.look(page))
            except (Error, LookupError):  # it went on to another page while we looked
                await self._settle(page)
                continue
            await self._refuse_ours(page, snapshot)
            self.snapshot = snapshot
            return snapshot
        raise Unavailable("the page changes all the time; look again in a while")

    async def _act(self, element: PageElement, what: str, *args: object, gesture: bool) -> Visited:
        async with self._call() as since:
            page = self._page()
            if self.snapshot is None or element not in self.snapshot.elements:
                raise Refused(
                    f"the {element.kind} {element.of('name')!r} was of a page that is not shown any more: read it"
                )
            self._clicking = True
            try:
                frame = self._looks.document(element.document)
                given = (element.index, element.expected, *args)
                said = await self._within(page, lambda: frame.call(what, *given, gesture=gesture))
            except (Error, LookupError, IndexError):
                said = "changed" if what == "type" else "gone"
            finally:
                await self._clock.sleep(PAUSE_S)
            if said == "changed":
                raise Refused(
                    f"the {element.kind} {element.of('name')!r} is not as it was when the page was read: read it again"
                )
            if said not in ("done", "gone"):
                raise Refused(f"the {element.kind} {element.of('name')!r}: {said}")
            page = self._page()
            await self._settle(page)
            self._clicking = False
            return await self._seen(0, since)

    def _page(self) -> Page:
        self._pages = [page for page in self._pages if not page.is_closed()]
        if not self._pages or self._pages[-1].url == "about:blank":
            raise NotAvailable("; ".join((*self._notes.said, _NO_PAGE)))
        return self._pages[-1]

    async def _within(self, page: Page | None, work: Callable[[], Awaitable[T]]) -> T:
        """Something of a page's, in its time: a page that does not answer is closed, and time does not mend that."""
        try:
            async with self._clock.timeout(self._settings.load_s + LATE_S):
                return await work()
        except TimeoutError:
            if page is None:
                raise Unavailable(f"Chromium did not open a page within {self._settings.load_s:g} s") from None
            url = page.url
            await self._give_up(page, hung=True)
            raise self._silent(url) from None

    def _silent(self, url: str) -> Refused:
        return Refused(f"the page {url[:MAX_URL]} did not answer within {self._settings.load_s:g} s and was closed")

    async def _give_up(self, page: Page, *, hung: bool = False) -> None:
        # A script that never ends would go on behind a page that is only closed: its process has to end.
        ends = (self._break_down(page), page.close()) if hung else (page.close(),)
        for end in ends:
            with suppress(Exception):  # it answers nothing, perhaps not even this
                async with self._clock.timeout(CLOSE_S):
                    await end
        self._pages = [one for one in self._pages if one is not page]
        self.snapshot = None

    async def _break_down(self, page: Page) -> None:
        session = await self._context.new_cdp_session(page)
        async with self._clock.timeout(PAUSE_S):
            await session.send("Page.crash")  # is never answered

    async def _settle(self, page: Page) -> None:
        with suppress(Error):  # a page that never rests is looked at all the same
            await page.wait_for_load_state("networkidle", timeout=SETTLE_S * 1000)

    # ------------------------------------------------------------------------------- what happens beside the calls

    def _take(self, page: Page) -> None:
        if page not in self._pages:
            page.on("download", self._download)
            page.on("crash", self._crashed)
            page.on("close", self._changed)
            page.on("framenavigated", lambda frame: self._went_on(page, frame))
            self._pages.append(page)

    async def _opened(self, page: Page) -> None:
        if page in self._pages:
            return
        if self._pages and (not self._clicking or len(self._pages) >= self._settings.pages):
            self._notes.add("the page opened another one, which was closed")
            with suppress(Exception):  # it may have closed itself
                await page.close()
            return
        if self._pages:
            self._notes.add("a new page was opened, and is looked at from now on")
        self._take(page)

    async def _dialog(self, dialog: Dialog) -> None:
        kind, said = dialog.type, dialog.message
        with suppress(Exception):  # the page may be gone
            if kind == "beforeunload":
                await dialog.accept()
                return
            self._notes.add(f"the page showed a box ({kind}), which was closed: {said[:200]!r}")
            await dialog.dismiss()

    async def _download(self, download: Download) -> None:
        self._notes.add("the page offered a file to download, and the browser takes none")
        with suppress(Exception):  # it is refused already
            await download.cancel()

    def _went_on(self, page: Page, frame: Frame) -> None:
        """Another document is shown: what was seen of the one before is no more, and no yes for it holds."""
        if frame is page.main_frame:
            self._changed(page)

    def _changed(self, page: Page) -> None:
        if self._pages and self._pages[-1] is page:
            self.snapshot = None

    def _crashed(self, page: Page) -> None:
        self._notes.add("the page broke down, and was closed")
        self._pages = [one for one in self._pages if one is not page]
        self.snapshot = None


def _not_opened(refusal: Refusal) -> SullaError:
    return type(refusal.error)(f"the page was not opened: {refusal.why}")
