"""Any playbook: what the machine makes of it is what a reference makes of it, in whatever order things end."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.core.jsontypes import Json
from sulla.playbooks.definition import Definition, Kind, LoopStep, MergeStep, Need, Retry, Step
from sulla.playbooks.machine.records import (
    Fact,
    StepCompleted,
    StepFailed,
    StepRetry,
    StepSkipped,
    StepStarted,
    encode,
    kind_of,
)
from sulla.playbooks.machine.rerun import broken, fork, kept, reopen
from tests.playbooks.machine.play import (
    BROKEN,
    Play,
    T,
    anything,
    both,
    each,
    over_the_wire,
    playbook,
    step,
    times,
    whether,
)
from tests.playbooks.machine.reference import Reference

FLAGS: dict[str, Json] = {"t": True, "f": False}


class Author:
    """Writes playbooks by chance.

    Args:
        chance: decides.
        timed: whether merges may depend on what comes first.
    """

    def __init__(self, chance: random.Random, *, timed: bool) -> None:
        self._chance = chance
        self._timed = timed
        self._count = 0

    def write(self) -> Definition:
        return playbook(*self._steps(0, 8), inputs=anything("t", "f"))

    def _steps(self, depth: int, most: int) -> tuple[Step, ...]:
        steps: list[Step] = []
        for _ in range(self._chance.randint(1, most)):
            steps.append(self._step(steps, depth))
        return tuple(steps)

    def _step(self, befores: list[Step], depth: int) -> Step:
        self._count += 1
        name, chance = f"s{self._count}", self._chance
        needs = [self._need(before) for before in befores if chance.random() < 0.4]
        does = self._kind(len(needs), depth)
        more: dict[str, Any] = {}
        if chance.random() < 0.15:
            more["when"] = T(f"${{{{ inputs.{chance.choice('tttf')} }}}}")
        if chance.random() < 0.15:
            more["on_failure"] = "go_on"
        if chance.random() < 0.1:
            more["retry"] = Retry(2, 5.0)
        return step(name, does, *needs, **more)

    def _need(self, before: Step) -> Need:
        on = self._chance.choice(["success"] * 6 + ["failure", "always"])
        is_condition = before.does == whether(f"${{{{ inputs.{'t'} }}}}") or before.does == whether("${{ inputs.f }}")
        route = self._chance.choice(["", "yes", "no"]) if is_condition and on == "success" else ""
        return Need(before.id, on, route)  # type: ignore[arg-type]  # one of the three words above

    def _kind(self, needs: int, depth: int) -> Kind | None:
        chance = self._chance.random()
        if needs > 1 and chance < 0.35:
            ways = ["all", "first", *range(1, needs + 1)] if self._timed else ["all"]
            return MergeStep(self._chance.choice(ways), self._chance.random() < 0.3)  # type: ignore[arg-type]  # as above
        if chance < 0.5:
            return whether(f"${{{{ inputs.{self._chance.choice('tf')} }}}}")
        if chance < 0.6 and depth < 2:
            return both(one=self._steps(depth + 1, 3), two=self._steps(depth + 1, 3))
        if chance < 0.68 and depth < 2:
            return times(self._chance.randint(0, 3), *self._steps(depth + 1, 3))
        if chance < 0.76 and depth < 2:
            at_once = self._chance.randint(1, 3)
            # All that are side by side begin together: which further ones do hangs on when a pass fails.
            items = list(range(self._chance.randint(0, 4 if at_once == 1 else at_once)))
            return each(f"${{{{ {items} }}}}", *self._steps(depth + 1, 3), at_once=at_once)
        return None


def _fails(salt: int) -> Any:
    # Of an address alone, so that it is the same in any order.
    return lambda at: random.Random(f"{salt}/{at}").random() < 0.25


def _play(definition: Definition, salt: int, facts: list[Fact] | None = None, at_once: int = 50) -> Play:
    play = Play(definition, FLAGS, facts=facts, at_once=at_once)
    fails = _fails(salt)

    class Work(dict[str, object]):
        def get(self, at: str, default: object = None) -> object:
            return BROKEN if fails(at) else at

    play.work = Work()
    return play


@settings(max_examples=100)
@given(st.randoms(use_true_random=False), st.integers(0, 1_000), st.integers(0, 1_000))
def test_every_step_ends_as_the_reference_says(chance: random.Random, salt: int, order: int) -> None:
    definition = Author(chance, timed=True).write()
    play = _play(definition, salt)
    turns = random.Random(order)
    ended = play.run(lambda started: turns.randrange(len(started)))
    reference = Reference(definition, FLAGS, _fails(salt))
    assert ended is not None
    cut = {fact.at for fact in play.facts if isinstance(fact, StepSkipped) and fact.why.endswith(CUT)}
    found, wanted = (
        {at: ends[at] for at in ends if not _within(play, at, cut)} for ends in (play.ends, reference.ends)
    )
    assert found == wanted
    assert ended.status == reference.status
    assert len(play.ends) == len([at for at in play.ends if at in reference.ends]), "nothing else has been done"


@settings(max_examples=50)
@given(st.randoms(use_true_random=False), st.integers(0, 1_000), st.integers(0, 1_000), st.integers(1, 3))
def test_the_order_in_which_steps_end_changes_nothing(
    chance: random.Random, salt: int, order: int, at_once: int
) -> None:
    definition = Author(chance, timed=False).write()
    one, other = _play(definition, salt), _play(definition, salt, at_once=at_once)
    turns = random.Random(order)
    ended, too = one.run(), other.run(lambda started: turns.randrange(len(started)))
    assert ended is not None
    assert too is not None
    assert (ended.status, ended.failure) == (too.status, too.failure)
    assert one.ends == other.ends
    assert _seen(one) == _seen(other)
    assert sorted(one.done) == sorted(other.done)


CUT = "has what it waits for"
"""What a step says that a merge could do without."""


def _within(play: Play, at: str, others: set[str]) -> bool:
    """Whether a step is one of others, or lies in one."""
    plan = play.book.plan
    name, mark, path = at.partition("@")
    while at not in others:
        owner = plan.owners.get(name)
        if owner is None:
            return False
        if isinstance(plan.nodes[owner].step.does, LoopStep):
            path = path.rpartition(".")[0]
        name, at = owner, f"{owner}{mark}{path}" if path else owner
    return True


MOMENTS = 40
"""Of one run that are looked at, roughly; all of a short one."""


@settings(max_examples=50)
@given(st.randoms(use_true_random=False), st.integers(0, 1_000), st.integers(0, 1_000))
def test_at_any_moment_its_facts_make_the_same_machine_again(chance: random.Random, salt: int, order: int) -> None:
    definition = Author(chance, timed=True).write()
    play = _play(definition, salt)
    turns, now_ms = random.Random(order), 0
    while play.book.ended is None:
        if turns.random() * len(play.facts) > MOMENTS:
            play.turn()  # each look replays all: of a long run so many moments, picked anew in each example
        else:
            again = _play(definition, salt, over_the_wire(play.facts))
            assert again.book.tick(now_ms) == []
            assert again.book.open == play.book.open
            found = play.turn()
            # The same things are begun; which of several that are due at once stands first is not kept.
            assert _sorted(again.turn()) == _sorted(found)
            assert again.book.due_ms == play.book.due_ms
        started = play.book.open
        if started:
            play.work_at(started[turns.randrange(len(started))])
        elif play.book.due_ms is not None:
            now_ms = play.book.due_ms
            play.facts += play.book.tick(now_ms)


@settings(max_examples=50)
@given(st.randoms(use_true_random=False), st.integers(0, 1_000), st.floats(0, 1, exclude_max=True))
def test_a_run_that_is_cut_off_anywhere_comes_to_the_same_end(chance: random.Random, salt: int, where: float) -> None:
    definition = Author(chance, timed=False).write()
    whole = _play(definition, salt)
    ended = whole.run()
    kept = whole.facts[: 1 + int(where * (len(whole.facts) - 1))]
    rest = _play(definition, salt, over_the_wire(kept))
    assert {fact.at for fact in rest.book.open} == _open(rest, kept)
    again = rest.run()
    assert again is not None
    assert ended is not None
    assert (again.status, again.outputs, again.failure) == (ended.status, ended.outputs, ended.failure)
    assert rest.ends == whole.ends
    ended_before = {fact.at for fact in kept if isinstance(fact, StepCompleted | StepFailed)}
    assert ended_before.isdisjoint(rest.done)


@settings(max_examples=50)
@given(st.randoms(use_true_random=False), st.integers(0, 1_000), st.integers(0, 1_000))
def test_any_step_done_again_leads_to_the_same_end(chance: random.Random, salt: int, which: int) -> None:
    definition = Author(chance, timed=False).write()
    play = _play(definition, salt)
    ended = play.run()
    at = sorted(play.ends)[which % len(play.ends)]
    for facts in (
        fork(play.book.plan, play.facts, [at], 0),
        [*play.facts, reopen(play.book.plan, play.facts, play.facts[-1].at_ms, [at])],
    ):
        again = _play(definition, salt, over_the_wire(facts))
        # It is as if the step, and what comes after it, had never been.
        assert at not in {fact.at for fact in kept(play.book.plan, facts) if isinstance(fact, StepCompleted)}
        over = again.run()
        assert over is not None
        assert ended is not None
        assert (over.status, over.failure, again.ends) == (ended.status, ended.failure, play.ends)
        assert _seen(again) == _seen(play)


@settings(max_examples=50)
@given(st.randoms(use_true_random=False), st.integers(0, 1_000))
def test_what_made_a_run_fail_is_what_ends_otherwise_when_it_is_resumed(chance: random.Random, salt: int) -> None:
    definition = Author(chance, timed=False).write()
    play = _play(definition, salt)
    ended = play.run()
    assert ended is not None
    found = broken(play.book.plan, play.facts)
    assert bool(found) == (ended.status == "failed")
    fails = _fails(salt)
    assert all(fails(at) for at in found)


def _seen(play: Play) -> dict[str, object]:
    """How every step stands that is not in a loop: which pass is over last is a matter of order."""
    return {at: play.book.look(at) for at in play.ends if "@" not in at}


def _open(play: Play, facts: list[Fact]) -> set[str]:
    """What was begun and has not ended, looked up in the facts alone."""
    found: set[str] = set()
    for fact in facts:
        if isinstance(fact, StepStarted) and play.book.plan.nodes[fact.at.partition("@")[0]].outward:
            found.add(fact.at)
        elif isinstance(fact, StepCompleted | StepFailed | StepRetry):
            found.discard(fact.at)
    return found


def _sorted(facts: Sequence[Fact]) -> list[str]:
    return sorted(f"{kind_of(fact)} {encode(fact)}" for fact in facts)
