"""The browser in a daemon. Nothing of Playwright is loaded before the first page, and nothing is looked for where it is
off. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from sulla.browser.browser import AgentBrowser
from sulla.browser.places import find, lacks
from sulla.browser.settings import BrowserSettings
from sulla.browser.tools import browser_tools
from sulla.core.errors import InvalidInput, SettingsError
from sulla.host.host import Built, Host
from sulla.host.sections import WebSettings
from sulla.host.settings import HomeSettings
from sulla.telemetry.reading import Gauge
from sulla.tools.web.fetch import Fetcher
from sulla.tools.web.urls import OwnHosts, read_own_hosts

if TYPE_CHECKING:
    from sulla.browser.chromium import Chromium

OFF = "it is off; its owner can set browser.enabled = true and start the daemon again"
"""What a home lacks that has not asked for it."""


def build(host: Host) -> Built:
    """Make it; see `host.Built`."""
    wanted = host.settings.section(BrowserSettings)
    fetcher = Fetcher(_own_hosts(host.settings))
    place = host.place

    def make() -> Chromium:
        found = find(wanted, host.settings.home)  # says what is missing, before it is loaded
        from sulla.browser.chromium import Chromium

        return Chromium(found, fetcher, place.clock, host.tally, place.make_id("browser"))

    browser = AgentBrowser(make, wanted, place.clock)
    tools = browser_tools(browser, fetcher, host.tally, lacks(wanted) if wanted.enabled else OFF)

    def gauges() -> Iterable[Gauge]:
        return (Gauge("sulla_browser_conversations", "Conversations that have pages open.", {(): browser.open}),)

    if not wanted.enabled:
        return Built(tools=tools, gauges=gauges)

    def take_up(settings: HomeSettings) -> Callable[[], None]:
        hosts = _own_hosts(settings)
        return lambda: fetcher.take(hosts)

    return Built(
        tools=tools,
        tasks={"browser": browser.run},
        close=browser.close,
        forget=browser.forget,
        take_up=take_up,
        gauges=gauges,
    )


def _own_hosts(settings: HomeSettings) -> OwnHosts:
    try:
        return read_own_hosts(settings.section(WebSettings).allow_hosts)
    except InvalidInput as error:
        raise SettingsError(f"web.allow_hosts: {error.message}") from error
