"""Agents in the console: what a new one may use, its files as they are changed, and what stands in the way of that."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from sulla.definitions.agent_file import read_agent
from tests.console.pages.opened import ROOM, Desk, needs_console
from tests.console.pages.test_views import fine
from tests.kits.in_turn import in_turn

pytestmark = [needs_console, in_turn(4)]
expect.set_options(timeout=ROOM)


def begin(page: Page, agent: str) -> Locator:
    """The form of a new agent, filled in but for its tools."""
    page.get_by_role("button", name="New agent").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Id", exact=True).fill(agent)
    dialog.get_by_label("What it is for").fill("Cooks")
    dialog.get_by_label("Who it is").fill("You cook.")
    return dialog


def made(desk: Desk, page: Page, agent: str) -> tuple[str, ...] | None:
    """The allow-list of an agent that is made now; None for all tools."""
    page.get_by_role("dialog").get_by_role("button", name="Make the agent").click()
    expect(page.get_by_role("heading", name=agent)).to_be_visible()
    text = desk.call("agent.get", agent=agent)
    assert text["warnings"] == []
    return read_agent(agent, text["files"]).tools


def test_a_new_agent_only_reads_unless_a_person_says_otherwise(desk: Desk) -> None:
    effects = {one["name"]: one["effect"] for one in desk.call("tool.list")["tools"]}
    with desk.window() as window:
        begin(window.go("agents"), "reader")
        expect(window.page.get_by_role("radio", name="Only reading ones")).to_be_checked()
        fine(window, "agent-new")
        tools = made(desk, window.page, "reader")
        assert tools is not None
        assert "read_file" in tools
        assert {effects[one] for one in tools} == {"pure"}


@pytest.mark.parametrize(("choice", "tools"), [("None", ()), ("All", None)])
def test_a_new_agent_gets_no_tools_or_all_where_a_person_says_so(
    desk: Desk, choice: str, tools: tuple[str, ...] | None
) -> None:
    agent = f"has-{choice.lower()}"
    with desk.window() as window:
        begin(window.go("agents"), agent).get_by_role("radio", name=choice).check()
        assert made(desk, window.page, agent) == tools


def test_tools_of_a_new_agent_are_ticked_by_what_they_are_for(desk: Desk) -> None:
    with desk.window(360, 740) as window:
        dialog = begin(window.go("agents"), "writer")
        dialog.get_by_role("radio", name="Only those that I tick").check()
        dialog.get_by_role("searchbox", name="Find").fill("write_file")
        dialog.get_by_role("checkbox", name="Write a text file of the workspace").check()
        fine(window, "agent-new-ticked")
        tools = made(desk, window.page, "writer")
        assert tools is not None
        assert {"read_file", "write_file"} <= set(tools)
        assert "bash" not in tools


def test_an_agent_is_made_edited_kept_from_a_conflict_and_removed(desk: Desk) -> None:
    with desk.window() as window:
        page = window.go("agents")
        page.get_by_role("button", name="New agent").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Id", exact=True).fill("cook")
        dialog.get_by_label("What it is for").fill("Cooks")
        dialog.get_by_label("Who it is").fill("You cook.")
        dialog.get_by_role("button", name="Make the agent").click()
        expect(page.get_by_role("heading", name="cook")).to_be_visible()
        page.get_by_role("button", name="soul.md").click()
        page.get_by_label("Text of soul.md").fill("You cook soup.\n")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_text("There are changes that are not saved.")).to_have_count(0)
        read = desk.call("agent.get", agent="cook")
        assert read["files"]["soul.md"] == "You cook soup.\n"
        fine(window, "agent")
        desk.call("agent.update", agent="cook", files={"agent.toml": 'description = "Bakes"\n'}, digest=read["digest"])
        page.get_by_label("Text of soul.md").fill("You cook stew.\n")
        page.get_by_role("button", name="Save", exact=True).click()
        dialog = page.get_by_role("dialog", name="Somebody has saved these files")
        expect(dialog.get_by_role("figure", name="What it says now, from line 1")).to_contain_text("You cook soup.")
        expect(dialog.get_by_role("figure", name="What you have written, from line 1")).to_contain_text(
            "You cook stew."
        )
        expect(
            dialog.get_by_text("Only they have changed these, and that stays in any case: agent.toml")
        ).to_be_visible()
        fine(window, "agent-conflict")
        dialog.get_by_role("button", name="Go on writing").click()
        expect(page.get_by_label("Text of soul.md")).to_have_value("You cook stew.\n")
        page.get_by_role("button", name="Compare").click()
        page.get_by_role("button", name="Put my changes on top of theirs").click()
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_text("There are changes that are not saved.")).to_have_count(0)
        files = desk.call("agent.get", agent="cook")["files"]
        assert (files["agent.toml"], files["soul.md"]) == ('description = "Bakes"\n', "You cook stew.\n")
        page.get_by_role("button", name="Remove the agent").click()
        page.get_by_role("dialog").get_by_role("button", name="Remove the agent").click()
        expect(page.get_by_text("The agent cook is removed.")).to_be_visible()
        assert "cook" not in [one["id"] for one in desk.call("agent.list")["agents"]]
        assert window.faults == []


def test_what_is_wrong_in_the_settings_is_marked_at_its_line(desk: Desk) -> None:
    text = 'description = """\nmax_turns = 1\n"""\n\nmax_turns = 0\n'
    desk.call("agent.create", agent="wrong", files={"agent.toml": "", "soul.md": "You err.\n"})
    with desk.window() as window:
        page = window.go("agents/wrong")
        area = page.get_by_label("Text of agent.toml")
        area.fill(text)
        page.get_by_role("button", name="Save", exact=True).click()
        page.get_by_role("button", name="Show line 5 of agent.toml").click()
        expect(area).to_be_focused()
        marked = page.wait_for_function("() => String(getSelection()) || null").json_value()
        assert marked == "max_turns = 0"
        fine(window, "agent-fault")
