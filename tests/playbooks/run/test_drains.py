"""Runs whose daemon is told to stop, and runs that nothing stops by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sulla.testing.provider import ScriptedProvider
from sulla.testing.tools import EffectLedger
from tests.playbooks.run.runs import Make, at, effects, ledger, make, question, questions, say
from tests.playbooks.run.test_calls import OUT, sender
from tests.playbooks.run.test_late import again

__all__ = ["ledger", "make"]


# ---------------------------------------------------------------------------------------------------------- drains


class Draining:
    """A store whose daemon is told to stop at its n-th write."""

    def __init__(self, inner: Any, nth: int) -> None:
        self._inner, self._left = inner, nth
        self.drain: Callable[[], None] = lambda: None

    @property
    def drained(self) -> bool:
        return self._left <= 0

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._inner, name)

        async def append(*args: Any, **others: Any) -> Any:
            self._left -= 1
            if self._left == 0:
                self.drain()
            return await real(*args, **others)

        return append if name == "append" else real


TWO = """
name: two
steps:
  - {id: a, tool: note_once, with: {what: x}}
  - {id: b, tool: note_once, with: {what: y}}
"""


@pytest.mark.parametrize("nth", range(1, 9))
async def test_a_daemon_that_stops_in_order_leaves_no_call_of_which_nobody_knows_whether_it_was_made(
    make: Make, ledger: EffectLedger, nth: int
) -> None:
    world = make(ScriptedProvider(), TWO)
    run = await world.play("two")
    store = Draining(world.store, nth)
    stopping = again(world, 2, store)
    store.drain = stopping.turns.drain
    await stopping.turns.attend(run)
    world = again(world, 3)
    await world.work()
    assert await questions(world, run) == []
    assert ((await at(world, run)).status, effects(ledger)) == ("completed", ["x", "y"])


@pytest.mark.parametrize("nth", range(1, 6))
async def test_a_daemon_that_stops_in_order_leaves_the_question_that_it_was_about_to_ask(
    make: Make, ledger: EffectLedger, nth: int
) -> None:
    world = make(ScriptedProvider(), OUT, more=[sender(ledger)])
    run = await world.play("out", trigger="schedule", origin="playbook")
    store = Draining(world.store, nth)
    stopping = again(world, 2, store)
    store.drain = stopping.turns.drain
    await stopping.turns.attend(run)
    world = again(world, 3)
    await world.work()
    assert (await question(world, run)).wait_id.startswith("approval:")
    await say(world, run, "approve")
    assert effects(ledger) == ["sent ann", "after"]


# ----------------------------------------------------------------------------------------------- loops within loops

SPINS = """
name: spins
steps:
  - id: outer
    loop:
      count: 20
      steps:
        - id: inner
          loop:
            count: 40
            steps:
              - {id: c, condition: "${{ loop.index > 3 }}"}
"""


class Counting:
    """A store that knows how many records its longest write had."""

    def __init__(self, inner: Any) -> None:
        self._inner, self.longest = inner, 0

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._inner, name)

        async def append(lease: Any, number: int, drafts: Any, *args: Any, **others: Any) -> Any:
            self.longest = max(self.longest, len(drafts))
            return await real(lease, number, drafts, *args, **others)

        return append if name == "append" else real


async def test_what_waits_for_nothing_is_done_part_by_part_so_that_others_have_their_turn(make: Make) -> None:
    world = make(ScriptedProvider(), SPINS)
    run = await world.play("spins")
    store = Counting(world.store)
    await again(world, 2, store).work()
    assert (await at(world, run)).status == "completed"
    assert [what for what, _ in await world.played(run)].count("STEP_COMPLETED") == 20 * 40 + 20 + 1
    assert store.longest < 300


async def test_loops_within_loops_come_to_an_end(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sulla.playbooks.run.driver.MOST_RECORDS", 1000)
    world = make(ScriptedProvider(), SPINS)
    run = await world.run_play("spins")
    state = await world.now(run)
    assert ((await at(world, run)).status, state.newest.outcome.reason) == ("failed", "limit_records")
    assert "1000 records" in (await at(world, run)).failure


# ----------------------------------------------------------------------------------------------------- what is too much

LARGE = """
name: large
steps:
  - {id: a, tool: note_safe, with: {what: small}}
  - {id: b, tool: note_safe, with: {what: "${{ inputs.text }}"}}
inputs: {text: {type: string}}
"""


async def test_a_step_that_is_given_too_much_fails_the_run_and_says_so(
    make: Make, ledger: EffectLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sulla.playbooks.run.driver.MOST_BYTES", 1000)
    world = make(ScriptedProvider(), LARGE)
    run = await world.run_play("large", {"text": "x" * 990})
    assert effects(ledger) == ["small"]
    play = await at(world, run)
    assert play.status == "failed"
    assert "the step 'b' is given" in play.failure
