"""Without a language model, too, an agent works a project off by itself, beat by beat, and one can see what it did."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.daemon.running import AFRESH, PATIENCE_S, Place

Row = dict[str, Any]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "home", SULLA_MODEL="offline")


@contextmanager
def running(place: Place, *end: signal.Signals) -> Iterator[httpx.Client]:
    """A daemon, and a client of it."""
    with place.up() as daemon:
        headers = {"Authorization": f"Bearer {(place.home / 'token').read_text().strip()}"}
        with httpx.Client(
            base_url=daemon.url, headers=headers, trust_env=False, timeout=PATIENCE_S, limits=httpx.Limits(**AFRESH)
        ) as client:
            yield client
        daemon.ended(*(end or (signal.SIGTERM,)))


@pytest.fixture
def http(place: Place) -> Iterator[httpx.Client]:
    with running(place) as client:
        yield client


def log(http: httpx.Client, limit: int = 100, agent: str = "sulla") -> list[Row]:
    """All wakes, newest first, so many at a time."""
    found: list[Row] = []
    asked: dict[str, str | int] = {"limit": limit, "agent": agent}
    while True:
        page = http.get("/api/heartbeat/log", params=asked).json()
        found += page["ticks"]
        if page["next"] is None:
            return found
        asked["before"] = page["next"]


def beat(http: httpx.Client, **params: str) -> Row:
    """One beat to its end; its row of the log."""
    begun = http.post("/api/heartbeat/trigger", json=params).json()
    path = f"/api/threads/{begun['thread_id']}/events"
    with http.stream("GET", path, params={"after": begun["seq"]}, headers={"Accept": "text/event-stream"}) as events:
        for line in events.iter_lines():
            if line.startswith("event: RUN_"):
                kind = line.removeprefix("event: ")
                if kind in ("RUN_FINISHED", "RUN_ERROR"):
                    break
    tick = log(http, agent=begun["agent"])[0]
    assert tick["run_id"] == begun["run_id"]
    return dict(tick)


def test_the_tour_is_worked_off_beat_by_beat_and_then_beats_cost_nothing(http: httpx.Client, place: Place) -> None:
    ticks = [beat(http) for _ in range(3)]
    assert [(tick["status"], tick["focus"], len(tick["cycles"])) for tick in ticks] == [("done", "tour", 1)] * 3
    assert [tick["changed"] for tick in ticks] == [
        "tour: +1 done, -1 open; 1 file written",
        "tour: +1 done, -1 open; 1 file written",
        "tour: +1 done, -1 open",
    ]
    assert [tick["summary"].partition(":")[0] for tick in ticks] == ["Worked on tour"] * 3
    hello = place.home / "workspace" / "tour" / "hello.md"
    assert hello.read_text().startswith("Hello from Sulla.")
    lines = (place.home / "projects" / "tour" / "PROJECT.md").read_text().splitlines()
    done = [index for index, line in enumerate(lines) if line.startswith("- [x] ")]
    assert len(done) == 3
    assert all(lines[index + 1].startswith("  > ") and " sulla: " in lines[index + 1] for index in done)

    used = http.get("/api/status").json()["today"]["tokens"]
    idle = [beat(http) for _ in range(3)]
    assert {(tick["fired"], tick["reason"], tick["tokens"]) for tick in idle} == {(False, "idle", 0)}
    assert http.get("/api/status").json()["today"]["tokens"] == used
    (row,) = http.get("/api/heartbeat").json()["heartbeats"]
    assert (row["beats"], row["skipped"], row["last"]["reason"], row["beat"]) == (3, 3, "idle", ticks[2])
    assert row["budgets"][0]["tokens"] == sum(tick["tokens"] for tick in ticks) == used


def test_what_the_stand_in_cannot_do_is_blocked_once_with_a_reason(place: Place) -> None:
    garden = place.home / "projects" / "garden" / "PROJECT.md"
    garden.parent.mkdir(parents=True)
    garden.write_text("---\ntitle: Garden\nstatus: active\n---\n## Tasks\n\n- [ ] Ponder\n- [ ] Write x.md: y\n")
    with running(place) as http:
        assert [beat(http)["changed"] for _ in range(2)] == [
            "garden: +1 done, -1 open; 1 file written",
            "garden: -1 open, +1 blocked",
        ]
        assert beat(http)["reason"] == "idle"
    assert "- [ ] Ponder (blocked: no fixed rule fits it; a language model may understand it)\n" in garden.read_text()
    assert (place.home / "workspace" / "x.md").read_text() == "y"


def test_a_beat_is_begun_once_for_each_request_also_after_a_kill(place: Place) -> None:
    asked = {"project": "tour", "request_id": "r1"}
    with running(place, signal.SIGKILL) as http:
        begun = http.post("/api/heartbeat/trigger", json=asked)
        assert begun.status_code == 202
    with running(place) as http:
        first = beat(http, **asked)
        assert (first["run_id"], first["summary"][:36]) == (
            begun.json()["run_id"],
            "Worked on tour: Write tour/hello.md:",
        )
        other = http.post("/api/heartbeat/trigger", json={"request_id": "r1"})
        assert (other.status_code, other.json()["error"]["code"]) == (409, "message_id_reused")
        last = beat(http, project="tour", request_id="r2")
        assert [tick["by"] for tick in log(http)] == ["request r2", "request r1"]
        assert last["summary"].startswith("Worked on tour: Write tour/next.md")


def test_the_log_is_given_a_page_at_a_time_and_refuses_what_is_no_place_in_it(http: httpx.Client) -> None:
    assert log(http) == []
    for _ in range(4):
        beat(http)
    assert [tick["reason"] for tick in log(http)] == ["idle", "", "", ""]
    assert log(http, 1) == log(http)
    refused = http.get("/api/heartbeat/log", params={"before": 0})
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "invalid_input")
    assert http.get("/api/heartbeat/log", params={"agent": "sula"}).status_code == 404


def test_a_project_that_there_is_not_is_refused_before_anything_begins(http: httpx.Client) -> None:
    refused = http.post("/api/heartbeat/trigger", json={"project": "turo"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "not_found")
    assert log(http) == []


def test_each_agents_heartbeat_is_its_own(place: Place) -> None:
    agent = place.home / "agents" / "coder"
    agent.mkdir(parents=True)
    (agent / "agent.toml").write_text('name = "Coder"\ndescription = "Writes code."\n')
    (place.home / "sulla.toml").write_text('[heartbeat]\nenabled = true\n[heartbeat.schedules.code]\nagent = "coder"\n')
    with running(place) as http:

        def enabled() -> dict[str, bool]:
            rows = http.get("/api/heartbeat").json()["heartbeats"]
            return {row["agent"]: row["enabled"] for row in rows}

        assert enabled() == {"sulla": True, "coder": True}
        paused = http.post("/api/heartbeat/pause", json={"agent": "coder"}).json()["heartbeats"]
        assert [(row["agent"], row["enabled"], row["next"]) for row in paused] == [("coder", False, None)]
        assert enabled() == {"sulla": True, "coder": False}
        assert beat(http, agent="coder")["status"] == "done"  # asked for by a person, who may
        assert [tick["by"][:8] for tick in log(http, agent="coder")] == ["request "]
        assert log(http) == []
        http.post("/api/heartbeat/pause", json={})
        assert enabled() == {"sulla": False, "coder": False}
        http.post("/api/heartbeat/resume", json={})
        assert enabled() == {"sulla": True, "coder": True}
