"""OpenAI's own client against a real daemon, with tools, questions, kills, and a model that fails."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest
from openai.types.chat import ChatCompletionChunk

from tests.daemon.running import AFRESH, PATIENCE_S, Daemon, Place, Service, service
from tests.kits.in_turn import in_turn
from tests.servers.script import Reply, Rule, Script, ToolUse

pytestmark = in_turn(3)

ANSWER = "one two three four five six seven eight"
NOTE = "note.txt"
FIRST = {"Idempotency-Key": "first"}


def replies(*rules: tuple[str, int | None, Reply]) -> Script:
    return Script([Rule(reply, text=text, results=results) for text, results, reply in rules])


@pytest.fixture
def model() -> Iterator[Service]:
    done = "<AGENT_DONE/>"
    look = Reply("Let me look.", tools=(ToolUse("list_dir", {"path": "."}),))
    write = Reply(tools=(ToolUse("bash", {"command": f"echo written >> {NOTE}", "timeout_s": 30}),))
    slow = Reply(ANSWER + done, pieces=8, hold="gate", hold_after=4)
    broken = Reply(ANSWER, pieces=8, broken="no line of this protocol\n")
    script = replies(
        ("(look)", 0, look),
        ("(look)", 1, Reply(f"It is empty.{done}")),
        ("(again)", 0, Reply(f"Still empty.{done}")),
        ("(write)", 0, write),
        ("(write)", 1, Reply(f"That is that.{done}")),
        ("(twice)", 0, Reply(tools=(write.tools[0], ToolUse("bash", {"command": f"echo more >> {NOTE}"})))),
        ("(twice)", 2, Reply(f"Both.{done}")),
        ("(slow)", None, slow),
        ("(break)", None, broken),
    )
    with service(script) as found:
        yield found


@pytest.fixture
def place(tmp_path: Path, model: Service) -> Place:
    asking = {"SULLA_SHELL__SANDBOX": "false", "SULLA_LIMITS__MESSAGE_INTERVAL_MS": "0"}
    return Place(tmp_path / "home", **model.environ, **asking)


@contextmanager
def dial(daemon: Daemon, place: Place, **options: Any) -> Iterator[openai.OpenAI]:
    token = (place.home / "token").read_text().strip()
    http = httpx2.Client(trust_env=False, timeout=PATIENCE_S, limits=httpx2.Limits(**AFRESH))
    with openai.OpenAI(base_url=f"{daemon.url}/v1", api_key=token, http_client=http, **options) as api:
        yield api


def user(text: str) -> Any:
    return {"role": "user", "content": text}


def ask(api: openai.OpenAI, messages: list[Any], **more: Any) -> str:
    """The answer, which is added to what was said."""
    answer = api.chat.completions.create(model="sulla", messages=messages, **more)
    text: str = answer.choices[0].message.content or ""
    assert text
    messages.append({"role": "assistant", "content": text})
    return text


def to_the_failure(stream: openai.Stream[ChatCompletionChunk]) -> tuple[str, openai.APIError]:
    """What came before it, and the failure."""
    text = ""
    try:
        for chunk in stream:
            text += chunk.choices[0].delta.content or ""
    except openai.APIError as error:
        return text, error
    raise AssertionError("it did not fail")


def written(place: Place) -> list[str]:
    path = place.home / "workspace" / NOTE
    return path.read_text().splitlines() if path.exists() else []


def test_a_turn_with_a_tool_and_the_next_one_of_the_same_conversation(place: Place, model: Service) -> None:
    with place.up() as daemon, dial(daemon, place) as api:
        assert [one.id for one in api.models.list()] == ["sulla"]
        messages = [user("(look)")]
        assert ask(api, messages) == "Let me look.\n\nIt is empty."
        messages.append(user("(again)"))
        assert ask(api, messages) == "Still empty."
        assert [sum(f"({word})" in text for text in model.shown_last) for word in ("look", "again")] == [1, 1]


def test_a_stream_with_a_tool(place: Place) -> None:
    with place.up() as daemon, dial(daemon, place) as api:
        more = {"sulla_tools": True}
        stream = api.chat.completions.create(model="sulla", messages=[user("(look)")], stream=True, extra_body=more)
        text, tools = "", list[Any]()
        for chunk in stream:
            text += "".join(choice.delta.content or "" for choice in chunk.choices)
            tools += [chunk.sulla] if hasattr(chunk, "sulla") else []
    assert text == "Let me look.\n\nIt is empty."
    assert [[*one] for one in tools] == [["tool_call"], ["tool_result"]]
    assert tools[0]["tool_call"]["arguments"] == {"path": "."}


@pytest.mark.parametrize(("answer", "lines"), [("yes", ["written"]), ("No.", [])])
def test_a_question_that_outlives_its_daemon_is_answered_in_the_conversation(
    place: Place, answer: str, lines: list[str]
) -> None:
    messages = [user("(write)")]
    with place.up() as daemon, dial(daemon, place) as api:
        question = ask(api, messages)
        assert f"echo written >> {NOTE}" in question
        assert "**yes**" in question
        messages.append(user("well, perhaps"))
        assert ask(api, messages).startswith("(This was not passed on")
        assert daemon.ended(signal.SIGKILL) == -signal.SIGKILL
    assert written(place) == []
    with place.up() as daemon, dial(daemon, place) as api:
        messages.append(user(answer))
        assert ask(api, messages) == "That is that."
    assert written(place) == lines


def test_of_two_questions_at_once_each_has_its_own_answer(place: Place) -> None:
    with place.up() as daemon, dial(daemon, place) as api:
        messages = [user("(twice)")]
        first = ask(api, messages)
        messages.append(user("no"))
        second = ask(api, messages)
        assert ["echo written" in first, "echo more" in first] != ["echo written" in second, "echo more" in second]
        messages.append(user("yes"))
        assert ask(api, messages) == "Both."
    assert written(place) == ["more" if "echo more" in second else "written"]


def test_a_client_that_vanishes_finds_its_answer_when_it_asks_again(place: Place, model: Service) -> None:
    with place.up() as daemon, dial(daemon, place) as api:
        stream = api.chat.completions.create(model="sulla", messages=[user("(slow)")], stream=True, extra_headers=FIRST)
        assert "one" in "".join(next(stream).choices[0].delta.content or "" for _ in range(2))
        stream.close()
        model.release("gate")
        assert ask(api, [user("(slow)")], extra_headers=FIRST) == ANSWER
    assert model.asked == 1


def test_an_answer_whose_daemon_is_killed_is_had_from_the_next(place: Place, model: Service) -> None:
    with place.up() as first, dial(first, place, max_retries=0) as api:
        stream = api.chat.completions.create(model="sulla", messages=[user("(slow)")], stream=True, extra_headers=FIRST)
        next(stream)
        next(stream)
        assert first.ended(signal.SIGKILL) == -signal.SIGKILL
        with pytest.raises((openai.APIError, httpx2.HTTPError)):
            list(stream)
    model.release("gate")
    with place.up() as second, dial(second, place) as api:
        assert ask(api, [user("(slow)")], extra_headers=FIRST) == ANSWER


def test_a_model_that_breaks_off_in_the_middle_ends_the_answer_with_an_error(place: Place) -> None:
    with place.up() as daemon, dial(daemon, place) as api:
        text, failed = to_the_failure(
            api.chat.completions.create(model="sulla", messages=[user("(break)")], stream=True)
        )
        assert (text, failed.code) == (ANSWER, "provider_protocol")
        with pytest.raises(openai.InternalServerError) as whole:
            ask(api, [user("(break)")])
        assert whole.value.status_code == 502


def test_a_wrong_key_and_an_unknown_agent(place: Place) -> None:
    with place.up() as daemon, dial(daemon, place) as api:
        with pytest.raises(openai.AuthenticationError):
            api.with_options(api_key="wrong").models.list()
        with pytest.raises(openai.NotFoundError, match="did you mean 'sulla'"):
            api.chat.completions.create(model="sula", messages=[user("hello")])
        with pytest.raises(openai.APIStatusError) as large:
            api.chat.completions.create(model="sulla", messages=[user("x" * 1_100_000)])
        assert large.value.status_code == 413
