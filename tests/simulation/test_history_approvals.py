"""The judge of histories knows a yes from a no, and both from silence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import pytest

from sulla.agent.approvals.approvals import APPROVAL_S
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.threads.log.codec import Entry
from sulla.threads.log.records import Answer
from tests.agent.approvals.test_approvals import DONE, Desk
from tests.simulation.history import History, ThreadHistory, breaches

Said = Literal["approve", "reject", "silence"]


async def log_of(clock: ManualClock, said: Said) -> list[Entry]:
    """A thread whose one outward call was asked about, and what came of that."""
    store = MemoryStore(clock, lambda prefix: f"{prefix}_store")
    await store.open()
    desk = Desk(store)
    world = desk.boot()
    thread, wait = await desk.asked(world)
    desk.provider.add(DONE)
    if said == "silence":
        desk.clock.jump(APPROVAL_S + 1)
        await world.turns.attend(thread)
    else:
        await desk.say(world, thread, Answer(wait.wait_id, "", said))
    log = await world.log(thread)
    await store.close()
    return log


def rules(log: list[Entry]) -> set[str]:
    return {breach.rule for breach in breaches(History((ThreadHistory("thr", tuple(log)),)))}


def changed(log: list[Entry], fits: Callable[[Entry], bool], **data: str) -> list[Entry]:
    """The log with other words in the record that fits."""
    (entry,) = [entry for entry in log if fits(entry)]
    other = replace(entry, data={**entry.data, **data})
    return [other if each is entry else each for each in log]


@pytest.mark.parametrize("said", ["approve", "reject", "silence"])
async def test_what_people_said_is_found_to_be_kept(manual_clock: ManualClock, said: Said) -> None:
    assert rules(await log_of(manual_clock, said)) == set()


@pytest.mark.parametrize("said", ["reject", "silence"])
async def test_a_call_that_was_made_though_nobody_said_yes_is_found(manual_clock: ManualClock, said: Said) -> None:
    log = await log_of(manual_clock, said)
    made = changed(log, lambda entry: entry.data.get("failure") == "human_rejected", failure="")
    assert "delivered once" in rules(made)


async def test_a_no_that_nobody_said_is_found(manual_clock: ManualClock) -> None:
    log = await log_of(manual_clock, "approve")
    last = [entry for entry in log if entry.kind == "TOOL_CALL_RESULT"][-1]
    assert "delivered once" in rules(changed(log, lambda entry: entry is last, failure="human_rejected"))


async def test_a_call_made_on_an_answer_that_was_a_no_is_found(manual_clock: ManualClock) -> None:
    log = await log_of(manual_clock, "approve")
    assert "once" in rules(changed(log, lambda entry: entry.kind == "ANSWER", verdict="reject"))


async def test_a_question_that_ran_out_before_its_time_is_found(manual_clock: ManualClock) -> None:
    log = await log_of(manual_clock, "silence")
    (resumed,) = [entry for entry in log if entry.kind == "RESUMED"]
    early = replace(resumed, origin=replace(resumed.origin, at_ms=resumed.origin.at_ms - 10_000))
    assert "delivered once" in rules([early if entry is resumed else entry for entry in log])
