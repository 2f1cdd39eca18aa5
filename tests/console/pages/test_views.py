"""Each view with life in it: what is done there is so at the daemon, and nothing stops a screen reader."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.console.pages.opened import ROOM, Desk, Window, chromium, needs_console
from tests.console.pages.talking import living_place, rest, script, talk
from tests.daemon.running import service
from tests.kits.in_turn import in_turn
from tests.soon import until

pytestmark = [needs_console, in_turn(4)]
expect.set_options(timeout=ROOM)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with service(script()) as model:
        place = living_place(tmp_path_factory.mktemp("views"), model)
        with place.up() as daemon, chromium() as browser:
            yield Desk(place, daemon, model, browser)


def fine(window: Window, name: str) -> None:
    """Nothing is wrong with the view as it is now."""
    window.picture(f"{name}-1280-light")
    assert window.faults == []
    assert window.axe() == []


def write(page: Page, text: str) -> None:
    """Replace the text of a playbook; what the browser writes over other text it would give a style of its own."""
    page.get_by_role("textbox", name="Text of the playbook, YAML").click()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(text)


def test_a_playbook_is_mended_at_its_line_and_saved_and_a_conflict_loses_nothing(desk: Desk) -> None:
    file = desk.place.home / "workflows/tour.yaml"
    first = file.read_text()
    with desk.window() as window:
        page = window.go("playbooks")
        page.get_by_role("link", name="tour", exact=True).click()
        expect(page.get_by_text("No faults.")).to_be_visible()
        write(page, first.replace("set:", "sett:"))
        fault = page.get_by_role("list", name="Faults").get_by_role("button").first
        expect(fault).to_contain_text("line 4")
        fault.click()
        fine(window, "playbook-fault")
        mine = first.replace("Hello", "Good day")
        write(page, mine)
        expect(page.get_by_text("No faults.")).to_be_visible()
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_text("not saved", exact=True)).to_have_count(0)
        assert desk.call("workflow.get", playbook="tour")["text"] == mine == file.read_text()
        theirs = first.replace("Hello", "Greetings")
        file.write_text(theirs)
        write(page, first.replace("Hello", "Hi"))
        page.get_by_role("button", name="Save", exact=True).click()
        dialog = page.get_by_role("dialog", name="Somebody has changed this playbook")
        expect(dialog.get_by_text("Greetings")).to_be_visible()
        assert file.read_text() == theirs
        fine(window, "playbook-conflict")
        dialog.get_by_role("button", name="Save mine over it").click()
        expect(dialog).to_have_count(0)
        assert "Hi" in desk.call("workflow.get", playbook="tour")["text"]


def test_a_run_is_begun_with_inputs_asked_in_place_forked_and_cancelled(desk: Desk) -> None:
    with desk.window() as window:
        page = window.go("playbooks/greet")
        page.get_by_role("button", name="Run …").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("button", name="Start").click()
        expect(dialog.get_by_role("alert")).to_be_visible()
        dialog.get_by_role("textbox").fill("Ada")
        dialog.get_by_role("button", name="Start").click()
        expect(page.get_by_text("Shall it greet Ada?")).to_be_visible()
        fine(window, "run-asks")
        page.get_by_role("button", name="yes do").scroll_into_view_if_needed()
        rest(page)
        page.get_by_role("button", name="yes do").click()
        expect(page.get_by_role("status").get_by_text("State of the run: done")).to_be_attached()
        run = page.url.rpartition("/")[2]
        shown = desk.call("workflow.status", run=run)
        assert (shown["about"]["status"], shown["inputs"]) == ("completed", {"who": "Ada"})
        page.get_by_text("Steps as a list").click()
        page.get_by_role("list", name="Steps as a list").get_by_role("button", name="ask").click()
        fine(window, "run-step")
        page.get_by_role("button", name="Fork from this step").click()
        page.get_by_role("dialog").get_by_role("button", name="Fork", exact=True).click()
        expect(page.get_by_text("Forked from the run")).to_be_visible()
        other = page.url.rpartition("/")[2]
        expect(page.get_by_role("button", name="yes do")).to_be_visible()
        page.get_by_role("button", name="Cancel the run").click()
        page.get_by_role("dialog").get_by_role("textbox").fill("enough")
        page.get_by_role("dialog").get_by_role("button", name="Cancel the run").click()
        expect(page.get_by_role("status").get_by_text("State of the run: cancelled")).to_be_attached()
        about = desk.call("workflow.status", run=other)["about"]
        assert (about["status"], about.get("forked_from", run)) == ("cancelled", run)


def test_what_an_editor_writes_beside_the_page_is_in_the_lists_when_somebody_comes_back_to_it(desk: Desk) -> None:
    with desk.window() as window:
        for place, file, text, shown in (
            ("playbooks", "workflows/beside.yaml", "name: beside\nsteps:\n  - {id: one, wait: 1s}\n", "beside"),
            ("projects", "projects/shed/PROJECT.md", "# The shed\n\n- [ ] paint it\n", "The shed"),
        ):
            page = window.go(place)
            page.get_by_role("link", name={"playbooks": "tour", "projects": "garden"}[place]).first.wait_for()
            (desk.place.home / file).parent.mkdir(exist_ok=True)
            (desk.place.home / file).write_text(text)
            page.evaluate("() => dispatchEvent(new Event('focus'))")
            expect(page.get_by_role("link", name=shown, exact=True)).to_be_visible(timeout=8_000)


def test_what_works_is_shown_steered_and_stopped(desk: Desk) -> None:
    with desk.window() as window:
        page = window.go("live")
        thread_id = talk(desk, "Take your time (slow)", wait=False)
        row = page.locator(f"[data-thread='{thread_id}']")
        expect(row.get_by_text("writes")).to_be_visible()
        fine(window, "live-works")
        row.get_by_role("button", name="Steer").click()
        row.get_by_role("textbox").fill("And mind the gap")
        row.get_by_role("button", name="Send").click()
        expect(page.get_by_text("Sent. It is read before the next step of this turn.")).to_be_visible()
        row.get_by_role("button", name="Stop").click()
        expect(row.get_by_text("ended")).to_be_visible()
        events = desk.call("thread.history", thread_id=thread_id)["events"]
        assert [one["data"]["text"] for one in events if one["type"] == "INPUT"][-1] == "And mind the gap"
        assert [one["data"]["outcome"]["status"] for one in events if one["type"] == "RUN_FINISHED"] == ["cancelled"]
        desk.service.release("gate")
        assert window.faults == []


def test_a_paused_run_is_counted_alike_in_live_and_in_status(desk: Desk) -> None:
    run = desk.call("workflow.start", playbook="greet", inputs={"who": "Ada"})["run"]
    until(lambda: desk.call("workflow.status", run=run)["about"]["open"] != [], "the run's question")
    desk.call("workflow.pause", run=run)
    until(lambda: desk.call("workflow.status", run=run)["about"]["status"] == "paused", "the pause")
    with desk.window() as window:
        page = window.go("live")
        figures = page.locator("dl").first
        expect(figures).to_contain_text(re.compile("at work\\s*0"))
        expect(figures).to_contain_text(re.compile("paused runs\\s*1"))
        expect(figures).to_contain_text(re.compile("wait in line\\s*0"))
        fine(window, "live-paused")
    code, out, err = desk.place.run("status")
    assert (code, err) == (0, "")
    assert ("running: 0\n" in out, "queued: 0\n" in out, "paused runs: 1 (" in out) == (True, True, True)
    desk.call("workflow.cancel", run=run)


def test_a_schedule_is_added_with_its_next_times_edited_and_in_the_calendar(desk: Desk) -> None:
    with desk.window() as window:
        page = window.go("beats/schedules")
        page.get_by_role("button", name="Add a schedule").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Every", exact=True).fill("2h")
        expect(dialog.get_by_role("listitem")).to_have_count(5)
        dialog.get_by_label("Message", exact=True).fill("Make some tea")
        dialog.get_by_label("Name").fill("tea")
        fine(window, "schedule-form")
        dialog.get_by_role("button", name="Add a schedule").click()
        expect(dialog).to_have_count(0)
        added = desk.call("schedule.list")["schedules"]
        assert [(one["schedule"], "2" in one["explain"]) for one in added] == [("tea", True)]
        page.get_by_role("button", name="Edit").click()
        dialog.get_by_label("Every", exact=True).fill("3h")
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_have_count(0)
        expect(page.get_by_text("Make some tea")).to_be_visible()
        assert "3" in desk.call("schedule.list")["schedules"][0]["explain"]
        fine(window, "schedules")
        page.get_by_role("link", name="Calendar").click()
        expect(page.get_by_text("tea").first).to_be_visible()
        fine(window, "calendar")


def test_a_card_is_moved_in_its_file_and_a_file_that_has_changed_is_not_overwritten(desk: Desk) -> None:
    file = desk.place.home / "projects/garden/PROJECT.md"
    with desk.window() as window:
        page = window.go("projects/garden")
        page.get_by_role("button", name="Move to: Dig the beds").click()
        fine(window, "project-menu")
        page.get_by_role("menuitem", name="Completed").click()
        expect(page.get_by_role("region", name="Completed").get_by_text("Dig the beds")).to_be_visible()
        assert "- [x] Dig the beds" in file.read_text()
        changed = file.read_text().replace("Buy seeds", "Buy seeds and bulbs")
        file.write_text(changed)
        page.get_by_role("button", name="Move to: Buy seeds").click()
        page.get_by_role("menuitem", name="Completed").click()
        expect(page.get_by_text("The file was changed meanwhile.")).to_be_visible()
        expect(page.get_by_role("button", name="Move to: Buy seeds and bulbs")).to_be_visible()
        assert file.read_text() == changed
        fine(window, "project-conflict")


def test_a_note_is_there_after_a_turn_is_found_and_forgotten(desk: Desk) -> None:
    talk(desk, "My aunt Rosalind keeps bees in Kent")

    def notes() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = desk.call("memory.notes", agent="sulla")["notes"]
        return [one for one in found if "Rosalind" in one["text"] + one["asked"]]

    until(lambda: notes() != [], "a note of the turn")
    with desk.window() as window:
        page = window.go("memory")
        page.get_by_role("searchbox", name="Search its notes").fill("Rosalind bees")
        note = page.get_by_role("listitem").filter(has_text="Rosalind")
        expect(note).to_have_count(1)
        expect(page.get_by_text(re.compile("notes? found"))).to_be_visible()
        fine(window, "memory-found")
        note.get_by_role("button", name="Forget").click()
        page.get_by_role("button", name="Forget it, for good").click()
        expect(note).to_have_count(0)
        assert notes() == []
        fine(window, "memory-forgotten")


def test_a_search_opens_a_conversation_at_what_was_found(desk: Desk) -> None:
    thread_id = talk(desk, "Do okapis like rain?")
    for number in range(2, 12):
        desk.call("turn.send", thread_id=thread_id, message_id=f"m-{number}", text=f"Train {number}? (rich)")
    until(lambda: _ended(desk, thread_id) == 11, "the end of all turns")

    def found() -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = desk.call("thread.search", words="okapis")["found"]
        return [row for row in rows if row["seq"] > 0]

    until(lambda: found() != [], "what is remembered of the turn")
    with desk.window() as window:
        page = window.go("chat")
        page.get_by_role("searchbox", name="Search conversations").fill("okapis")
        page.get_by_role("link").filter(has_text="okapis").click()
        said = page.get_by_role("article").filter(has_text="Do okapis like rain?")
        expect(page.get_by_text("Found here")).to_be_in_viewport()
        expect(said).to_be_in_viewport()
        expect(page.get_by_text("Train 11?")).to_have_count(0)
        fine(window, "chat-found")
        page.get_by_role("button", name="To the newest").click()
        expect(page.get_by_text("Train 11?")).to_be_in_viewport()
        assert window.faults == []


def _ended(desk: Desk, thread_id: str) -> int:
    events = desk.call("thread.history", thread_id=thread_id, limit=500)["events"]
    return sum(one["type"] == "RUN_FINISHED" for one in events)


def test_what_a_day_has_used_is_shown(desk: Desk) -> None:
    talk(desk, "Hello")

    def days() -> list[dict[str, Any]]:
        return [one for one in desk.call("usage.days", days=7)["days"] if one["tokens_in"]]

    until(lambda: days() != [], "what the turn has used")
    with desk.window() as window:
        page = window.go("use")
        page.get_by_role("button", name="Show as a table").click()
        row = page.get_by_role("row").filter(has_text=days()[-1]["day"])
        expect(row.get_by_role("cell").first).to_have_text(re.compile(r"[1-9][\d,]*"))
        expect(page.get_by_role("rowheader", name="sulla")).to_be_visible()
        fine(window, "use-day")


def test_the_doctor_looks_the_log_is_searched_and_a_token_is_made_and_revoked(desk: Desk) -> None:
    with desk.window() as window:
        page = window.go("health")
        expect(page.get_by_text(re.compile("All is well|To look at: "))).to_be_visible(timeout=ROOM * 2)
        fine(window, "health-doctor")
        page.get_by_role("link", name="Log", exact=True).click()
        page.get_by_label("Words").fill("gateway")
        expect(page.get_by_role("group", name="Entries").or_(page.get_by_text("No entry fits")).first).to_be_visible()
        fine(window, "health-log")
        page.get_by_role("link", name="People and tokens").click()
        page.get_by_role("button", name="New token").click()
        page.get_by_label("Whom or what it is for").fill("phone")
        page.get_by_role("button", name="Make the token").click()
        secret = page.get_by_label("Token", exact=True).input_value()
        code, out, err = desk.place.run("status", "--json")
        assert code == 0, err
        assert secret not in out
        assert "phone" in [one["name"] for one in desk.call("token.list")["tokens"]]
        fine(window, "health-token")
        page.get_by_role("button", name="Done").click()
        page.get_by_role("button", name="Revoke phone").click()
        page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
        expect(page.get_by_text("The token phone opens nothing any more.")).to_be_visible()
        assert "phone" not in [one["name"] for one in desk.call("token.list")["tokens"]]
        fine(window, "health-access")


SPEECH = """
  window.spoken = []; window.silenced = 0; window.ears = [];
  window.SpeechRecognition = class {
    start() { window.ears.push(this); }
    stop() { setTimeout(() => this.onend?.()); }
    abort() { setTimeout(() => this.onend?.()); }
  };
  Object.defineProperty(window, "speechSynthesis", { value: {
    speak(utterance) { window.spoken.push(utterance.text); },
    cancel() { window.silenced += 1; },
  } });
  window.hear = (transcript, isFinal) =>
    window.ears.at(-1).onresult({ results: [Object.assign([{ transcript }], { isFinal })] });
"""


def test_words_become_a_turn_its_answer_is_spoken_and_stops_when_somebody_speaks(desk: Desk) -> None:
    with desk.window() as window:
        page = window.page
        page.add_init_script(SPEECH)
        page.reload()
        window.go("voice")
        page.get_by_role("button", name="New conversation").click()
        page.get_by_role("button", name="Hold to talk").press("Enter")
        page.wait_for_function("() => window.ears.length === 1")
        page.evaluate("() => window.hear('When is the last', false)")
        expect(page.get_by_role("group", name="What is heard")).to_contain_text("When is the last")
        fine(window, "voice-hearing")
        page.evaluate("() => window.hear('When is the last train (rich)', true)")
        page.get_by_role("button", name="Listening").press("Enter")
        page.wait_for_function("() => window.spoken.length === 1")
        assert page.evaluate("() => window.spoken[0]").startswith("Rome by train")
        events = desk.call("thread.history", thread_id=page.url.rpartition("/")[2])["events"]
        said = [one["data"] for one in events if one["type"] == "INPUT"]
        assert [one["text"] for one in said] == ["When is the last train (rich)"]
        page.get_by_role("button", name="Hold to talk").press("Enter")
        page.wait_for_function("() => window.ears.length === 2")
        page.evaluate("() => window.hear('Thank you very much, that is enough', false)")
        page.wait_for_function("() => window.silenced > 0")
        page.get_by_role("button", name="Listening").press("Enter")
        expect(page.get_by_role("table").get_by_text("you ended it").first).to_be_visible()
        fine(window, "voice-trace")


def test_the_theme_is_kept_and_who_signs_out_is_out(desk: Desk) -> None:
    with desk.window() as window:
        page = window.go("settings")
        session = page.get_by_role("definition").first.inner_text()
        page.get_by_label("Dark").check()
        page.reload()
        expect(page.get_by_label("Dark")).to_be_checked()
        assert page.evaluate("() => getComputedStyle(document.documentElement).colorScheme") == "dark"
        fine(window, "settings-dark")
        before = [one["name"] for one in desk.call("token.list")["tokens"]]
        page.get_by_role("button", name="Sign out").click()
        page.get_by_role("heading", name="Way in").wait_for()
        after = [one["name"] for one in desk.call("token.list")["tokens"]]
        assert len(set(before) - set(after)) == 1, session
        page.reload()
        page.get_by_role("heading", name="Way in").wait_for()
        assert window.faults == []
