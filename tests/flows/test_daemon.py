"""Flows against a real daemon: over REST, the command line and OpenAI's API, over a restart, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx2
from openai import OpenAI

from sulla.terminal.place import door
from tests.daemon.running import Place, service
from tests.servers.script import Reply, Rule, Script, ToolUse

FLOW = """
name: reviewed
root:
  type: sequence
  steps:
    - {type: parallel, branches: [checker, memory_recall]}
    - {type: loop, condition: task_not_completed, body: {type: sequence, steps: [task_executor, task_completion_judge]}}
    - task_summary
"""


def part(key: str, reply: Reply, times: int | None = None) -> Rule:
    return Rule(reply, text=f"[A part of this turn: {key}.]", times=times)


def judged(status: str) -> Reply:
    """What the judge says, beside a call that it may not make."""
    beside = ToolUse("write_file", {"path": "judged.md", "content": "x"})
    return Reply("", tools=(beside, ToolUse("give_answer", {"status": status, "reason": "so it is"})))


SCRIPT = Script(
    [
        part("task_analysis", Reply("Think.", hold="thinking")),
        part("task_executor", Reply("Did a step.")),
        part("task_completion_judge", judged("in_progress"), 1),
        part("task_completion_judge", judged("completed")),
        part("task_summary", Reply("All of it is done.")),
        part("simple", Reply("Here you are.")),
        Rule(Reply("Hello. <AGENT_DONE/>"), text="hello"),
        Rule(Reply("Nothing is wrong with it."), text="do it"),
    ]
)


def make_home(home: Path) -> None:
    for name, text in {
        "checker": 'name = "Checker"\ncompletion = "plain"\n',
        "builder": '[flow]\nflow = "reviewed"\n',
    }.items():
        (home / "agents" / name).mkdir(parents=True)
        (home / "agents" / name / "agent.toml").write_text(text)
        (home / "agents" / name / "soul.md").write_text(f"You are the soul of {name}.")
    (home / "flows").mkdir()
    (home / "flows" / "reviewed.yaml").write_text(FLOW)


class Rest:
    """A client with a token."""

    def __init__(self, place: Place, token: str = "") -> None:
        where = door(place.home)
        headers = {"Authorization": f"Bearer {token or where.token}"}
        self.http = httpx2.Client(base_url=f"{where.url}/api", headers=headers, timeout=60, trust_env=False)

    def __enter__(self) -> Rest:
        return self

    def __exit__(self, *raised: object) -> None:
        self.http.close()

    def thread(self) -> str:
        """A new conversation."""
        made: str = self.http.post("/threads", json={}).json()["thread_id"]
        return made

    def send(self, thread: str, **flow: Any) -> httpx2.Response:
        """Say something whose turn is to be walked by a flow."""
        return self.http.post(f"/threads/{thread}/turns", json={"text": "do it", "message_id": "m-1", "flow": flow})


def test_a_flow_of_the_home_is_walked_and_people_see_what_is_theirs(tmp_path: Path) -> None:
    home = tmp_path / "home"
    make_home(home)
    with service(SCRIPT) as model:
        place = Place(home, SULLA_LIMITS__MESSAGE_INTERVAL_MS="0", **model.environ)
        with place.up():
            code, said, told = place.ask("--flow", "reviewed", "do it")
            assert (code, said) == (0, "Did a step.\nDid a step.\nAll of it is done.\n"), told
            assert "[part: task_completion_judge]" in told
            assert "give_answer" not in told
            assert "write_file" not in told
            assert not list(home.rglob("judged.md"))
            # The branch worked as itself, in a run of its own; what it said was told to who came next.
            systems = [json.dumps(request["messages"][0]) for request in model.requests]
            assert sum("You are the soul of checker." in one for one in systems) == 1
            assert "Nothing is wrong with it." in json.dumps(model.requests[1]["messages"])
            # An agent's own flow, over another client's API.
            where = door(home)
            with OpenAI(base_url=f"{where.url}/v1", api_key=where.token) as openai:
                answer = openai.chat.completions.create(
                    model="builder", messages=[{"role": "user", "content": "do it"}]
                )
            said = answer.choices[0].message.content or ""
            assert said.endswith("All of it is done.")
            assert "so it is" not in said
            # A file that changes counts for the next turn.
            (home / "flows" / "reviewed.yaml").write_text("name: short\nroot: simple\n")
            assert place.ask("--flow", "reviewed", "do it")[1] == "Here you are.\n"
        with place.up():
            assert place.ask("hello")[1] == "Hello.\n"


def test_what_cannot_be_walked_is_refused_before_anything_is_kept(tmp_path: Path) -> None:
    home = tmp_path / "home"
    make_home(home)
    with service(SCRIPT) as model:
        place = Place(home, SULLA_LIMITS__MESSAGE_INTERVAL_MS="0", **model.environ)
        token = json.loads(place.run("token", "create", "app", "--scope", "read", "--scope", "write", "--json")[1])
        with place.up(), Rest(place) as owner, Rest(place, token["token"]) as app:
            thread = owner.thread()
            tree = {"name": "x", "root": {"type": "if", "condition": "enable_plan", "true_body": "simpel"}}
            for sent, status, said in (
                (
                    owner.send(thread, custom_flow=tree),
                    400,
                    "flow: root.true_body: there is no agent 'simpel'",
                ),
                (owner.send(thread, flow="reviewd"), 400, "Did you mean 'reviewed'?"),
                (owner.send(thread, mode="multi"), 400, "there is no key 'mode'"),
                (app.send(thread, custom_flow={**tree, "root": "simple"}), 403, "needs a token with the scope 'admin'"),
            ):
                assert sent.status_code == status, sent.text
                assert said in sent.text
            assert app.send(thread, agent_mode="simple").status_code == 202
            kinds = [event["type"] for event in owner.http.get(f"/threads/{thread}/events").json()["events"]]
            assert kinds.count("INPUT") == 1


def test_where_a_turn_stands_is_told_with_its_flow(tmp_path: Path) -> None:
    home = tmp_path / "home"
    make_home(home)
    with service(SCRIPT) as model:
        place = Place(home, SULLA_LIMITS__MESSAGE_INTERVAL_MS="0", **model.environ)
        with place.up(), Rest(place) as owner:
            thread = owner.thread()
            said = {"text": "do it", "message_id": "m-1", "flow": {"agent_mode": "simple", "deep_thinking": True}}
            accept = {"Accept": "text/event-stream"}
            with owner.http.stream("POST", f"/threads/{thread}/turns", json=said, headers=accept) as answer:
                lines = answer.iter_lines()
                next(line for line in lines if "MODEL_STARTED" in line)
                flow = owner.http.get(f"/threads/{thread}").json()["flow"]
                assert (flow["name"], flow["part"]) == ("default", "task_analysis")
                assert flow["place"] == "root.steps[0].true_body"
                assert flow["root"]["type"] == "sequence"
                (row,) = owner.http.get("/threads").json()["threads"]
                assert row["flow"] == {**flow, "root": {}}
                model.release("thinking")
                next(line for line in lines if "RUN_FINISHED" in line)
            assert owner.http.get(f"/threads/{thread}").json()["flow"] is None
