"""Playbooks are written as YAML is written, and their graph changes the text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, expect

from tests.console.pages.opened import ROOM, Desk, Window, chromium, needs_console, watched
from tests.console.pages.talking import living_place, script
from tests.daemon.running import service
from tests.kits.in_turn import in_turn
from tests.soon import until

pytestmark = [needs_console, in_turn(3)]
expect.set_options(timeout=ROOM)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with service(script()) as model:
        place = living_place(tmp_path_factory.mktemp("editor"), model)
        with place.up() as daemon, chromium() as browser:
            yield Desk(place, daemon, model, browser)


@contextmanager
def let_in(desk: Desk, scope: str) -> Iterator[Window]:
    """A page whose session has one scope alone."""
    code, out, err = desk.place.run("token", "create", f"one-{scope}", "--scope", scope, "--json")
    assert code == 0, err
    context = desk.browser.new_context()
    context.set_default_timeout(ROOM)
    window = watched(context.new_page(), desk.daemon.url)
    window.page.goto(desk.daemon.url)
    window.page.get_by_label("Or paste a token").fill(json.loads(out)["token"])
    window.page.get_by_role("button", name="Come in").click()
    window.page.get_by_role("navigation").first.wait_for()
    try:
        yield window
    finally:
        context.close()


def test_who_may_only_read_tries_a_playbook_out_and_is_told_why_it_cannot_be_run(desk: Desk) -> None:
    with let_in(desk, "read") as window:
        page = window.go("playbooks/tour")
        expect(page.get_by_text("To run it needs the scope write, to change it admin.")).to_be_visible()
        expect(page.get_by_role("button", name="Run …")).to_have_count(0)
        page.get_by_role("button", name="Tests", exact=True).click()
        expect(page.get_by_text("the playbook 'tour' has no tests")).to_be_visible()
        page.get_by_role("button", name="Dry run", exact=True).click()
        page.get_by_role("dialog").get_by_role("button", name="Dry run").click()
        expect(page.get_by_role("button", name="begin · would be done")).to_be_visible()
        assert window.faults == []
        assert window.axe() == []


def text_of(page: Page) -> str:
    """What stands in the editor: its lines, without the ends that only look like text."""
    lines = page.get_by_role("textbox", name="Text of the playbook, YAML").locator(".cm-line").all_inner_texts()
    return "\n".join(line.rstrip("\n") for line in lines)


def begun(window: Window, name: str) -> Page:
    """A new playbook with an empty text, in which somebody writes."""
    page = window.go("playbooks/new")
    page.get_by_label("Name of the playbook").fill(name)
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("textbox", name="Text of the playbook, YAML").click()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    return page


def test_enter_goes_on_as_yaml_is_written_and_takes_no_offer_that_nobody_chose(desk: Desk) -> None:
    with desk.window() as window:
        page = begun(window, "typed")
        offers = page.get_by_role("listbox")
        for line in ("name: typed", "inputs:", "who:", "ty"):
            page.keyboard.type(line)
            if line == "ty":
                expect(offers).to_be_visible()
            else:
                page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        page.keyboard.press("Backspace")
        page.keyboard.press("Backspace")
        page.keyboard.type("steps:\n- id: x\npr")
        assert text_of(page) == "name: typed\ninputs:\n  who:\n    ty\nsteps:\n  - id: x\n    pr"
        expect(offers).to_be_visible()
        page.keyboard.press("ArrowDown")
        expect(offers.get_by_role("option", selected=True)).to_have_count(1)
        page.keyboard.press("Enter")
        assert text_of(page).endswith("    prompt: ")
        page.keyboard.type("Hi\n")
        expect(offers).to_have_count(0)
        page.keyboard.press("Control+Space")
        expect(offers).to_be_visible()
        page.keyboard.press("Tab")
        expect(offers).to_have_count(0)
        assert re.search(r"    prompt: Hi\n    \w+: $", text_of(page))
        assert window.faults == []


def test_of_a_long_graph_no_more_is_ever_drawn_than_is_seen(desk: Desk) -> None:
    steps = "".join(f"  - id: step_{number}\n    set: {{text: hello}}\n" for number in range(500))
    (desk.place.home / "workflows/long.yaml").write_text(f"name: long\nsteps:\n{steps}")
    with desk.window() as window:
        window.page.add_init_script(
            """window.most = 0;
            new MutationObserver(() => {
              window.most = Math.max(window.most, document.querySelectorAll(".react-flow__node").length);
            }).observe(document, { childList: true, subtree: true });"""
        )
        window.page.reload()
        page = window.go("playbooks/long")
        page.get_by_role("textbox", name="Text of the playbook, YAML").click()
        page.keyboard.press("Control+End")
        page.keyboard.press("ArrowUp")
        # The graph goes where the text is, and marks the step.
        expect(page.locator('.react-flow__node[data-id="step_499"] [class*="marked"]')).to_be_visible()
        page.keyboard.press("Control+End")
        page.keyboard.type("# a note")
        page.keyboard.press("Enter")
        expect(page.locator('.react-flow__node [class*="marked"]')).to_have_count(0)
        assert 0 < page.evaluate("() => window.most") < 100


_SEEN = """(id) => {
  const at = document.querySelector(`.react-flow__node[data-id="${id}"]`)?.getBoundingClientRect();
  const frame = document.querySelector(".react-flow")?.getBoundingClientRect();
  return at !== undefined && frame !== undefined && at.left >= frame.left && at.right <= frame.right
    && at.top >= frame.top && at.bottom <= frame.bottom;
}"""
"""Whether a step of a graph is seen whole."""


@pytest.mark.parametrize("width", [1280, 360])
def test_a_run_s_graph_follows_the_step_at_work_until_a_person_moves_it(desk: Desk, width: int) -> None:
    steps = "".join(f"  - id: step_{number}\n    set: {{text: hello}}\n" for number in range(40))
    first = "  - id: first\n    human: Begin?\n    choices: [begin, not now]\n"
    text = f"name: follows\nsteps:\n{first}{steps}  - id: last\n    human: End?\n"
    (desk.place.home / "workflows/follows.yaml").write_text(text)
    run = desk.call("workflow.start", playbook="follows", inputs={})["run"]

    def asked() -> list[str]:
        return [row["id"] for row in desk.call("approval.list")["questions"] if row["thread_id"] == run]

    with desk.window(width) as window:
        page = window.go(f"playbooks/follows/run/{run}")
        page.wait_for_function(_SEEN, arg="first")
        box = page.locator('.react-flow__node[data-id="first"]').bounding_box()
        frame = page.locator(".react-flow").bounding_box()
        assert box is not None
        assert frame is not None
        # It is in the middle and stands in no corner.
        assert abs(box["x"] + box["width"] / 2 - frame["x"] - frame["width"] / 2) < 40
        until(lambda: asked() != [], "the first question")
        desk.call("approval.answer", thread_id=run, id=asked()[0], verdict="result", text="begin")
        page.wait_for_function(_SEEN, arg="last")
        window.picture(f"run-follows-{width}")
        expect(page.get_by_role("button", name="Follow the step at work")).to_have_count(0)
        page.get_by_role("button", name="Show all of it").click()
        page.get_by_role("button", name="Zoom in").click()
        page.get_by_role("button", name="Follow the step at work").click()
        page.wait_for_function(_SEEN, arg="last")
        expect(page.get_by_role("button", name="Follow the step at work")).to_have_count(0)
        assert window.faults == []


def test_what_was_told_of_a_text_goes_when_that_is_undone(desk: Desk) -> None:
    with desk.window() as window:
        page = window.go("playbooks/tour")
        page.get_by_role("button", name="Add wait").click()
        told = page.get_by_text("The step wait is in the text.")
        expect(told).to_be_attached()
        page.get_by_role("textbox", name="Text of the playbook, YAML").click()
        page.keyboard.press("Control+Z")
        expect(told).to_have_count(0)
        assert "wait" not in text_of(page)


def test_a_step_that_is_added_opens_to_be_named(desk: Desk) -> None:
    with desk.window() as window:
        page = window.go("playbooks/tour")
        page.get_by_role("button", name="Add wait").click()
        field = page.get_by_role("region", name="Step", exact=True).get_by_label("Id", exact=True)
        expect(field).to_be_focused()
        page.keyboard.type("pause")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="pause wait")).to_be_focused()
        assert "  - id: pause\n    wait: 10s" in text_of(page)
        assert window.faults == []
        assert window.axe() == []


CHAIN = """\
name: chain
steps:
  # The first.
  - {id: one, wait: 1s}
  # The last.
  - id: two
    needs: [one]  # for its time
    wait: 1s
"""


def test_a_step_that_is_dropped_onto_an_arrow_stands_between_both_until_that_is_undone(desk: Desk) -> None:
    (desk.place.home / "workflows/chain.yaml").write_text(CHAIN)
    with desk.window() as window:
        page = window.go("playbooks/chain")
        page.get_by_role("button", name="Add set").hover()
        page.mouse.down()
        arrow = page.locator(".react-flow__edge-interaction").bounding_box()
        assert arrow is not None
        for side in (4, 0):
            page.mouse.move(arrow["x"] + arrow["width"] / 2 + side, arrow["y"] + arrow["height"] / 2)
        expect(page.locator(".react-flow__edge[data-aimed]")).to_have_count(1)
        page.mouse.up()
        expect(page.get_by_role("region", name="Step", exact=True).get_by_label("Id", exact=True)).to_be_focused()
        new = "  - id: set\n    needs: [one]\n    set:\n      value: 1\n"
        changed = CHAIN.replace("  # The last.", new + "  # The last.").replace("[one]  #", "[set]  #")
        assert text_of(page) == changed
        expect(page.locator(".react-flow__edge")).to_have_count(2)
        page.get_by_role("textbox", name="Text of the playbook, YAML").click()
        page.keyboard.press("Control+Z")
        assert text_of(page) == CHAIN
        assert window.faults == []


def test_a_wheel_or_a_finger_over_a_graph_scrolls_the_page_and_the_control_key_makes_it_larger(desk: Desk) -> None:
    (desk.place.home / "workflows/chain.yaml").write_text(CHAIN)
    size = "() => new DOMMatrix(getComputedStyle(document.querySelector('.react-flow__viewport')).transform).a"
    for width in (1280, 360):
        with desk.window(width, 500, has_touch=True) as window:
            page = window.go("playbooks/chain")
            pane, graph = page.locator(".react-flow__pane"), page.get_by_role("region", name="Graph of the steps")
            page.locator(".react-flow__node").first.wait_for()
            graph.scroll_into_view_if_needed()
            box, before = graph.bounding_box(), page.evaluate(size)
            assert box is not None
            x, y = box["x"] + 12, max(box["y"], 0) + 12
            page.mouse.move(x, y)
            page.mouse.wheel(0, 120)
            page.wait_for_function(
                "(y) => document.querySelector('.react-flow').getBoundingClientRect().y < y", arg=box["y"]
            )
            assert page.evaluate(size) == before
            page.keyboard.down("Control")
            page.mouse.wheel(0, -120)
            page.keyboard.up("Control")
            page.wait_for_function(f"(before) => ({size})() > before", arg=before)
            assert pane.evaluate("(pane) => getComputedStyle(pane).touchAction") == ("none" if width > 760 else "auto")
            assert window.faults == []
