"""Cookies that another port's page has planted for a part of the page: it says what to do, wherever they are met."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext

from sulla.gateway.server.sockets import HEAD_TOO_LARGE
from tests.console.pages.opened import Desk, needs_console
from tests.kits.in_turn import in_turn

pytestmark = [needs_console, in_turn(2)]
DO = "Delete the cookies of this address in the browser's settings (of sites and their data), and load the page again."


def plant(context: BrowserContext, path: str) -> None:
    """More than the daemon reads, as a page at another port of the address can."""
    context.add_cookies(
        [{"name": f"planted{number}", "value": "x" * 3_500, "domain": "127.0.0.1", "path": path} for number in range(6)]
    )


def test_a_page_that_is_kept_from_its_socket_says_so_and_goes_on_when_they_are_gone(desk: Desk) -> None:
    assert DO in HEAD_TOO_LARGE
    with desk.window() as window:
        page = window.page
        page.get_by_role("link", name="Conversations").wait_for()
        plant(page.context, "/ws")
        page.reload()
        page.get_by_role("status").get_by_text(DO).wait_for()
        window.picture("cookies-ws")
        page.context.clear_cookies(path="/ws")
        page.get_by_text(DO).wait_for(state="detached")
        page.get_by_role("button", name="Pause all work").wait_for()


@pytest.mark.parametrize("path", ["/assets", "/console"])
def test_a_page_that_is_kept_from_its_files_or_from_signing_in_says_so(desk: Desk, path: str) -> None:
    context = desk.browser.new_context()
    plant(context, path)
    page = context.new_page()
    page.goto(desk.ticket())
    where = page.locator("#page") if path == "/assets" else page.get_by_role("alert")
    where.get_by_text(DO).wait_for()
    assert page.get_by_text(DO).is_visible()
    context.close()
