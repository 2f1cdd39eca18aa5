"""Questions are listed wherever they wait, with all that fits, and take no answer that nobody could mean."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import get_args

import pytest

from sulla.agent.limits.rate import RateLimits
from sulla.core.errors import AlreadyAnswered, InvalidInput, NotFound
from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.daemon.intake import Intake
from sulla.daemon.questions import asked_now, check_choice, check_verdict, questions_of, waiting
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.gateway.commands import Verdict
from sulla.gateway.wire import QuestionRow
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.testing.world import World
from sulla.threads.log.family import Birth
from sulla.threads.log.plays import PLAYBOOK, Play
from sulla.threads.log.records import Answer, Input, RunStarted, Suspended, ThreadCreated
from sulla.threads.log.waits import Wait
from sulla.threads.readable import ReadableThreads

HUMAN = Wait("human:1", CallId(""), "Shall I?", expires_ms=7)
CHOICE = Wait("answer:1", CallId(""), "Which?", choices=("red", "blue"))
ASKED = Wait("approval:1", CallId("call_1"), "May it?", digest="d", tool="send", target="x")
OTHERS = (Wait("ask:1", CallId("")), Wait("time:next", CallId(""), expires_ms=9), Wait("child:c1", CallId("")))


@pytest.fixture
async def world() -> AsyncIterator[World]:
    store = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await store.open()
    yield World(store, ScriptedProvider())
    await store.close()


async def waits(
    world: World, number: int, *asked: Wait, resting: bool = True, play: bool = True, birth: Birth | None = None
) -> ThreadId:
    """A thread that waits, or of which other steps are at work."""
    walked = Play("triage", "d1", "name: triage") if play else None
    created = ThreadCreated("sulla", graph=PLAYBOOK, play=walked) if play else ThreadCreated("sulla", birth=birth)
    thread = await world.threads.create(created, f"request:{number}")
    await world.threads.send(thread, Input(MessageId("m"), "go"))
    session = await world.threads.attend(thread)
    assert session is not None
    session.note(RunStarted(2, MessageId("m"), "sulla"), Suspended(asked, resting))
    await session.release()
    info, _ = await world.threads.get(thread)
    assert info.head.status == ("suspended" if resting else "open")
    return thread


async def test_a_playbook_of_which_other_steps_are_at_work_is_asking_too(world: World) -> None:
    rests = await waits(world, 1, HUMAN, *OTHERS)
    works = await waits(world, 2, CHOICE, *OTHERS, resting=False)
    await waits(world, 3, *OTHERS, resting=False)
    found = {one.thread_id: one.questions for one in await waiting(world.threads, "", 10)}
    assert set(found) == {rests, works}
    (question,) = found[works]
    asked = QuestionRow(
        works, question.run_id, "answer:1", "Which?", choices=("red", "blue"), agent="sulla", title="go"
    )
    assert question == asked
    (question,) = found[rests]
    since_ms = round(world.clock.now() * 1000)
    asked = QuestionRow(rests, question.run_id, "human:1", "Shall I?", 7, agent="sulla", title="go", since_ms=since_ms)
    assert question == asked


@pytest.mark.parametrize("limit", [1, 2, 3, 50])
async def test_pages_go_through_all_of_them_once_and_in_order(world: World, limit: int) -> None:
    threads = [await waits(world, number, HUMAN, resting=number % 3 == 0) for number in range(12)]
    found: list[str] = []
    while page := await waiting(world.threads, found[-1] if found else "", limit):
        found += [one.thread_id for one in page]
    assert found == sorted(threads)


@pytest.mark.parametrize("resting", [True, False])
async def test_what_was_answered_and_is_not_taken_up_yet_is_asked_no_more(world: World, *, resting: bool) -> None:
    thread = await waits(world, 1, HUMAN, CHOICE, resting=resting)
    await waits(world, 2, HUMAN)
    await world.threads.answer(thread, Answer("human:1", "yes", "approve"))
    # Nobody has attended to the thread since, as after a kill.
    info, state = await world.threads.get(thread)
    assert state is not None
    assert [one.wait_id for one in state.run.waits.values()] == ["human:1", "answer:1"]  # type: ignore[union-attr]  # it has one
    assert [row.id for row in await asked_now(world.threads, info, state)] == ["answer:1"]
    found = {one.thread_id: [row.id for row in one.questions] for one in await waiting(world.threads, "", 10)}
    assert found[thread] == ["answer:1"]
    await world.threads.answer(thread, Answer("answer:1", "red"))
    found = {one.thread_id: [row.id for row in one.questions] for one in await waiting(world.threads, "", 10)}
    assert list(found.values()) == [["human:1"]]


async def test_a_turn_at_work_that_is_no_playbook_asks_nothing(world: World) -> None:
    thread = await world.thread()
    await world.threads.send(thread, Input(MessageId("m"), "go"))
    assert await waiting(world.threads, "", 10) == []


async def test_a_thread_without_a_run_has_no_questions(world: World) -> None:
    _, state = await world.threads.get(await world.thread())
    assert state is not None
    assert questions_of("thr", state) == ()


@pytest.mark.parametrize(
    ("question", "fitting"),
    [
        ("approval:1", {"approve", "reject", "always"}),
        ("review:1", {"result", "run_again", "give_up"}),
        ("human:1", {"approve", "reject", "give_up"}),
        ("answer:1", {"result", "give_up"}),
        ("child:c1", set()),
        ("ask:1", set()),
        ("time:next", set()),
    ],
)
def test_what_a_question_can_be_answered_with_follows_from_its_kind(question: str, fitting: set[Verdict]) -> None:
    for verdict in get_args(Verdict):
        if verdict in fitting:
            check_verdict(question, verdict)
        else:
            with pytest.raises(InvalidInput, match=question):
                check_verdict(question, verdict)


async def test_a_choice_that_is_none_is_refused_before_it_could_win(world: World) -> None:
    thread = await waits(world, 1, CHOICE, HUMAN)
    await check_choice(world.threads, thread, "answer:1", "blue")
    with pytest.raises(InvalidInput, match="got 'green', and 'answer:1' is answered with red or blue"):
        await check_choice(world.threads, thread, "answer:1", "green")
    for free in ("human:1", "answer:not asked yet", "review:1"):
        await check_choice(world.threads, thread, free, "green")
    with pytest.raises(NotFound):
        await check_choice(world.threads, ThreadId("thr_none"), "answer:1", "green")


@pytest.mark.parametrize(
    ("form", "good", "bad", "said"),
    [
        ({"type": "string", "minLength": 3}, "yes", "no", "expected at least 3 characters, got 2"),
        ({"type": "integer", "minimum": 1}, "3", "three", "expected integer, got 'three' (string)"),
        ({"type": "object", "required": ["n"]}, '{"n": 1}', "{}", "n: missing"),
    ],
)
async def test_an_answer_that_does_not_fit_is_refused_before_it_could_win(
    world: World, form: JsonObject, good: str, bad: str, said: str
) -> None:
    thread = await waits(world, 1, Wait("answer:1", CallId(""), "What?", form=form), HUMAN)
    await check_choice(world.threads, thread, "answer:1", good)
    with pytest.raises(InvalidInput) as refused:
        await check_choice(world.threads, thread, "answer:1", bad)
    assert refused.value.message.startswith("the answer does not fit: ")
    assert said in refused.value.message


async def test_an_answer_to_what_nobody_asks_there_is_refused_and_told_where_it_is_asked(world: World) -> None:
    intake = Intake(
        world.threads, ReadableThreads(world.threads, world.store, THREAD_SCHEMA), RateLimits(), world.clock
    )
    mine = await world.thread()
    birth = Birth("c", "call", mine, RunId("run_1"), mine, 1)
    child = await waits(world, 1, ASKED, play=False, birth=birth)
    other = await waits(world, 2, ASKED, play=False)
    before = len(await world.log(mine))
    with pytest.raises(NotFound, match=f"it is asked in '{child}', by 'sulla', which works for it"):
        await intake.answer(mine, Answer(ASKED.wait_id, "", "approve"))
    with pytest.raises(NotFound, match=r"approval\.list has those that are open"):
        await intake.answer(other, Answer("approval:no", "", "approve"))
    assert len(await world.log(mine)) == before
    seq, _ = await intake.answer(child, Answer(ASKED.wait_id, "", "approve"))
    await world.work()
    assert (await intake.answer(child, Answer(ASKED.wait_id, "", "approve")))[0] == seq
    with pytest.raises(AlreadyAnswered):
        await intake.answer(child, Answer(ASKED.wait_id, "", "reject"))
