"""Seed 000 from its first step to its last, against a real daemon: whom a message reaches, what each agent is told and
has, and what clients see of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copytree
from typing import Any

import httpx2
from openai import OpenAI

from sulla.terminal.place import door
from tests.daemon.running import Place, service
from tests.servers.script import Reply, Rule, Script, ToolUse

AGENTS = {
    "abi": 'name = "Abi"\nhands_to = ["analytics", "reports"]\n',
    "analytics": 'name = "Analytics"\ndescription = "Counts things."\nhands_to = ["reports"]\ntools = []\n',
    "reports": 'name = "Reports"\ndescription = "Writes reports."\ntools = []\n',
}


def uses(name: str, **args: Any) -> Reply:
    return Reply("", tools=(ToolUse(name, args),))


SCRIPT = Script(
    [
        Rule(uses("transfer_to_analytics", reason="it is about numbers"), text="how many", results=0),
        Rule(Reply("Seven. <AGENT_DONE/>"), text="Abi has handed this conversation to you"),
        Rule(uses("transfer_to_reports", reason="write it down"), text="and in words", results=0),
        Rule(Reply("A report of seven. <AGENT_DONE/>"), text="Analytics has handed this conversation to you"),
        Rule(uses("request_help", reason="this is not about reports"), text="what is the weather", results=0),
        Rule(Reply("Analytics again. <AGENT_DONE/>"), text="Reports asks for your help"),
        Rule(Reply("More numbers. <AGENT_DONE/>"), text="more"),
        Rule(Reply("Abi here. <AGENT_DONE/>"), text="@abi"),
        Rule(Reply("Abi still. <AGENT_DONE/>"), text="thanks"),
        Rule(Reply("A report. <AGENT_DONE/>"), text="@reports"),
    ]
)


class Client:
    """Somebody who talks with Abi over seed 000's own endpoint, in one conversation."""

    def __init__(self, http: httpx2.Client) -> None:
        self._http = http
        self._thread = "conversation-1"

    def says(self, prompt: str) -> list[tuple[str, str]]:
        """The events of the answer."""
        answer = self._http.post("/agents/abi/stream-completion", json={"prompt": prompt, "thread_id": self._thread})
        assert answer.status_code == 200, answer.text
        blocks = [
            dict(line.split(": ", 1) for line in block.splitlines() if line.startswith(("event: ", "data: ")))
            for block in answer.text.split("\n\n")
            if block
        ]
        return [(block["event"], block["data"]) for block in blocks if "event" in block]

    @classmethod
    @contextmanager
    def of(cls, place: Place) -> Iterator[Client]:
        """One of a running daemon."""
        where = door(place.home)
        headers = {"Authorization": f"Bearer {where.token}"}
        with httpx2.Client(base_url=where.url, headers=headers, timeout=60, trust_env=False) as http:
            yield cls(http)

    def hears(self, prompt: str) -> tuple[list[str], str]:
        """Who speaks, one after the other, and what is said in the end."""
        events = self.says(prompt)
        return [data for name, data in events if name == "agent_routing"], [d for n, d in events if n == "message"][-1]


def test_a_conversation_is_walked_as_the_seed_says(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for name, text in AGENTS.items():
        (home / "agents" / name).mkdir(parents=True)
        (home / "agents" / name / "agent.toml").write_text(text)
        (home / "agents" / name / "soul.md").write_text(f"You are the soul of {name}.")
    with service(SCRIPT) as model:
        # Without memory: the rules above go by the words of the newest message, which would hold what is remembered.
        place = Place(home, SULLA_LIMITS__MESSAGE_INTERVAL_MS="0", SULLA_MEMORY__ENABLED="false", **model.environ)
        with place.up(), Client.of(place) as client:
            # A tool call hands over in the same turn, and no model call is spent on it.
            assert client.hears("how many are there?") == (["abi", "analytics"], "Seven.")
            assert model.asked == 2
            first, second = model.requests
            assert {"transfer_to_analytics", "transfer_to_reports"} <= _tools(first)
            assert "request_help" not in _tools(first)
            # The one that has it is told for whom it works, before its own prompt; everybody has the defaults.
            told = _system(second)
            block, own = told.index("SUPERVISOR SYSTEM PROMPT"), told.index("You are the soul of analytics.")
            assert block < told.index("SUBAGENT SYSTEM PROMPT") < own
            assert "You work for Abi here" in told
            assert _tools(second) == {
                *("get_time_date", "list_tools_available", "list_subagents_available", "list_intents_available"),
                *("request_help", "get_current_active_agent", "get_supervisor_agent", "transfer_to_reports"),
            }
            # It is sticky, and goes on deeper.
            assert client.hears("and in words?") == (["analytics", "reports"], "A report of seven.")
        with place.up(), Client.of(place) as client:
            # A restart changes nothing of who has it; help goes one up.
            assert client.hears("what is the weather?") == (["reports", "analytics"], "Analytics again.")
            help_ = model.requests[-1]["messages"]
            assert any("this is not about reports" in json.dumps(message) for message in help_)
            assert client.hears("more") == (["analytics"], "More numbers.")
            # A name at the beginning of a message chooses, and is sticky too.
            assert client.hears("@abi are you there?") == (["abi"], "Abi here.")
            assert client.hears("thanks") == (["abi"], "Abi still.")
            # A client of OpenAI's API sees who speaks as the model; what it asks for is where its conversation begins.
            where = door(home)
            with OpenAI(base_url=f"{where.url}/v1", api_key=where.token) as openai:
                answer = openai.chat.completions.create(
                    model="abi", messages=[{"role": "user", "content": "how many are there?"}]
                )
            assert (answer.model, answer.choices[0].message.content) == ("analytics", "Seven.")
            thread = next(row["thread_id"] for row in _rows(place) if row["title"].startswith("how many"))
        # Who has it goes along into another home.
        assert place.run("thread", "export", thread, "--out", str(tmp_path / "thread.jsonl"))[0] == 0
        other = Place(tmp_path / "other", **model.environ)
        copytree(home / "agents", other.home / "agents")
        assert other.run("thread", "import", str(tmp_path / "thread.jsonl"))[0] == 0
        with other.up():
            assert other.ask("--thread", thread, "more")[1] == "More numbers.\n"
        assert "You work for Abi here" in _system(model.requests[-1])


def _rows(place: Place) -> list[dict[str, Any]]:
    return [json.loads(line) for line in place.run("thread", "list", "--json")[1].splitlines()]


def _tools(request: dict[str, Any]) -> set[str]:
    return {tool["function"]["name"] for tool in request.get("tools", [])}


def _system(request: dict[str, Any]) -> str:
    return "\n".join(message["content"] for message in request["messages"] if message["role"] == "system")
