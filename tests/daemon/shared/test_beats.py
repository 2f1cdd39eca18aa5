"""Two daemons over one Redis: a beat that is asked for at both is one, and what is paused at one is at the other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.daemon.running import AFRESH, PATIENCE_S, Place
from tests.servers.stores.redis import RedisServer, redis_server
from tests.soon import pause

__all__ = ["redis_server"]

Row = dict[str, Any]


@pytest.fixture
def both(tmp_path: Path, redis_server: RedisServer) -> Iterator[list[httpx.Client]]:
    """Clients of both; nobody has a project, so that a beat is over at once."""
    url = redis_server.new_url()
    with ExitStack() as stack:
        clients = []
        for name in ("one", "two"):
            home = tmp_path / name / "home"
            (home / "projects").mkdir(parents=True)
            place = Place(home, SULLA_MODEL="offline", SULLA_HEARTBEAT__ENABLED="true", SULLA_STORE=url)
            daemon = stack.enter_context(place.up())
            headers = {"Authorization": f"Bearer {(home / 'token').read_text().strip()}"}
            client = httpx.Client(
                base_url=daemon.url, headers=headers, trust_env=False, timeout=PATIENCE_S, limits=httpx.Limits(**AFRESH)
            )
            clients.append(stack.enter_context(client))
        yield clients


def test_a_beat_that_is_asked_for_at_both_is_one_and_both_show_it(both: list[httpx.Client]) -> None:
    asked = {"request_id": "r1"}
    begun = [http.post("/api/heartbeat/trigger", json=asked).json() for http in both]
    assert begun[0] == begun[1]
    path = f"/api/threads/{begun[0]['thread_id']}/events"
    for http in both:
        headers = {"Accept": "text/event-stream"}
        with http.stream("GET", path, params={"after": begun[0]["seq"]}, headers=headers) as events:
            assert any(line == "event: RUN_FINISHED" for line in events.iter_lines())
    logs = [http.get("/api/heartbeat/log").json() for http in both]
    assert json.dumps(logs[0]) == json.dumps(logs[1])
    assert [(tick["by"], tick["reason"]) for tick in logs[0]["ticks"]] == [("request r1", "idle")]


def test_what_is_paused_at_one_is_paused_at_the_other(both: list[httpx.Client]) -> None:
    one, two = both

    def until(enabled: bool) -> Row:
        while True:  # the tests' own deadline ends it
            (row,) = two.get("/api/heartbeat").json()["heartbeats"]
            if row["enabled"] is enabled:
                return dict(row)
            pause()

    until(True)
    one.post("/api/heartbeat/pause", json={})
    assert until(False)["next"] is None
    one.post("/api/heartbeat/resume", json={})
    assert until(True)["next"] is not None
