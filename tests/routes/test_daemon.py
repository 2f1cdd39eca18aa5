"""Routes against a real daemon over a real socket: grounded answers, an incident while the model's service is down, a
procedure over a restart, the methods and the commands.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx2

from sulla.terminal.place import door
from tests.daemon.running import Place, service
from tests.kits.in_turn import in_turn
from tests.routes.test_page import FILES
from tests.servers.script import Failure, Reply, Rule, Script, ToolUse
from tests.soon import until

pytestmark = in_turn(2)

FIXED: Final = "Please call 112 now. I cannot look anything up at the moment."
ROUTES: Final = f"""
routes:
  fire: {{kind: incident, require: grounded_lookup, args: {{question: what to do in a fire}}, fixed_text: {FIXED}}}
  facts: {{kind: grounded}}
  break: {{kind: procedure, procedure: short-break}}
  chat: {{kind: default}}
gates:
  - {{name: break, route: break, any: [take a break], facts: {{procedure: false}}}}
  - {{name: opening, route: facts, any: [when do you open]}}
  - {{name: burning, route: fire, any: [on fire]}}
"""
SHOP: Final = (
    "# Opening hours\n\nWe open at nine o'clock.\n\n# In a fire\n\nWhat to do in a fire: leave, then call 112.\n"
)
AT_MOST_S: Final = 2.0
"""How long a turn may take whose model's service is down: the issue's figure."""


def make_home(home: Path) -> None:
    for name, text in {
        "routes.yaml": ROUTES,
        "knowledge/shop.md": SHOP,
        "skills/short-break/procedure.yaml": FILES["skills/short-break/procedure.yaml"],
        "skills/short-break/SKILL.md": "---\nname: short-break\ndescription: A short break.\n---\n\nTake one.\n",
    }.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text, "utf-8")


class Talk:
    """A conversation over REST."""

    def __init__(self, place: Place, thread: str = "") -> None:
        where = door(place.home)
        headers = {"Authorization": f"Bearer {where.token}"}
        self.http = httpx2.Client(base_url=f"{where.url}/api", headers=headers, timeout=60, trust_env=False)
        self.thread = thread or self.http.post("/threads", json={}).json()["thread_id"]

    def say(self, text: str) -> list[str]:
        """Say something; what people see of its turn."""
        sent = self.http.post(
            f"/threads/{self.thread}/turns", json={"text": text}, headers={"Accept": "text/event-stream"}
        )
        assert sent.status_code == 200, sent.text
        told = [json.loads(line[6:]) for line in sent.text.splitlines() if line.startswith("data: {")]
        ends = [one["data"] for one in told if one.get("type") == "TEXT_MESSAGE_END"]
        return [end["text"] for end in ends if not end.get("hidden") and end["text"]]


@contextmanager
def talking(place: Place, thread: str = "") -> Iterator[Talk]:
    talk = Talk(place, thread)
    try:
        yield talk
    finally:
        talk.http.close()


def report(place: Place, *words: str) -> Any:
    """What a command prints as JSON."""
    code, out, err = place.run(*words)
    assert code == 0, err
    return json.loads(out)


DONE: Final = "<AGENT_DONE/>"
SCRIPT: Final = Script(
    [
        Rule(Reply("We open at three in the morning."), text="When do you open?"),
        Rule(Reply(tools=(ToolUse("grounded_lookup", {"question": "in a fire"}),)), text="on fire", results=0),
        Rule(Reply(f"Leave, then call 112.{DONE}"), text="on fire", results=1),
        Rule(Reply(f"Stand up, please.{DONE}"), text="take a break"),
        Rule(Reply(f"Name three things.{DONE}"), text="I'm up"),
        Rule(Reply(f"That was it.{DONE}"), text="lamp, door, cup"),
        Rule(Reply(f"Hello.{DONE}"), text="Hi"),
    ]
)


def test_a_home_with_routes_answers_by_them_over_a_restart_and_says_what_became_of_each(tmp_path: Path) -> None:
    home = tmp_path / "home"
    make_home(home)
    with service(SCRIPT) as model:
        place = Place(home, SULLA_LIMITS__MESSAGE_INTERVAL_MS="0", **model.environ)
        assert place.run("skills", "trust", "short-break")[0] == 0
        with place.up(), talking(place) as talk:
            (answer,) = talk.say("When do you open?")
            assert answer == "[1] shop.md, Opening hours, line 3:\n\nWe open at nine o'clock."
            assert talk.say("The kitchen is on fire!") == ["Leave, then call 112."]
            assert talk.say("I would like to take a break") == ["Stand up, please."]
            thread = talk.thread
        with place.up(), talking(place, thread) as talk:
            assert talk.say("I'm up") == ["Name three things."]
            assert talk.say("lamp, door, cup") == ["That was it."]
            assert talk.say("Hi") == ["Hello."]
            tried = talk.http.post("/routes/try", json={"text": "my house is on fire"}).json()
            assert tried == {"route": "fire", "kind": "incident", "gate": "burning", "why": ["on fire"]}
            shown = place.run("thread", "show", thread)[1]
            assert "[procedure short-break, stand: completed]" in shown
            assert "[route fire (incident) by the gate burning: 'on fire']" in shown
            audited = report(place, "audit", "routes", "--json")["rows"]
            assert [(row["route"], row["mode"], row["made"], row["outcome"]) for row in audited] == [
                ("chat", "model", False, "done"),
                ("break", "model", False, "done"),
                ("break", "model", False, "done"),
                ("break", "model", False, "done"),
                ("fire", "model", False, "done"),
                ("facts", "tool", True, "done"),
            ]
            assert report(place, "audit", "routes", "--purge-before", "2020-01-01", "--json") == {"rows": 0}


def test_an_incident_while_the_models_service_is_down_has_its_fixed_text_within_two_seconds(tmp_path: Path) -> None:
    home = tmp_path / "home"
    make_home(home)
    down = Script([Rule(Failure(503, "overloaded"))])
    with service(down) as model:
        place = Place(home, SULLA_LIMITS__MESSAGE_INTERVAL_MS="0", **model.environ)
        with place.up(), talking(place) as talk:
            begun = time.perf_counter()
            assert talk.say("The kitchen is on fire!")[0].startswith(f"{FIXED}\n\n[1] shop.md")
            took_s = time.perf_counter() - begun
            print(f"an incident with the model's service down: {took_s:.2f} s")  # noqa: T201 - the figure is asked for
            (row,) = report(place, "audit", "routes", "--json")["rows"]
            assert (row["mode"], row["fixed_why"], row["outcome"]) == ("fixed", "provider_transient", "done")
            assert row["took_ms"] < AT_MOST_S * 1000
            assert took_s < AT_MOST_S * 5  # the machine may be slow: what the turn took stands above
            kinds = [event["type"] for event in talk.http.get(f"/threads/{talk.thread}/events").json()["events"]]
            assert "RUN_WAITING" not in kinds


def test_a_file_that_breaks_is_told_everywhere_and_its_gates_hold_over_a_restart(tmp_path: Path) -> None:
    home = tmp_path / "home"
    make_home(home)
    with service(SCRIPT) as model:
        place = Place(home, SULLA_LIMITS__MESSAGE_INTERVAL_MS="0", **model.environ)
        with place.up(), talking(place) as talk:
            assert talk.say("Hi") == ["Hello."]
        (home / "routes.yaml").write_text("routes: {fire: {kind: incdent}}", "utf-8")
        with place.up(), talking(place) as talk:
            assert talk.say("The kitchen is on fire!") == ["Leave, then call 112."]
            code, out, err = place.run("reload")
            assert code != 0
            assert "incdent" in out + err
            troubles = json.dumps(report(place, "status", "--json")["troubles"])
            assert "those of the last file that could be read hold" in troubles
            checks = json.loads(place.run("doctor", "--json")[1])["checks"]
            (told,) = [one for one in checks if one["check"] == "routes"]
            assert told["result"] == "fault"
            assert "incdent" in told["found"]
            assert ".routes.last.yaml" in told["remedy"]


def test_the_doctor_knows_the_skills_and_procedures_that_are_there(tmp_path: Path) -> None:
    home = tmp_path / "home"
    make_home(home)
    (home / "routes.yaml").write_text(ROUTES.replace("{kind: default}", "{kind: default, style: short-break}"), "utf-8")
    checks = json.loads(Place(home).run("doctor", "--json")[1])["checks"]
    found = " ".join(one["found"] for one in checks if one["check"] == "routes")
    assert "names the skill 'short-break', which is there and which nobody has allowed" in found
    assert "there is no" not in found
    assert Place(home).run("skills", "trust", "short-break")[0] == 0
    checks = json.loads(Place(home).run("doctor", "--json")[1])["checks"]
    (told,) = [one for one in checks if one["check"] == "routes"]
    assert (told["result"], told["found"]) == ("ok", "4 routes and 3 gates")


def test_an_incident_waits_for_no_question_and_for_no_turn_that_hangs(tmp_path: Path) -> None:
    home = tmp_path / "home"
    make_home(home)
    slow = Script(
        [
            Rule(
                Reply(tools=(ToolUse("bash", {"command": "echo x >> note.txt", "timeout_s": 30}),)),
                text="Post it",
                results=0,
            ),
            Rule(Reply("Once upon a time", hold="never"), text="Tell me a story"),
            Rule(Reply(tools=(ToolUse("grounded_lookup", {"question": "in a fire"}),)), text="on fire", results=0),
            Rule(Reply(f"Leave, then call 112.{DONE}"), text="on fire"),
        ]
    )
    with service(slow) as model:
        place = Place(home, SULLA_LIMITS__MESSAGE_INTERVAL_MS="0", SULLA_SHELL__SANDBOX="false", **model.environ)
        with place.up(), talking(place) as talk:
            turns = f"/threads/{talk.thread}/turns"
            assert talk.http.post(turns, json={"text": "Post it"}).status_code < 300
            until(lambda: talk.http.get(f"/threads/{talk.thread}").json()["status"] == "suspended", "the question")
            completion = f"{door(place.home).url}/v1/chat/completions"
            said = {"role": "user", "content": "The kitchen is on fire!"}
            asked = {"model": "sulla", "thread_id": talk.thread, "messages": [said]}
            answer = talk.http.post(completion, json=asked).json()["choices"][0]["message"]["content"]
            assert answer == "Leave, then call 112."
            assert talk.http.get("/approvals").json()["questions"] == []
            # What a terminal takes for the reason of a no is such a message, too.
            assert talk.http.post(turns, json={"text": "Post it"}).status_code < 300
            until(lambda: talk.http.get(f"/threads/{talk.thread}").json()["status"] == "suspended", "the question")
            (question,) = talk.http.get("/approvals").json()["questions"]
            said = {"verdict": "reject", "text": "The kitchen is on fire!"}
            assert talk.http.post(f"/approvals/{talk.thread}/{question['id']}", json=said).status_code == 202
            until(lambda: talk.http.get(f"/threads/{talk.thread}").json()["status"] == "idle", "the reply")
            assert talk.http.get("/approvals").json()["questions"] == []
            assert talk.http.post(turns, json={"text": "Tell me a story"}).status_code < 300
            until(lambda: talk.http.get(f"/threads/{talk.thread}").json()["status"] == "open", "the story")
            begun = time.perf_counter()
            assert talk.say("The kitchen is on fire!") == ["Leave, then call 112."]
            took_s = time.perf_counter() - begun
            print(f"an incident behind a turn that hangs: {took_s:.2f} s")  # noqa: T201 - the figure is asked for
            assert took_s < AT_MOST_S * 5
            ends = [row["outcome"] for row in report(place, "audit", "routes", "--json")["rows"]]
            assert sorted(ends) == ["cancelled", "cancelled", "cancelled", "done", "done", "done"]
