"""Clients of Snippbot's chat and of ABI's completions against a real daemon, with tools, questions, kills, and a model
that fails.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import httpx2
import pytest

from tests.daemon.clients.asking import ANSWER, NOTE, model_that_asks, place_that_asks, written
from tests.daemon.clients.chat_client import Told, dial, opened, until, words
from tests.daemon.running import Place, Service
from tests.kits.in_turn import in_turn

pytestmark = in_turn(3)

CHAT = "/api/chat/sulla"
WHOLE = "/agents/sulla/completion"
STREAM = "/agents/sulla/stream-completion"
FIRST = {"Idempotency-Key": "first"}
HELLO = {CHAT: {"message": "hello"}, WHOLE: {"prompt": "hello"}, STREAM: {"prompt": "hello"}}


@pytest.fixture
def model() -> Iterator[Service]:
    with model_that_asks() as found:
        yield found


@pytest.fixture
def place(tmp_path: Path, model: Service) -> Place:
    return place_that_asks(tmp_path, model)


def lines(events: list[Told]) -> str:
    """What people read of ABI's events."""
    return "\n".join(data for name, data in events if name == "message")


def ask(http: httpx2.Client, prompt: str, **headers: str) -> str:
    """ABI's text."""
    answer = http.post(WHOLE, json={"prompt": prompt, "thread_id": 7}, headers=headers)
    assert answer.status_code == 200, answer.text
    text: str = answer.json()
    return text


# ------------------------------------------------------------------------------------------------------------ snippbot


def test_chat_with_a_tool(place: Place) -> None:
    with place.up() as daemon, dial(daemon, place) as http, opened(http, CHAT, {"message": "(look)"}) as stream:
        events = list(stream)
    # How many pieces a text comes in depends on how fast they are taken.
    steps = [name for name, _ in groupby(name for name, _ in events)]
    assert steps == ["delta", "tool_use", "tool_result", "delta", "done"]
    assert words(events) == "Let me look.\n\nIt is empty."
    (use,) = [data for name, data in events if name == "tool_use"]
    assert (use["tool"], use["input"]) == ("list_dir", {"path": "."})
    assert events[-1][1]["token_usage"]["output"] > 0


@pytest.mark.parametrize(("approved", "found"), [(True, ["written"]), (False, [])])
def test_chat_waits_for_an_approval(place: Place, *, approved: bool, found: list[str]) -> None:
    with (
        place.up() as daemon,
        dial(daemon, place) as http,
        opened(http, CHAT, {"message": "(write)", "session_id": "s"}) as stream,
    ):
        request = until("approval_request", stream)
        assert f"echo written >> {NOTE}" in request["prompt"]
        assert written(place) == []
        answer = {"session_id": "s", "approved": approved}
        assert http.post(f"{CHAT}/approvals/{request['approval_id']}", json=answer).status_code == 200
        rest = list(stream)
    (result,) = [data for name, data in rest if name == "tool_result"]
    assert result["failure"] == (None if approved else "human_rejected")
    assert (words(rest), rest[-1][0]) == ("That is that.", "done")
    assert written(place) == found


def test_an_approval_request_outlives_its_daemon(place: Place) -> None:
    with (
        place.up() as daemon,
        dial(daemon, place) as http,
        opened(http, CHAT, {"message": "(write)", "session_id": "s"}) as stream,
    ):
        request = until("approval_request", stream)
        assert daemon.ended(signal.SIGKILL) == -signal.SIGKILL
        with pytest.raises(httpx2.HTTPError):
            list(stream)
    with place.up() as daemon, dial(daemon, place) as http:
        path, body = f"{CHAT}/approvals/{request['approval_id']}", {"session_id": "s", "approved": True}
        with opened(http, path, body, accept="text/event-stream") as stream:
            assert words(list(stream)) == "That is that."
        assert http.post(path, json=body).json()["status"] == "approved"
        late = http.post(path, json={**body, "approved": False})
        assert (late.status_code, late.json()["error"]) == (409, "already_answered")
    assert written(place) == ["written"]


def test_of_two_approval_requests_each_has_its_own_answer(place: Place) -> None:
    with (
        place.up() as daemon,
        dial(daemon, place) as http,
        opened(http, CHAT, {"message": "(twice)", "session_id": "s"}) as stream,
    ):
        requests = [until("approval_request", stream), until("approval_request", stream)]
        for request in requests:
            answer = {"session_id": "s", "approved": "more" in request["prompt"]}
            assert http.post(f"{CHAT}/approvals/{request['approval_id']}", json=answer).status_code == 200
        rest = list(stream)
    assert (words(rest), [name for name, _ in rest].count("approval_request")) == ("Both.", 0)
    assert written(place) == ["more"]


def test_a_chat_whose_client_vanishes_is_told_when_it_asks_again(place: Place, model: Service) -> None:
    with place.up() as daemon, dial(daemon, place) as http:
        with opened(http, CHAT, {"message": "(slow)"}, **FIRST) as stream:
            assert "one" in until("delta", stream)["text"]
        model.release("gate")
        with opened(http, CHAT, {"message": "(slow)"}, **FIRST) as stream:
            assert words(list(stream)) == ANSWER
    assert model.asked == 1


def test_a_daemon_that_stops_ends_the_chat_and_the_next_one_goes_on(place: Place, model: Service) -> None:
    with (
        place.up() as daemon,
        dial(daemon, place) as http,
        opened(http, CHAT, {"message": "(slow)"}, **FIRST) as stream,
    ):
        until("delta", stream)
        daemon.process.send_signal(signal.SIGTERM)
        *_, (failed, error), (done, last) = list(stream)
    assert (failed, error["error"], error["status"]) == ("error", "shutting_down", 503)
    assert (done, last["status"]) == ("done", "in_progress")
    model.release("gate")
    with (
        place.up() as daemon,
        dial(daemon, place) as http,
        opened(http, CHAT, {"message": "(slow)"}, **FIRST) as stream,
    ):
        assert words(list(stream)).endswith(ANSWER)


def test_a_model_that_breaks_off_ends_the_chat_with_an_error(place: Place) -> None:
    with place.up() as daemon, dial(daemon, place) as http, opened(http, CHAT, {"message": "(break)"}) as stream:
        *said, (failed, error), (done, last) = list(stream)
    assert (words(said), failed, done) == (ANSWER, "error", "done")
    assert (error["error"], error["status"], last["status"]) == ("provider_protocol", 502, "failed")


# ----------------------------------------------------------------------------------------------------------------- abi


def test_completions_with_a_tool_in_one_thread(place: Place, model: Service) -> None:
    with place.up() as daemon, dial(daemon, place) as http:
        assert ask(http, "(look)") == "Let me look.\n\nIt is empty."
        with opened(http, STREAM, {"prompt": "(look)", "thread_id": 7}) as stream:
            events = list(stream)
    names = [name for name, _ in events if name != "message"]
    assert names == [
        "agent_routing",
        "call_model",
        "ai_message",
        "tool_usage",
        "tool_response",
        "call_model",
        "ai_message",
        "done",
    ]
    assert ("tool_usage", "list_dir") in events
    assert lines(events) == "Let me look.\n\nIt is empty."
    assert sum("(look)" in text for text in model.shown_last) == 2


@pytest.mark.parametrize(("answer", "found"), [("yes", ["written"]), ("No.", [])])
def test_a_question_in_a_completion_outlives_its_daemon(place: Place, answer: str, found: list[str]) -> None:
    with place.up() as daemon, dial(daemon, place) as http:
        question = ask(http, "(write)")
        assert f"echo written >> {NOTE}" in question
        assert "**yes**" in question
        assert ask(http, "well, perhaps").startswith("(This was not passed on")
        assert daemon.ended(signal.SIGKILL) == -signal.SIGKILL
    assert written(place) == []
    with place.up() as daemon, dial(daemon, place) as http:
        assert ask(http, answer) == "That is that."
    assert written(place) == found


def test_of_two_questions_at_once_the_prompts_answer_one_after_the_other(place: Place) -> None:
    with place.up() as daemon, dial(daemon, place) as http:
        first = ask(http, "(twice)")
        second = ask(http, "no")
        assert ["echo written" in first, "echo more" in first] != ["echo written" in second, "echo more" in second]
        assert ask(http, "yes") == "Both."
    assert written(place) == ["more" if "echo more" in second else "written"]


def test_a_completion_whose_client_vanishes_is_told_when_it_asks_again(place: Place, model: Service) -> None:
    with place.up() as daemon, dial(daemon, place) as http:
        with opened(http, STREAM, {"prompt": "(slow)", "thread_id": 7}, **FIRST) as stream:
            until("call_model", stream)
        model.release("gate")
        assert ask(http, "(slow)", **FIRST) == ANSWER
    assert model.asked == 1


def test_a_model_that_breaks_off_ends_a_completion_with_an_error(place: Place) -> None:
    with place.up() as daemon, dial(daemon, place) as http:
        assert http.post(WHOLE, json={"prompt": "(break)"}).status_code == 502
        with opened(http, STREAM, {"prompt": "(break)"}) as stream:
            events = list(stream)
    assert "error" in [name for name, _ in events]
    assert lines(events).endswith(")")
    assert events[-1] == ("done", "[DONE]")


# --------------------------------------------------------------------------------------------------------------- both


def test_what_is_refused(place: Place, model: Service) -> None:
    with place.up() as daemon, dial(daemon, place) as http:
        for path, body in HELLO.items():
            wrong = {"X-API-Key": "wrong", "Authorization": "Bearer wrong"}
            assert http.post(path, json=body, headers=wrong).status_code == 401
            assert http.post(path.replace("sulla", "sula"), json=body).status_code == 404
            large = dict.fromkeys(body, "x" * 1_100_000)
            assert http.post(path, json=large).status_code == 413
    assert model.asked == 0
