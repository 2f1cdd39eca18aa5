from __future__ import annotations

import asyncio

import pytest

from sulla.core.errors import InvalidInput, NotFound, Refused, SullaError, Unavailable
from sulla.host.system import SystemClock
from sulla.testing.clock import ManualClock
from sulla.tools.web.fetch import (
    GAP_S,
    MAX_REDIRECTS,
    USER_AGENT,
    Fetcher,
)
from sulla.tools.web.urls import read_own_hosts
from tests.servers.internet import FakeInternet
from tests.servers.wire import WireRequest, WireResponse, WireServer
from tests.tools.sites import OTHER, PUBLIC, Site, refused, world

# ------------------------------------------------------------------------------------------- what is asked, and of whom


async def test_a_page_is_fetched_from_the_address_that_was_looked_at() -> None:
    site = Site(a=b"<p>hello</p>")
    async with world(site) as (fetcher, net):
        page = await fetcher.get("http://example.org/a?b=c", SystemClock())
    assert (page.url, page.status, page.body, page.whole) == ("http://example.org/a?b=c", 200, b"<p>hello</p>", True)
    assert net.looked_up == ["example.org"]
    assert net.connected == [(PUBLIC, 80)]
    assert site.asked[0].path == "/a?b=c"


async def test_a_request_says_who_asks_and_nothing_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    site = Site(root=b"x")
    async with world(site) as (fetcher, net):
        await fetcher.get("http://example.org/", SystemClock())
    assert net.connected == [(PUBLIC, 80)]
    assert site.asked[0].headers == {
        "host": "example.org",
        "user-agent": USER_AGENT,
        "accept": "text/html, text/plain, application/json, */*;q=0.5",
        "accept-encoding": "gzip",
        "connection": "close",
    }


async def test_a_cookie_is_not_sent_back() -> None:
    async def sets(request: WireRequest, response: WireResponse) -> None:
        await response.whole(302, b"", {"location": "/b", "set-cookie": "id=1"})

    site = Site(a=sets, b=b"x")
    async with world(site) as (fetcher, _):
        await fetcher.get("http://example.org/a", SystemClock())
        await fetcher.get("http://example.org/b", SystemClock())
    assert all("cookie" not in request.headers for request in site.asked)


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.0.0.1", "169.254.169.254", "100.64.0.1", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "0.0.0.0"],
)
async def test_a_name_of_a_private_address_is_not_connected_to(address: str) -> None:
    async with world(Site(), {"evil.example": [address]}) as (fetcher, net):
        said = await refused(fetcher, "http://evil.example/")
    assert address in said
    assert net.connected == []


async def test_a_name_with_one_private_address_among_public_ones_is_not_trusted_with_any() -> None:
    names = {"evil.example": [PUBLIC, OTHER, "1.1.1.1", "1.0.0.1", "8.8.8.8", "127.0.0.1"]}
    async with world(Site(root=b"x"), names) as (fetcher, net):
        await refused(fetcher, "http://evil.example/")
    assert net.connected == []


async def test_dns_rebinding_leads_nowhere() -> None:
    site = Site(a="/b", b=b"inner")
    async with world(site, {"evil.example": [[PUBLIC], ["127.0.0.1"]]}) as (fetcher, net):
        said = await refused(fetcher, "http://evil.example/a")
    # Looked up once for each request, and never between the look and the connection.
    assert net.looked_up == ["evil.example"] * 2
    assert net.connected == [(PUBLIC, 80)]
    assert "this machine itself" in said


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1/", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://169.254.169.254/latest/meta-data/"],
)
async def test_a_private_address_in_the_url_itself_is_refused(url: str) -> None:
    async with WireServer(Site(root=b"x")) as server:
        net = FakeInternet({}, {("127.0.0.1", 80): server.url, ("::1", 80): server.url})
        fetcher = Fetcher(connect=net.connect)  # the system itself says what a number means
        await refused(fetcher, url)
    assert net.connected == []


@pytest.mark.parametrize("port", [21, 22, 25, 6379, 5432, 8137, 0])
async def test_only_ports_of_web_servers_are_asked(port: int) -> None:
    async with world(Site()) as (fetcher, net):
        said = await refused(fetcher, f"http://example.org:{port}/", InvalidInput)
    assert "80, 443, 8080, 8443" in said
    assert net.looked_up == []


async def test_the_owners_own_hosts_may_be_asked_and_no_others_of_that_network() -> None:
    own = read_own_hosts(["nas.lan", "box.lan:9000"])
    names = {name: ["127.0.0.1"] for name in ("nas.lan", "box.lan", "evil.lan")}
    async with world(Site(root=b"x"), names, own) as (fetcher, net):
        assert (await fetcher.get("http://nas.lan/", SystemClock())).body == b"x"
        assert (await fetcher.get("http://box.lan:9000/", SystemClock())).body == b"x"
        assert "adding 'evil.lan' to web.allow_hosts" in await refused(fetcher, "http://evil.lan/")
        await refused(fetcher, "http://box.lan/")
        await refused(fetcher, "http://nas.lan:9000/", InvalidInput)
    assert len(net.connected) == 2


async def test_an_own_host_that_turns_into_a_metadata_address_is_refused() -> None:
    async with world(Site(), {"nas.lan": ["169.254.169.254"]}, read_own_hosts(["nas.lan"])) as (fetcher, net):
        said = await refused(fetcher, "http://nas.lan/")
    assert "metadata" in said
    assert "allow_hosts" not in said
    assert net.connected == []


async def test_the_next_address_is_tried_where_one_takes_no_connection() -> None:
    async with world(Site(root=b"x"), {"example.org": ["1.1.1.1", PUBLIC]}) as (fetcher, net):
        assert (await fetcher.get("http://example.org/", SystemClock())).body == b"x"
    assert net.connected == [("1.1.1.1", 80), (PUBLIC, 80)]


async def test_where_nobody_answers_each_address_is_named_and_it_may_pass() -> None:
    async with world(Site(), {"example.org": [f"1.1.1.{last}" for last in range(9)]}) as (fetcher, net):
        said = await refused(fetcher, "http://example.org/", Unavailable)
    assert "1.1.1.0: Connection refused; 1.1.1.1: Connection refused" in said
    assert len(net.connected) == 4


async def test_a_host_that_is_not_there_is_no_passing_trouble() -> None:
    async with world(Site()) as (fetcher, _):
        assert (
            "'exampel.org' could not be looked up: look at how it is written; perhaps there is no network"
            in await refused(fetcher, "http://exampel.org/", NotFound)
        )


# ------------------------------------------------------------------------------------------------------------ redirects


async def test_a_redirect_within_the_site_is_followed_and_looked_at_again() -> None:
    site = Site(a="http://www.example.org/b", b="/c", c=b"here")
    async with world(site) as (fetcher, net):
        page = await fetcher.get("http://example.org/a", SystemClock())
    assert (page.url, page.body) == ("http://www.example.org/c", b"here")
    assert net.looked_up == ["example.org", "www.example.org", "www.example.org"]
    assert site.hosts == ["example.org", "www.example.org", "www.example.org"]


async def test_a_redirect_to_another_site_is_told_and_not_followed() -> None:
    site = Site(a="http://other.example/b?x=1")
    async with world(site) as (fetcher, net):
        page = await fetcher.get("http://example.org/a", SystemClock())
    assert page.moved_to == "http://other.example/b?x=1"
    assert page.body == b""
    assert net.looked_up == ["example.org"]


@pytest.mark.parametrize(
    "location", ["http://127.0.0.1/", "http://169.254.169.254/latest/", "http://[::1]/", "http://localhost/"]
)
async def test_a_redirect_to_a_private_address_is_never_connected_to(location: str) -> None:
    async with world(Site(a=location, root=b"inner")) as (fetcher, net):
        page = await fetcher.get("http://example.org/a", SystemClock())
        assert page.moved_to
        with pytest.raises(SullaError):
            await fetcher.get(page.moved_to, SystemClock())
    assert net.connected == [(PUBLIC, 80)]


@pytest.mark.parametrize("location", ["file:///etc/passwd", "gopher://x/", "http://a:b@example.org/", "http://0x7f.1/"])
async def test_a_redirect_out_of_the_web_is_refused_without_quoting_it(location: str) -> None:
    async with world(Site(a=location)) as (fetcher, net):
        said = await refused(fetcher, "http://example.org/a")
    assert said == "example.org redirects to what is no address of the web, or not one to be asked"
    assert len(net.connected) == 1


async def test_a_redirect_to_a_port_of_something_else_is_refused() -> None:
    async with world(Site(a="http://example.org:6379/")) as (fetcher, net):
        await refused(fetcher, "http://example.org/a", InvalidInput)
    assert len(net.connected) == 1


async def test_redirects_in_a_circle_end() -> None:
    site = Site(a="/b", b="/a")
    async with world(site) as (fetcher, _):
        clock = ManualClock()
        fetching = asyncio.ensure_future(fetcher.get("http://example.org/a", clock))
        await until(clock, fetching)
        with pytest.raises(Refused, match="go in circles"):
            await fetching
    assert len(site.asked) == MAX_REDIRECTS + 1


async def test_with_a_key_no_redirect_is_followed() -> None:
    site = Site(a="/b", b=b"x")
    async with world(site) as (fetcher, _):
        page = await fetcher.get("http://example.org/a", SystemClock(), headers={"X-Key": "secret"})
    assert page.moved_to == "http://example.org/b"
    assert len(site.asked) == 1


async def until(clock: ManualClock, work: asyncio.Future[object] | asyncio.Task[object]) -> None:
    """Move time on in steps of the pacing, by less than a fetch may take, until something is done."""
    last = clock.elapsed() + 2 * MAX_REDIRECTS * GAP_S
    for _ in range(10_000):
        if work.done():
            return
        await asyncio.wait((work,), timeout=0.002)
        await clock.advance(GAP_S / 4 if clock.sleepers and clock.elapsed() < last else 0)
    raise AssertionError("it never ended")
