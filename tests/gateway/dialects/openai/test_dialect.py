"""Chat completions over a real socket, by OpenAI's own client."""

from __future__ import annotations

import asyncio
from typing import Any

import openai
import pytest

from sulla.access.principal import ALL_SCOPES
from sulla.gateway.server.server import Server
from tests.doubles.tokens import MemoryTokens
from tests.gateway.conftest import Start
from tests.gateway.dialects.conftest import Dial
from tests.gateway.dialects.playing import Played, Run, says
from tests.gateway.peer import until
from tests.gateway.rest.test_app import browse
from tests.kits.in_turn import in_turn

pytestmark = in_turn(2)

HELLO: Any = [{"role": "user", "content": "Hello"}]


def user(text: str) -> Any:
    return {"role": "user", "content": text}


def answered(text: str) -> Any:
    return {"role": "assistant", "content": text}


async def test_a_whole_answer(dial: Dial, server: Server, commands: Played) -> None:
    commands.turns = [says("Hel", "lo you")]
    answer = await dial(server).chat.completions.create(model="sulla", messages=HELLO)
    (choice,) = answer.choices
    assert (choice.message.content, choice.message.role, choice.finish_reason) == ("Hello you", "assistant", "stop")
    assert answer.usage is not None
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens, answer.usage.total_tokens) == (15, 3, 18)
    assert (answer.model, answer.object) == ("sulla", "chat.completion")
    assert answer.id == f"chatcmpl-{commands.runs[0].run_id}"
    assert answer.thread_id == commands.threads[0]  # type: ignore[attr-defined]  # an extension


async def test_an_answer_in_pieces(dial: Dial, server: Server, commands: Played) -> None:
    text, finished, usages = "", list[str](), list[Any]()
    stream = await dial(server).chat.completions.create(
        model="sulla", messages=HELLO, stream=True, stream_options={"include_usage": True}
    )
    await until(lambda: commands.runs)
    says("Hel", "lo")(commands.runs[0])
    async for chunk in stream:
        usages.append(chunk.usage)
        for choice in chunk.choices:
            text += choice.delta.content or ""
            finished += [choice.finish_reason] if choice.finish_reason else []
    assert (text, finished) == ("Hello", ["stop"])
    assert [usage.total_tokens for usage in usages if usage is not None] == [18]
    assert usages[-1] is not None


async def test_without_being_asked_a_stream_does_not_speak_of_tokens(
    dial: Dial, server: Server, commands: Played
) -> None:
    commands.turns = [says("Hello")]
    stream = await dial(server).chat.completions.create(model="sulla", messages=HELLO, stream=True)
    assert ["usage" in chunk.model_dump(exclude_unset=True) for chunk in [c async for c in stream]] == [False] * 3


# ------------------------------------------------------------------------------------------------------ conversations


async def test_a_client_that_sends_all_that_was_said_goes_on_in_the_same_thread(
    dial: Dial, server: Server, commands: Played
) -> None:
    commands.turns = [says("Hi."), says("Rome."), says("Yes.")]
    api, messages = dial(server), list[Any]()
    for said in ("Hello", "Where is the Forum?", "Is it old?"):
        messages.append(user(said))
        answer = await api.chat.completions.create(model="sulla", messages=messages)
        messages.append(answered(answer.choices[0].message.content or ""))
    assert commands.texts == ["Hello", "Where is the Forum?", "Is it old?"]
    assert len(set(commands.threads)) == 1


async def test_two_that_begin_with_the_same_words_are_two(dial: Dial, server: Server, commands: Played) -> None:
    commands.turns = [says("Hi."), says("Hi.")]
    for _ in range(2):
        await dial(server).chat.completions.create(model="sulla", messages=HELLO)
    assert len(set(commands.threads)) == 2


async def test_one_that_goes_another_way_from_some_point_on_is_a_new_one_that_knows_what_was_before(
    dial: Dial, server: Server, commands: Played
) -> None:
    commands.turns = [says("Hi."), says("Red."), says("Blue.")]
    api, begun = dial(server), [user("Hello"), answered("Hi."), user("A colour?")]
    await api.chat.completions.create(model="sulla", messages=begun[:1])
    await api.chat.completions.create(model="sulla", messages=begun)
    await api.chat.completions.create(model="sulla", messages=begun)  # another answer is wanted
    first, second, third = commands.threads
    assert first == second != third
    assert commands.texts[2] == "A colour?"
    assert commands.quoted[2] == "Before this message, elsewhere, it was said:\n\nuser: Hello\n\nassistant: Hi."


async def test_one_that_began_elsewhere_is_told_once(dial: Dial, server: Server, commands: Played) -> None:
    commands.turns = [says("Two."), says("Three.")]
    api, messages = dial(server), [user("Count"), answered("One."), user("Go on")]
    await api.chat.completions.create(model="sulla", messages=messages)
    messages += [answered("Two."), user("And?")]
    await api.chat.completions.create(model="sulla", messages=messages)
    assert "assistant: One." in commands.quoted[0]
    assert commands.texts == ["Go on", "And?"]
    assert commands.quoted[1] == ""


async def test_what_the_application_says_is_passed_on_when_it_is_news(
    dial: Dial, server: Server, commands: Played
) -> None:
    commands.turns = [says("1"), says("2"), says("3")]
    api, system = dial(server), {"role": "system", "content": "Be brief."}
    messages: list[Any] = [system]
    for number, said in enumerate(("one", "two", "three")):
        messages.append(user(said))
        await api.chat.completions.create(model="sulla", messages=messages)
        messages.append(answered(str(number + 1)))
        if said == "two":
            messages[0] = {"role": "system", "content": "Be long."}
    assert ["Be brief." in text for text in commands.texts] == [True, False, False]
    assert ["Be long." in text for text in commands.texts] == [False] * 3
    assert ["Be long." in text for text in commands.quoted] == [False, False, True], "made from anything by now"


async def test_a_thread_can_be_named(dial: Dial, server: Server, commands: Played) -> None:
    commands.turns = [says("1"), says("2"), says("3")]
    api, kitchen = dial(server), {"thread_id": "kitchen"}
    await api.chat.completions.create(model="sulla", messages=[user("one")], extra_body=kitchen)
    await api.chat.completions.create(model="sulla", messages=[user("two")], extra_headers={"X-Thread-Id": "kitchen"})
    own = {"thread_id": commands.threads[0]}
    messages: list[Any] = [user("one"), answered("1"), user("three")]
    await api.chat.completions.create(model="sulla", messages=messages, extra_body=own)
    assert commands.texts == ["one", "two", "three"]
    assert len(set(commands.threads)) == 1


async def test_a_thread_that_there_is_not(dial: Dial, server: Server) -> None:
    with pytest.raises(openai.NotFoundError) as refused:
        await dial(server).chat.completions.create(model="sulla", messages=HELLO, extra_body={"thread_id": "thr_none"})
    assert "thr_none" in refused.value.message


# ----------------------------------------------------------------------------------------------------------- questions


def asks(run: Run) -> None:
    run.say("Let me see.")
    run.ask()


async def test_a_question_is_asked_in_the_text_and_answered_by_the_next_message(
    dial: Dial, server: Server, commands: Played
) -> None:
    commands.turns = [asks, says("Posted.")]
    api = dial(server)
    first = await api.chat.completions.create(model="sulla", messages=[user("Post it")])
    text = first.choices[0].message.content or ""
    assert text == "Let me see.\n\nThe agent asks:\n\n    May I post this?\n\nAnswer **yes** or **no**."
    messages = [user("Post it"), answered(text), user("Yes.")]
    second = await api.chat.completions.create(model="sulla", messages=messages)
    assert second.choices[0].message.content == "Posted."
    assert [call[1:] for call in commands.calls if call[0] == "answer"] == [
        (commands.threads[0], "approval:call_1", "approve", "")
    ]
    assert commands.texts == ["Post it"]


async def test_what_is_no_answer_approves_nothing(dial: Dial, server: Server, commands: Played) -> None:
    commands.turns = [asks, says("Posted.")]
    api, messages = dial(server), [user("Post it")]
    first = await api.chat.completions.create(model="sulla", messages=messages)
    messages += [answered(first.choices[0].message.content or ""), user("yes, but only if it rains")]
    second = await api.chat.completions.create(model="sulla", messages=messages)
    text = second.choices[0].message.content or ""
    assert text.startswith("(This was not passed on")
    assert not [call for call in commands.calls if call[0] == "answer"]
    messages += [answered(text), user("no")]
    third = await api.chat.completions.create(model="sulla", messages=messages, stream=True)
    assert "".join([c.choices[0].delta.content or "" async for c in third if c.choices]) == "Posted."
    assert [call[3] for call in commands.calls if call[0] == "answer"] == ["reject"]


async def test_what_must_not_wait_is_passed_on_though_the_agent_waits_for_an_answer(
    dial: Dial, server: Server, commands: Played
) -> None:
    commands.turns, commands.urgent = [asks, says("Call 112.")], {"it burns"}
    api, messages = dial(server), [user("Post it")]
    first = await api.chat.completions.create(model="sulla", messages=messages)
    messages += [answered(first.choices[0].message.content or ""), user("it burns")]
    second = await api.chat.completions.create(model="sulla", messages=messages)
    assert second.choices[0].message.content == "Call 112."
    assert commands.texts == ["Post it", "it burns"]
    assert not [call for call in commands.calls if call[0] == "answer"]


async def test_nobody_approves_without_the_scope(
    dial: Dial, server: Server, commands: Played, tokens: MemoryTokens
) -> None:
    made = await tokens.create("talker", ALL_SCOPES - {"approve", "admin"}, None, tokens.known()[0].principal)
    commands.turns = [asks, says("Posted.")]
    api, messages = dial(server, made.secret), [user("Post it")]
    first = await api.chat.completions.create(model="sulla", messages=messages)
    text = first.choices[0].message.content or ""
    assert "`sulla approvals`" in text
    messages += [answered(text), user("yes")]
    with pytest.raises(openai.PermissionDeniedError) as refused:
        await api.chat.completions.create(model="sulla", messages=messages)
    assert "'approve'" in refused.value.message
    assert not [call for call in commands.calls if call[0] == "answer"]


async def test_a_yes_is_for_the_question_that_was_shown(dial: Dial, server: Server, commands: Played) -> None:
    commands.turns = [asks]
    api, messages = dial(server), [user("Post it")]
    first = await api.chat.completions.create(model="sulla", messages=messages)
    run = commands.runs[0]
    run.go_on("approval:call_1")  # somebody else was faster
    run.ask("approval:call_2", "May I delete everything?")
    messages += [answered(first.choices[0].message.content or ""), user("yes")]
    second = await api.chat.completions.create(model="sulla", messages=messages)
    assert "May I delete everything?" in (second.choices[0].message.content or "")
    assert not [call for call in commands.calls if call[0] == "answer"]


async def test_a_question_that_somebody_else_was_asked_comes_first(
    dial: Dial, server: Server, commands: Played
) -> None:
    commands.turns = [says("Hi."), says("Posted.")]
    api, kitchen = dial(server), {"thread_id": "kitchen"}
    await api.chat.completions.create(model="sulla", messages=HELLO, extra_body=kitchen)
    commands.runs.append(Run(commands, commands.threads[0], "run_other"))
    commands.runs[-1].ask("approval:other", "May I delete everything?")
    first = await api.chat.completions.create(model="sulla", messages=[user("And?")], extra_body=kitchen)
    assert "May I delete everything?" in (first.choices[0].message.content or "")
    second = await api.chat.completions.create(model="sulla", messages=[user("no")], extra_body=kitchen)
    assert second.choices[0].message.content == "Posted."
    assert [call[2:4] for call in commands.calls if call[0] == "answer"] == [("approval:other", "reject")]
    assert commands.texts == ["Hello"]


async def test_a_yes_in_a_named_thread_is_for_what_the_client_says_that_it_was_shown(
    dial: Dial, server: Server, commands: Played
) -> None:
    commands.turns = [asks, says("Posted.")]
    api, kitchen = dial(server), {"thread_id": "kitchen"}
    first = await api.chat.completions.create(model="sulla", messages=[user("Post it")], extra_body=kitchen)
    elsewhere: list[Any] = [user("Shall I go?"), answered("Is it raining?"), user("yes")]
    second = await api.chat.completions.create(model="sulla", messages=elsewhere, extra_body=kitchen)
    assert "May I post this?" in (second.choices[0].message.content or "")
    assert not [call for call in commands.calls if call[0] == "answer"]
    shown: list[Any] = [user("Post it"), answered(first.choices[0].message.content or ""), user("yes")]
    third = await api.chat.completions.create(model="sulla", messages=shown, extra_body=kitchen)
    assert third.choices[0].message.content == "Posted."


@pytest.mark.parametrize("said", [" ", "x" * 100_001])
async def test_no_thread_is_made_for_words_that_cannot_be_said(
    dial: Dial, server: Server, commands: Played, said: str
) -> None:
    with pytest.raises(openai.APIStatusError) as refused:
        await dial(server).chat.completions.create(model="sulla", messages=[user(said)])
    assert refused.value.status_code == (400 if said.isspace() else 413)
    assert not [call for call in commands.calls if call[0] == "create_thread"]


async def test_a_store_that_hangs_is_not_waited_for(dial: Dial, start: Start, commands: Played) -> None:
    server = await start(call_s=0.05)
    commands.gates["list_agents"] = asyncio.Event()
    with pytest.raises(openai.InternalServerError) as failed:
        await dial(server).with_options(max_retries=0).chat.completions.create(model="sulla", messages=HELLO)
    assert (failed.value.status_code, failed.value.code) == (503, "unavailable")


# --------------------------------------------------------------------------------------------------------------- tools


def looks(run: Run) -> None:
    run.say("Let me look.")
    run.call("look", "It is green.")
    run.say("Green.")
    run.finish()


async def test_tools_are_the_agents_own_and_no_client_is_asked_to_call_them(
    dial: Dial, server: Server, commands: Played
) -> None:
    commands.turns = [looks]
    answer = await dial(server).chat.completions.create(model="sulla", messages=HELLO)
    message = answer.choices[0].message
    assert (message.content, message.tool_calls) == ("Let me look.\n\nGreen.", None)


async def test_who_wants_to_see_them_is_shown_them_beside(dial: Dial, server: Server, commands: Played) -> None:
    commands.turns = [looks, looks]
    api, more = dial(server), {"sulla_tools": True}
    whole = await api.chat.completions.create(model="sulla", messages=HELLO, extra_body=more)
    stream = await api.chat.completions.create(model="sulla", messages=HELLO, extra_body=more, stream=True)
    told = [chunk.sulla async for chunk in stream if hasattr(chunk, "sulla")]
    assert told == whole.sulla["tools"]  # type: ignore[attr-defined]  # an extension
    assert told == [
        {"tool_call": {"id": "call_1", "name": "look", "arguments": {"at": "home"}}},
        {"tool_result": {"id": "call_1", "name": "look", "output": "It is green.", "is_error": False}},
    ]


# -------------------------------------------------------------------------------------------------------- what is wrong


async def test_models_are_agents(dial: Dial, server: Server) -> None:
    api = dial(server)
    assert [model.id async for model in api.models.list()] == ["sulla"]
    assert (await api.models.retrieve("sulla")).owned_by == "sulla"
    with pytest.raises(openai.NotFoundError) as refused:
        await api.models.retrieve("sula")
    assert (refused.value.code, refused.value.param) == ("model_not_found", "model")
    assert "did you mean 'sulla'?" in refused.value.message


async def test_an_agent_that_there_is_not(dial: Dial, server: Server, commands: Played) -> None:
    with pytest.raises(openai.NotFoundError) as refused:
        await dial(server).chat.completions.create(model="gpt-5", messages=HELLO)
    assert (refused.value.code, refused.value.type) == ("model_not_found", "invalid_request_error")
    assert not commands.texts


async def test_a_wrong_key(dial: Dial, server: Server) -> None:
    with pytest.raises(openai.AuthenticationError) as refused:
        await dial(server, "wrong").models.list()
    assert (refused.value.code, refused.value.type) == ("invalid_api_key", "authentication_error")


async def test_a_token_that_may_only_read(dial: Dial, server: Server, commands: Played) -> None:
    with pytest.raises(openai.PermissionDeniedError) as refused:
        await dial(server, "reader").chat.completions.create(model="sulla", messages=HELLO)
    assert "'write'" in refused.value.message
    assert commands.calls == []


async def test_a_body_that_is_too_large(dial: Dial, start: Start, commands: Played) -> None:
    server = await start(frame_bytes=2000)
    with pytest.raises(openai.APIStatusError) as refused:
        await dial(server).chat.completions.create(model="sulla", messages=[user("x" * 3000)])
    assert (refused.value.status_code, refused.value.code) == (413, "too_large")
    assert commands.calls == []


async def test_what_is_not_offered_is_refused_in_the_same_form(dial: Dial, server: Server) -> None:
    with pytest.raises(openai.NotFoundError) as refused:
        await dial(server).embeddings.create(model="sulla", input="x")
    assert (refused.value.type, refused.value.code) == ("invalid_request_error", "not_found")
    async with browse(server) as http:
        answer = await http.get("/v1/chat/completions")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert answer.json()["error"]["type"] == "invalid_request_error"


async def test_a_foreign_page_is_told_in_the_same_form(server: Server) -> None:
    async with browse(server) as http:
        answer = await http.get("/v1/models", headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403
    assert answer.json()["error"]["type"] == "permission_error"


def fails(run: Run) -> None:
    run.say("Well,")
    run.fail("provider_protocol", "the reply broke off", retryable=True)


async def test_a_failure_is_an_error_and_is_not_tried_again_by_the_client(
    dial: Dial, server: Server, commands: Played
) -> None:
    commands.turns = [fails]
    with pytest.raises(openai.InternalServerError) as failed:
        await dial(server).chat.completions.create(model="sulla", messages=HELLO)
    assert (failed.value.status_code, failed.value.code, failed.value.type) == (
        502,
        "provider_protocol",
        "server_error",
    )
    assert len(commands.texts) == 1


async def test_a_failure_in_the_middle_of_a_stream_ends_it_with_an_error(
    dial: Dial, server: Server, commands: Played
) -> None:
    commands.turns = [fails]
    stream = await dial(server).chat.completions.create(model="sulla", messages=HELLO, stream=True)
    text = "".join([(await anext(stream)).choices[0].delta.content or "" for _ in range(2)])
    assert text == "Well,"
    with pytest.raises(openai.APIError, match="the reply broke off"):
        await anext(stream)


async def test_the_last_thing_of_a_stream_is_always_the_same(server: Server, commands: Played) -> None:
    commands.turns = [says("Hi"), asks, fails]
    async with browse(server) as http:
        for _ in range(3):
            body = {"model": "sulla", "messages": HELLO, "stream": True}
            answer = await http.post("/v1/chat/completions", json=body)
            assert answer.text.endswith("data: [DONE]\n\n")
            assert answer.text.count("[DONE]") == 1


# ------------------------------------------------------------------------------------------------- asking and leaving


async def test_a_request_that_is_made_again_does_nothing_twice(dial: Dial, server: Server, commands: Played) -> None:
    commands.turns = [says("Hi."), says("Ho.")]
    key = {"Idempotency-Key": "k-1"}
    for _ in range(2):
        answer = await dial(server).chat.completions.create(model="sulla", messages=HELLO, extra_headers=key)
        assert answer.choices[0].message.content == "Hi."
    assert len(commands.texts) == 1


async def test_a_client_that_lost_the_answer_and_asks_again_by_itself_gets_it(
    dial: Dial, server: Server, commands: Played
) -> None:
    commands.turns = [says("Hi.")]
    await dial(server).chat.completions.create(model="sulla", messages=HELLO)
    again = {"x-stainless-retry-count": "1"}
    answer = await dial(server).chat.completions.create(model="sulla", messages=HELLO, extra_headers=again)
    assert answer.choices[0].message.content == "Hi."
    assert len(commands.texts) == 1


@pytest.mark.parametrize("stream", [True, False])
async def test_a_turn_goes_on_when_its_client_leaves(server: Server, commands: Played, *, stream: bool) -> None:
    async with browse(server) as http:
        body = {"model": "sulla", "messages": HELLO, "stream": stream}
        request = http.build_request("POST", "/v1/chat/completions", json=body)
        if stream:
            answer = await http.send(request, stream=True)
            await answer.aclose()
        else:
            asking = asyncio.ensure_future(http.send(request))
            await until(lambda: commands.threads and commands.listeners(commands.threads[0]))
            asking.cancel()
            await asyncio.wait((asking,))
    await until(lambda: commands.threads and commands.listeners(commands.threads[0]) == 0)
    assert not [call for call in commands.calls if call[0] == "stop"]
