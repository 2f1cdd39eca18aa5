"""A worker, as whoever watches it sees it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from sulla.cli.status import worker_status
from sulla.core.errors import Unavailable
from sulla.daemon.doctor.states import judge_worker
from sulla.daemon.doctor.watched import Watched, watched
from sulla.terminal.exits import Exit
from sulla.terminal.place import Door

_FIGURES = 'x 1\nsulla_work_threads{state="running"} 2\nsulla_work_threads{state="queued"} 3\n'


@contextmanager
def _answering(ready: str) -> Iterator[str]:
    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            assert self.headers["authorization"] == "Bearer t"
            self.send_response(200)
            self.end_headers()
            self.wfile.write((_FIGURES if self.path == "/metrics" else ready).encode())

        def log_message(self, format: str, *args: object) -> None:
            """Nobody reads it."""

    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        serving = threading.Thread(target=server.serve_forever, args=(0.01,))
        serving.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        serving.join()


async def test_it_tells_how_it_is_and_how_much_it_does() -> None:
    degraded = [{"what": "tokens", "why": "they are damaged"}, {"what": "audit"}]
    with _answering(json.dumps({"status": "ready", "blocking": [], "degraded": degraded})) as url:
        told = await watched(url, "t")
    assert (told.ready, told.threads) == (True, {"running": 2, "queued": 3})
    assert told.troubles == ("they are damaged", "audit")


def test_status_at_a_worker_tells_apart_what_blocks_and_what_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    told = {
        "status": "not_ready",
        "blocking": [{"what": "store_unavailable", "why": "it is full"}],
        "degraded": [{"what": "audit", "why": "it cannot be written"}],
    }
    with _answering(json.dumps(told)) as url:
        assert worker_status(Door(url, "t"), as_json=False) == Exit.OK
    shown = capsys.readouterr().out
    assert ": not ready\n" in shown
    assert "  blocking: it is full\n  degraded: it cannot be written\n" in shown


async def test_what_answers_otherwise_is_no_worker() -> None:
    with _answering("[]") as url, pytest.raises(Unavailable, match="is not our daemon"):
        await watched(url, "t")
    with pytest.raises(Unavailable, match="does not answer /readyz"):
        await watched("http://127.0.0.1:1", "t")


@pytest.mark.parametrize(
    ("readiness", "result"),
    [
        ({"status": "ready", "blocking": [], "degraded": []}, "ok"),
        ({"status": "ready", "blocking": [], "degraded": [{"what": "audit"}]}, "warning"),
        ({"status": "not_ready", "blocking": [{"what": "store", "why": "away"}], "degraded": []}, "fault"),
    ],
)
def test_a_worker_is_a_fault_only_where_it_takes_no_turns(readiness: dict[str, object], result: str) -> None:
    told = Watched(json.loads(json.dumps(readiness)), {})
    assert [one.result for one in judge_worker("http://there", told)] == [result]
