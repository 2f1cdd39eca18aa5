"""One Chromium, from its start to its end, with the proxy that is its only way out. Nothing of it is left behind."""

from __future__ import annotations

import asyncio
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from playwright.async_api import (
    Browser,
    BrowserContext,
    Error,
    Playwright,
    ProxySettings,
    async_playwright,
)

from sulla.browser.folders import BrowserFolder
from sulla.browser.metrics import STARTED
from sulla.browser.places import KEEPER, PORT, TMP, BrowserPlace
from sulla.browser.proxy import USER, GuardedProxy
from sulla.core.clock import Clock
from sulla.core.errors import Unavailable
from sulla.telemetry.tally import Tally
from sulla.tools.shell.process import environment
from sulla.tools.web.fetch import Fetcher

START_S: Final = 40.0
"""How long Chromium may take to start, in seconds; it takes one or two."""
END_S: Final = 10.0
"""How long it may take to end when it is asked to; then it is killed."""
MAX_CONTEXTS: Final = 64
"""More than there may be conversations with pages, and room for those that are just closed."""
SAID_CHARS: Final = 600
"""Of what it says where it does not start."""

CONTEXT: Final[dict[str, Any]] = {
    "accept_downloads": False,
    "service_workers": "block",
    "permissions": [],
    "viewport": {"width": 1280, "height": 800},
    "locale": "en-US",
}
"""What each context is made with."""
FLAGS: Final = (
    # What has no context of its own, Chromium itself among it, finds nobody there.
    "--proxy-server=http://127.0.0.1:1",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    # Names are looked up by the proxy alone: a link may ask for a look-up of its own (dns-prefetch).
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--proxy-bypass-list=<-loopback>",
    # It would tell its makers of the forms of pages; and it would keep a process ready for a page that never comes.
    "--disable-features=AutofillServerCommunication,OptimizationHints,Translate,SpareRendererForSitePerProcess",
    "--disable-gpu",
    "--deny-permission-prompts",
    "--disable-extensions",
    "--disable-plugins",
    "--disable-file-system",
    "--disable-notifications",
    "--disable-speech-api",
    "--disable-print-preview",
    "--disable-client-side-phishing-detection",
    "--disable-domain-reliability",
    "--no-pings",
    "--js-flags=--max-old-space-size=512",
    "--renderer-process-limit=12",
)
"""What Chromium is started with, beside what Playwright always gives it."""


class Chromium:
    """One process and its helpers. It is begun once, and ended once.

    Args:
        place: where everything is.
        fetcher: says which addresses may be asked.
        clock: all time.
        tally: counts.
        credential: what the proxy asks for where others of the machine could reach it.
        flags: further ones, for tests.
    """

    def __init__(
        self,
        place: BrowserPlace,
        fetcher: Fetcher,
        clock: Clock,
        tally: Tally,
        credential: str,
        flags: tuple[str, ...] = (),
    ) -> None:
        self._place = place
        self._fetcher = fetcher
        self._clock = clock
        self._tally = tally
        self._credential = "" if place.sealed else credential
        self._flags = flags
        self._proxies: dict[int, GuardedProxy] = {}
        self._own: BrowserFolder | None = None
        self._life: asyncio.Server | None = None
        self._held: list[asyncio.StreamWriter] = []
        self._driver: Playwright | None = None
        self._browser: Browser | None = None

    @property
    def folder(self) -> Path | None:
        """Where its files are while it runs."""
        return self._own.path if self._own is not None else None

    @property
    def browser(self) -> Browser | None:
        """What was started; None where it is not running."""
        return self._browser if self._browser is not None and self._browser.is_connected() else None

    async def start(self) -> Browser:
        """Begin.

        Raises:
            Unavailable: it did not start; nothing of it is left.
        """
        try:
            async with self._clock.timeout(START_S):
                self._browser = await self._start()
        except BaseException as error:
            await self.stop()
            if isinstance(error, TimeoutError):
                raise Unavailable(f"Chromium did not start within {START_S:g} s: {self._hint()}") from None
            if isinstance(error, Exception):
                raise Unavailable(f"Chromium does not start: {_said(error)}; {self._hint()}") from error
            raise
        self._tally.count(STARTED)
        return self._browser

    async def context(self) -> tuple[BrowserContext, GuardedProxy]:
        """A context that shares nothing with others, with a way out of its own.

        Raises:
            Unavailable: Chromium has ended, or does not answer.
        """
        if (browser := self.browser) is None or self.folder is None:
            raise Unavailable("Chromium has ended just now: try again")
        number = next(one for one in range(PORT, PORT + MAX_CONTEXTS) if one not in self._proxies)
        proxy = self._proxies[number] = GuardedProxy(self._fetcher, self._clock, self._tally, self._credential)
        try:
            port = await proxy.listen(f"{self.folder}/proxy-{number}" if self._place.sealed else "") or number
            async with self._clock.timeout(END_S):
                return await browser.new_context(**CONTEXT, proxy=self._way_out(port)), proxy
        except (Error, TimeoutError) as error:
            await self.drop(proxy)
            raise Unavailable(f"Chromium does not answer ({type(error).__name__}): try again") from error

    async def drop(self, proxy: GuardedProxy) -> None:
        """A context was closed: so is its way out.

        Args:
            proxy: that.
        """
        await proxy.close()
        for number, one in list(self._proxies.items()):
            if one is proxy:
                del self._proxies[number]
                if self.folder is not None:
                    (self.folder / f"proxy-{number}").unlink(missing_ok=True)

    async def stop(self) -> None:
        """End it, and all that it has started, and remove its files."""
        if self._browser is not None:
            with suppress(Exception):  # it may be broken in any way, and is killed all the same
                async with self._clock.timeout(END_S):
                    await self._browser.close()
        if self._life is not None:
            self._life.close()
        for writer in self._held:  # the keeper kills whatever is left when this ends
            writer.close()
        if self._driver is not None:
            with suppress(Exception):
                async with self._clock.timeout(END_S):
                    await self._driver.stop()
        for proxy in list(self._proxies.values()):
            await self.drop(proxy)
        self._browser = self._driver = self._life = None
        self._held.clear()
        if self._own is not None:
            await asyncio.to_thread(self._own.remove)
            self._own = None

    async def _start(self) -> Browser:
        self._own = own = await asyncio.to_thread(BrowserFolder)
        folder = own.path
        self._life = await asyncio.start_unix_server(self._hold, f"{folder}/life")
        script = folder / "chromium"
        await asyncio.to_thread(_prepare, script, self._place.launcher(folder, MAX_CONTEXTS, root=os.geteuid() == 0))
        self._driver = await async_playwright().start()
        return await self._driver.chromium.launch(
            executable_path=script,
            headless=True,
            chromium_sandbox=True,
            env=dict(environment(Path(TMP) if self._place.sealed else folder)),
            args=[*FLAGS, *self._flags],
            ignore_default_args=["--disable-popup-blocking"],
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
            timeout=START_S * 1000,
        )

    def _way_out(self, port: int) -> ProxySettings:
        way: ProxySettings = {"server": f"http://127.0.0.1:{port}", "bypass": "<-loopback>"}
        if self._credential:
            way |= {"username": USER, "password": self._credential}
        return way

    async def _hold(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """The keeper's connection: held open as long as the daemon lives."""
        self._held.append(writer)
        await reader.read()
        writer.close()

    def _hint(self) -> str:
        if self._place.sealed:
            return "`sulla doctor` says whether bubblewrap works; browser.sealed = false does without it"
        return "as a user for whom the system allows Chromium's own sandbox it would"


def _prepare(script: Path, text: str) -> None:
    script.write_text(text)
    script.chmod(0o700)
    shutil.copyfile(KEEPER, script.with_name(KEEPER.name))


def _said(error: Exception) -> str:
    """The lines of a failure that say what is wrong."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip() and "<launch" not in line]
    telling = [line for line in lines if any(word in line for word in ("bwrap:", "ERROR", "FATAL", "[err]", "sandbox"))]
    return " ".join(telling[:3] or lines[:3])[:SAID_CHARS] or type(error).__name__
