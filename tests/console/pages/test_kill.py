"""The daemon is killed while it answers and the page is open: it goes on by itself, with nothing lost or doubled."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.console.pages.opened import ROOM, Desk, chromium, needs_console
from tests.console.pages.talking import begin, say, script, talking_place
from tests.daemon.clients.asking import ANSWER
from tests.daemon.running import service
from tests.soon import until

pytestmark = needs_console
expect.set_options(timeout=ROOM)
LOST = "The connection is lost"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """One of its own for each test: it dies in it."""
    with service(script()) as model:
        place = talking_place(tmp_path, model)
        with place.up() as daemon, chromium() as browser:
            yield Desk(place, daemon, model, browser)


@contextmanager
def again(desk: Desk) -> Iterator[None]:
    """The daemon, started anew where it was."""
    with desk.place.begin("up", "--port", desk.daemon.url.rpartition(":")[2]) as command:
        command.until("\nready http")
        command.line()
        yield


def shown(page: Page) -> list[str]:
    """The texts of all items of a conversation, from the first to the last."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("[data-item-index]")]
                   .sort((one, other) => one.dataset.itemIndex - other.dataset.itemIndex)
                   .map((item) => item.innerText)"""
    )
    return found


def lines_of(items: list[str], wanted: list[str]) -> list[str]:
    """The lines of items that are among some."""
    return [line for item in items for line in item.splitlines() if line in wanted]


def said(desk: Desk, thread_id: str) -> list[str]:
    """What was said in a conversation as the daemon's log has it: each message where its turn began."""
    events: list[dict[str, Any]] = desk.call("thread.history", thread_id=thread_id)["events"]
    asked = {one["data"]["message_id"]: one["data"]["text"] for one in events if one["type"] == "INPUT"}
    told: list[str] = []
    for one in events:
        if one["type"] == "RUN_STARTED":
            told.append(asked[one["data"]["message_id"]])
        elif one["type"] == "TEXT_MESSAGE_END" and one["data"]["text"]:
            told.append(one["data"]["text"])
    return told


@pytest.mark.parametrize("count", [pytest.param(1, marks=pytest.mark.faults), 2])
def test_windows_go_on_after_a_kill_in_mid_stream_with_nothing_lost_or_doubled(desk: Desk, count: int) -> None:
    with ExitStack() as stack:
        windows = [stack.enter_context(desk.window(1280, 2000)) for _ in range(count)]
        first = begin(windows[0])
        place = first.url.partition("#/")[2]
        pages = [first, *(window.go(place) for window in windows[1:])]
        say(first, "Take your time (slow)")
        for page in pages:
            expect(page.get_by_text("one two three")).to_be_visible()
        desk.daemon.ended(signal.SIGKILL)
        for number, page in enumerate(pages):
            expect(page.get_by_role("status").get_by_text(LOST)).to_be_visible()
            say(page, f"While you were away, from {number}")
            expect(page.get_by_text("sending …")).to_be_visible()
        windows[0].picture("kill-away-1280-light")
        with again(desk):
            for page in pages:
                expect(page.get_by_role("status").get_by_text(LOST)).to_have_count(0)
                expect(page.get_by_text("sending …")).to_have_count(0)
            desk.service.release("gate")
            for page in pages:
                expect(page.get_by_text("Yes.", exact=True).last).to_be_visible()
                expect(page.get_by_text("Done", exact=True)).to_have_count(1 + count)
            log = said(desk, place.partition("/")[2])
            questions = ["Take your time (slow)", *(f"While you were away, from {number}" for number in range(count))]
            assert sorted(log) == sorted([*questions, ANSWER, *["Yes."] * count])
            with desk.window(1280, 2000) as late:
                page = late.go(place)
                expect(page.get_by_text("Done", exact=True)).to_have_count(1 + count)
                until(lambda: lines_of(shown(page), log) == log)  # a list is drawn in steps
                afresh = shown(page)
            windows[0].picture("kill-back-1280-light")
            for page in pages:
                # "You" is whoever wrote from this browser.
                assert [item.replace("You\n", "Person\n", 1) for item in shown(page)] == afresh
        assert [window.faults for window in windows] == [[]] * count


def test_a_page_that_lacks_a_part_of_itself_while_the_daemon_is_away_keeps_what_somebody_wrote(desk: Desk) -> None:
    with desk.window() as window:
        page = begin(window)
        page.get_by_role("textbox", name="Message").fill("Half a thought")
        desk.daemon.ended(signal.SIGKILL)
        expect(page.get_by_role("status").get_by_text(LOST)).to_be_visible()
        with page.expect_event("requestfailed"):  # it looks whether the daemon is there
            page.evaluate("dispatchEvent(new Event('vite:preloadError'))")  # as Vite tells of a part that did not come
        expect(page.get_by_role("textbox", name="Message")).to_have_value("Half a thought")
        with again(desk):
            expect(page.get_by_role("status").get_by_text(LOST)).to_have_count(0)
            expect(page.get_by_role("textbox", name="Message")).to_have_value("Half a thought")
            with page.expect_navigation():
                page.evaluate("dispatchEvent(new Event('vite:preloadError'))")
