"""A gateway whose cluster has no worker: it takes messages, and says everywhere that nobody works on them."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path

import httpx2

from sulla.host.home import Home
from tests.daemon.running import Daemon, Place, service
from tests.servers.script import Reply, Rule, Script
from tests.servers.stores.postgres import PostgresServer
from tests.soon import until

SCRIPT = Script([Rule(Reply("Hello.<AGENT_DONE/>"))])
ALL = {"SULLA_WORK__ENGINE": "dbos", "SULLA_MEMORY__ENABLED": "false"}


def _asked(place: Place, daemon: Daemon, path: str) -> tuple[int, str]:
    headers = {"authorization": f"Bearer {Home(place.home).known_token()}"}
    with httpx2.Client(headers=headers) as http:
        answer = http.get(f"{daemon.url}{path}")
    return answer.status_code, answer.text


def _figure(place: Place, daemon: Daemon, name: str) -> float | None:
    found = re.search(rf"^{name} (\S+)$", _asked(place, daemon, "/metrics")[1], re.MULTILINE)
    return float(found[1]) if found is not None else None


def test_a_gateway_without_a_worker_says_so_and_what_it_took_is_answered_when_one_comes(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    url = postgres_server.emptied()
    with service(SCRIPT) as model:
        given = {**ALL, **model.environ, "POSTGRES_URL": url, "SULLA_AGENT__WORKSPACE": str(tmp_path / "workspace")}
        front, back = Place(tmp_path / "front", **given), Place(tmp_path / "back", **given)
        with front.up("--role", "gateway") as gateway:
            until(lambda: "no_workers" in _asked(front, gateway, "/readyz")[1], "the gateway says that nobody works")
            with front.begin("ask", "hello") as asking:
                asking.complains("[no worker lives now; the message is kept, and waits until one does]")
                until(lambda: _figure(front, gateway, "sulla_work_waiting") == 1, "what waits is counted")
                code, said = _asked(front, gateway, "/readyz")
                (trouble,) = [one for one in json.loads(said)["degraded"] if one["what"] == "no_workers"]
                assert (code, "(1 conversation now)" in trouble["why"]) == (200, True), "messages are taken"
                assert _figure(front, gateway, "sulla_work_workers") == 0
                assert _figure(front, gateway, "sulla_ready") == 1
                shown = front.run("status")[1]
                assert "  queued: 1\n" in shown
                assert "degraded: no worker lives" in shown
                assert "sees no worker that lives: messages are kept and wait" in front.run("doctor")[1]
                with back.up("--role", "worker") as worker:
                    assert asking.ended() == 0, "nothing is lost"
                    assert asking.said == "Hello.\n"
                    until(lambda: "no_workers" not in _asked(front, gateway, "/readyz")[1], "it sees the worker")
                    assert _figure(front, gateway, "sulla_work_workers") == 1
                    until(lambda: _figure(front, gateway, "sulla_work_waiting") == 0, "and that nothing waits")
                    worker.ended(signal.SIGTERM)
            until(lambda: "no_workers" in _asked(front, gateway, "/readyz")[1], "it sees that it has gone")
