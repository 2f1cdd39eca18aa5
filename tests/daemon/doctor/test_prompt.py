"""What a model is told before any conversation, as people are shown it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sulla.core.errors import NotFound
from sulla.core.ids import CallId
from sulla.core.jsontypes import JsonObject
from sulla.core.message import ToolCall
from sulla.daemon.core import offline_core
from sulla.daemon.doctor.prompt import Known, prompt_of
from sulla.daemon.settings.config import Settings, load_settings
from sulla.testing.clock import ManualClock
from sulla.tools.web.browse import FIRST_TOKENS


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings({}, {}, tmp_path)


def many(names: tuple[str, ...]) -> Known:
    """A daemon with so many tools."""
    schema: JsonObject = {"type": "object", "properties": {"what": {"type": "string", "description": "w " * 50}}}
    rows: list[JsonObject] = [
        {"name": name, "description": f"Does {name}.", "category": "mcp", "effect": "once", "parameters": schema}
        for name in names
    ]
    return Known(rows, [{"id": "sulla", "tools": ["read_file"]}])


def test_every_kind_of_tool_that_a_home_has_is_among_them(settings: Settings) -> None:
    prompt = prompt_of(settings, ManualClock())
    names = {tool.name for tool in prompt.tools}
    assert {"read_file", "bash", "web_fetch", "recall", "list_projects", "notify_user", "load_skill"} <= names
    assert prompt.others == ()
    assert not (settings.home / "sulla.memory.db").exists(), "looking makes nothing"


def test_memory_that_is_switched_off_offers_nothing(tmp_path: Path) -> None:
    settings = load_settings({"SULLA_MEMORY__ENABLED": "false"}, {}, tmp_path)
    assert offline_core(settings, ManualClock()).host.tools.all()["recall"].missing


def test_of_very_many_tools_the_first_ones_are_told_and_the_rest_is_named(settings: Settings) -> None:
    names = tuple(f"mcp__big__tool_{number:03}" for number in range(200))
    prompt = prompt_of(settings, ManualClock(), "", many(("read_file", *names)))
    assert [tool.name for tool in prompt.tools] == ["browse_tools", "read_file"]
    assert prompt.others == names
    assert prompt.tool_tokens <= FIRST_TOKENS


def test_what_a_conversation_has_found_or_called_is_told_in_it(settings: Settings) -> None:
    known = many(("read_file", *(f"mcp__big__tool_{number:03}" for number in range(200))))
    calls = [
        ToolCall(CallId("1"), "browse_tools", {"query": "tool 007"}),
        ToolCall(CallId("2"), "mcp__big__tool_150", {}),
    ]
    told = [tool.name for tool in prompt_of(settings, ManualClock(), "", known, calls).tools]
    assert "mcp__big__tool_007" in told
    assert told[-1] == "mcp__big__tool_150"


def test_a_tool_that_the_agent_may_not_use_is_not_among_them(settings: Settings) -> None:
    folder = settings.home / "agents" / "sulla"
    folder.mkdir(parents=True)
    (folder / "agent.toml").write_text('tools = ["read_file", "mcp__big__a"]')
    prompt = prompt_of(settings, ManualClock(), "", many(("read_file", "write_file", "mcp__big__a", "mcp__big__b")))
    assert [tool.name for tool in prompt.tools] == ["mcp__big__a", "read_file"]


def test_an_agent_that_the_daemon_has_not_read_yet_is_told_so(settings: Settings) -> None:
    folder = settings.home / "agents" / "new"
    folder.mkdir(parents=True)
    (folder / "soul.md").write_text("You are new.")
    with pytest.raises(NotFound, match="does not know the agent 'new' yet: it reads agents when it starts"):
        prompt_of(settings, ManualClock(), "new", many(()))


def test_playbooks_that_messages_are_for_are_told_as_a_daemon_would(settings: Settings) -> None:
    before = [section.name for section in prompt_of(settings, ManualClock()).sections]
    folder = settings.home / "workflows"
    folder.mkdir()
    (folder / "triage.yaml").write_text("name: triage\non: {chat: a new lead}\nsteps: [{id: s, respond: hi}]\n")
    *others, told = prompt_of(settings, ManualClock()).sections
    assert [section.name for section in others] == before
    assert (told.name, told.text.splitlines()[-1]) == (
        "playbooks",
        "- triage: no description. For messages about: a new lead.",
    )
