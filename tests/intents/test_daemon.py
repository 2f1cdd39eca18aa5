"""A real daemon follows the phrases of an agent's file: to an agent, a tool, a playbook and a text."""

from __future__ import annotations

from pathlib import Path

from tests.daemon.running import Place, service
from tests.servers.script import Reply, Rule, Script, ToolUse
from tests.terminal.chat.conftest import SETTINGS
from tests.terminal.chat.screens import seat

FILE = """
[[intents]]
phrases = ["water the roses", "gieß die Rosen"]
to = "agent:gardener"
[[intents]]
phrase = "what lies here"
to = "tool:list_dir"
args = {path = "."}
[[intents]]
phrase = "plan my week"
to = "playbook:week"
[[intents]]
phrase = "opening hours"
text = "We are open from nine to five."
[[intents]]
phrase = "read it"
to = "tool:read_file"
"""
PLAYBOOK = "name: week\ndescription: Plans a week.\nsteps: [{id: say, respond: 'Mow on Monday.'}]\n"
RULES = (
    Rule(Reply("Sulla.<AGENT_DONE/>"), text="do not water the roses"),
    Rule(Reply("", tools=(ToolUse("choose", {"choice": "opening hours"}),)), text="Which of these intents"),
    Rule(Reply("A note lies here.<AGENT_DONE/>"), text="what lies here", results=1),
    Rule(Reply("Watered.<AGENT_DONE/>"), text="water the roses"),
    Rule(Reply("Read what?<AGENT_DONE/>"), text="read it"),
)


def test_each_phrase_leads_where_its_file_says(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for name, text in {"sulla": FILE, "gardener": 'name = "Gardener"\ndescription = "Waters."'}.items():
        (home / "agents" / name).mkdir(parents=True)
        (home / "agents" / name / "agent.toml").write_text(text)
    (home / "workflows").mkdir()
    (home / "workflows/week.yaml").write_text(PLAYBOOK)
    with service(Script(RULES)) as model:
        place = Place(home, **SETTINGS, **model.environ)
        with place.up() as daemon, seat(["chat"], place.environ) as at:
            at.until("you · sulla")
            at.type("Opening hours?\r")
            at.until("We are open from nine to five.", "you · sulla")
            at.type("do not water the roses\r")
            at.until("Sulla.", "you · sulla")
            at.type("what lies here?\r")
            at.until("list_dir", "A note lies here.", "you · sulla")
            at.type("read it\r")
            at.until("Read what?", "you · sulla")
            at.until_more("opening hours, and plan my week\r", "We are open from nine to five.")
            assert model.asked == 4
            at.type("plan my week\r")
            at.until("Playbook week runs", "Mow on Monday.")
            at.type("please water the roses\r")
            at.until("Watered.", "you · gardener")
            log = daemon.log.read_text()
    assert model.asked == 5
    assert "its intent 'read it' leads to the tool 'read_file'" in log
