"""AG-UI over a real socket, by a client that holds every event against the protocol's own types."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from sulla.access.principal import ALL_SCOPES
from sulla.gateway.commands import WaitingThread
from sulla.gateway.server.server import Server
from sulla.gateway.wire import QuestionRow
from tests.doubles.tokens import MemoryTokens
from tests.gateway.conftest import Start
from tests.gateway.dialects.playing import Played, Run, says
from tests.gateway.dialects.talker import Talker, talking
from tests.gateway.peer import until
from tests.kits.in_turn import in_turn

pytestmark = in_turn(2)

YES, NO = {"approved": True}, {"approved": False}
ASKED = "approval:call_1"


@pytest.fixture
async def talker(server: Server) -> AsyncIterator[Talker]:
    async with talking(f"{server.url}/agui", "owner") as found:
        yield found


def answers(commands: Played) -> list[tuple[object, ...]]:
    """What was answered to what."""
    return [call[2:] for call in commands.calls if call[0] == "answer"]


def asks(run: Run) -> None:
    run.say("Let me see.")
    run.ask()


def asks_both(run: Run) -> None:
    prompts = {f"approval:{name}": f"May I {name}?" for name in "ab"}
    run.add(
        "SUSPENDED", waits=[{"wait_id": wait, "call_id": wait[-1], "prompt": said} for wait, said in prompts.items()]
    )
    both = tuple(QuestionRow(run.thread_id, run.run_id, wait, said) for wait, said in prompts.items())
    run.commands.questions.append(WaitingThread(run.thread_id, both))


def fails(run: Run) -> None:
    run.say("Well,")
    run.fail("provider_protocol", "the reply broke off", retryable=True)


async def test_a_conversation_passes_on_only_what_is_new(talker: Talker, commands: Played) -> None:
    commands.turns = [says("Hel", "lo."), says("Rome.")]
    first = await talker.say("Hello")
    assert (first.texts, first.outcome) == (["Hello."], "success")
    assert first.types[:2] + first.types[-2:] == [
        "RUN_STARTED",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_END",
        "RUN_FINISHED",
    ]
    second = await talker.say("Where is the Forum?")
    assert second.texts == ["Hello.", "Rome."]
    assert commands.texts == ["Hello", "Where is the Forum?"]
    assert len(set(commands.threads)) == 1


async def test_where_a_client_was_by_another_version_counts_as_not_known(talker: Talker, commands: Played) -> None:
    commands.turns = [says("Hello."), says("Rome."), says("Paris.")]
    await talker.say("Hello")
    (key,) = [key for key in commands.bookmarks.kept if key.startswith("agui")]
    for other, asked in ('{"x": 1}', "Where is the Forum?"), ("[]", "And the Louvre?"):
        commands.bookmarks.kept[key] = other
        assert (await talker.say(asked)).outcome == "success"


async def test_a_run_says_what_it_took(talker: Talker, commands: Played) -> None:
    commands.turns = [says("Hi.")]
    answer = await talker.post(messages=[{"id": "u", "role": "user", "content": "Hello"}])
    assert '"protocolVersion":"1.0"' in answer.text
    assert '"usage":[{"inputTokens":15,"outputTokens":3,"totalTokens":18,"cachedInputTokens":5}]' in answer.text
    assert answer.headers["x-thread-id"] == commands.threads[0]


async def test_tools_are_told_with_what_they_came_to(talker: Talker, commands: Played) -> None:
    def looks(run: Run) -> None:
        run.say("Let me look.")
        run.call("look", "It is green.")
        run.say("Green.")
        run.finish()

    commands.turns = [looks]
    offered = [{"name": "paint", "description": "Paints the page.", "parameters": {}}]
    told = await talker.say("What colour?", tools=offered)
    assert (told.texts, told.calls) == (["Let me look.", "Green."], [("look", '{"at":"home"}')])
    assert (told.results, told.outcome) == (["It is green."], "success")


async def test_what_the_application_knows_is_passed_on_when_it_is_news(talker: Talker, commands: Played) -> None:
    commands.turns = [says("1"), says("2"), says("3")]
    page = {"context": [{"description": "The page", "value": "Invoices"}]}
    await talker.say("one", **page)
    await talker.say("two", **page)
    await talker.say("three", context=[{"description": "The page", "value": "Orders"}])
    assert commands.texts == ["one", "two", "three"]
    assert ["The page: Invoices" in commands.quoted[0], commands.quoted[1]] == [True, ""]
    assert "The page: Orders" in commands.quoted[2]


async def test_a_conversation_that_began_elsewhere_is_told_once(talker: Talker, commands: Played) -> None:
    commands.turns = [says("Two."), says("Three.")]
    talker.add("Count")
    talker.messages.append({"id": "a", "role": "assistant", "content": "One."})
    await talker.say("Go on")
    await talker.say("And?")
    assert "assistant: One." in commands.quoted[0]
    assert commands.texts == ["Go on", "And?"]
    assert commands.quoted[1] == ""


async def test_parts_that_no_agent_can_read_are_left_out_and_named(talker: Talker, commands: Played) -> None:
    commands.turns = [says("Nice.")]
    image = {"type": "image", "source": {"type": "url", "value": "https://example.test/x.png"}}
    await talker.say([{"type": "text", "text": "Look"}, image])
    assert commands.texts == ["Look\n(Left out: 'image'.)"]


async def test_words_that_turn_out_void_are_taken_back(talker: Talker, commands: Played) -> None:
    def stumbles(run: Run) -> None:
        run.show("TEXT_MESSAGE_CONTENT", message_id=run.begin(), offset=0, delta="Perh")
        run.add("MODEL_ABANDONED", message_id=f"msg_{run.run_id}_1", reason="lost")
        run.say("Yes.")
        run.finish()

    commands.turns = [stumbles]
    told = await talker.say("Well?")
    assert told.texts == ["Yes."]
    assert [one["id"] for one in told.messages if one["role"] == "user"] == ["u0"]


# ----------------------------------------------------------------------------------------------------------- questions


async def test_a_question_is_an_interrupt_and_the_next_run_goes_on_with_its_answer(
    talker: Talker, commands: Played
) -> None:
    commands.turns = [asks, says("Posted.")]
    first = await talker.say("Post it")
    (interrupt,) = first.interrupts
    assert (interrupt.id, interrupt.reason, interrupt.message) == (ASKED, "tool_call", "May I post this?")
    assert (interrupt.tool_call_id, interrupt.response_schema["required"]) == ("call_1", ["approved"])  # type: ignore[index]  # there is one
    second = await talker.answer((ASKED, YES))
    assert (second.texts, second.outcome) == (["Let me see.", "Posted."], "success")
    assert answers(commands) == [(ASKED, "approve", "")]
    assert commands.texts == ["Post it"]


@pytest.mark.parametrize(
    ("wait", "more", "payload", "answer"),
    [
        ("approval:x", {}, NO, ("reject", "")),
        ("approval:x", {}, None, ("reject", "")),
        ("approval:x", {"target": "host:x"}, {"approved": True, "always": True}, ("always", "")),
        ("human:x", {}, True, ("approve", "")),
        ("human:x", {}, None, ("give_up", "")),
        ("review:x", {}, {"verdict": "run_again"}, ("run_again", "")),
        ("review:x", {}, {"verdict": "result", "result": "It was sent."}, ("result", "It was sent.")),
        ("answer:x", {}, {"answer": "Blue"}, ("result", "Blue")),
        ("answer:x", {}, "Blue", ("result", "Blue")),
        ("answer:x", {}, None, ("give_up", "")),
    ],
)
async def test_every_kind_of_question_has_its_answers(
    talker: Talker, commands: Played, wait: str, more: Any, payload: Any, answer: tuple[str, str]
) -> None:
    commands.turns = [lambda run: run.ask(wait, **more), says("Good.")]
    await talker.say("Go")
    (waiting,) = commands.questions
    (question,) = waiting.questions
    commands.questions[:] = [replace(waiting, questions=(replace(question, **more),))]
    assert (await talker.answer((wait, payload))).outcome == "success"
    assert answers(commands) == [(wait, *answer)]


@pytest.mark.parametrize(
    "payload", ["yes", {"approved": "yes"}, {"approved": True, "editedArgs": {"text": "Ho"}}, {}, 1, {"always": True}]
)
async def test_what_is_no_answer_approves_nothing(talker: Talker, commands: Played, payload: Any) -> None:
    commands.turns = [asks, says("Posted.")]
    await talker.say("Post it")
    resume = [{"interruptId": ASKED, "status": "resolved", "payload": payload}]
    refused = await talker.post(resume=resume)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_input")
    assert '"approved"' in refused.json()["message"]
    assert answers(commands) == []


async def test_of_two_questions_the_one_without_an_answer_is_asked_again(talker: Talker, commands: Played) -> None:
    commands.turns = [asks_both]
    assert [one.id for one in (await talker.say("Both")).interrupts] == ["approval:a", "approval:b"]
    assert [one.id for one in (await talker.answer(("approval:a", YES))).interrupts] == ["approval:b"]
    assert answers(commands) == [("approval:a", "approve", "")]


async def test_two_answers_at_once_are_not_asked_for_again(talker: Talker, commands: Played) -> None:
    commands.turns = [asks_both, lambda run: None, says("Both.")]
    await talker.say("Both")
    told = await talker.answer(("approval:a", YES), ("approval:b", NO))
    assert (told.texts, told.outcome) == (["Both."], "success")
    assert answers(commands) == [("approval:a", "approve", ""), ("approval:b", "reject", "")]


async def test_a_message_while_people_are_asked_waits_for_the_next_one(talker: Talker, commands: Played) -> None:
    commands.turns = [asks, says("Posted."), says("Three.")]
    await talker.say("Post it")
    meanwhile = await talker.say("And count to three")
    assert ([one.id for one in meanwhile.interrupts], commands.texts) == ([ASKED], ["Post it"])
    assert "passed on with the next one" in meanwhile.texts[-1]
    assert (await talker.answer((ASKED, YES))).texts[-1] == "Posted."
    await talker.say("Now")
    assert commands.texts == ["Post it", "Now"]
    assert "user: And count to three" in commands.quoted[1]


async def test_what_must_not_wait_is_passed_on_though_people_are_asked(talker: Talker, commands: Played) -> None:
    commands.turns, commands.urgent = [asks, says("Call 112.")], {"it burns"}
    await talker.say("Post it")
    assert (await talker.say("it burns")).texts[-1] == "Call 112."
    assert (commands.texts, answers(commands)) == (["Post it", "it burns"], [])


async def test_nobody_approves_without_the_scope(server: Server, commands: Played, tokens: MemoryTokens) -> None:
    made = await tokens.create("talker", ALL_SCOPES - {"approve", "admin"}, None, tokens.known()[0].principal)
    commands.turns = [asks]
    async with talking(f"{server.url}/agui", made.secret) as talker:
        (interrupt,) = (await talker.say("Post it")).interrupts
        assert "`sulla approvals`" in str(interrupt.message)
        resume = [{"interruptId": ASKED, "status": "resolved", "payload": YES}]
        refused = await talker.post(resume=resume)
        assert (refused.status_code, refused.json()["type"]) == (403, "RUN_ERROR")
    assert answers(commands) == []


async def test_an_answer_that_somebody_else_gave_first_is_none_twice(talker: Talker, commands: Played) -> None:
    commands.turns = [asks]
    await talker.say("Post it")
    run = commands.runs[0]
    run.go_on(ASKED)  # somebody else was faster
    run.say("Not posted.")
    run.finish()
    told = await talker.answer((ASKED, YES))
    assert (told.texts, told.outcome) == (["Let me see.", "Not posted."], "success")
    assert answers(commands) == []


# ------------------------------------------------------------------------------------------------- asking and leaving


async def test_a_client_that_lost_the_answer_and_runs_again_is_told_the_same_turn(
    talker: Talker, commands: Played
) -> None:
    commands.turns = [says("Hi there.")]
    await talker.say("Hello")
    talker.messages[-1]["content"] = "Hi th"  # what it had of it
    again = await talker.run()
    assert (again.texts, commands.texts) == (["Hi there."], ["Hello"])
    assert again.types[1] == "MESSAGES_SNAPSHOT"


async def test_a_deleted_conversation_is_begun_anew_under_its_name(talker: Talker, commands: Played) -> None:
    commands.turns = [says("Hello."), says("Hello again.")]
    await talker.say("Hello")
    await commands.delete_thread(commands.threads[0])
    commands.runs.clear()
    talker.messages = talker.messages[:1]
    assert (await talker.run()).texts == ["Hello again."]


async def test_a_client_that_has_nothing_left_is_told_the_last_turn(talker: Talker, commands: Played) -> None:
    commands.turns = [says("Hi there.")]
    await talker.say("Hello")
    talker.messages = []
    assert (await talker.run()).texts == ["Hi there."]
    assert commands.texts == ["Hello"]


async def test_an_answer_to_a_question_can_be_sent_again(talker: Talker, commands: Played) -> None:
    def asks_more(run: Run) -> None:
        run.say("One more.")
        run.ask("approval:call_2", "May I delete it?")

    commands.turns = [asks, asks_more, says("Done it.")]
    await talker.say("Post it")
    before = [*talker.messages]
    assert [one.id for one in (await talker.answer((ASKED, YES))).interrupts] == ["approval:call_2"]
    talker.messages = [*before]
    again = await talker.answer((ASKED, YES))
    assert ([one.id for one in again.interrupts], again.texts) == (["approval:call_2"], ["Let me see.", "One more."])
    assert (await talker.answer(("approval:call_2", YES))).texts[-1] == "Done it."
    talker.messages = [*before]
    last = await talker.answer(("approval:call_2", YES))
    assert (last.texts, last.outcome) == (["Let me see.", "One more.", "Done it."], "success")
    assert answers(commands) == [(ASKED, "approve", ""), ("approval:call_2", "approve", "")]


async def test_what_has_failed_is_tried_again_when_it_is_asked_for_again(talker: Talker, commands: Played) -> None:
    commands.turns = [fails, says("Well done.")]
    failed = await talker.say("Try")
    assert (failed.error.code, failed.error.message) == ("provider_protocol", "the reply broke off")
    assert (await talker.run()).texts == ["Well done."]
    assert commands.texts == ["Try", "Try"]
    assert len(set(commands.threads)) == 1


async def test_a_turn_that_was_stopped_is_cancelled_and_no_failure(talker: Talker, commands: Played) -> None:
    commands.turns = [lambda run: run.finish("cancelled", reason="stopped")]
    assert (await talker.say("Hello")).outcome == "cancelled"


async def test_a_turn_goes_on_when_its_client_leaves(talker: Talker, commands: Played) -> None:
    talker.add("Hello")
    async with talker.http.stream("POST", talker.url, json=talker.body()) as answer:
        assert (await anext(answer.aiter_text())).startswith('data: {"type":"RUN_STARTED"')
    await until(lambda: commands.threads and commands.listeners(commands.threads[0]) == 0)
    assert not [call for call in commands.calls if call[0] == "stop"]
    says("Hi.")(commands.runs[0])
    assert (await talker.run()).texts == ["Hi."]
    assert commands.texts == ["Hello"]


# -------------------------------------------------------------------------------------------------------- what is wrong


async def test_an_agent_that_there_is_not(server: Server, commands: Played) -> None:
    async with talking(f"{server.url}/agui/sula", "owner") as talker:
        talker.add("Hello")
        refused = await talker.post()
    assert (refused.status_code, refused.json()["type"], refused.json()["code"]) == (404, "RUN_ERROR", "not_found")
    assert "did you mean 'sulla'?" in refused.json()["message"]
    assert commands.calls == [("list_agents",)]


async def test_an_agent_by_its_name(server: Server, commands: Played) -> None:
    commands.turns = [says("Hi.")]
    async with talking(f"{server.url}/agui/sulla", "owner") as talker:
        assert (await talker.say("Hello")).texts == ["Hi."]


@pytest.mark.parametrize(("key", "status"), [("wrong", 401), ("reader", 403)])
async def test_a_token_that_may_not(server: Server, commands: Played, key: str, status: int) -> None:
    async with talking(f"{server.url}/agui", key) as talker:
        talker.add("Hello")
        refused = await talker.post()
    assert (refused.status_code, refused.json()["type"]) == (status, "RUN_ERROR")
    assert commands.calls == []


async def test_a_body_that_is_too_large(start: Start, commands: Played) -> None:
    server = await start(frame_bytes=2000)
    async with talking(f"{server.url}/agui", "owner") as talker:
        talker.add("x" * 3000)
        refused = await talker.post()
    assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
    assert commands.calls == []


@pytest.mark.parametrize("messages", [[], [{"id": "s", "role": "system", "content": "Be brief."}]])
async def test_nothing_said_is_nothing_to_answer(talker: Talker, commands: Played, messages: Any) -> None:
    refused = await talker.post(messages=messages)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_input")
    assert commands.texts == []
