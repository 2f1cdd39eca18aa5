"""The page by keyboard alone: a chat, an approval and a run of a playbook, and the focus is never lost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.console.pages.opened import ROOM, Desk, chromium, needs_console
from tests.console.pages.talking import Keys, living_place, rest, script
from tests.daemon.clients.asking import written
from tests.daemon.running import service

pytestmark = needs_console
expect.set_options(timeout=ROOM)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with service(script()) as model:
        place = living_place(tmp_path_factory.mktemp("keys"), model)
        with place.up() as daemon, chromium() as browser:
            yield Desk(place, daemon, model, browser)


def test_a_chat_and_an_approval_go_by_keyboard_alone(desk: Desk) -> None:
    with desk.window() as window:
        keys = Keys(window.page)
        page = window.page
        keys.to("Conversations", "Enter")
        keys.to("New", "Enter")
        keys.to("Begin", "Enter")
        keys.to("Message")
        page.keyboard.type("When is the last train? (rich)")
        keys.press("Enter")
        expect(page.get_by_role("table")).to_be_visible()
        keys.back_to("Reasoning", "Enter")
        expect(page.get_by_text("Two trains are left on Friday")).to_be_visible()
        keys.to("Message")
        page.keyboard.type("Please (write)")
        keys.press("Enter")
        keys.back_to("Approve")
        rest(page)
        keys.press("Enter")
        expect(page.get_by_text("That is that.")).to_be_visible()
        keys.kept()
        assert written(desk.place) == ["written"]
        keys.to("Message")
        page.keyboard.type("Take your time (slow)")
        keys.press("Enter")
        expect(page.get_by_text("one two three")).to_be_visible()
        keys.to("Stop", "Enter")
        expect(page.get_by_text("Stopped", exact=True)).to_be_visible()
        keys.kept()
        desk.service.release("gate")
        assert window.faults == []


def test_a_run_of_a_playbook_goes_by_keyboard_alone(desk: Desk) -> None:
    with desk.window() as window:
        keys = Keys(window.page)
        page = window.page
        keys.to("Playbooks", "Enter")
        keys.to("greet", "Enter")
        keys.to("Run …", "Enter")
        page.keyboard.type("Ada")
        keys.to("Start", "Enter")
        expect(page.get_by_text("Shall it greet Ada?")).to_be_visible()
        keys.kept()
        keys.to("yes do")
        rest(page)
        keys.press("Enter")
        expect(page.get_by_role("status").get_by_text("State of the run: done")).to_be_attached()
        keys.kept()
        runs = desk.call("workflow.runs")["runs"]
        assert [one["status"] for one in runs] == ["completed"]
        assert window.faults == []
