"""Conversations in a real browser: what is written, said, done, asked and answered, by keyboard and on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.console.pages.opened import ROOM, Desk, chromium, needs_console
from tests.console.pages.talking import begin, rest, say, script, talking_place
from tests.daemon.running import service
from tests.kits.in_turn import in_turn

pytestmark = [needs_console, in_turn(4)]
expect.set_options(timeout=ROOM)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with service(script()) as model:
        place = talking_place(tmp_path_factory.mktemp("chat"), model)
        with place.up() as daemon, chromium() as browser:
            yield Desk(place, daemon, model, browser)


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_a_conversation_shows_what_was_said_done_and_thought(desk: Desk, width: int, scheme: str) -> None:
    with desk.window(width, color_scheme=scheme) as window:
        page = begin(window)
        say(page, "When is the last train? (rich)")
        expect(page.get_by_role("table")).to_be_visible()
        expect(page.get_by_role("link", name="the timetable")).to_contain_text("(timetable.example)")
        expect(page.get_by_role("button", name="Reasoning")).to_have_attribute("aria-expanded", "false")
        expect(page.get_by_text("Done", exact=True).first).to_be_visible()
        window.picture(f"chat-rich-{width}-{scheme}")
        say(page, "And here? (look)")
        expect(page.get_by_text("It is empty.")).to_be_visible()
        card = page.get_by_role("button", name="list_dir")
        card.press("Enter")
        expect(page.get_by_text("Arguments")).to_be_visible()
        say(page, "Ask somebody (send)")
        expect(page.get_by_text("The kitchen is empty.")).to_be_visible()
        child = page.get_by_role("button", name="works on this")
        child.press("Enter")
        expect(page.get_by_text("into the kitchen").first).to_be_visible()
        window.picture(f"chat-tools-{width}-{scheme}")
        assert window.axe() == []
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
        assert window.faults == []


@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (360, "light")])
def test_a_question_is_answered_in_place_and_the_focus_stays_there(desk: Desk, width: int, scheme: str) -> None:
    with desk.window(width, color_scheme=scheme) as window:
        page = begin(window)
        say(page, "Please (write)")
        yes = page.get_by_role("button", name="Approve")
        expect(yes).to_be_visible()
        window.picture(f"chat-question-{width}-{scheme}")
        assert window.axe() == []
        yes.focus()
        rest(page)
        yes.press("Enter")
        expect(page.get_by_text("That is that.")).to_be_visible()
        expect(page.get_by_text(re.compile("^Approved( by|,)"))).to_be_visible()
        assert page.evaluate("() => document.activeElement?.tagName") == "ARTICLE"
        assert window.faults == []


def test_code_is_copied_by_the_keyboard_or_the_page_says_why_not(desk: Desk) -> None:
    with desk.window(permissions=["clipboard-read", "clipboard-write"]) as window:
        page = begin(window)
        say(page, "When is the last train? (rich)")
        page.get_by_role("button", name="Copy code").press("Enter")
        expect(page.get_by_role("button", name="Copied")).to_be_focused()
        copied = page.evaluate("() => navigator.clipboard.readText()")
        assert copied == 'def leave(at: str) -> str:\n    return f"go at {at}"'
        page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('Denied.')) }")
        page.get_by_role("button", name="Copy code").press("Enter")
        expect(page.get_by_text("Not copied: Denied.")).to_be_visible()
        assert window.axe() == []
        assert window.faults == []


def test_a_turn_is_stopped_and_what_waits_goes_on(desk: Desk) -> None:
    with desk.window() as window:
        page = begin(window)
        say(page, "Take your time (slow)")
        expect(page.get_by_text("one two three")).to_be_visible()
        page.wait_for_timeout(500)  # messages may not come faster than people write
        say(page, "And then?")
        expect(page.get_by_text("waits for its turn")).to_be_visible()
        window.picture("chat-running-1280-light")
        page.get_by_role("button", name="Stop", exact=True).press("Enter")
        expect(page.get_by_text("1 held by a stop")).to_be_visible()
        page.get_by_role("button", name="Let them go on").press("Enter")
        expect(page.get_by_text("Yes.", exact=True)).to_be_visible()
        desk.service.release("gate")
        assert window.faults == []


def test_a_conversation_is_renamed_found_exported_forked_and_deleted(desk: Desk) -> None:
    with desk.window() as window:
        page = begin(window)
        say(page, "When is the last train? (rich)")
        expect(page.get_by_role("table")).to_be_visible()
        first = page.url
        page.get_by_role("button", name="Actions").press("Enter")
        page.get_by_role("button", name="Rename").press("Enter")
        page.get_by_role("dialog").get_by_role("textbox").fill("Trip to Rome")
        page.get_by_role("dialog").get_by_role("textbox").press("Enter")
        expect(page.get_by_role("heading", name="Trip to Rome")).to_be_visible()
        with page.expect_download() as downloaded:
            page.get_by_role("button", name="Export as Markdown").press("Enter")
        assert downloaded.value.suggested_filename == "Trip-to-Rome.md"
        assert "19:04" in downloaded.value.path().read_text()
        page.get_by_role("button", name="Edit and resend").press("Enter")
        expect(page.get_by_role("textbox", name="Message")).to_have_value("When is the last train? (rich)")
        expect(page.get_by_text("However you edit it")).to_have_count(0)  # they are the person's own words
        expect(page.get_by_text("Until then nothing is made.")).to_be_visible()
        assert page.url == first
        assert [one for one in desk.call("thread.list")["threads"] if one["copy_of"] == first.rpartition("/")[2]] == []
        page.reload()
        expect(page.get_by_role("textbox", name="Message")).to_have_value("When is the last train? (rich)")
        page.get_by_role("button", name="Send", exact=True).press("Enter")
        expect(page.get_by_text("A copy of another conversation")).to_be_visible()
        expect(page.get_by_role("table")).to_be_visible()
        assert page.url != first
        listed = page.get_by_role("list", name="Conversations").get_by_text(f"copy of {first.rpartition('/')[2]} from")
        expect(listed).to_be_visible()
        page.get_by_role("searchbox").fill("Rome")
        expect(page.get_by_role("list", name="Conversations").get_by_text("Trip to Rome")).to_be_visible()
        page.get_by_role("searchbox").fill("trains")
        found = page.get_by_role("list", name="Conversations").locator("mark")
        expect(found.first).to_have_text(re.compile("^trains?$", re.IGNORECASE))
        window.picture("chat-search-1280-light")
        page.goto(first)
        page.get_by_role("button", name="Actions").press("Enter")
        page.get_by_role("button", name="Delete").press("Enter")
        page.get_by_role("dialog").get_by_role("button", name="Delete").press("Enter")
        expect(page.get_by_text("Choose a conversation")).to_be_visible()
        assert window.faults == []


def test_a_copy_says_that_a_turn_at_work_was_not_copied_and_says_its_message_again_once(desk: Desk) -> None:
    with desk.window() as window:
        page = begin(window)
        say(page, "Tell me (held)")
        expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
        say(page, "And then?")
        expect(page.get_by_text("waits for its turn")).to_be_visible()
        page.get_by_role("button", name="Fork before this").last.click()
        expect(page.get_by_text("A copy of another conversation")).to_be_visible()
        expect(page.get_by_text("was not copied: it has no answer here")).to_be_visible()
        assert window.axe() == []
        window.picture("chat-not-copied")
        page.get_by_role("button", name="Send again").click()
        expect(page.get_by_role("button", name="Send again")).to_have_count(0)
        desk.service.release("second gate")
        expect(page.get_by_text("Done", exact=True)).to_be_visible()
        copy = page.url.rpartition("/")[2]
        events = desk.call("thread.history", thread_id=copy, limit=500)["events"]
        said = [one["data"] for one in events if one["type"] == "INPUT"]
        assert [one["text"] for one in said] == ["Tell me (held)"] * 2
        assert said[1]["message_id"].startswith("con-again-")
        assert window.faults == []


def test_what_a_model_said_stays_a_model_s_when_it_is_edited_and_sent_again(desk: Desk) -> None:
    told = {"text": "When is the last train? (rich)", "from_model": True, "quoted": "a timetable"}
    thread_id = desk.call("thread.create", request_id="laundry")["thread_id"]
    desk.call("turn.send", thread_id=thread_id, message_id="laundry-1", **told)
    with desk.window() as window:
        page = window.go(f"chat/{thread_id}")
        page.get_by_role("button", name="Edit and resend").press("Enter")
        expect(page.get_by_text("However you edit it, it counts as from outside.")).to_be_visible()
        expect(page.get_by_text("Passed on with it again")).to_contain_text("a timetable")
        field = page.get_by_role("textbox", name="Message")
        field.press("Control+a")
        field.press("Delete")
        field.press("Control+z")
        expect(field).to_have_value("When is the last train? (rich)")
        expect(page.get_by_text("However you edit it, it counts as from outside.")).to_be_visible()
        window.picture("chat-again-1280-light")
        page.get_by_role("button", name="Leave it").press("Enter")
        expect(field).to_have_value("")
        expect(page.get_by_text("However you edit it")).to_have_count(0)
        page.get_by_role("button", name="Edit and resend").press("Enter")
        field.fill("When is the first train? (rich)")
        page.get_by_role("button", name="Send", exact=True).press("Enter")
        expect(page.get_by_text("A copy of another conversation")).to_be_visible()
        copy = page.url.rpartition("/")[2]
        assert copy != thread_id
        expect(page.get_by_role("table")).to_be_visible()
        events = desk.call("thread.history", thread_id=copy)["events"]
        (said,) = (event["data"] for event in events if event["type"] == "INPUT")
        assert (said["text"][:17], said["tainted"], said["quoted"]) == ("When is the first", True, "a timetable")
        assert window.faults == []


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "light")])
def test_a_turn_is_replayed_by_its_scrubber(desk: Desk, width: int, scheme: str) -> None:
    with desk.window(width, color_scheme=scheme) as window:
        page = begin(window)
        say(page, "And here? (look)")
        expect(page.get_by_text("It is empty.")).to_be_visible()
        page.get_by_role("link", name="Timeline").last.press("Enter")
        scrubber = page.get_by_role("slider")
        expect(page.get_by_role("region", name="As it was then").get_by_text("It is empty.")).to_be_visible()
        scrubber.focus()
        page.keyboard.press("Home")
        replay = page.get_by_role("region", name="As it was then")
        expect(replay.get_by_text("And here?")).to_be_visible()
        assert replay.get_by_text("It is empty.").count() == 0
        page.keyboard.press("ArrowRight")
        page.keyboard.press("End")
        expect(replay.get_by_text("It is empty.")).to_be_visible()
        window.picture(f"chat-timeline-{width}-{scheme}")
        assert window.axe() == []
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
        assert window.faults == []


def test_a_draft_is_kept_for_its_conversation(desk: Desk) -> None:
    with desk.window() as window:
        page = begin(window)
        page.get_by_role("textbox", name="Message").fill("half a thought")
        page.reload()
        expect(page.get_by_role("textbox", name="Message")).to_have_value("half a thought")
        page.get_by_role("textbox", name="Message").press("Shift+Enter")
        expect(page.get_by_role("textbox", name="Message")).to_have_value(re.compile("\n"))


def test_a_turn_that_failed_says_what_to_do(desk: Desk) -> None:
    with desk.window() as window:
        page = begin(window)
        say(page, "Now (fail)")
        expect(page.get_by_text("What to do:")).to_be_visible()
        expect(page.get_by_text("this key is not known")).to_be_visible()
        window.picture("chat-failed-1280-light")
        assert window.axe() == []
        assert window.faults == []
