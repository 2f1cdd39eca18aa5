"""What agents have done at its time reaches people: with real daemons and a scripted model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from sulla.terminal.exits import Exit
from sulla.terminal.place import door
from tests.daemon.running import Place, Service, service
from tests.kits.in_turn import in_turn
from tests.servers.script import Reply, Rule, Script, ToolUse
from tests.soon import until

pytestmark = in_turn(3)

RULES = (
    Rule(
        Reply(tools=(ToolUse("remind_user", {"text": "Water the roses.", "at": "in 2 seconds"}),)),
        text="remind me",
        results=0,
    ),
    Rule(
        Reply(tools=(ToolUse("schedule_task", {"message": "How are the otters?", "at": "in 2 seconds"}),)),
        text="ask yourself",
        results=0,
    ),
    Rule(Reply(tools=(ToolUse("list_schedules", {}),)), text="which reminders", results=0),
    Rule(Reply(tools=(ToolUse("remind_user", {"text": "x", "at": "next friday 9:00"}),)), text="friday", results=0),
    Rule(Reply("The otters are asleep.<AGENT_DONE/>"), text="How are the otters?"),
    Rule(Reply("It is done.<AGENT_DONE/>")),
)


@pytest.fixture(scope="module")
def model() -> Iterator[Service]:
    with service(Script(RULES)) as made:
        yield made


@pytest.fixture
def home(tmp_path: Path, model: Service) -> Iterator[Place]:
    place = Place(tmp_path / "home", **model.environ, SULLA_MEMORY__ENABLED="false")
    with place.up():
        yield place


def asked(place: Place, text: str) -> list[dict[str, Any]]:
    code, said, complaint = place.run("ask", text, "--json")
    assert code == Exit.OK, complaint
    return [json.loads(line) for line in said.splitlines()]


def results(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [event["data"] for event in events if event["type"] == "TOOL_CALL_RESULT"]


def notices(place: Place) -> list[dict[str, Any]]:
    return [json.loads(line) for line in place.run("notices", "--all", "--json")[1].splitlines()]


def schedules(place: Place) -> list[dict[str, Any]]:
    return [json.loads(line) for line in place.run("schedule", "list", "--json")[1].splitlines()]


def test_a_reminder_reaches_the_person_at_its_time_without_a_model(home: Place, model: Service) -> None:
    events = asked(home, "remind me")
    (made,) = results(events)
    assert made["text"].startswith("Made: sch_")
    assert "Once, at " in made["text"]
    before = model.asked
    until(lambda: [one["text"] for one in notices(home)] == ["Reminder: Water the roses."])
    assert model.asked == before
    (notice,) = notices(home)
    assert (notice["agent"], notice["urgency"], notice["thread_id"]) == ("sulla", "high", events[0]["thread_id"])
    (row,) = schedules(home)
    assert (row["by"], row["status"]) == ("agent sulla", "over")
    where = door(home.home)
    told = httpx.get(f"{where.url}/api/notices", headers={"Authorization": f"Bearer {where.token}"}).json()
    assert [one["text"] for one in told["notices"]] == ["Reminder: Water the roses."]


def test_what_a_scheduled_task_comes_to_reaches_the_person(home: Place) -> None:
    (made,) = results(asked(home, "ask yourself"))
    assert made["text"].startswith("Made: sch_")
    until(lambda: bool(notices(home)))
    (notice,) = notices(home)
    assert notice["text"].endswith(": The otters are asleep.")
    until(lambda: schedules(home)[0]["notes"][-1]["what"] == "succeeded")
    kinds = [json.loads(line)["kind"] for line in home.run("thread", "list", "--all", "--json")[1].splitlines()]
    assert sorted(kinds) == ["chat", "schedule"]


def test_what_a_person_schedules_reaches_them_too(home: Place) -> None:
    added = home.run(
        "schedule", "add", "--at", "in", "2", "seconds", "--message", "How are the otters?", "--id", "otters"
    )
    assert added[0] == Exit.OK, added
    assert "Once, at " in added[1]
    until(lambda: [one["text"] for one in notices(home)] == ["otters: The otters are asleep."])


def test_where_nobody_is_there_a_person_is_asked_first(home: Place) -> None:
    assert home.run("schedule", "add", "--every", "1d", "--message", "remind me", "--id", "sly")[0] == Exit.OK
    assert home.run("schedule", "run", "sly")[0] == Exit.OK
    until(lambda: "remind_user" in home.run("approvals", "--json")[1])
    assert [row["schedule"] for row in schedules(home)] == ["sly"]


def test_an_agent_is_told_what_was_understood_and_what_it_has_made(home: Place) -> None:
    (ambiguous,) = results(asked(home, "say friday"))
    assert "'next friday' may mean" in ambiguous["text"]
    (none,) = results(asked(home, "which reminders"))
    assert none["text"] == "You have made none that is still to come."
