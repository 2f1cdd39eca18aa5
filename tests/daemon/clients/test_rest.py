"""REST against real daemons: what was shown before one was killed or stopped goes on with the next."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.daemon.running import AFRESH, PATIENCE_S, Daemon, Place, Service, service
from tests.kits.in_turn import in_turn
from tests.servers.script import Reply, Rule, Script

pytestmark = in_turn(2)

STREAM = {"Accept": "text/event-stream"}
ANSWER = "one two three four five six seven eight"
Block = dict[str, str]


@pytest.fixture
def model() -> Iterator[Service]:
    """A model that stops in the middle of an answer."""
    reply = Reply(f"{ANSWER}<AGENT_DONE/>", pieces=8, hold="gate", hold_after=4)
    with service(Script([Rule(reply, text="slow")])) as found:
        yield found


@pytest.fixture
def place(tmp_path: Path, model: Service) -> Place:
    return Place(tmp_path / "home", **model.environ)


def browse(daemon: Daemon, place: Place) -> httpx.Client:
    token = (place.home / "token").read_text().strip()
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.Client(
        base_url=daemon.url, headers=headers, trust_env=False, timeout=PATIENCE_S, limits=httpx.Limits(**AFRESH)
    )


def blocks(answer: httpx.Response) -> Iterator[Block]:
    """The events of a stream, as long as they come."""
    assert answer.status_code == 200, answer.read()
    found: Block = {}
    for line in answer.iter_lines():
        name, _, value = line.partition(": ")
        if line:
            found[name] = value
        elif "data" in found:
            yield found
            found = {}


def data(block: Block) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(block["data"])
    return found


def last_id(seen: list[Block]) -> str:
    return next(block["id"] for block in reversed(seen) if "id" in block)


def test_a_turn_that_is_shown_while_its_daemon_is_killed_is_shown_to_the_end_by_the_next(
    place: Place, model: Service
) -> None:
    turn = {"text": "slow", "message_id": "m1"}
    seen: list[Block] = []
    with place.up() as first, browse(first, place) as http:
        thread_id = http.post("/api/threads").json()["thread_id"]
        path = f"/api/threads/{thread_id}/turns"
        with http.stream("POST", path, json=turn, headers=STREAM) as answer:
            shown = blocks(answer)
            while not seen or seen[-1]["event"] != "TEXT_MESSAGE_CONTENT":
                seen.append(next(shown))
            assert first.ended(signal.SIGKILL) == -signal.SIGKILL
            with pytest.raises(httpx.HTTPError):
                seen += shown
    with place.up() as second, browse(second, place) as http:
        model.release("gate")
        with http.stream("POST", path, json=turn, headers=STREAM | {"Last-Event-ID": last_id(seen)}) as answer:
            seen += blocks(answer)
        kept = http.get(f"/api/threads/{thread_id}/events").json()["events"]
    assert data(seen[-1]) == {"reason": "finished"}
    run_id = data(seen[0])["run_id"]
    assert [int(block["id"]) for block in seen if "id" in block] == [
        event["seq"] for event in kept if event["run_id"] == run_id
    ]
    assert [data(block)["data"]["text"] for block in seen if block["event"] == "TEXT_MESSAGE_END"] == [ANSWER]


def test_a_daemon_that_stops_ends_its_streams_and_the_next_goes_on_with_them(place: Place, model: Service) -> None:
    seen: list[Block] = []
    with place.up() as first, browse(first, place) as http:
        path = f"/api/threads/{http.post('/api/threads').json()['thread_id']}"
        with http.stream("GET", f"{path}/events", headers=STREAM) as answer:
            for block in blocks(answer):
                seen.append(block)
                if block["event"] == "THREAD_CREATED":
                    first.process.send_signal(signal.SIGTERM)
        assert data(seen.pop()) == {"reason": "stopping"}
        assert first.ended() == 0
    with place.up() as second, browse(second, place) as http:
        model.release("gate")
        assert http.post(f"{path}/turns", json={"text": "slow"}).status_code == 202
        with http.stream("GET", f"{path}/events", headers=STREAM | {"Last-Event-ID": last_id(seen)}) as answer:
            for block in blocks(answer):
                seen.append(block)
                if block["event"] == "RUN_FINISHED":
                    break
    ids = [int(block["id"]) for block in seen if "id" in block]
    assert ids == list(range(1, len(ids) + 1))


@pytest.mark.parametrize(("on_leave", "outcome"), [("stop", "cancelled"), ("go_on", "done")])
def test_a_turn_whose_client_leaves_ends_as_the_setting_says(
    place: Place, model: Service, on_leave: str, outcome: str
) -> None:
    place.environ["SULLA_GATEWAY__ON_LEAVE"] = on_leave
    with place.up() as daemon, browse(daemon, place) as http:
        path = f"/api/threads/{http.post('/api/threads').json()['thread_id']}"
        with http.stream("POST", f"{path}/turns", json={"text": "slow"}, headers=STREAM) as answer:
            shown = blocks(answer)
            run_id = data(next(shown))["run_id"]
            while next(shown)["event"] != "TEXT_MESSAGE_CONTENT":
                continue
        if on_leave == "go_on":
            model.release("gate")
        with http.stream("GET", f"{path}/events", headers=STREAM) as answer:
            kept = [data(block) for block in until(blocks(answer), "RUN_FINISHED")]
    assert [event["data"]["outcome"]["status"] for event in kept if event["type"] == "RUN_FINISHED"] == [outcome]
    assert kept[-1]["data"]["run_id"] == run_id
    assert [event["type"] for event in kept].count("STOP") == (on_leave == "stop")


def until(shown: Iterator[Block], last: str) -> Iterator[Block]:
    """The events up to one of a type."""
    for block in shown:
        yield block
        if block["event"] == last:
            return
