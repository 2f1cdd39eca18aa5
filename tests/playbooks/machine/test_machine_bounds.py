"""Large playbooks: what a step costs does not depend on how many others there are."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest

from sulla.playbooks.definition import MAX_PASSES, MAX_STEPS, Definition, Step
from sulla.playbooks.machine.records import StepStarted
from tests.playbooks.machine.play import BROKEN, Play, both, each, merge, playbook, step

SMALL, LARGE = 100, 1_000


def _chain(length: int) -> Definition:
    return playbook(step("s0"), *(step(f"s{n}", None, f"s{n - 1}") for n in range(1, length)))


def _wide(width: int) -> Definition:
    names = [f"s{n}" for n in range(width - 2)]
    return playbook(step("first"), *(step(name, None, "first") for name in names), merge(*names))


def _looped(passes: int) -> Definition:
    return playbook(step("loop", each(f"${{{{ {list(range(passes))} }}}}", step("a"), most=MAX_PASSES)))


def _failing(length: int) -> Definition:
    names = [f"s{n}" for n in range(length - 2)]
    return playbook(step("bad"), *(step(name, None, "bad") for name in names), merge(*names))


def _calls(definition: Definition, **work: object) -> int:
    """How many functions are called for a whole run, the same every time."""
    play = Play(definition, work=work, at_once=MAX_STEPS)
    count = 0

    def note(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    book = play.book
    sys.setprofile(note)
    try:
        while book.ended is None:
            for fact in book.next():
                if isinstance(fact, StepStarted) and book.plan.nodes[fact.at.split("@")[0]].outward:
                    book.complete(fact.at)
    finally:
        sys.setprofile(None)
    assert book.ended.status == "completed"
    return count


@pytest.mark.parametrize("shape", [_chain, _wide, _looped])
def test_a_step_of_a_thousand_costs_what_one_of_a_hundred_does(shape: Any) -> None:
    small, large = _calls(shape(SMALL)) / SMALL, _calls(shape(LARGE)) / LARGE
    assert large <= small * 1.1


def test_a_thousand_steps_side_by_side_and_their_merge_come_to_an_end() -> None:
    play = Play(_wide(LARGE))
    ended = play.run()
    assert ended is not None
    assert ended.status == "completed"
    assert len(play.done) == LARGE - 1


def test_fifty_run_side_by_side_unless_somebody_says_otherwise() -> None:
    play = Play(_wide(LARGE))
    play.turn()
    play.work_at(play.book.open[0])
    assert len(play.turn()) == 50


def test_a_playbook_may_say_that_fewer_run_side_by_side_and_never_that_more_do() -> None:
    names = [f"s{n}" for n in range(9)]
    few = Play(playbook(*map(step, names), at_once=2), at_once=5)
    few.turn()
    assert len(few.book.open) == 2
    few.run()
    assert few.done == names
    many = Play(playbook(*map(step, names), at_once=7), at_once=5)
    many.turn()
    assert len(many.book.open) == 5


def test_a_failure_of_what_a_thousand_need_is_told_to_all_of_them() -> None:
    from_the_first = Play(_failing(LARGE), work={"bad": None})
    assert from_the_first.run() is not None
    ended = Play(_failing(LARGE), work={"bad": BROKEN}).run()
    assert ended is not None
    assert ended.failure is not None
    assert ended.failure.message == "step 'bad' failed: it broke"


def test_passes_that_are_over_leave_nothing_behind_but_their_output() -> None:
    play = Play(_looped(MAX_PASSES))
    ended = play.run()
    assert ended is not None
    assert ended.status == "completed"
    assert play.book.look("a@0") is None
    assert play.book.look(f"a@{MAX_PASSES - 1}") is not None
    value = play.value("loop")
    assert isinstance(value, list)
    assert len(value) == MAX_PASSES


def test_fifty_branches_of_loops_of_branches_come_to_an_end() -> None:
    def inner(name: str) -> list[Step]:
        branches = both(one=[step(f"{name}x")], two=[step(f"{name}y")])
        return [step(name, each("${{ [1, 2, 3] }}", step(f"{name}b", branches), at_once=2))]

    play = Play(playbook(step("all", both(**{f"b{n}": inner(f"b{n}") for n in range(50)}))))
    ended = play.run()
    assert ended is not None
    assert ended.status == "completed"
    assert len(play.done) == 50 * 3 * 2
