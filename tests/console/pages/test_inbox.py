"""The inbox in a real browser: moved through and answered by keys alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.console.pages.opened import ROOM, Desk, Window, chromium, needs_console
from tests.console.pages.talking import rest, script, talking_place
from tests.daemon.running import service
from tests.kits.in_turn import in_turn

pytestmark = [needs_console, in_turn(4)]
expect.set_options(timeout=ROOM)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with service(script()) as model:
        place = talking_place(tmp_path_factory.mktemp("inbox"), model)
        with place.up() as daemon, chromium() as browser:
            yield Desk(place, daemon, model, browser)


def ask(window: Window, times: int) -> Page:
    """Conversations that wait for an answer."""
    page = window.page
    for _ in range(times):
        window.go("chat")
        page.get_by_role("button", name="New").press("Enter")
        page.get_by_role("dialog").get_by_role("button", name="Begin").press("Enter")
        page.get_by_role("textbox", name="Message").fill("Please (write)")
        page.get_by_role("textbox", name="Message").press("Enter")
        expect(page.get_by_role("button", name="Approve")).to_be_visible()
    return window.go("inbox")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_questions_are_answered_by_keys_alone(desk: Desk, width: int, scheme: str) -> None:
    with desk.window(width, color_scheme=scheme) as window:
        page = ask(window, 3)
        questions = page.get_by_role("list", name="What waits for you").get_by_role("article")
        expect(questions).to_have_count(3)
        window.picture(f"inbox-{width}-{scheme}")
        assert window.axe() == []
        page.keyboard.press("j")
        expect(questions.nth(0)).to_be_focused()
        page.keyboard.press("j")
        expect(questions.nth(1)).to_be_focused()
        rest(page)
        page.keyboard.press("a")
        expect(page.get_by_text("Approved: bash")).to_be_visible()
        expect(questions.nth(1).get_by_text("Approved", exact=True)).to_be_visible()
        expect(questions).to_have_count(2)
        expect(questions.nth(1)).to_be_focused()
        page.keyboard.press("k")
        rest(page)
        page.keyboard.press("r")
        expect(questions).to_have_count(1)
        expect(questions.nth(0)).to_be_focused()
        rest(page)
        page.keyboard.press("A")  # the command goes nowhere that a rule could name
        expect(page.get_by_text("cannot be answered with that key")).to_be_visible()
        page.keyboard.press("a")
        expect(page.get_by_text("Nothing waits for you")).to_be_visible()
        expect(page.get_by_role("heading", name="Inbox")).to_be_focused()
        window.picture(f"inbox-empty-{width}-{scheme}")
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
        assert window.faults == []


def test_a_question_opens_its_conversation(desk: Desk) -> None:
    with desk.window() as window:
        page = ask(window, 1)
        question = page.get_by_role("list", name="What waits for you").get_by_role("article")
        expect(question).to_have_count(1)
        page.keyboard.press("j")
        expect(question).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_role("textbox", name="Message")).to_be_visible()
        page.get_by_role("button", name="Reject").focus()
        rest(page)
        page.get_by_role("button", name="Reject").press("Enter")
        expect(page.get_by_text(re.compile("^Rejected( by|,)"))).to_be_visible()
        assert window.faults == []


def test_what_somebody_else_answered_says_who_did_and_how(desk: Desk) -> None:
    with desk.window() as window:
        page = ask(window, 1)
        question = page.get_by_role("list", name="What waits for you").get_by_role("article")
        expect(question).to_have_count(1)
        (asked,) = desk.call("approval.list")["questions"]
        # The page's own clock stands, so what is over stays until it was looked at.
        page.evaluate("() => { const at = performance.now(); performance.now = () => at; }")
        desk.call("approval.answer", thread_id=asked["thread_id"], id=asked["id"], verdict="reject")
        expect(question.get_by_text("Rejected by owner")).to_be_visible()
        window.picture("inbox-answered-elsewhere")
        assert window.faults == []


@pytest.mark.faults
@pytest.mark.parametrize("gap_ms", [150, 300, 450])
def test_a_double_press_answers_one_question(desk: Desk, gap_ms: int) -> None:
    with desk.window() as window:
        page = ask(window, 3)
        questions = page.get_by_role("list", name="What waits for you").get_by_role("article")
        expect(questions).to_have_count(3)
        waiting = page.locator("[data-answering='ready'], [data-answering='waits']")
        page.locator("[data-answering='ready']").nth(2).wait_for()
        box = questions.nth(0).get_by_role("button", name="Approve").bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + 9, box["y"] + 9)
        page.wait_for_timeout(gap_ms)
        page.mouse.click(box["x"] + 9, box["y"] + 9)
        expect(questions).to_have_count(2)
        expect(waiting).to_have_count(2)
        # The next one has come under the pointer only now.
        page.mouse.click(box["x"] + 9, box["y"] + 9)
        expect(page.get_by_text("Nothing was answered").first).to_be_visible()
        expect(waiting).to_have_count(2)
        rest(page)
        page.keyboard.press("j")
        rest(page)
        page.keyboard.press("a")
        page.wait_for_timeout(gap_ms)
        page.keyboard.press("a")
        expect(questions).to_have_count(1)
        expect(waiting).to_have_count(1)
        rest(page)
        page.keyboard.press("r")
        expect(page.get_by_text("Nothing waits for you")).to_be_visible()
        assert window.faults == []
