"""A conversation that is handed to another agent, at a terminal with a screen and a real daemon."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.running import Place, service
from tests.servers.script import Reply, Rule, Script, ToolUse
from tests.terminal.chat.conftest import SETTINGS
from tests.terminal.chat.screens import seat

RULES = (
    Rule(Reply("", tools=(ToolUse("transfer_to_cook", {"reason": "it is about food"}),)), text="soup", results=0),
    Rule(Reply("The cook is here.<AGENT_DONE/>"), text="has handed this conversation to you"),
    Rule(Reply("More from the cook.<AGENT_DONE/>"), text="more"),
    Rule(Reply("Sulla again.<AGENT_DONE/>"), text="@sulla"),
    Rule(Reply("Whoever has it.<AGENT_DONE/>")),
)
AGENTS = {
    "sulla": 'hands_to = ["cook"]\nintents = [{phrase = "plan my week", to = "playbook:week"}]',
    "cook": 'name = "Köchin"\ndescription = "Cooks."',
    "tech": 'name = "Tech"',
}
PLAYBOOK = """name: week
on: [manual]
steps:
  - id: ask
    human: Shall I plan five days?
  - id: say
    respond: Your week has five days.
"""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    agents = tmp_path / "home/agents"
    for name, text in AGENTS.items():
        (agents / name).mkdir(parents=True)
        (agents / name / "agent.toml").write_text(text)
    (tmp_path / "home/workflows").mkdir()
    (tmp_path / "home/workflows/week.yaml").write_text(PLAYBOOK)
    with service(Script(RULES)) as model:
        place = Place(tmp_path / "home", **SETTINGS, **model.environ)
        with place.up():
            yield place


def test_whoever_has_the_conversation_is_told_and_stands_in_the_prompt(place: Place) -> None:
    with seat(["chat"], place.environ) as at:
        at.until("you · sulla")
        at.type("soup\r")
        text = at.until("[done:", "you · cook")
        at.type("more\r")
        at.until("More from the cook.", "you · cook")
    with seat(["chat", "--continue"], place.environ) as at:
        shown = at.until("you · cook")
        at.type("@sulla thanks\r")
        at.until("Sulla again.", "you · sulla")
    assert "[sulla hands over: cook has the conversation from here on]" in text
    assert "The cook is here." in text
    assert "cook>" in shown, "history says who spoke"


def test_an_agent_that_is_chosen_has_the_conversation_and_the_prompt_says_who_answers(place: Place) -> None:
    with seat(["chat"], place.environ) as at:
        at.until("you · sulla")
        at.type("soup\r")
        at.until("[done:", "you · cook")
        at.type("/agent sulla\r")
        at.until("your next", "[sulla answers from now on", "you · sulla")
        at.type("thanks\r")
        at.until("Sulla again.", "[named in the message: sulla has", "you · sulla")
        at.type("@köchin, hello\r")
        at.until("Whoever has it.", "you · cook")


def test_one_that_cannot_have_it_answers_alone_until_another_is_named(place: Place) -> None:
    with seat(["chat"], place.environ) as at:
        at.until("you · sulla")
        at.type("soup\r")
        at.until("[done:", "you · cook")
        at.type("@tech hello\r")
        at.until("[@tech is text here", "Whoever has it.", "you · cook")
        at.type("/agent tech\r")
        at.until("[tech answers from now on", "/agent cook", "you · tech")
        at.type("/agent\r")
        at.until("* tech", "Köchin", "@sulla gives")
        at.type("@sulla back\r")
        at.until("Sulla again.", "you · sulla")


def test_a_playbook_that_a_phrase_begins_asks_in_the_chat_and_takes_the_answer(place: Place) -> None:
    with seat(["chat"], place.environ) as at:
        at.until("you · sulla")
        at.type("plan my week\r")
        at.until("a question of the playbook week", "Shall I plan five days?", "give up>")
        at.type("y\r")
        at.until("[playbook week completed]")


def test_ask_and_a_script_say_who_answers_where_that_is_another(place: Place) -> None:
    code, said, beside = place.ask("soup")
    assert (code, said) == (0, "The cook is here.\n")
    assert "[sulla hands over: cook has the conversation from here on]" in beside
    code, said, beside = place.ask("--last", "more")
    assert (code, said) == (0, "More from the cook.\n")
    assert "[cook has this conversation and answers; @sulla as a message begins gives it to sulla]" in beside
    code, said, beside = place.run("chat", "--last", given=b"more\n")
    assert (code, said) == (0, "More from the cook.\n")
    assert "[cook has this conversation and answers" in beside
    code, said, beside = place.ask("--last", "--agent", "sulla", "thanks")
    assert (code, said) == (0, "Sulla again.\n")
    assert "[named in the message: sulla has the conversation from here on]" in beside
