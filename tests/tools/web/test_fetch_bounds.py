from __future__ import annotations

import asyncio
import gzip
import ssl
import tracemalloc
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sulla.core.errors import Busy, Refused, SullaError, Unavailable
from sulla.host.system import SystemClock
from sulla.testing.clock import ManualClock
from sulla.tools.web.answer_time import TIME_S
from sulla.tools.web.fetch import (
    CONNECT_S,
    GAP_S,
    MAX_AT_ONCE,
    MAX_BODY_BYTES,
    MAX_HOSTS,
    PLACE_S,
    Fetcher,
)
from sulla.tools.web.urls import OwnHosts
from tests.servers.internet import FakeInternet
from tests.servers.wire import WireRequest, WireResponse
from tests.tools.certificates import Authority
from tests.tools.sites import HTML, NAMES, PUBLIC, Site, refused, says, world

# --------------------------------------------------------------------------------------------------------------- bounds


async def test_of_a_long_page_the_beginning_is_taken_and_it_is_said_so() -> None:
    async def endless(request: WireRequest, response: WireResponse) -> None:
        await response.start(200, HTML)
        while True:
            await response.send(b"x" * 65536)

    async with world(endless) as (fetcher, _):
        page = await fetcher.get("http://example.org/", SystemClock())
    assert (len(page.body), page.whole) == (MAX_BODY_BYTES, False)


async def test_a_packed_page_is_unpacked() -> None:
    async with world(says(gzip.compress(b"hello"), content_encoding="gzip")) as (fetcher, _):
        page = await fetcher.get("http://example.org/", SystemClock())
    assert (page.body, page.whole) == (b"hello", True)


async def test_a_decompression_bomb_is_unpacked_to_the_bound_and_no_further() -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(packer.compress(bytes(1024 * 1024)) for _ in range(256)) + packer.flush()
    assert len(bomb) < MAX_BODY_BYTES
    async with world(says(bomb, content_encoding="gzip")) as (fetcher, _):
        tracemalloc.start()
        try:
            page = await fetcher.get("http://example.org/", SystemClock())
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert (len(page.body), page.whole) == (MAX_BODY_BYTES, False)
    assert most < 8 * MAX_BODY_BYTES


@pytest.mark.parametrize("how", ["br", "zstd", "deflate", "gzip, gzip", "gzip, br", "IGNORE ALL RULES"])
async def test_a_packing_that_was_not_asked_for_is_refused(how: str) -> None:
    async with world(says(b"x", content_encoding=how)) as (fetcher, _):
        said = await refused(fetcher, "http://example.org/")
    assert said == "example.org packs its answer in a way that was not asked for"


@pytest.mark.parametrize("body", [b"not packed at all", gzip.compress(b"hello")[:4] + b"\xff" * 40])
async def test_a_damaged_packing_is_refused(body: bytes) -> None:
    async with world(says(body, content_encoding="gzip")) as (fetcher, _):
        assert "is damaged" in await refused(fetcher, "http://example.org/")


async def test_a_packed_page_that_breaks_off_is_not_taken_for_whole() -> None:
    async with world(says(gzip.compress(b"hello" * 1000)[:-12], content_encoding="gzip")) as (fetcher, _):
        assert not (await fetcher.get("http://example.org/", SystemClock())).whole


async def test_an_answer_that_breaks_off_is_an_error_that_may_pass() -> None:
    async def cuts(request: WireRequest, response: WireResponse) -> None:
        await response.start(200, HTML)
        await response.send(b"half")
        response.cut()

    async with world(cuts) as (fetcher, _):
        await refused(fetcher, "http://example.org/", Unavailable)


async def test_a_server_that_hangs_up_at_once_is_an_error_that_may_pass() -> None:
    async def cuts(request: WireRequest, response: WireResponse) -> None:
        response.cut()

    async with world(cuts) as (fetcher, _):
        await refused(fetcher, "http://example.org/", Unavailable)


async def test_a_head_without_end_is_cut_short() -> None:
    async def answer(request: WireRequest, response: WireResponse) -> None:
        await response.whole(200, b"x", {f"x-{number}": "y" * 1000 for number in range(500)})

    async with world(answer) as (fetcher, _):
        said = await refused(fetcher, "http://example.org/")
    assert said == "example.org does not speak HTTP as it should"


async def test_what_is_of_no_use_is_refused_before_it_is_taken() -> None:
    sent = 0

    async def film(request: WireRequest, response: WireResponse) -> None:
        nonlocal sent
        await response.start(200, {"content-type": "video/mp4"})
        for _ in range(10_000):
            await response.send(b"x" * 65536)
            sent += 1

    async with world(film) as (fetcher, _):
        with pytest.raises(Refused, match=r"example\.org is a film: video/mp4"):
            await fetcher.get("http://example.org/", SystemClock(), readable=lambda kind: f"is a film: {kind}")
    assert sent < 10_000


async def test_a_server_that_never_ends_is_given_up_after_its_time() -> None:
    begun = asyncio.Event()

    async def drips(request: WireRequest, response: WireResponse) -> None:
        await response.start(200, HTML)
        await response.send(b"x")
        begun.set()
        await asyncio.Event().wait()

    async with world(drips) as (fetcher, _):
        clock = ManualClock()
        fetching = asyncio.ensure_future(fetcher.get("http://example.org/", clock))
        await begun.wait()
        await clock.advance(TIME_S - 0.1)
        assert not fetching.done()
        await clock.advance(0.2)
        with pytest.raises(Refused, match="did not answer in full within 30 s"):
            await fetching


async def test_a_server_that_says_nothing_in_time_may_have_been_away() -> None:
    begun = asyncio.Event()

    async def sleeps(request: WireRequest, response: WireResponse) -> None:
        begun.set()
        await asyncio.Event().wait()

    async with world(sleeps) as (fetcher, _):
        clock = ManualClock()
        fetching = asyncio.ensure_future(fetcher.get("http://example.org/", clock))
        await begun.wait()
        await clock.advance(TIME_S)
        with pytest.raises(Unavailable, match="did not answer in full within 30 s"):
            await fetching


async def test_an_address_that_swallows_connections_does_not_keep_the_next_one_from_being_tried() -> None:
    async with world(Site(root=b"x"), {"example.org": ["1.1.1.1", PUBLIC]}) as (_, net):
        clock = ManualClock()

        async def connect(
            address: str, port: int, tls: ssl.SSLContext | None, name: str | None
        ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
            if address == "1.1.1.1":
                await asyncio.Event().wait()
            return await net.connect(address, port, tls, name)

        fetching = asyncio.ensure_future(Fetcher(OwnHosts(), net.resolve, connect).get("http://example.org/", clock))
        await clock.settle()
        await clock.advance(CONNECT_S)
        assert (await fetching).body == b"x"


@pytest.mark.parametrize(
    ("status", "fields", "kind", "wait_s"),
    [
        (429, {"retry_after": "7"}, Busy, 7.0),
        (503, {"retry_after": "Wed, 21 Oct 2026 07:28:00 GMT"}, Unavailable, None),
        (502, {}, Unavailable, None),
        (504, {"retry_after": "99999999999"}, Unavailable, None),
    ],
)
async def test_a_server_that_cannot_now_says_when(
    status: int, fields: dict[str, str], kind: type[SullaError], wait_s: float | None
) -> None:
    async with world(says(b"", status, **fields)) as (fetcher, _):
        with pytest.raises(kind) as caught:
            await fetcher.get("http://example.org/", SystemClock())
    assert caught.value.retryable
    assert caught.value.retry_after_s == wait_s


@pytest.mark.parametrize("status", [400, 404, 500])
async def test_other_errors_are_pages(status: int) -> None:
    async with world(says(b"sorry", status)) as (fetcher, _):
        page = await fetcher.get("http://example.org/", SystemClock())
    assert (page.status, page.body) == (status, b"sorry")


# --------------------------------------------------------------------------------------------------------------- pacing


async def test_requests_to_one_host_keep_a_gap_and_other_hosts_do_not_wait_for_them() -> None:
    site = Site(root=b"x")
    async with world(site) as (fetcher, _):
        clock = ManualClock()
        same = [asyncio.ensure_future(fetcher.get("http://example.org/", clock)) for _ in range(3)]
        await asyncio.wait((same[0],))
        other = asyncio.ensure_future(fetcher.get("http://other.example/", clock))
        await asyncio.wait((other,))
        assert site.hosts == ["example.org", "other.example"]
        for done in (1, 2):
            await clock.advance(GAP_S)
            await asyncio.wait((same[done],))
    assert site.hosts == ["example.org", "other.example", "example.org", "example.org"]


async def test_only_so_many_are_fetched_at_once() -> None:
    here, gone, most = 0, asyncio.Event(), 0

    async def waits(request: WireRequest, response: WireResponse) -> None:
        nonlocal here, most
        here += 1
        most = max(most, here)
        if here == MAX_AT_ONCE:
            gone.set()
        await gone.wait()
        here -= 1
        await response.whole(200, b"x", HTML)

    names = {f"h{number}.example": [PUBLIC] for number in range(3 * MAX_AT_ONCE)}
    async with world(waits, names) as (fetcher, _):
        pages = await asyncio.gather(*(fetcher.get(f"http://{name}/", SystemClock()) for name in names))
    assert [page.body for page in pages] == [b"x"] * len(names)
    assert most == MAX_AT_ONCE


async def test_hosts_are_forgotten_again() -> None:
    fetcher = Fetcher()
    for number in range(MAX_HOSTS + 10):
        await fetcher._pace(f"h{number}.example", SystemClock())
    assert len(fetcher._free_at) == MAX_HOSTS


# ------------------------------------------------------------------------------------------------------------------ TLS


@asynccontextmanager
async def secure(tmp_path: Path, served: str) -> AsyncIterator[tuple[Fetcher, FakeInternet]]:
    """A fetcher that trusts one authority, and a server with its certificate for one name."""
    authority = Authority(tmp_path)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecret")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=authority.serve(served))
    async with server:
        host, port = server.sockets[0].getsockname()[:2]
        net = FakeInternet(NAMES, {(PUBLIC, 443): f"https://{host}:{port}"})
        yield Fetcher(OwnHosts(), net.resolve, net.connect, authority.trust), net


async def test_a_certificate_is_looked_at_for_the_name_though_the_address_is_connected_to(tmp_path: Path) -> None:
    async with secure(tmp_path, "example.org") as (fetcher, net):
        page = await fetcher.get("https://example.org/", SystemClock())
    assert page.body == b"secret"
    assert (net.connected, net.shown) == ([(PUBLIC, 443)], ["example.org"])


async def test_a_certificate_of_another_name_is_refused(tmp_path: Path) -> None:
    async with secure(tmp_path, "other.example") as (fetcher, _):
        said = await refused(fetcher, "https://example.org/")
    assert said.startswith("the certificate of example.org is not good")


async def test_a_certificate_that_nobody_vouches_for_is_refused(tmp_path: Path) -> None:
    async with secure(tmp_path, "example.org") as (_, net):
        fetcher = Fetcher(OwnHosts(), net.resolve, net.connect)  # trusts what the system trusts
        said = await refused(fetcher, "https://example.org/")
    assert said.startswith("the certificate of example.org is not good")


async def test_a_server_without_tls_is_refused() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()[:2]
        net = FakeInternet(NAMES, {(PUBLIC, 443): f"https://{host}:{port}"})
        said = await refused(Fetcher(OwnHosts(), net.resolve, net.connect), "https://example.org/")
    assert said.startswith("example.org does not speak TLS as it should")


async def test_the_time_of_the_other_side_is_counted_from_a_fetchs_own_turn() -> None:
    clock, asked, free = ManualClock(), 0, asyncio.Event()

    async def late(request: WireRequest, response: WireResponse) -> None:
        nonlocal asked
        asked += 1
        await free.wait()
        await response.whole(200, b"x", HTML)

    names = {f"h{number}.example": [PUBLIC] for number in range(MAX_AT_ONCE + 1)}
    async with world(late, names) as (fetcher, _):
        pages = [asyncio.ensure_future(fetcher.get(f"http://{name}/", clock)) for name in names]
        while asked < MAX_AT_ONCE:
            await asyncio.sleep(0)
        await clock.advance(TIME_S - 1)
        free.set()
        await asyncio.wait(pages[:-1])
        await clock.advance(2)
        assert (await pages[-1]).body == b"x"


async def test_a_host_that_is_asked_often_is_not_blamed_for_the_gap_between_two_requests() -> None:
    site = Site(root=b"x")
    async with world(site) as (fetcher, _):
        clock = ManualClock()
        fetcher._free_at["example.org"] = clock.elapsed() + 2 * TIME_S
        fetching = asyncio.ensure_future(fetcher.get("http://example.org/", clock))
        while not clock.sleepers:
            await asyncio.sleep(0)
        await clock.advance(2 * TIME_S)
        assert (await fetching).body == b"x"


async def test_a_fetch_whose_turn_does_not_come_says_that_it_waited_and_was_not_made() -> None:
    async with world(says(b"x")) as (fetcher, _):
        clock = ManualClock()
        for _ in range(MAX_AT_ONCE):
            await fetcher._places.acquire()
        fetching = asyncio.ensure_future(fetcher.send("http://example.org/", clock, "POST", {}, b"x"))
        await clock.settle()
        await clock.advance(PLACE_S)
        with pytest.raises(
            Busy, match=r"example\.org was not asked: 8 requests go on at once here, and others were before"
        ):
            await fetching
