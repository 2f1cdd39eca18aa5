"""ABI's completions over a real socket."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest

from sulla.access.principal import ALL_SCOPES
from sulla.gateway.server.server import Server
from tests.doubles.tokens import MemoryTokens
from tests.gateway.conftest import Start
from tests.gateway.dialects.playing import Played, Run, says
from tests.gateway.dialects.streams import client, opened
from tests.gateway.peer import until
from tests.kits.in_turn import in_turn

pytestmark = in_turn(2)

WHOLE = "/agents/sulla/completion"
STREAM = "/agents/sulla/stream-completion"
PASSED = "(This was not passed on, because the agent waits for an answer.)\n\n"
QUESTION = "Let me see.\n\nThe agent asks:\n\n    May I post this?\n\nAnswer **yes** or **no**."


def looks(run: Run) -> None:
    run.say("Let me ", "look.")
    run.call("look", "It is\ngreen.")
    run.say("Green.\nAll of it.")
    run.finish()


def asks(run: Run) -> None:
    run.say("Let me see.")
    run.ask()


def fails(run: Run) -> None:
    run.say("Well.")
    run.fail("provider_protocol", "the reply broke off")


async def complete(http: httpx2.AsyncClient, prompt: str = "Hello", thread: Any = None, **headers: str) -> str:
    """The text of an answer."""
    answer = await http.post(WHOLE, json={"prompt": prompt, "thread_id": thread}, headers=headers)
    assert answer.status_code == 200, answer.text
    text: str = answer.json()
    return text


async def stream(http: httpx2.AsyncClient, prompt: str = "Hello", thread: Any = None) -> list[tuple[str, str]]:
    """All events of an answer."""
    async with opened(http, STREAM, {"prompt": prompt, "thread_id": thread}) as reading:
        return [(event.event, event.data) for event in await reading.to_the_end()]


def final(events: list[tuple[str, str]]) -> str:
    return "\n".join(data for name, data in events if name == "message")


def detail(answer: httpx2.Response, status: int) -> Any:
    assert answer.status_code == status, answer.text
    value = answer.json()
    assert [*value] == ["detail"]
    return value["detail"]


def answers(commands: Played) -> list[tuple[object, ...]]:
    return [call[2:] for call in commands.calls if call[0] == "answer"]


async def test_a_whole_turn_with_a_tool(server: Server, commands: Played) -> None:
    commands.turns = [looks]
    async with client(server) as http:
        found = await stream(http)
    assert found == [
        ("agent_routing", "sulla"),
        ("call_model", "sulla"),
        ("ai_message", "Let me look."),
        ("tool_usage", "look"),
        ("tool_response", "It is\ngreen."),
        ("call_model", "sulla"),
        ("ai_message", "Green.\nAll of it."),
        ("message", "Let me look.\n"),
        ("message", "Green."),
        ("message", "All of it."),
        ("done", "[DONE]"),
    ]


async def test_a_text(server: Server, commands: Played) -> None:
    commands.turns = [looks]
    async with client(server) as http:
        answer = await http.post(WHOLE, json={"prompt": "Hello"})
    assert answer.json() == "Let me look.\n\nGreen.\nAll of it."
    assert answer.headers["x-thread-id"] == commands.threads[0]
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("thread", [7, "kitchen", "7"])
async def test_a_thread_goes_on(server: Server, commands: Played, thread: Any) -> None:
    commands.turns = [says("1"), says("2"), says("3"), says("4")]
    async with client(server) as http:
        await complete(http, "one", thread)
        await stream(http, "two", thread)
        await complete(http, "three", commands.threads[0])
        await complete(http, "four")
    a, b, c, d = commands.threads
    assert a == b == c != d
    assert commands.texts == ["one", "two", "three", "four"]


async def test_what_the_framework_would_pass_over_is_passed_over(server: Server, commands: Played) -> None:
    commands.turns = [says("Hi.")]
    async with client(server) as http:
        answer = await http.post(WHOLE, json={"prompt": "Hello", "thread_id": 1, "model": "gpt"})
    assert answer.json() == "Hi."


# ----------------------------------------------------------------------------------------------------------- questions


@pytest.mark.parametrize(("said", "verdict"), [("yes", "approve"), ("No.", "reject")])
async def test_a_question_ends_the_answer_and_the_next_prompt_answers_it(
    server: Server, commands: Played, said: str, verdict: str
) -> None:
    commands.turns = [asks, says("That is that.")]
    async with client(server) as http:
        assert await complete(http, "Post it", 1) == QUESTION
        assert await complete(http, said, 1) == "That is that."
    assert answers(commands) == [("approval:call_1", verdict, "")]
    assert commands.texts == ["Post it"]


async def test_the_same_in_a_stream(server: Server, commands: Played) -> None:
    commands.turns = [asks, says("Posted.")]
    async with client(server) as http:
        first = await stream(http, "Post it", 1)
        assert first[-1] == ("done", "[DONE]")
        assert final(first) == QUESTION
        assert ("ai_message", "The agent asks:\n\n    May I post this?\n\nAnswer **yes** or **no**.") in first
        assert final(await stream(http, "yes", 1)) == "Posted."
    assert answers(commands) == [("approval:call_1", "approve", "")]


async def test_what_is_no_answer_approves_nothing(server: Server, commands: Played) -> None:
    commands.turns = [asks, says("Posted.")]
    async with client(server) as http:
        await complete(http, "Post it", 1)
        again = await complete(http, "yes, but only if it rains", 1)
        assert again == f"{PASSED}The agent asks:\n\n    May I post this?\n\nAnswer **yes** or **no**."
        assert final(await stream(http, "well", 1)) == again
        assert answers(commands) == []
        assert await complete(http, "yes", 1) == "Posted."
    assert commands.texts == ["Post it"]


@pytest.mark.parametrize("asked", ["approval:call_1", "answer:call_1"])
async def test_what_must_not_wait_is_passed_on_though_the_agent_waits_for_an_answer(
    server: Server, commands: Played, asked: str
) -> None:
    commands.turns, commands.urgent = [lambda run: run.ask(asked, "Well?"), says("Call 112.")], {"it burns"}
    async with client(server) as http:
        await complete(http, "Post it", 1)
        assert await complete(http, "it burns", 1) == "Call 112."
    assert (commands.texts, answers(commands)) == (["Post it", "it burns"], [])


async def test_a_yes_is_for_the_question_that_was_shown(server: Server, commands: Played) -> None:
    commands.turns = [asks]
    async with client(server) as http:
        await complete(http, "Post it", 1)
        commands.runs[0].go_on("approval:call_1")  # somebody else was faster
        commands.runs[0].ask("approval:call_2", "May I delete everything?")
        assert "May I delete everything?" in await complete(http, "yes", 1)
        assert answers(commands) == []
        commands.turns = [says("Deleted.")]
        assert await complete(http, "yes", 1) == "Deleted."
    assert answers(commands) == [("approval:call_2", "approve", "")]


async def test_a_yes_to_what_somebody_else_has_answered_tells_what_came_of_it(server: Server, commands: Played) -> None:
    commands.turns = [asks]
    async with client(server) as http:
        await complete(http, "Post it", 1)
        commands.runs[0].go_on("approval:call_1")
        says("Posted.")(commands.runs[0])
        assert await complete(http, "yes", 1) == "Posted."
        commands.turns = [says("You are welcome.")]
        assert await complete(http, "yes", 1) == "You are welcome."
    assert commands.texts == ["Post it", "yes"]
    assert answers(commands) == []


async def test_other_words_are_a_message_then(server: Server, commands: Played) -> None:
    commands.turns = [asks]
    async with client(server) as http:
        await complete(http, "Post it", 1)
        commands.runs[0].go_on("approval:call_1")
        says("Posted.")(commands.runs[0])
        commands.turns = [says("Sure.")]
        assert await complete(http, "And now sing", 1) == "Sure."
    assert commands.texts == ["Post it", "And now sing"]


async def test_words_that_could_answer_anything_are_a_message_once_the_question_is_answered(
    server: Server, commands: Played
) -> None:
    def wonders(run: Run) -> None:
        run.ask("answer:call_1", "Which colour?")

    commands.turns = [wonders]
    async with client(server) as http:
        assert "Which colour?" in await complete(http, "Paint it", 1)
        commands.runs[0].go_on("answer:call_1")
        says("Painted.")(commands.runs[0])
        commands.turns = [says("Sure.")]
        assert await complete(http, "blue", 1) == "Sure."
    assert commands.texts == ["Paint it", "blue"]


async def test_a_question_that_somebody_else_was_asked_comes_first(server: Server, commands: Played) -> None:
    commands.turns = [says("Hi."), says("Kept.")]
    async with client(server) as http:
        await complete(http, "Hello", 1)
        commands.runs.append(Run(commands, commands.threads[0], "run_other"))
        commands.runs[-1].ask("approval:other", "May I delete everything?")
        assert "May I delete everything?" in await complete(http, "yes", 1)
        assert await complete(http, "no", 1) == "Kept."
    assert answers(commands) == [("approval:other", "reject", "")]
    assert commands.texts == ["Hello"]


async def test_nobody_approves_without_the_scope(server: Server, commands: Played, tokens: MemoryTokens) -> None:
    made = await tokens.create("talker", ALL_SCOPES - {"approve", "admin"}, None, tokens.known()[0].principal)
    commands.turns = [asks]
    async with client(server, made.secret) as http:
        assert "`sulla approvals`" in await complete(http, "Post it", 1)
        assert "'approve'" in detail(await http.post(WHOLE, json={"prompt": "yes", "thread_id": 1}), 403)
    assert answers(commands) == []


# -------------------------------------------------------------------------------------------------------- what is wrong


@pytest.mark.parametrize("path", [WHOLE, STREAM])
async def test_what_is_refused_before_anything_is_done(server: Server, commands: Played, path: str) -> None:
    async with httpx2.AsyncClient(base_url=server.url, trust_env=False) as http:
        assert detail(await http.post(path, json={"prompt": "Hello"}), 401)
    async with client(server, "wrong") as http:
        assert detail(await http.post(path, json={"prompt": "Hello"}), 401)
    async with client(server, "reader") as http:
        assert "'write'" in detail(await http.post(path, json={"prompt": "Hello"}), 403)
    async with client(server) as http:
        other = path.replace("sulla", "sula")
        assert "did you mean 'sulla'?" in detail(await http.post(other, json={"prompt": "Hello"}), 404)
        assert "thr_none" in detail(await http.post(path, json={"prompt": "x", "thread_id": "thr_none"}), 404)
        assert "at most 100000" in detail(await http.post(path, json={"prompt": "x" * 100_001}), 413)
        assert "POST" in detail(await http.get(path), 405)
        assert detail(await http.post("/agents/sulla", json={}), 404)
    assert not [call for call in commands.calls if call[0] in ("create_thread", "send")]


@pytest.mark.parametrize(
    ("body", "param", "says_"),
    [
        ({}, "prompt", "prompt: expected what"),
        ({"prompt": " "}, "prompt", "got ' '"),
        ({"prompt": "x", "thread_id": True}, "thread_id", "got True"),
        ({"prompt": "x", "thread_id": 1.5}, "thread_id", "expected a text or a number"),
        ({"prompt": "x", "thread_id": "a\nb"}, "thread_id", "printable"),
    ],
)
async def test_what_is_no_prompt(server: Server, body: Any, param: str, says_: str) -> None:
    async with client(server) as http:
        (found,) = detail(await http.post(WHOLE, json=body), 422)
    assert found["loc"] == ["body", param]
    assert says_ in found["msg"]


async def test_a_body_over_the_limit(start: Start) -> None:
    server = await start(frame_bytes=1000)
    async with client(server) as http:
        assert detail(await http.post(WHOLE, json={"prompt": "x" * 1000}), 413)


async def test_a_store_that_hangs_is_not_waited_for(start: Start, commands: Played) -> None:
    server = await start(call_s=0.05)
    commands.gates["list_agents"] = asyncio.Event()
    async with client(server) as http:
        assert "ask again" in detail(await http.post(WHOLE, json={"prompt": "Hello"}), 503)


async def test_a_failure_has_a_status(server: Server, commands: Played) -> None:
    commands.turns = [fails]
    async with client(server) as http:
        assert detail(await http.post(WHOLE, json={"prompt": "Hello"}), 502) == "the reply broke off"


async def test_a_failure_in_a_stream_is_an_error_and_the_end(server: Server, commands: Played) -> None:
    commands.turns = [fails]
    async with client(server) as http:
        found = await stream(http)
    assert ("error", "the reply broke off") in found
    assert found[-1] == ("done", "[DONE]")
    assert final(found) == "Well.\n\n(This broke off: the reply broke off)"


# ---------------------------------------------------------------------------------------------------------- leaving


async def test_a_request_that_is_made_again_does_nothing_twice(server: Server, commands: Played) -> None:
    commands.turns = [asks, says("Posted.")]
    async with client(server) as http:
        for _ in range(2):
            assert await complete(http, "Post it", 1, **{"Idempotency-Key": "k-1"}) == QUESTION
        assert await complete(http, "yes", 1, **{"Idempotency-Key": "k-2"}) == "Posted."
    assert commands.texts == ["Post it"]
    assert len(answers(commands)) == 1


async def test_an_answer_that_is_given_again_is_no_message(server: Server, commands: Played) -> None:
    def wonders(run: Run) -> None:
        run.ask("answer:call_1", "Which colour?")

    commands.turns = [wonders, says("Painted.")]
    async with client(server) as http:
        await complete(http, "Paint it", 1)
        for _ in range(2):
            assert await complete(http, "blue", 1, **{"Idempotency-Key": "k-1"}) == "Painted."
    assert answers(commands) == [("answer:call_1", "result", "blue")]
    assert commands.texts == ["Paint it"]


async def test_nor_is_one_that_is_given_twice_at_once(
    server: Server, commands: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second attempt looks for what was noted before the first one notes it, and for the question after that."""

    def wonders(run: Run) -> None:
        run.ask("answer:call_1", "Which colour?")

    commands.turns = [wonders, says("Painted.")]
    async with client(server) as http:
        await complete(http, "Paint it", 1)
        asked, looked = commands.questions_of, 0

        async def questions_of(thread_id: str) -> Any:
            nonlocal looked
            looked += 1
            if looked == 1:
                await until(lambda: looked >= 2)
            elif looked == 2:
                await until(lambda: not commands.questions)
            return await asked(thread_id)

        monkeypatch.setattr(commands, "questions_of", questions_of)
        both = [complete(http, "blue", 1, **{"Idempotency-Key": "k-1"}) for _ in range(2)]
        assert await asyncio.gather(*both) == ["Painted."] * 2
    assert answers(commands) == [("answer:call_1", "result", "blue")]
    assert commands.texts == ["Paint it"]


async def test_other_words_under_the_key_of_an_answer_are_a_message(server: Server, commands: Played) -> None:
    commands.turns = [asks, says("Posted."), says("Sure.")]
    async with client(server) as http:
        await complete(http, "Post it", 1)
        assert await complete(http, "yes", 1, **{"Idempotency-Key": "k-1"}) == "Posted."
        assert await complete(http, "And now sing", 1, **{"Idempotency-Key": "k-1"}) == "Sure."
    assert commands.texts == ["Post it", "And now sing"]


async def test_one_without_a_thread_neither(server: Server, commands: Played) -> None:
    commands.turns = [says("Hi.")]
    async with client(server) as http:
        for _ in range(2):
            assert await complete(http, **{"Idempotency-Key": "k-1"}) == "Hi."
    assert len(commands.texts) == 1


@pytest.mark.parametrize("path", [WHOLE, STREAM])
async def test_a_turn_goes_on_when_its_client_leaves(server: Server, commands: Played, path: str) -> None:
    async with client(server) as http:
        if path == STREAM:
            async with opened(http, path, {"prompt": "Hello"}):
                await until(lambda: commands.runs)
        else:
            asking = asyncio.ensure_future(http.post(path, json={"prompt": "Hello"}))
            await until(lambda: commands.threads and commands.listeners(commands.threads[0]))
            asking.cancel()
            await asyncio.wait((asking,))
    await until(lambda: commands.threads and commands.listeners(commands.threads[0]) == 0)
    assert not [call for call in commands.calls if call[0] == "stop"]


async def test_a_request_that_is_made_again_asks_nobody_what_was_answered_meanwhile(
    server: Server, commands: Played
) -> None:
    commands.turns = [asks]
    async with client(server) as http:
        assert await complete(http, "Post it", 1, **{"Idempotency-Key": "k-1"}) == QUESTION
        commands.runs[0].go_on("approval:call_1")
        says("Posted.")(commands.runs[0])
        again = await complete(http, "Post it", 1, **{"Idempotency-Key": "k-1"})
    assert "May I" not in again
    assert again.endswith("Posted.")


async def test_a_deleted_thread_that_is_made_anew_under_its_name_asks_nothing(server: Server, commands: Played) -> None:
    commands.turns = [asks, says("Hello.")]
    async with client(server) as http:
        await complete(http, "Post it", 1)
        commands.questions.clear()
        await commands.delete_thread(commands.threads[0])
        assert await complete(http, "yes", 1) == "Hello."
    assert commands.texts == ["Post it", "yes"]
