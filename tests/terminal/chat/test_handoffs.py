"""A conversation that is handed to another agent, at a terminal with a screen and a real daemon."""

from __future__ import annotations

from pathlib import Path

from tests.daemon.running import Place, service
from tests.servers.script import Reply, Rule, Script, ToolUse
from tests.terminal.chat.conftest import SETTINGS
from tests.terminal.chat.screens import seat

RULES = (
    Rule(Reply("", tools=(ToolUse("transfer_to_cook", {"reason": "it is about food"}),)), text="soup", results=0),
    Rule(Reply("The cook is here.<AGENT_DONE/>"), text="has handed this conversation to you"),
    Rule(Reply("More from the cook.<AGENT_DONE/>"), text="more"),
    Rule(Reply("Sulla again.<AGENT_DONE/>"), text="@sulla"),
)


def test_whoever_has_the_conversation_is_told_and_stands_in_the_prompt(tmp_path: Path) -> None:
    agents = tmp_path / "home/agents"
    for name, text in {"sulla": 'hands_to = ["cook"]', "cook": 'name = "Cook"\ndescription = "Cooks."'}.items():
        (agents / name).mkdir(parents=True)
        (agents / name / "agent.toml").write_text(text)
    with service(Script(RULES)) as model:
        place = Place(tmp_path / "home", **SETTINGS, **model.environ)
        with place.up():
            with seat(["chat"], place.environ) as at:
                at.until("you · sulla")
                at.type("soup\r")
                text = at.until("[done:", "you · cook")
                at.type("more\r")
                at.until("More from the cook.", "you · cook")
            with seat(["chat", "--continue"], place.environ) as at:
                at.until("you · cook")
                at.type("@sulla thanks\r")
                at.until("Sulla again.", "you · sulla")
    assert "[cook has the conversation from here on]" in text
    assert "The cook is here." in text
