"""The judge of histories knows what playbooks promise: each step once, each call meant, each end told once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from sulla.core.ids import CallId, ThreadId
from sulla.core.jsontypes import Json
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.playbooks.records import PlaybookAsked
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.mortal import Killed, is_kill
from sulla.testing.provider import Say, ScriptedProvider
from sulla.testing.tools import EffectLedger, ledger_tools
from sulla.threads.log.codec import Entry
from sulla.threads.log.records import Answer
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from tests.doubles.play_world import PlayWorld
from tests.simulation.history import Effect, History, Kept, ThreadHistory, breaches

Log = tuple[Entry, ...]
TOLD = "Told. <AGENT_DONE>ok</AGENT_DONE>"

TALK = """
name: talk
outputs: {said: "${{ steps.note.output }}"}
steps:
  - id: ask
    prompt: Which one?
  - id: ok
    human: Shall I?
  - id: note
    needs: [ask, ok]
    tool: note_safe
    with: {what: "${{ steps.ask.output }}"}
  - id: each
    needs: [note]
    loop:
      for_each: [a, b]
      steps:
        - {id: one, tool: note_safe, with: {what: "${{ item }}"}}
"""
SEND = """
name: send
steps:
  - id: mail
    tool: send
    with: {what: hello}
"""
CHOOSE = """
name: choose
steps:
  - id: kind
    router: What is it?
    routes: {sales: wants to buy, other: anything else}
  - id: sell
    needs: [kind.sales]
    tool: note_safe
    with: {what: sold}
"""


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    """A store in memory, open."""
    made = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await made.open()
    yield made
    await made.close()


async def history_of(world: PlayWorld) -> History:
    """All that a world's threads left behind."""
    threads = []
    for info, state in await world.threads.list():
        assert state is not None
        kept = Kept(state.spending.usage, state.spending.day, state.spending.day_tokens)
        threads.append(ThreadHistory(info.key, tuple(await world.log(state.thread_id)), kept=kept))
    return History(tuple(threads))


async def question_of(world: PlayWorld, play: ThreadId) -> str:
    state = await world.now(play)
    assert state.run is not None
    (wait,) = [wait for wait in state.run.waits.values() if wait.prompt]
    return wait.wait_id


async def talk(store: MemoryStore, folder: Path) -> History:
    """A playbook that asks a conversation's agent and a person side by side, pauses, loops, and tells of its end."""
    answer = Say("", (ToolCall(CallId("c"), "reply", {"reply": "green"}),))
    world = PlayWorld(
        store, ScriptedProvider([answer, TOLD]), {"talk": TALK}, tools=ledger_tools(EffectLedger(folder / "effects"))
    )
    play = await world.run_play("talk", thread=await world.thread())
    await world.want(play, PlaybookAsked("pause", "lunch"))
    await world.work()
    await world.want(play, PlaybookAsked("resume"))
    await world.threads.answer(play, Answer(await question_of(world, play), "", "approve"))
    await world.work()
    return await history_of(world)


async def cut_off(store: MemoryStore, folder: Path) -> History:
    """A call that may not be repeated, cut off, and made again because a person says so."""
    ledger, lives = EffectLedger(folder / "effects"), [Killed()]

    def tool() -> Tool:
        async def send(context: ToolContext, *, what: str) -> Result:
            """Send it.

            Args:
                what: the mail.
            """
            ledger.write("send", what, context)
            if lives:
                raise lives.pop()
            return Done(ours("sent"))

        return define(send, effect="once", reach="inward")

    world = PlayWorld(store, ScriptedProvider(), {"send": SEND}, tools=(tool(),))
    play = await world.play("send")
    with pytest.raises(BaseExceptionGroup) as died:
        await world.work()
    assert is_kill(died.value)
    world = PlayWorld(store, ScriptedProvider(), {"send": SEND}, tools=(tool(),), boot=2)
    await world.work()
    await world.threads.answer(play, Answer(await question_of(world, play), "", "run_again"))
    await world.work()
    effects = tuple(Effect(line["tool"], line["key"], "once") for line in ledger.read())
    assert len(effects) == 2
    return replace(await history_of(world), effects=effects)


async def chosen(store: MemoryStore, folder: Path) -> History:
    """A model chooses, and what follows from the other answer is skipped."""
    answer = Say("", (ToolCall(CallId("c"), "choose", {"choice": "other"}),))
    tools = ledger_tools(EffectLedger(folder / "effects"))
    world = PlayWorld(store, ScriptedProvider([answer]), {"choose": CHOOSE}, tools=tools)
    await world.run_play("choose")
    return await history_of(world)


MADE = {"talk": talk, "cut off": cut_off, "chosen": chosen}


async def test_what_playbooks_leave_behind_is_found_to_be_in_order(store: MemoryStore, tmp_path: Path) -> None:
    history = await talk(store, tmp_path)
    kinds = {entry.kind for thread in history.threads for entry in thread.log}
    assert kinds >= {"PLAYBOOK", "ANSWER_GIVEN", "END_TOLD", "PLAYBOOK_ASKED", "PLAYBOOK_ENDED"}
    assert breaches(history) == []


async def test_a_call_that_a_person_had_made_again_is_in_order_and_a_third_one_is_not(
    store: MemoryStore, tmp_path: Path
) -> None:
    history = await cut_off(store, tmp_path)
    assert breaches(history) == []
    once_more = replace(history, effects=(*history.effects, history.effects[-1]))
    assert "once" in {breach.rule for breach in breaches(once_more)}


async def test_what_a_model_chose_is_counted(store: MemoryStore, tmp_path: Path) -> None:
    assert breaches(await chosen(store, tmp_path)) == []


Change = Callable[[Log], Sequence[Entry]]


def numbered(log: Sequence[Entry]) -> list[Entry]:
    return [replace(entry, seq=seq) for seq, entry in enumerate(log, 1)]


def is_one(entry: Entry, kind: str, what: str = "", at: str = "") -> bool:
    fits = (not what or entry.data.get("what") == what) and (not at or entry.data.get("at") == at)
    return entry.kind == kind and fits


def without(kind: str, what: str = "", at: str = "") -> Change:
    return lambda log: numbered([entry for entry in log if not is_one(entry, kind, what, at)])


def doubled(kind: str, what: str = "", at: str = "") -> Change:
    return lambda log: numbered([one for entry in log for one in [entry] * (1 + is_one(entry, kind, what, at))])


def with_data(kind: str, what: str = "", /, **data: Json) -> Change:
    return lambda log: [replace(e, data={**e.data, **data}) if is_one(e, kind, what) else e for e in log]


def again_after(what: str, later: str) -> Change:
    """A record again, right behind a later one."""

    def change(log: Log) -> list[Entry]:
        again = next(entry for entry in log if is_one(entry, "PLAYBOOK", what))
        at = next(n for n, entry in enumerate(log) if is_one(entry, "PLAYBOOK", later))
        return numbered([*log[: at + 1], again, *log[at + 1 :]])

    return change


P = "PLAYBOOK"
DEFECTS: list[tuple[str, str, Change, str]] = [
    ("talk", P, with_data("THREAD_CREATED", play=None), "step by step"),
    ("talk", P, doubled(P, "RUN_STARTED"), "step by step"),
    ("talk", P, without(P, "RUN_STARTED"), "step by step"),
    ("talk", P, without(P, "RUN_ENDED"), "step by step"),
    ("talk", P, doubled(P, "RUN_ENDED"), "step by step"),
    ("talk", P, doubled(P, "STEP_STARTED", "note"), "step by step"),
    ("talk", P, doubled(P, "STEP_COMPLETED", "note"), "step by step"),
    ("talk", P, doubled(P, "STEP_COMPLETED", "one@1"), "step by step"),
    ("talk", P, doubled(P, "PASS_STARTED"), "step by step"),
    ("talk", P, again_after("STEP_STARTED", "STEP_COMPLETED"), "step by step"),
    ("talk", P, again_after("STEP_STARTED", "RUN_ENDED"), "step by step"),
    ("talk", P, without(P, "STEP_STARTED", "note"), "intent first"),
    ("talk", P, without(P, "STEP_COMPLETED", "note"), "results"),
    ("talk", P, with_data(P, "RUN_ENDED", what="HEARD"), "step by step"),
    ("talk", P, with_data(P, input_seq=0), "delivered once"),
    ("talk", "END_TOLD", without("END_TOLD"), "told once"),
    ("talk", "END_TOLD", doubled("END_TOLD"), "told once"),
    ("talk", "ANSWER_GIVEN", without("ANSWER_GIVEN"), "told once"),
    ("talk", "ANSWER_GIVEN", doubled("ANSWER_GIVEN"), "told once"),
    ("talk", "ANSWER_GIVEN", with_data("ANSWER_GIVEN", wait_id="ask:another"), "told once"),
    ("talk", "ANSWER_GIVEN", with_data("INPUT", question=None), "told once"),
    ("talk", "PLAYBOOK_ASKED", doubled("PLAYBOOK_ASKED"), "delivered once"),
    ("talk", "SUSPENDED", with_data("SUSPENDED", resting=False), "delivered once"),
    ("talk", P, doubled("RESUMED"), "delivered once"),
    ("cut off", P, doubled(P, "STEP_STARTED"), "once"),
    ("cut off", P, without(P, "STEP_STARTED"), "results|intent first"),
    ("chosen", P, with_data(P, "DECIDED", tokens=1), "accounts"),
    ("chosen", P, doubled(P, "STEP_SKIPPED"), "step by step"),
]


@pytest.mark.parametrize(
    ("which", "kind", "change", "rule"), [pytest.param(*one, id=f"{at} {one[1]}") for at, one in enumerate(DEFECTS)]
)
async def test_a_defect_is_found_wherever_it_is_planted(
    store: MemoryStore, tmp_path: Path, which: str, kind: str, change: Change, rule: str
) -> None:
    history = await MADE[which](store, tmp_path)
    there = [thread for thread in history.threads if any(entry.kind == kind for entry in thread.log)]
    if kind == "SUSPENDED":
        there = [thread for thread in there if any(entry.kind == P for entry in thread.log)]
    assert there
    for thread in there:
        mutated = replace(thread, log=tuple(change(thread.log)))
        assert mutated.log != thread.log
        broken = breaches(History((mutated,)))
        assert set(rule.split("|")) & {breach.rule for breach in broken}, [str(breach) for breach in broken]


@pytest.mark.parametrize("kind", ["PLAYBOOK_ENDED", "ANSWER"])
async def test_what_one_log_says_that_it_told_another_has_to_be_there(
    store: MemoryStore, tmp_path: Path, kind: str
) -> None:
    history = await talk(store, tmp_path)

    def change(entry: Entry) -> Entry:
        if entry.kind != kind:
            return entry
        other: dict[str, Json] = {"thread_id": "thr_other"} if kind == "PLAYBOOK_ENDED" else {"wait_id": "ask:other"}
        return replace(entry, data={**entry.data, **other})

    lied = [replace(thread, log=tuple(map(change, thread.log))) for thread in history.threads]
    assert "told once" in {breach.rule for breach in breaches(History(tuple(lied)))}
