"""A world for hostile pages: hosts that serve them, addresses that nobody may reach, and a browser in between."""

from __future__ import annotations

import asyncio
import os
import tomllib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from sulla.browser.browser import AgentBrowser
from sulla.browser.chromium import Chromium
from sulla.browser.metrics import COUNTERS
from sulla.browser.places import BrowserPlace, find, lacks
from sulla.browser.settings import BrowserSettings
from sulla.browser.tools import browser_tools
from sulla.core.ids import CallId, ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.message import ToolCall
from sulla.core.words import Author
from sulla.host.system import SystemClock
from sulla.telemetry.tally import Tally
from sulla.tools.base import Done, ToolContext
from sulla.tools.call import run_call
from sulla.tools.policy import AskFirst, CallContext, judge, question_of
from sulla.tools.registry import Toolbox
from sulla.tools.web.fetch import Fetcher
from tests.servers.internet import FakeInternet
from tests.servers.wire import WireRequest, WireResponse, WireServer
from tests.tools.contexts import context_in

PUBLIC: Final = "93.184.215.14"
INSIDE: Final[dict[str, Sequence[str] | Sequence[Sequence[str]]]] = {
    "127.0.0.1": ["127.0.0.1"],
    "169.254.169.254": ["169.254.169.254"],
    "10.0.0.5": ["10.0.0.5"],
    "0.0.0.0": ["0.0.0.0"],
    "::1": ["::1"],
    "::ffff:7f00:1": ["::ffff:127.0.0.1"],
    "localhost": ["127.0.0.1", "::1"],
    "inner.example": ["127.0.0.1"],
    "mixed.example": [PUBLIC, "10.0.0.5"],
    "rebind.example": [[PUBLIC], ["127.0.0.1"]],
    "rebind2.example": [[PUBLIC], ["127.0.0.1"]],
}
"""What the names of the tests stand for, beside the pages' own hosts."""
HOST: Final = ".hostile.example"
PORTS: Final = (80, 443, 8080, 8443)
BIG: Final = b"x" * 500_000
SETTINGS: Final = BrowserSettings(load_s=30.0, load_mb=2, conversations=10, pages=2)
IMPATIENT: Final = SETTINGS.model_copy(update={"load_s": 1.0})
NO_PAGES: Final[Mapping[str, Mapping[str, str]]] = {}
NOWHERE: Final = Path("/nonexistent")


def no_chromium() -> str:
    """Why the tests that need a real one are skipped here; empty if they are not."""
    if why := lacks(SETTINGS):
        return why
    if os.environ.get("SULLA_NO_CHROMIUM"):
        return "SULLA_NO_CHROMIUM is set"
    return ""


needs_chromium = pytest.mark.skipif(bool(no_chromium()), reason=no_chromium() or "there is one")


@dataclass(frozen=True)
class HostilePage:
    """A row of `pages.toml`; see there."""

    name: str
    html: str = ""
    moved: str = ""
    type: str = "text/html; charset=utf-8"
    status: int = 200
    fields: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    own: bool = False
    go: str = ""
    click: str = ""
    asks: Sequence[str] = ()
    shows: Sequence[str] = ()
    told: Sequence[str] = ()
    untold: Sequence[str] = ()
    fails: bool = False
    endless: bool = False
    waits_ms: int = 0

    @property
    def url(self) -> str:
        return self.go or (f"http://{self.name}{HOST}/" if self.own else f"http://{HOST[1:]}/{self.name}/")


@cache
def pages() -> tuple[HostilePage, ...]:
    rows = tomllib.loads(Path(__file__).with_name("pages.toml").read_text("utf-8"))["page"]
    return tuple(HostilePage(**row) for row in rows)


class OpenInternet(FakeInternet):
    """In it each page has a host of its own."""

    async def resolve(self, name: str, port: int) -> Sequence[str]:
        if name.endswith(HOST) or name == HOST[1:]:
            self.looked_up.append(name)
            return [PUBLIC]
        return await super().resolve(name, port)


class Canary(asyncio.DatagramProtocol):
    """Counts whatever reaches what nobody may reach."""

    def __init__(self) -> None:
        self.hits: list[str] = []

    def datagram_received(self, data: bytes, addr: tuple[str | Any, int]) -> None:
        self.hits.append(f"a datagram of {len(data)} bytes")

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.hits.append((await reader.read(200)).decode("latin-1"))
        writer.write(
            b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 9\r\n"
            b"Access-Control-Allow-Origin: *\r\n\r\na secret\n"
        )
        writer.close()


class PageServer:
    """Serves the pages, each on its host."""

    def __init__(self, tcp: int, udp: int, extra: Mapping[str, Mapping[str, str]]) -> None:
        self._extra = {f"{name}{HOST}": pages for name, pages in extra.items()}
        self._ports = {"{tcp}": str(tcp), "{udp}": str(udp)}
        self.asked: list[WireRequest] = []

    def said(self, text: str) -> str:
        for name, port in self._ports.items():
            text = text.replace(name, port)
        return text

    async def __call__(self, request: WireRequest, response: WireResponse) -> None:
        self.asked.append(request)
        host = request.headers["host"]
        if (own := self._extra.get(host)) is not None:
            found = own.get(request.path)
            await response.whole(200 if found else 404, (found or "").encode(), {"content-type": "text/html"})
            return
        at, _, path = f"http://{host}{request.path.partition('?')[0]}".rpartition("/")
        page = next((one for one in pages() if one.url == f"{at}/"), None)
        if page is None or (path and path not in page.files):
            await response.whole(404, b"", {"content-type": "text/plain"})
            return
        if path:
            await self._file(page.files[path], response)
        elif page.moved:
            await response.whole(302, b"", {"location": self.said(page.moved)})
        elif page.html == "endless":
            await response.start(200, {"content-type": page.type})
            await asyncio.Event().wait()
        else:
            late = (
                f"<script>setTimeout(() => document.title = 'over', {page.waits_ms})</script>" if page.waits_ms else ""
            )
            fields = {name: self.said(value) for name, value in page.fields.items()}
            await response.whole(
                page.status, self.said(page.html + late).encode(), {"content-type": page.type, **fields}
            )

    async def _file(self, said: str, response: WireResponse) -> None:
        if said.startswith("moved:"):
            await response.whole(302, b"", {"location": said.removeprefix("moved:")})
        elif said == "big":
            await response.whole(200, BIG, {"content-type": "application/octet-stream"})
        else:
            await response.whole(200, self.said(said).encode(), {"content-type": "text/javascript"})


class HostileWorld:
    """The browser's tools in it, and the canaries. Use `hostile_world`."""

    def __init__(self, toolbox: Toolbox, server: PageServer, canary: Canary, net: FakeInternet) -> None:
        self.toolbox = toolbox
        self.server = server
        self.canary = canary
        self.net = net
        self.browser: AgentBrowser
        self.made: list[Chromium]

    def context(self, name: str, *, approved: str = "", workspace: Path = NOWHERE, whole: bool = False) -> ToolContext:
        """That of a conversation that holds text from outside."""
        made = context_in(workspace, SystemClock())
        return replace(
            made,
            thread_id=ThreadId(f"thr_{name}"),
            by=Author.OUTSIDE,
            approved=approved,
            whole_bytes=4_000_000 if whole else 0,
        )

    async def use(self, tool: str, context: ToolContext, /, **args: Any) -> Done:
        """Call a tool as an agent would whom the policy lets."""
        given: JsonObject = dict(args)
        result = await run_call(self.toolbox, ToolCall(CallId("call_1"), tool, given), context)
        assert isinstance(result, Done)
        return result

    def asked(self, tool: str, context: ToolContext, /, **args: Any) -> str:
        """What a person is asked before a call; empty if nobody is."""
        made = self.toolbox.get(tool)
        assert made is not None
        verdict = judge(made, args, context, CallContext(tainted=True))
        if not isinstance(verdict, AskFirst):
            return ""
        assert question_of(made, args, context) == verdict.question
        return verdict.question

    @property
    def leaks(self) -> list[str]:
        """What has reached what nobody may reach."""
        inside = [f"{address}:{port}" for address, port in self.net.connected if address != PUBLIC]
        return [*self.canary.hits, *inside]


@asynccontextmanager
async def hostile_world(
    settings: BrowserSettings = SETTINGS,
    flags: tuple[str, ...] = (),
    extra: Mapping[str, Mapping[str, str]] = NO_PAGES,
    place: BrowserPlace | None = None,
) -> AsyncIterator[HostileWorld]:
    canary, clock, tally = Canary(), SystemClock(), Tally(COUNTERS, ())
    loop = asyncio.get_running_loop()
    inner = await asyncio.start_server(canary.serve, "127.0.0.1", 0)
    port = inner.sockets[0].getsockname()[1]
    datagrams, _ = await loop.create_datagram_endpoint(lambda: canary, ("127.0.0.1", 0))
    server = PageServer(port, datagrams.get_extra_info("sockname")[1], extra)
    async with inner, WireServer(server) as public:
        places = {(PUBLIC, one): public.url for one in PORTS}
        within = ("127.0.0.1", "169.254.169.254", "10.0.0.5", "0.0.0.0", "::1", "::ffff:127.0.0.1")
        places |= {(address, one): f"http://127.0.0.1:{port}" for address in within for one in (*PORTS, port)}
        net = OpenInternet(INSIDE, places)
        fetcher = Fetcher(resolve=net.resolve, connect=net.connect)
        made: list[Chromium] = []

        def make() -> Chromium:
            made.append(Chromium(place or find(settings), fetcher, clock, tally, "a-credential", flags))
            return made[-1]

        browser = AgentBrowser(make, settings, clock)
        world = HostileWorld(Toolbox(browser_tools(browser, fetcher, tally, "")), server, canary, net)
        world.browser, world.made = browser, made
        try:
            yield world
        finally:
            await browser.close()
            datagrams.close()
