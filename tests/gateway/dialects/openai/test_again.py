"""A request to OpenAI's API that its client makes again, and one that only says the same."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sulla.gateway.dialects.openai.again import RETRY_S
from sulla.gateway.server.server import Server
from tests.gateway.dialects.conftest import Dial
from tests.gateway.dialects.playing import Played, Run, says
from tests.gateway.peer import until

HELLO: Any = [{"role": "user", "content": "Hello"}]
KITCHEN = {"thread_id": "kitchen"}
FIRST = {"Idempotency-Key": "k-1"}
RETRY = {"x-stainless-retry-count": "1"}


def user(text: str) -> Any:
    return {"role": "user", "content": text}


def wonders(run: Run) -> None:
    run.ask("answer:call_1", "Which colour?")


def asks(run: Run) -> None:
    run.ask()


def answers(commands: Played) -> list[Any]:
    return [call[2:] for call in commands.calls if call[0] == "answer"]


async def said(api: Any, *messages: Any, **more: Any) -> str:
    answer = await api.chat.completions.create(model="sulla", messages=[*messages], **more)
    return str(answer.choices[0].message.content)


# ----------------------------------------------------------------------------------------------------------- questions


async def test_words_that_could_answer_anything_are_a_message_once_somebody_else_has_answered(
    dial: Dial, server: Server, commands: Played
) -> None:
    commands.turns = [wonders]
    api, messages = dial(server), [user("Paint it")]
    messages.append({"role": "assistant", "content": await said(api, *messages)})
    commands.runs[0].go_on("answer:call_1")
    says("Painted.")(commands.runs[0])
    commands.turns = [says("Sure.")]
    assert await said(api, *messages, user("And now sing")) == "Sure."
    assert (commands.texts, answers(commands)) == (["Paint it", "And now sing"], [])


@pytest.mark.parametrize("headers", [RETRY, FIRST])
@pytest.mark.parametrize(("question", "text"), [(wonders, "blue"), (asks, "yes")])
@pytest.mark.parametrize("more", [{}, {"extra_body": KITCHEN}])
async def test_an_answer_that_is_given_again_is_no_message(
    dial: Dial, server: Server, commands: Played, headers: Any, question: Any, text: str, more: Any
) -> None:
    commands.turns = [question, says("Painted.")]
    api, messages = dial(server), [user("Paint it")]
    messages.append({"role": "assistant", "content": await said(api, *messages, **more)})
    messages.append(user(text))
    first = {} if headers is RETRY else headers
    assert await said(api, *messages, extra_headers=first, **more) == "Painted."
    assert await said(api, *messages, extra_headers=headers, **more) == "Painted."
    assert (commands.texts, len(answers(commands))) == (["Paint it"], 1)


@pytest.mark.parametrize("headers", [RETRY, FIRST])
async def test_nor_is_one_that_is_given_twice_at_once(
    dial: Dial, server: Server, commands: Played, monkeypatch: pytest.MonkeyPatch, headers: Any
) -> None:
    """The second attempt looks for what was noted before the first one notes it, and for the question after that."""
    commands.turns = [wonders, says("Painted.")]
    api, messages = dial(server), [user("Paint it")]
    messages += [{"role": "assistant", "content": await said(api, *messages)}, user("blue")]
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
    both = [said(api, *messages, extra_headers=headers) for _ in range(2)]
    assert await asyncio.gather(*both) == ["Painted."] * 2
    assert (commands.texts, len(answers(commands))) == (["Paint it"], 1)


async def test_equal_requests_of_two_people_at_once_stay_two(dial: Dial, server: Server, commands: Played) -> None:
    """Both are first attempts, and say the same under one token: nothing of one is ever taken for the other."""
    gate = commands.gates["create_thread"] = asyncio.Event()
    asked = [asyncio.ensure_future(said(dial(server), *HELLO)) for _ in range(5)]
    await until(lambda: sum(call[0] == "create_thread" for call in commands.calls) == 5)
    commands.turns = [says(f"Hi {n}.") for n in range(5)]
    gate.set()
    assert sorted(await asyncio.gather(*asked)) == [f"Hi {n}." for n in range(5)]
    assert len(set(commands.threads)) == 5


async def test_other_words_under_the_key_of_an_answer_are_a_message(
    dial: Dial, server: Server, commands: Played
) -> None:
    commands.turns = [asks, says("Posted."), says("Sure.")]
    api = dial(server)
    await said(api, user("Post it"), extra_body=KITCHEN)
    assert await said(api, user("yes"), extra_headers=FIRST, extra_body=KITCHEN) == "Posted."
    assert await said(api, user("And now sing"), extra_headers=FIRST, extra_body=KITCHEN) == "Sure."
    assert commands.texts == ["Post it", "And now sing"]


async def test_a_turn_that_is_told_again_asks_nobody_what_was_answered_meanwhile(
    dial: Dial, server: Server, commands: Played
) -> None:
    commands.turns = [asks]
    api = dial(server)
    assert "May I post this?" in await said(api, user("Post it"))
    commands.runs[0].go_on("approval:call_1")
    says("Posted.")(commands.runs[0])
    assert await said(api, user("Post it"), extra_headers=RETRY) == "Posted."
    assert commands.texts == ["Post it"]


# ------------------------------------------------------------------------------------------------------------- at once


async def test_two_equal_requests_with_one_key_at_once_are_one_message(
    dial: Dial, server: Server, commands: Played
) -> None:
    gate = commands.gates["list_agents"] = asyncio.Event()
    both = [asyncio.ensure_future(said(dial(server), *HELLO, extra_headers=FIRST)) for _ in range(2)]
    await until(lambda: sum(call[0] == "list_agents" for call in commands.calls) == 2)
    commands.turns = [says("Hi."), says("Ho.")]
    gate.set()
    assert [*await asyncio.gather(*both)] == ["Hi.", "Hi."]
    assert len(commands.texts) == 1


async def test_a_library_that_does_not_wait_for_a_slow_store_says_nothing_twice(
    dial: Dial, server: Server, commands: Played
) -> None:
    gate = commands.gates["create_thread"] = asyncio.Event()
    first = asyncio.ensure_future(said(dial(server), *HELLO))
    await until(lambda: any(call[0] == "create_thread" for call in commands.calls))
    second = asyncio.ensure_future(said(dial(server), *HELLO, extra_headers=RETRY))
    await until(lambda: sum(call[0] == "create_thread" for call in commands.calls) == 2)
    commands.turns = [says("Hi."), says("Ho.")]
    gate.set()
    assert [*await asyncio.gather(first, second)] == ["Hi.", "Hi."]
    assert len(commands.texts) == 1


async def test_nor_in_a_conversation_that_goes_on(dial: Dial, server: Server, commands: Played) -> None:
    commands.turns = [says("Hi.")]
    messages = [*HELLO, {"role": "assistant", "content": await said(dial(server), *HELLO)}, user("And?")]
    gate = commands.gates["send"] = asyncio.Event()
    first = asyncio.ensure_future(said(dial(server), *messages))
    await until(lambda: sum(call[0] == "send" for call in commands.calls) == 2)
    gate.set()
    await until(lambda: len(commands.runs) == 2)
    second = asyncio.ensure_future(said(dial(server), *messages, extra_headers=RETRY))
    await until(lambda: sum(call[0] == "send" for call in commands.calls) == 3)
    says("Yes.")(commands.runs[1])
    assert [*await asyncio.gather(first, second)] == ["Yes.", "Yes."]
    assert (len(commands.texts), len(set(commands.threads))) == (2, 1)


# ------------------------------------------------------------------------------------------------------------- in time


async def test_who_comes_too_late_to_make_a_request_again_says_something_new(
    dial: Dial, server: Server, commands: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands.turns = [says("Rain."), says("Sun.")]
    assert await said(dial(server), user("The weather?")) == "Rain."
    monkeypatch.setattr("sulla.gateway.dialects.openai.again.RETRY_S", -1.0)
    assert await said(dial(server), user("The weather?"), extra_headers=RETRY) == "Sun."
    assert RETRY_S > 600  # what the library waits


async def test_notes_of_another_version_are_lost_ones(dial: Dial, server: Server, commands: Played) -> None:
    commands.turns = [says("Hi."), says("Rome.")]
    api = dial(server)
    await said(api, *HELLO)
    commands.bookmarks.kept = dict.fromkeys(commands.bookmarks.kept, '{"thread": "thr_1"}')
    messages = [*HELLO, {"role": "assistant", "content": "Hi."}, user("Where?")]
    assert await said(api, *messages, extra_headers=RETRY) == "Rome."
    assert (commands.texts[1], "assistant: Hi." in commands.quoted[1]) == ("Where?", True)


async def test_two_people_of_one_application_may_call_their_conversations_the_same(
    dial: Dial, server: Server, commands: Played
) -> None:
    commands.turns = [says("Hi."), says("Hi."), says("Well.")]
    for person in ("ann", "bob", "ann"):
        await said(dial(server), *HELLO, user=person, extra_body=KITCHEN)
    ann, bob, again = commands.threads
    assert ann == again != bob


async def test_a_deleted_thread_that_is_made_anew_under_its_name_asks_nothing(
    dial: Dial, server: Server, commands: Played
) -> None:
    commands.turns = [asks, says("Hello.")]
    await said(dial(server), user("Post it"), extra_body=KITCHEN)
    commands.questions.clear()
    await commands.delete_thread(commands.threads[0])
    assert await said(dial(server), user("yes"), extra_body=KITCHEN) == "Hello."
    assert commands.texts == ["Post it", "yes"]
