"""A goal is planned and worked on by a real daemon, and the project's file says how it goes."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.running import PATIENCE_S, Place, Service, service
from tests.kits.in_turn import in_turn
from tests.servers.script import Reply, Rule, Script
from tests.soon import pause

pytestmark = in_turn(3)

PLAN: dict[str, Any] = {
    "tasks": [
        {"id": "dig", "title": "Dig"},
        {"id": "sow", "title": "Sow", "depends_on": ["dig"]},
        {"id": "sign", "title": "Write a sign"},
    ]
}
STUCK = (
    "I stop.<AGENT_BLOCKED><BLOCKER_REASON>no seeds</BLOCKER_REASON>"
    "<UNBLOCK_REQUIREMENTS>seeds</UNBLOCK_REQUIREMENTS></AGENT_BLOCKED>"
)
PLANNED = Rule(Reply(f"{json.dumps(PLAN)}<AGENT_DONE/>"), text="Plan the project")
DONE = [
    Rule(Reply("The beds are dug.<AGENT_DONE/>"), text="Your task: Dig"),
    Rule(Reply("A sign.<AGENT_DONE/>"), text="Your task: Write a sign"),
    Rule(Reply("Peas.<AGENT_DONE/>"), text="The beds are dug."),  # told to the one who sows
]


@pytest.fixture
def rules() -> list[Rule]:
    return [PLANNED, *DONE]


@pytest.fixture
def model(rules: list[Rule]) -> Iterator[Service]:
    with service(Script(rules)) as model:
        yield model


@pytest.fixture
def place(tmp_path: Path, model: Service) -> Place:
    place = Place(tmp_path / "home", **model.environ, SULLA_MEMORY__ENABLED="false")
    assert place.run("init")[0] == 0
    return place


def asked(model: Service) -> Counter[str]:
    """How often an agent was told to do each task."""
    said = "".join(json.dumps(request["messages"][-1]) for request in model.requests)
    return Counter({title: said.count(f"Your task: {title}") for title in ("Dig", "Write a sign", "Sow")})


def page(place: Place) -> dict[str, Any]:
    """The project as `sulla project show` tells it."""
    code, out, err = place.run("project", "show", "garden", "--json")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def until(place: Place, status: str) -> dict[str, str]:
    """Wait until the project has that status; the states of its tasks then."""
    deadline = time.monotonic() + PATIENCE_S
    while (found := page(place))["status"] != status:
        pause()
        assert time.monotonic() < deadline, found
    return {task["id"]: task["state"] for task in found["tasks"]}


def planned(place: Place) -> None:
    code, _, err = place.run("project", "plan", "garden", "vegetables for four")
    assert "plan: " in page(place)["text"]
    assert code == 0, err
    assert set(until(place, "planning").values()) == {"pending"}


def test_a_goal_is_planned_and_its_tasks_are_done_in_order(place: Place) -> None:
    with place.up():
        planned(place)
        code, out, err = place.run("project", "work", "garden")
        assert (code, json.loads(out)) == (0, {"dig": "The beds are dug.", "sow": "Peas.", "sign": "A sign."}), err
        assert set(until(place, "completed").values()) == {"completed"}


@pytest.mark.parametrize(
    "rules", [[PLANNED, *DONE[:2], Rule(Reply(STUCK), text="The beds are dug.", times=1), DONE[2]]]
)
def test_what_failed_alone_is_done_again(place: Place, model: Service) -> None:
    with place.up():
        planned(place)
        assert place.run("project", "work", "garden")[0] == 1
        assert until(place, "blocked") == {"dig": "completed", "sow": "failed", "sign": "completed"}
        run = page(place)["text"].partition("\nrun: ")[2].split()[0]
        code, _, err = place.run("flow", "resume", run)
        assert code == 0, err
        assert set(until(place, "completed").values()) == {"completed"}
    assert asked(model) == {"Dig": 1, "Write a sign": 1, "Sow": 2}


@pytest.mark.parametrize(
    "rules",
    [[PLANNED, *DONE[:2], Rule(Reply("Peas.", pieces=2, hold="never"), text="The beds are dug.", times=1), DONE[2]]],
)
def test_a_killed_daemon_takes_the_work_up_where_it_was(place: Place, model: Service) -> None:
    with place.up() as daemon:
        planned(place)
        code, out, err = place.run("project", "work", "garden", "--detach")
        assert code == 0, err
        run = out.strip()
        deadline = time.monotonic() + PATIENCE_S
        while not asked(model)["Sow"]:
            pause()
            assert time.monotonic() < deadline, place.run("flow", "show", run)
        # The sign is painted beside the digging: on a busy machine it may still be at the model here,
        # and a model call that is cut in the middle is asked again.
        while {task["id"]: task["state"] for task in page(place)["tasks"]}["sign"] != "completed":
            pause()
            assert time.monotonic() < deadline, place.run("flow", "show", run)
        daemon.ended(signal.SIGKILL)
    with place.up():
        assert place.run("flow", "show", run, "--watch")[0] == 0
        assert set(until(place, "completed").values()) == {"completed"}
    assert asked(model) == {"Dig": 1, "Write a sign": 1, "Sow": 2}


HANGS = Rule(Reply("A plan is", hold="never", hold_after=1), text="Plan the project", times=1)


@pytest.mark.parametrize("rules", [[HANGS, PLANNED]])
def test_a_kill_in_the_middle_of_planning_loses_no_plan_and_makes_no_second(place: Place, model: Service) -> None:
    def plans() -> int:
        return sum("Plan the project" in json.dumps(request["messages"][-1]) for request in model.requests)

    with place.up() as daemon, place.begin("project", "plan", "garden", "vegetables for four") as asks:
        deadline = time.monotonic() + PATIENCE_S
        while not plans():
            pause()
            assert time.monotonic() < deadline, asks.complaints
        daemon.ended(signal.SIGKILL)
        asks.process.kill()
    with place.up():
        while '"dig"' not in place.run("project", "show", "garden", "--json")[1]:
            pause()
            assert time.monotonic() < deadline + PATIENCE_S
        found = page(place)
        assert [task["id"] for task in found["tasks"]] == ["dig", "sow", "sign"]
        assert (found["status"], found["text"].count("(id: dig"), found["text"].count("\nplan: ")) == ("planning", 1, 1)
        run = found["text"].partition("\nplan: ")[2].split()[0]
        assert plans() == 2  # the call that was cut is made again, and no other one
        runs = list(map(json.loads, place.run("flow", "runs", "--json")[1].splitlines()))
    assert [row["run"] for row in runs if row["playbook"] == "plan-garden"] == [run]
