"""A real daemon's console in a real Chromium: what the tests of its views share."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, CDPSession, ConsoleMessage, Page, Request, sync_playwright

from sulla.console.place import WEB, is_built
from sulla.terminal.client import open_client
from sulla.terminal.place import Door, door
from tests.daemon.running import PATIENCE_S, Daemon, Place, Service

AXE = Path(__file__).parents[3] / "console/node_modules/axe-core/axe.min.js"
CHROMIUM = shutil.which("chromium") or ""
ROOM = 20_000
"""How long anything that a page is waited for may take, in milliseconds."""
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SHOTS = os.environ.get("SULLA_SHOTS", "")
"""A folder where pictures of what was tested are put; empty for nowhere."""


def _lacking() -> str:
    if not CHROMIUM:
        return "there is no Chromium on PATH"
    if not is_built(WEB):
        return "the console is not built: ./dev setup with Node.js 20.19 or newer builds it"
    return "" if AXE.exists() else "axe-core is not installed: ./dev setup with Node.js installs it"


needs_console = pytest.mark.skipif(bool(_lacking()), reason=_lacking() or "it is there")


@dataclass
class Window:
    """One page, and what went wrong on it."""

    page: Page
    origin: str
    faults: list[str] = field(default_factory=list)
    """Errors of its scripts, what its policy refused, and requests that left the daemon's address."""

    def go(self, place: str) -> Page:
        """Show a view, e.g. ``chat/thr_1``."""
        self.page.goto(f"{self.origin}/#/{place}")
        return self.page

    def picture(self, name: str) -> None:
        """Keep how it looks, if somebody wants to see."""
        if SHOTS:
            Path(SHOTS).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=f"{SHOTS}/{name}.png")

    def axe(self) -> list[str]:
        """What a screen reader's user would stumble over, one line each."""
        if not self.page.evaluate("() => 'axe' in window"):
            # By the debugger's way, which the page's policy does not reach.
            self.page.evaluate(AXE.read_text())
        found = self.page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{rule['id']}: {node['html'][:160]} ({node['failureSummary'][:200]})"
            for rule in found["violations"]
            for node in rule["nodes"]
        ]


@dataclass(frozen=True)
class Desk:
    """A daemon, its home, its model and a browser."""

    place: Place
    daemon: Daemon
    service: Service
    browser: Browser

    def ticket(self) -> str:
        """An address that opens the console once."""
        code, out, err = self.place.run("console", "--print")
        assert code == 0, err
        return out.strip()

    def call(self, method: str, **params: object) -> dict[str, Any]:
        """Ask the daemon itself, beside the page: whether what was done there is so."""
        return asked(self.place.home, method, **params)

    @contextmanager
    def window(self, width: int = 1280, height: int = 800, **how: Any) -> Iterator[Window]:
        """A page of a browser that nobody has used, let in by a ticket."""
        context = self.browser.new_context(viewport={"width": width, "height": height}, **how)
        context.set_default_timeout(ROOM)
        window = watched(context.new_page(), self.daemon.url)
        window.page.goto(self.ticket())
        window.page.get_by_role("navigation").first.wait_for()
        try:
            yield window
        finally:
            context.close()


def asked(home: Path, method: str, **params: object) -> dict[str, Any]:
    """One call to the daemon of a home."""
    return asked_of(door(home), method, **params)


def asked_of(where: Door, method: str, **params: object) -> dict[str, Any]:
    """One call with a token, on a thread of its own: the browser's library holds this one's loop."""

    async def ask() -> dict[str, Any]:
        async with open_client(where) as client:
            return await client.call(method, **params)

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, ask()).result(PATIENCE_S)


def watched(page: Page, origin: str) -> Window:
    """A page whose faults are kept."""
    window = Window(page, origin)

    def said(message: ConsoleMessage) -> None:
        # That a test takes the daemon away is told by the browser itself as errors.
        if message.type == "error" and not re.search(r"WebSocket connection|ERR_CONNECTION_REFUSED", message.text):
            window.faults.append(message.text)

    def asked(request: Request) -> None:
        if not request.url.startswith((origin, origin.replace("http", "ws", 1), "blob:", "data:")):
            window.faults.append(f"a request to {request.url}")

    page.on("console", said)
    page.on("pageerror", lambda error: window.faults.append(f"{error.name}: {error.message}"))
    page.on("request", asked)
    return window


@contextmanager
def chromium() -> Iterator[Browser]:
    """A real one, without a screen."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def traced(page: Page) -> Iterator[list[float]]:
    """Takes the browser's own trace of what goes on meanwhile.

    Yields:
        at its end, how long each task of the page's thread kept the processor, in milliseconds; however many programs
        wanted the processor beside it.
    """
    assert page.context.browser is not None
    session = page.context.browser.new_browser_cdp_session()
    events, ended, tasks_ms = list[dict[str, Any]](), list[object](), list[float]()

    def tell(how: object) -> None:
        ended.append(how)

    session.on("Tracing.dataCollected", lambda piece: events.extend(piece["value"]))
    session.on("Tracing.tracingComplete", tell)
    session.send("Tracing.start", {"categories": "-*,toplevel", "transferMode": "ReportEvents"})
    yield tasks_ms
    session.send("Tracing.end")
    for _ in range(ROOM // 50):
        if ended:
            break
        page.wait_for_timeout(50)
    assert ended, "the browser does not end its trace"
    named = [event for event in events if event["name"] == "thread_name"]
    pages = {(one["pid"], one["tid"]) for one in named if one["args"]["name"] == "CrRendererMain"}
    tasks = [one for one in events if one["name"].endswith("RunTask") and (one["pid"], one["tid"]) in pages]
    tasks_ms += [one["tdur"] / 1000 for one in tasks if "tdur" in one]
    session.detach()


def busy_s(session: CDPSession) -> float:
    """Seconds in which the page's thread has worked; ``Performance.enable`` was sent before."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(float(one["value"]) for one in metrics if one["name"] == "TaskDuration")
