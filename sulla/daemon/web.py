"""How agents reach the web."""

from __future__ import annotations

from collections.abc import Callable

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, SettingsError
from sulla.daemon.settings.config import Settings
from sulla.host.sections import WebSettings
from sulla.host.settings import HomeSettings
from sulla.tools.base import Tool
from sulla.tools.builtin.engines import Engine, brave, searxng
from sulla.tools.builtin.http import http_tool
from sulla.tools.builtin.web import web_tools
from sulla.tools.web.fetch import Fetcher
from sulla.tools.web.urls import OwnHosts, parse_url, read_own_hosts


@dataclass(frozen=True, slots=True)
class HomeWeb:
    """The tools that read and search the web. They live as long as the daemon."""

    tools: tuple[Tool, ...]
    fetcher: Fetcher

    def take_up(self, settings: HomeSettings) -> Callable[[], None]:
        """See `host.Built.take_up`."""
        hosts = _own_hosts(settings.section(WebSettings))
        return lambda: self.fetcher.take(hosts)


def make_web_tools(settings: Settings) -> HomeWeb:
    """Make what reads and searches it. Nothing is asked yet.

    Raises:
        SettingsError: the settings ask for a search that there is not, or name what is no host.
    """
    web = settings.web
    fetcher = Fetcher(_own_hosts(web))
    engine = _engine(web)
    # An owner's own engine is mostly on the owner's own network, and it alone may be asked there.
    own = OwnHosts() if engine is None or web.search == "brave" else OwnHosts(frozenset({_place_of(engine)}))
    return HomeWeb((*web_tools(fetcher, engine, Fetcher(own)), http_tool(fetcher)), fetcher)


def _own_hosts(web: WebSettings) -> OwnHosts:
    try:
        return read_own_hosts(web.allow_hosts)
    except InvalidInput as error:
        raise SettingsError(f"web.allow_hosts: {error.message}") from error


def _engine(web: WebSettings) -> Engine | None:
    match web.search:
        case "brave":
            if key := web.brave_api_key.get_secret_value():
                return brave(key)
            raise SettingsError("web.search is 'brave', which needs web.brave_api_key (or BRAVE_API_KEY)")
        case "searxng":
            if web.searxng_url:
                return searxng(web.searxng_url)
            raise SettingsError("web.search is 'searxng', which needs web.searxng_url, e.g. 'http://127.0.0.1:8888'")
        case _:
            return None


def _place_of(engine: Engine) -> tuple[str, int]:
    try:
        target = parse_url(engine.url)
    except InvalidInput as error:
        raise SettingsError(f"web.searxng_url: {error.message}") from error
    return target.host, target.port
