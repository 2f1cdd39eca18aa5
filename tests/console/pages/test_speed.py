"""How fast the page is: a long conversation opens and scrolls, streams leave the core idle, hostile texts do nothing.

The daemon is a stand-in within the page (stand_in.js), so that the figures are the page's own. `./dev faults` runs
these, on a machine that does nothing else; `SULLA_SPEED_SLACK` is by how much a busy one may be slower.
"""

from __future__ import annotations

import functools
import http.server
import json
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from sulla.console.place import WEB
from tests.console.pages.opened import ROOM, busy_s, chromium, needs_console, traced

pytestmark = [needs_console, pytest.mark.faults]
SLACK = float(os.environ.get("SULLA_SPEED_SLACK", "1"))
STAND_IN = Path(__file__).with_name("stand_in.js").read_text()
HOSTILE = Path(__file__).parents[3] / "console/src/kit/hostile.ts"
TURNS = 1_667
"""Six records each, and the first one: 10,003."""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Nobody reads what was asked for."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(WEB)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@contextmanager
def measured(address: str, turns: int, *, held: bool = False) -> Iterator[Page]:
    """A page over a stand-in; `held` has the events that it follows wait for ``standIn.go``."""
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(ROOM * 3)
        page.add_init_script(f"sessionStorage.setItem('measured', '{json.dumps({'turns': turns, 'held': held})}')")
        page.add_init_script(STAND_IN)
        page.goto(f"{address}/#/chat")
        page.get_by_text("Choose a conversation").wait_for()
        yield page


def test_a_thread_of_10_000_events_opens_within_a_second_and_scrolls_smoothly(address: str) -> None:
    with measured(address, TURNS) as page:
        page.evaluate(
            """() => {
              const began = performance.now();
              location.hash = "#/chat/thr_long";
              window.opened = new Promise((done) => {
                const look = () => document.body.textContent.includes("Question 1667")
                  ? done(performance.now() - began)
                  : requestAnimationFrame(look);
                look();
              });
            }"""
        )
        took = page.evaluate("() => window.opened")
        page.wait_for_timeout(1500)
        page.mouse.move(900, 400)
        with traced(page) as tasks_ms:
            for _ in range(40):
                page.mouse.wheel(0, -900)
                page.wait_for_timeout(60)
        longest = sorted(tasks_ms)[-5:]
        report(f"opened in {took:.0f} ms; longest tasks while scrolling, in ms of processor time: {longest}")
        assert took <= 1000 * SLACK
        assert len(tasks_ms) > 40
        assert max(tasks_ms) <= 100


def test_a_long_thread_is_there_from_its_end_and_what_comes_before_moves_nothing(address: str) -> None:
    place = """() => {
      const list = document.querySelector("[data-virtuoso-scroller]").getBoundingClientRect();
      const items = [...document.querySelectorAll("[data-item-index]")];
      const first = items.find((item) => item.getBoundingClientRect().bottom > list.top + 200);
      return [first.textContent, first.getBoundingClientRect().top];
    }"""
    with measured(address, 500, held=True) as page:
        page.evaluate("() => { location.hash = '#/chat/thr_long'; }")
        page.get_by_text("Question 500", exact=True).wait_for()
        earlier = page.get_by_text("What came before is being loaded")
        earlier.wait_for(state="attached")
        page.mouse.move(900, 400)
        page.mouse.wheel(0, -1_500)
        page.wait_for_timeout(1_000)  # until the wheel has run out
        before = page.evaluate(place)
        page.evaluate("() => window.standIn.go()")
        earlier.wait_for(state="detached")
        page.wait_for_timeout(500)  # what would move does so by then
        text, top = page.evaluate(place)
        assert (text, abs(top - before[1]) <= 2) == (before[0], True)
        page.get_by_role("button", name="To the newest").wait_for()


def test_four_streams_of_50_tokens_a_second_leave_more_than_half_of_a_core(address: str) -> None:
    with measured(address, 20) as page:
        page.evaluate("() => { location.hash = '#/chat/thr_streams'; }")
        page.get_by_text("Question 20").wait_for()
        page.evaluate("() => { window.stop = window.standIn.stream('thr_streams', 4, 50); }")
        for number in range(4):
            page.get_by_role("button", name=f"agent{number} works on this").click()
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")
        page.wait_for_timeout(5_000)  # the texts have some length then
        before, seconds = busy_s(session), 15
        page.wait_for_timeout(seconds * 1000)
        share = (busy_s(session) - before) / seconds
        page.evaluate("() => window.stop()")
        report(f"{share:.0%} of a core")
        assert share <= 0.5 * SLACK


def test_hostile_texts_run_and_fetch_nothing_wherever_they_stand(address: str) -> None:
    listed = HOSTILE.read_text().replace("export const HOSTILE: readonly string[] =", "const HOSTILE =")
    with measured(address, 1) as page:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("dialog", lambda dialog: asked.append(f"a dialog: {dialog.message}"))
        page.on("popup", lambda popup: asked.append(f"a window: {popup.url}"))
        page.evaluate("() => { location.hash = '#/chat/thr_hostile'; }")
        page.get_by_text("Question 1").first.wait_for()
        texts = page.evaluate(f"() => {{ {listed}; return HOSTILE; }}")
        assert len(texts) >= 80
        asked.clear()
        page.evaluate("(texts) => window.standIn.hostile('thr_hostile', texts)", texts)
        scroller = page.locator("[data-virtuoso-scroller]")
        scroller.wait_for()
        seen = 0
        for _ in range(400):
            at = page.evaluate(
                """() => {
                  const list = document.querySelector("[data-virtuoso-scroller]");
                  for (const fold of list.querySelectorAll("button[aria-expanded=false]")) fold.click();
                  const elements = "script, img, svg, iframe, object, embed, link, style, form, video, base, meta";
                  const bad = list.querySelectorAll(elements).length;
                  const safe = (link) => /^(https?:|mailto:|#)/i.test(link.getAttribute("href") ?? "");
                  const links = [...list.querySelectorAll("a")].filter((link) => !safe(link)).length;
                  const items = list.querySelectorAll("[data-item-index]").length;
                  list.scrollTop -= 500;
                  return { bad: bad + links, top: list.scrollTop, items };
                }"""
            )
            page.wait_for_timeout(20)
            assert at["bad"] == 0
            seen += at["items"]
            if at["top"] <= 0:
                break
        assert seen > len(texts)
        assert [url for url in asked if not url.startswith(address)] == []
        assert page.evaluate("() => location.hash") == "#/chat/thr_hostile"


def report(figures: str) -> None:
    """Shown by ``./dev faults``, whether the test passes or not."""
    sys.stdout.write(f"{figures}\n")
