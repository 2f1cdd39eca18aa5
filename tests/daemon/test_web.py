from __future__ import annotations

from pathlib import Path

import pytest

from sulla.core.errors import SettingsError
from sulla.core.ids import CallId
from sulla.core.jsontypes import Json
from sulla.core.message import ToolCall
from sulla.daemon.settings.config import Settings, load_settings
from sulla.daemon.web import make_web_tools
from sulla.host.system import SystemClock
from sulla.tools.base import Done
from sulla.tools.call import run_call
from sulla.tools.registry import Toolbox
from tests.servers.search_fakes import FakeSearxng, Found
from tests.tools.contexts import context_in


def tools(home: Path, **web: Json) -> Toolbox:
    settings = load_settings({}, {("web", name): value for name, value in web.items()}, home)
    return Toolbox(make_web_tools(settings).tools)


async def call(toolbox: Toolbox, name: str, **args: Json) -> Done:
    result = await run_call(toolbox, ToolCall(CallId("call_1"), name, args), context_in(Path("/"), SystemClock()))
    assert isinstance(result, Done)
    return result


async def test_without_settings_the_web_can_be_read_and_not_searched(tmp_path: Path) -> None:
    toolbox = tools(tmp_path)
    assert toolbox.names == ("http", "web_fetch", "web_search")
    assert "no web search is set up" in (await call(toolbox, "web_search", query="tea")).text


async def test_a_searxng_at_home_is_searched_and_still_not_read(tmp_path: Path) -> None:
    async with FakeSearxng([Found("https://example.org/", "Tea")]) as fake:
        toolbox = tools(tmp_path, search="searxng", searxng_url=fake.url)
        assert "https://example.org/" in (await call(toolbox, "web_search", query="tea")).text
        result = await call(toolbox, "web_fetch", url=f"{fake.url}/search?q=x&format=json")
        assert result.is_error
        assert len(fake.asked) == 1


async def test_a_host_that_the_owner_allows_is_read(tmp_path: Path) -> None:
    async with FakeSearxng([Found("https://example.org/", "Tea")]) as fake:
        toolbox = tools(tmp_path, allow_hosts=[fake.url.removeprefix("http://")])
        assert "Tea" in (await call(toolbox, "web_fetch", url=f"{fake.url}/search?q=x&format=json")).text


@pytest.mark.parametrize(
    ("web", "said"),
    [
        ({"search": "brave"}, "needs web.brave_api_key"),
        ({"search": "searxng"}, "needs web.searxng_url"),
        ({"search": "searxng", "searxng_url": "127.0.0.1:8888"}, "web.searxng_url: only http:// and https://"),
        ({"search": "searxng", "searxng_url": "http://me:pass@127.0.0.1"}, "web.searxng_url: the URL has a user name"),
        ({"allow_hosts": ["http://nas.lan"]}, "web.allow_hosts: 'http://nas.lan': expected a host or host:port"),
        ({"search": "google"}, "search"),
    ],
)
def test_settings_that_cannot_work_are_refused_at_the_start(tmp_path: Path, web: dict[str, Json], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        tools(tmp_path, **web)


def test_the_key_comes_from_the_variable_that_others_use_and_is_a_secret(tmp_path: Path) -> None:
    settings = load_settings({"BRAVE_API_KEY": "a-key-of-brave", "SULLA_WEB__SEARCH": "brave"}, {}, tmp_path)
    assert len(make_web_tools(settings).tools) == 3
    assert "a-key-of-brave" not in repr(settings)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://127.0.0.1:8080/x", "adding '127.0.0.1:8080' to web.allow_hosts, and `sulla reload`"),
        ("http://localhost/x", "adding 'localhost' to web.allow_hosts, and `sulla reload`"),
        ("http://example.org:25/", "port 25 is not one of 80, 443"),
        ("http://169.254.169.254/latest", "a cloud's metadata service"),
        ("ftp://example.org/", "only http:// and https://"),
        ("http://nas.lan:3000/x", ""),
        ("https://example.org/x", ""),
    ],
)
def test_what_is_refused_is_known_without_asking_and_nothing_is_looked_up(url: str, said: str) -> None:
    toolbox = tools(Path("/"), allow_hosts=["nas.lan:3000"])
    refusing = {tool.name: tool.refuses for tool in toolbox if tool.refuses is not None}
    assert sorted(refusing) == ["http", "web_fetch"]
    for refuses in refusing.values():
        assert said in refuses({"url": url})
        assert bool(refuses({"url": url})) == bool(said)


def test_hosts_that_are_allowed_later_are_taken_up_by_a_daemon_that_runs(tmp_path: Path) -> None:
    def written(*hosts: str) -> Settings:
        return load_settings({}, {("web", "allow_hosts"): list(hosts)}, tmp_path)

    web = make_web_tools(written())
    assert "`sulla reload`" in web.fetcher.refuses("http://127.0.0.1:3000/")
    take = web.take_up(written("127.0.0.1:3000"))
    assert web.fetcher.refuses("http://127.0.0.1:3000/")
    take()
    assert not web.fetcher.refuses("http://127.0.0.1:3000/")
    with pytest.raises(SettingsError, match=r"web.allow_hosts"):
        web.take_up(written("not a host"))
