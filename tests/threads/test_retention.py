"""Threads are removed when their time is over, and never with something acknowledged in them."""

from __future__ import annotations

from dataclasses import replace

from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.models.tokens.estimate import estimate_tokens
from sulla.playbooks.records import PlayState
from sulla.playbooks.slice import PLAYBOOK_RUN
from sulla.playbooks.thread_kind import PLAYBOOK_THREAD
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.testing.store import FaultyStore, Touch
from sulla.testing.world import World
from sulla.threads.log.family import Birth
from sulla.threads.log.inputs import WaitingInput
from sulla.threads.log.open_run import OpenRun, RunCourse, RunMessage
from sulla.threads.log.plays import OwedAnswer
from sulla.threads.log.records import Input
from sulla.threads.log.state import ModelContext, ThreadIdentity, ThreadState
from sulla.threads.log.transcript import Transcript
from sulla.threads.log.waits import Wait
from sulla.threads.retention import Retention, due_ms, expires_ms

DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"
DAY_S = 86_400.0
DAYS = Retention(conversation_s=30 * DAY_S)


def state(depth: int = 0) -> ThreadState:
    parent = ThreadId("parent")
    birth = Birth("c", "call", parent, RunId("r0"), parent, depth) if depth else None
    context, identity = ModelContext(Transcript(estimate_tokens)), ThreadIdentity(birth=birth)
    return ThreadState(ThreadId("t"), context, identity, updated_ms=5_000)


def test_a_conversation_is_kept_for_ever_and_a_child_for_an_hour_unless_told_otherwise() -> None:
    assert expires_ms(state(), Retention()) is None
    assert expires_ms(state(depth=1), Retention()) == 5_000 + 3_600_000
    assert expires_ms(state(), DAYS) == 5_000 + 30 * 86_400_000


def test_a_thread_in_which_something_is_left_to_do_never_expires() -> None:
    running, waiting = state(depth=1), state(depth=1)
    running.run = OpenRun(RunId("r"), RunMessage(1), RunCourse(0))
    waiting.inbox.waiting[2] = WaitingInput(2, RunId("r"), MessageId("m"), "hi", "queue")
    assert expires_ms(running, DAYS) is None
    assert expires_ms(waiting, DAYS) is None


def test_a_child_is_kept_until_whoever_asked_for_it_knows_what_came_of_it() -> None:
    child = state(depth=1)
    child.walk.cycle_complete = True
    assert expires_ms(child, DAYS) is None
    child.links.reported = True
    assert expires_ms(child, DAYS) == 5_000 + 3_600_000


def test_a_playbook_is_kept_until_its_conversation_knows_and_a_conversation_until_its_answer_is_told() -> None:
    play, talk = state(), state()
    play.kind = PLAYBOOK_THREAD
    run = PlayState("triage", "d1", thread=ThreadId("talk"), status="failed")
    PLAYBOOK_RUN.put(play, run)
    talk.links.owes["ask:1"] = OwedAnswer(ThreadId("play"), "ask:1", "{}")
    assert expires_ms(play, DAYS) is None
    assert expires_ms(talk, DAYS) is None
    PLAYBOOK_RUN.put(play, replace(run, told=True))
    talk.links.owes.clear()
    assert expires_ms(play, DAYS) == expires_ms(talk, DAYS) == 5_000 + 30 * 86_400_000


def test_somebody_looks_when_a_playbooks_time_has_come() -> None:
    play = state()
    play.run = OpenRun(RunId("r"), RunMessage(1), RunCourse(0))
    play.run.waits = {
        name: Wait(name, CallId(""), expires_ms=at) for name, at in (("human:1", 9_000), ("time:x", 7_000))
    }
    assert due_ms(play, DAYS) == 7_000


async def due_of(store: MemoryStore, thread: ThreadId) -> int | None:
    info = await store.head(thread)
    assert info is not None
    return info.head.due_ms


async def test_it_is_due_so_long_after_its_last_word_and_then_removed(store: MemoryStore) -> None:
    clock = ManualClock()
    world = World(store, ScriptedProvider([DONE, DONE]), clock=clock, retention=DAYS)
    thread = await world.thread()
    await world.ask(thread, "hi")
    clock.jump(20 * DAY_S)
    await world.ask(thread, "still there?")
    assert await due_of(store, thread) == round((clock.now() + 30 * DAY_S) * 1000)
    clock.jump(29 * DAY_S)
    await world.turns.attend(thread)
    assert await store.head(thread) is not None
    clock.jump(2 * DAY_S)
    await world.turns.attend(thread)
    assert await store.head(thread) is None


async def test_a_message_that_comes_at_the_last_moment_is_answered_and_nothing_is_lost(store: MemoryStore) -> None:
    clock = ManualClock()
    provider = ScriptedProvider([DONE, DONE])
    thread = await World(store, provider, clock=clock, retention=DAYS).thread()
    sent = False

    async def plan(touch: Touch) -> None:
        nonlocal sent
        if touch.method == "delete" and not sent:
            sent = True
            await other.threads.send(thread, Input(MessageId("late"), "wait!"))

    other = World(store, provider, clock=clock, retention=DAYS, boot=2)
    world = World(FaultyStore(store, plan), provider, clock=clock, retention=DAYS, boot=3)
    await world.ask(thread, "hi")
    clock.jump(31 * DAY_S)
    await world.turns.attend(thread)
    assert sent
    assert (await world.kinds(thread)).count("RUN_FINISHED") == 2
    assert [part.text for part in provider.requests[1].messages[-1].parts[:1]] == ["wait!"]  # type: ignore[union-attr]  # texts


async def test_what_earlier_settings_wrote_is_found_and_set_right_by_a_look(store: MemoryStore) -> None:
    clock = ManualClock()
    before = World(store, ScriptedProvider([DONE] * 3), clock=clock)
    threads = [await before.thread() for _ in range(3)]
    for thread in threads:
        await before.ask(thread, "hi")
    after = World(store, ScriptedProvider(), clock=clock, retention=DAYS, boot=2)
    found, following = await after.threads.misdated(limit=2)
    assert len(found) == 2
    rest, end = await after.threads.misdated(after=following, limit=2)
    assert (sorted([*found, *rest]), end) == (sorted(threads), "")
    for thread in threads:
        await after.turns.attend(thread)
        assert await due_of(store, thread) is not None
    assert await after.threads.misdated() == ([], "")
