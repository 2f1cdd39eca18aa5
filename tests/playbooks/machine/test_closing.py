"""What a run does at its end: where it failed, and however it came to it."""

from __future__ import annotations

from typing import Any

import pytest

from sulla.playbooks.definition import Budget, Definition, FailStep, SetStep, TransferStep, WaitStep
from sulla.playbooks.machine.records import Failure, RunClosing, RunEnded, Spent, StepStarted, kind_of
from sulla.playbooks.machine.rerun import fork, reopen
from tests.playbooks.machine.play import BROKEN, Play, T, over_the_wire, playbook, same, step, times


def closing(*steps: Any, **more: Any) -> Definition:
    return playbook(
        *steps,
        on_error=(step("alarm"), step("told", None, "alarm")),
        finally_=(step("tidy"),),
        **more,
    )


def begun(play: Play) -> list[str]:
    return [fact.at for fact in play.facts if isinstance(fact, StepStarted)]


@pytest.mark.parametrize(
    ("work", "status", "done"),
    [
        ({}, "completed", ["a", "tidy"]),
        ({"a": BROKEN}, "failed", ["a", "alarm", "told", "tidy"]),
        ({"a": BROKEN, "alarm": BROKEN}, "failed", ["a", "alarm", "tidy"]),
        ({"tidy": BROKEN}, "failed", ["a", "tidy"]),
    ],
)
def test_a_failure_has_its_steps_and_every_end_has_its_own(work: dict[str, Any], status: str, done: list[str]) -> None:
    play = Play(closing(step("a")), work=work)
    ended = play.run()
    assert ended is not None
    assert (ended.status, play.done) == (status, done)
    if status == "failed":
        assert ended.failure is not None
        where = "" if "a" in work else "in finally: "
        assert ended.failure.message == f"{where}step {next(iter(work))!r} failed: it broke"


@pytest.mark.parametrize("deep", [False, True])
def test_what_is_done_at_the_end_knows_the_reason_of_the_step_that_failed(deep: bool) -> None:
    late = Failure("transient", "timeout", "it took too long")
    told = step("told", SetStep({"error": T("${{ run.error }}"), "b": T("${{ steps.b.error }}")}))
    first = step("a", times(1, step("x"), step("y", None, "x"))) if deep else step("a")
    play = Play(
        playbook(first, step("b", None, "a"), on_error=(told,)),
        work={"x": late, "a": late},
        names={"run": {"status": "running", "error": None}},
    )
    ended = play.run()
    assert ended is not None
    assert ended.failure is not None
    assert ended.failure.reason == "timeout"
    message, kind = ended.failure.message, "transient"
    assert play.value("told") == {
        "error": {"kind": kind, "reason": "timeout", "message": message},
        "b": {"kind": kind, "reason": "upstream", "message": message},
    }


def test_without_a_failure_and_without_finally_nothing_is_done() -> None:
    play = Play(playbook(step("a"), on_error=(step("alarm"),)))
    assert play.run() is not None
    assert play.done == ["a"]
    assert not [fact for fact in play.facts if isinstance(fact, RunClosing)]


def test_what_is_done_at_the_end_sees_all_that_was_done_and_how_it_ends() -> None:
    told = step("told", SetStep({"why": T("${{ run.error.message }}"), "how": T("${{ run.status }}")}))
    tidy = step("tidy", SetStep({"a": T("${{ steps.a.output }}"), "later": T("${{ steps.later.status }}")}))
    definition = playbook(
        step("a"), step("b", FailStep(T("no")), "a"), step("later", None, "b"), on_error=(told,), finally_=(tidy,)
    )
    play = Play(definition, names={"run": {"status": "running", "error": None}})
    ended = play.run()
    assert ended is not None
    assert ended.status == "failed"
    assert play.value("told") == {"why": "step 'b' failed: no", "how": "failed"}
    assert play.value("tidy") == {"a": "a", "later": "failed"}


def test_a_run_that_is_cancelled_before_any_step_had_its_turn_ends_at_once() -> None:
    play = Play(closing(step("a")))
    play.facts += play.book.cancel("not wanted")
    ended = Play(play.definition, facts=over_the_wire(play.facts)).run()
    assert ended is not None
    assert (ended.status, begun(play)) == ("cancelled", [])


def test_a_run_that_is_cancelled_has_its_finally_and_a_second_cancel_ends_that_too() -> None:
    play = Play(closing(step("a", WaitStep(T("60"))), step("b", None, "a")))
    play.turn()
    play.facts += play.book.cancel("enough")
    found = play.turn()
    assert [kind_of(fact) for fact in found] == ["STEP_CANCELLED", "RUN_CLOSING", "STEP_STARTED"]
    assert play.book.due_ms is None
    again = Play(play.definition, facts=over_the_wire(play.facts))
    ended = again.run()
    assert ended is not None
    assert (ended.status, begun(again)) == ("cancelled", ["a", "tidy"])
    play.facts += play.book.cancel("now")
    assert [kind_of(fact) for fact in play.turn()] == ["STEP_CANCELLED", "RUN_ENDED"]


def test_a_run_that_is_to_make_way_is_tidied_up_to_the_end_however_often_it_is_told() -> None:
    play = Play(closing(step("a", WaitStep(T("60"))), step("b", None, "a")))
    play.turn()
    play.facts += play.book.cancel("a newer one", spares_end=True)
    play.turn()
    assert play.book.cancel("a newer one yet", spares_end=True) == []
    ended = play.run()
    assert ended is not None
    assert (ended.status, play.done) == ("cancelled", ["tidy"])


def test_a_paused_run_that_is_cancelled_is_tidied_up() -> None:
    play = Play(closing(step("a", WaitStep(T("60"))), step("b", None, "a")))
    play.turn()
    play.facts += play.book.pause()
    play.facts += play.book.cancel()
    ended = play.run()
    assert ended is not None
    assert (ended.status, play.done) == ("cancelled", ["tidy"])


@pytest.mark.parametrize("budget", [Budget(tokens=10), Budget(wall_s=30.0)])
def test_a_run_that_has_used_all_that_it_may_still_raises_the_alarm(budget: Budget) -> None:
    play = Play(closing(step("a"), step("w", WaitStep(T("3600")), "a"), budget=budget))
    play.turn()
    play.facts += play.book.complete("a", "A", Spent(10))
    ended = play.run()
    assert ended is not None
    assert (ended.status, begun(play)[-3:]) == ("failed", ["alarm", "told", "tidy"])


def test_a_transfer_hands_over_behind_what_is_done_at_the_end() -> None:
    play = Play(playbook(step("t", TransferStep("next", {"x": 1})), finally_=(step("tidy"),)))
    ended = play.run()
    assert ended is not None
    assert (ended.status, ended.to, ended.outputs, play.done) == ("transferred", "next", {"x": 1}, ["tidy"])


def test_at_any_moment_its_facts_make_the_same_machine_again() -> None:
    definition = closing(step("a"), step("b", None, "a"))
    whole = Play(definition, work={"b": BROKEN})
    whole.run()
    for upto in range(1, len(whole.facts)):
        again = Play(definition, work={"b": BROKEN}, facts=over_the_wire(whole.facts[:upto]))
        again.run()
        assert same(again.facts[:upto], whole.facts[:upto])
        assert again.facts[-1] == whole.facts[-1]
        assert sorted(again.ends.items()) == sorted(whole.ends.items())


def test_a_run_that_goes_on_after_its_end_has_another_end() -> None:
    definition = closing(step("a"), step("b", None, "a"))
    play = Play(definition, work={"b": BROKEN})
    play.run()
    reopened = [*play.facts, reopen(play.book.plan, play.facts, 9)]
    forked = fork(play.book.plan, play.facts, ["b"], 9)
    for facts in (reopened, forked):
        again = Play(definition, facts=over_the_wire(facts))
        ended = again.run()
        assert isinstance(ended, RunEnded)
        assert (ended.status, again.done) == ("completed", ["b", "tidy"])
