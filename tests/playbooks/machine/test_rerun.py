"""Part of a run again: nothing before that part is paid for twice."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sulla.core.errors import Conflict, InvalidInput, NotFound
from sulla.playbooks.definition import Budget, Definition, HumanStep, InputSpec, RespondStep
from sulla.playbooks.machine.plan import build
from sulla.playbooks.machine.records import Fact, RunReopened, RunStarted, Spent, StepCompleted, StepStarted
from sulla.playbooks.machine.rerun import address, broken, fork, kept, reopen
from tests.playbooks.machine.play import (
    BROKEN,
    Play,
    T,
    both,
    each,
    leave,
    merge,
    over_the_wire,
    playbook,
    step,
    times,
)


def _ten() -> Definition:
    return playbook(step("s1"), *(step(f"s{n}", None, f"s{n - 1}") for n in range(2, 11)))


def _resumed(play: Play, steps: Sequence[str] = (), **work: object) -> Play:
    fact = reopen(play.book.plan, play.facts, 1_000_000, steps)
    return Play(play.definition, work=work, facts=over_the_wire([*play.facts, fact]))


def test_resumed_at_the_ninth_of_ten_nothing_before_it_is_done_again() -> None:
    play = Play(_ten(), work={"s9": BROKEN})
    ended = play.run()
    assert ended is not None
    assert ended.status == "failed"
    again = _resumed(play)
    ended = again.run()
    assert ended is not None
    assert ended.status == "completed"
    assert again.done == ["s9", "s10"]
    assert again.value("s8") == "s8"


def test_a_run_can_be_resumed_again_and_again() -> None:
    play = Play(_ten(), work={"s3": BROKEN})
    play.run()
    play = _resumed(play, s7=BROKEN)
    play.run()
    assert play.done == ["s3", "s4", "s5", "s6", "s7"]
    play = _resumed(play)
    ended = play.run()
    assert ended is not None
    assert (ended.status, play.done) == ("completed", ["s7", "s8", "s9", "s10"])


def test_what_failed_is_found_behind_what_failed_because_of_it() -> None:
    definition = playbook(
        step("let", on_failure="go_on"),
        step("seen"),
        step("handler", None, "seen?failure"),
        step("loop", each("${{ [1, 2, 3] }}", step("both", both(one=[step("a")], two=[step("b")])), at_once=3)),
        step("after", None, "loop"),
        step("c"),
        step("d", None, "c", "after"),
    )
    work = {"let": BROKEN, "seen": BROKEN, "a@1": BROKEN, "b@2": BROKEN, "c": BROKEN}
    play = Play(definition, work=work)
    play.run()
    assert broken(play.book.plan, play.facts) == ("c", "a@1", "b@2")
    again = _resumed(play)
    ended = again.run()
    assert ended is not None
    assert ended.status == "completed"
    assert again.done == ["c", "a@1", "b@2", "after", "d"]
    assert again.value("loop") == [{"one": f"a@{n}", "two": f"b@{n}"} for n in range(3)]


def test_a_loop_goes_on_from_the_pass_that_failed() -> None:
    definition = playbook(step("loop", times(4, step("a"), step("b", None, "a"))), step("after", None, "loop"))
    play = Play(definition, work={"b@2": BROKEN})
    play.run()
    again = _resumed(play)
    ended = again.run()
    assert ended is not None
    assert ended.status == "completed"
    assert again.done == ["b@2", "a@3", "b@3", "after"]
    assert again.value("loop") == ["b@0", "b@1", "b@2", "b@3"]


def test_passes_that_came_after_a_step_in_a_loop_come_again() -> None:
    play = Play(playbook(step("loop", times(3, step("a"), step("b", None, "a"))), step("after", None, "loop")))
    play.run()
    again = _resumed(play, ["b@1"])
    assert again.run() is not None
    assert again.done == ["b@1", "a@2", "b@2", "after"]
    from_the_first = _resumed(play, ["b"])
    assert from_the_first.run() is not None
    assert from_the_first.done == ["b@0", "a@1", "b@1", "a@2", "b@2", "after"]
    whole = _resumed(play, ["loop"])
    assert whole.run() is not None
    assert whole.done == ["a@0", "b@0", "a@1", "b@1", "a@2", "b@2", "after"]


def test_a_loop_that_was_left_is_not_left_before_the_step_that_leaves_it_comes_again() -> None:
    body = (step("a"), leave("out", "a", when="${{ steps.a.output == 'stop' }}"))
    play = Play(playbook(step("loop", times(3, *body))), work={"a@1": "stop"})
    play.run()
    assert play.done == ["a@0", "a@1"]
    again = _resumed(play, ["a@1"])
    assert again.run() is not None
    assert again.done == ["a@1", "a@2"]


def test_a_step_can_be_done_again_in_a_run_that_succeeded() -> None:
    definition = playbook(step("a"), step("b"), merge("a", "b"), step("c", None, "merge"), step("d", None, "a"))
    play = Play(definition)
    play.run()
    again = _resumed(play, ["b"], b="B")
    assert again.run() is not None
    assert again.done == ["b", "c"]
    assert again.value("merge") == {"a": "a", "b": "B"}


def test_a_cancelled_run_goes_on_with_what_was_stopped() -> None:
    play = Play(playbook(step("a"), step("b"), step("c", None, "a", "b")))
    play.turn()
    play.facts += play.book.complete("a", "a")
    play.facts += play.book.cancel()
    play.turn()
    again = _resumed(play)
    ended = again.run()
    assert ended is not None
    assert (ended.status, again.done) == ("completed", ["b", "c"])


def test_time_begins_anew_for_what_is_resumed() -> None:
    loop = step("loop", times(2, step("a")), timeout_s=60.0)
    play = Play(playbook(loop, budget=Budget(wall_s=600.0)), work={"a@1": BROKEN})
    play.run()
    again = _resumed(play)
    assert again.book.due_ms == 1_060_000
    assert again.run() is not None
    assert again.done == ["a@1"]


def test_a_fork_has_other_inputs_and_pays_for_nothing_that_is_done() -> None:
    definition = playbook(
        step("a", RespondStep(T("for ${{ inputs.who }}"))),
        step("b", RespondStep(T("also for ${{ inputs.who }}")), "a"),
        inputs={"who": InputSpec()},
    )
    play = Play(definition, {"who": "Ada"})
    play.turn()
    play.facts += play.book.complete("a", "done", Spent(900, 9))
    play.run()
    facts = fork(play.book.plan, play.facts, ["b"], 77, inputs={"who": "Bob"}, forked_from="run_1")
    assert facts[0] == RunStarted("test", "digest", {"who": "Bob"}, 77, (), "run_1")
    forked = Play(definition, facts=over_the_wire(facts))
    assert forked.book.spent == Spent()
    assert forked.turn()[0] == ("b", 1, {"text": "also for Bob"}, 77)
    assert forked.run() is not None
    assert forked.done == ["b"]


def test_a_fork_of_a_run_at_work_begins_for_itself_what_is_open_there() -> None:
    loop = step("loop", each("${{ [1, 2] }}", step("a"), step("ask", HumanStep(T("Well?")), "a"), at_once=2))
    play = Play(playbook(step("x"), loop, step("y", None, "x")), work={"x": "x"})
    play.turn()
    for started in play.book.open[:2]:
        play.work_at(started)
    play.turn()
    assert {fact.at for fact in play.book.open} == {"ask@0", "a@1", "y"}
    forked = Play(play.definition, facts=fork(play.book.plan, play.facts, ["y"], 77))
    assert forked.book.open == []
    assert {fact.at for fact in forked.turn() if isinstance(fact, StepStarted)} == {"ask@0", "a@1", "y"}


@pytest.mark.parametrize("at", ["nobody", "a@0", "loop@1", "b@1.2", "b@x", "b@-1", "", "@", "b@", "b@²"])
def test_an_address_that_names_nothing_is_refused(at: str) -> None:
    play = Play(playbook(step("a"), step("loop", times(2, step("b")))))
    play.run()
    with pytest.raises(NotFound):
        reopen(play.book.plan, play.facts, 0, [at])
    with pytest.raises(NotFound):
        fork(play.book.plan, play.facts, [at], 0)


def test_a_run_at_work_or_one_in_which_nothing_failed_is_not_resumed() -> None:
    play = Play(playbook(step("a")))
    with pytest.raises(Conflict, match="has not ended"):
        reopen(play.book.plan, play.facts, 0)
    play.run()
    with pytest.raises(Conflict, match="no step of the run failed"):
        reopen(play.book.plan, play.facts, 0)


def test_a_fork_with_inputs_that_do_not_fit_is_refused() -> None:
    play = Play(playbook(step("a"), inputs={"who": InputSpec()}), {"who": "Ada"})
    with pytest.raises(InvalidInput):
        fork(play.book.plan, play.facts, ["a"], 0, inputs={})


def test_a_run_that_never_began_is_not_forked() -> None:
    with pytest.raises(Conflict, match="has not begun"):
        fork(build(playbook(step("a"))), [], ["a"], 0)


def test_what_a_later_fact_takes_back_is_no_longer_true() -> None:
    play = Play(playbook(step("a"), step("b", None, "a")))
    play.run()
    facts: list[Fact] = [*play.facts, RunReopened(("b",), 5)]
    found = kept(play.book.plan, facts)
    assert [fact.at for fact in found if isinstance(fact, StepCompleted)] == ["a"]
    assert found[-1] == RunReopened(("b",), 5)


def test_an_address_has_the_numbers_of_its_passes() -> None:
    assert address("a") == ("a", ())
    assert address("a@2.10") == ("a", (2, 10))


def _passes(at_once: int) -> Definition:
    return playbook(
        step("all", each("${{ [1, 2, 3] }}", step("a"), step("b", None, "a"), at_once=at_once)),
        step("end", None, "all"),
    )


@pytest.mark.parametrize("at_once", [1, 3])
@pytest.mark.parametrize(
    ("named", "again"),
    [
        ("b", {"b@0", "b@1", "b@2", "end"}),
        ("b[1]", {"b@1", "b@2", "end"}),
        ("b@2", {"b@2", "end"}),
        ("a[2]", {"a@2", "b@2", "end"}),
    ],
)
def test_a_step_in_a_loop_is_done_again_in_every_pass_or_in_the_one_that_is_named(
    at_once: int, named: str, again: set[str]
) -> None:
    play = Play(_passes(at_once))
    play.run()
    if at_once == 1:  # what follows a pass is done again, too
        again = again | ({"a@1", "a@2"} if named == "b" else {"a@2"} if named == "b[1]" else set())
    else:
        again = again - ({"b@2"} if named == "b[1]" else set())
    forked = Play(play.definition, facts=over_the_wire(fork(play.book.plan, play.facts, [named], 9)))
    for run in (_resumed(play, [named]), forked):
        ended = run.run()
        assert ended is not None
        assert (ended.status, set(run.done)) == ("completed", again)


def test_what_was_reopened_before_passes_were_named_stays_as_it_was() -> None:
    play = Play(_passes(3))
    play.run()
    facts = [*play.facts, RunReopened(("b",), 9)]
    again = Play(play.definition, facts=over_the_wire(facts))
    again.run()
    assert set(again.done) == {"b@0", "end"}


@pytest.mark.parametrize("at_once", [1, 3])
@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("b[7]", "'b[7]': the loop 'all' began the passes 0 to 2 in this run"),
        ("b@3", "'b[3]': the loop 'all' began the passes 0 to 2 in this run"),
        (
            "all[1]",
            "'all[1]' names 1 pass, and 'all' is the loop itself: name a step within it, such as 'a[1]', or the",
        ),
        ("end[1]", "'end[1]' names 1 pass, and the step lies in no loop"),
        ("b[1][2]", "'b[1][2]' names 2 passes, and the step lies in 1 loop"),
    ],
)
def test_a_pass_that_never_was_is_refused_with_those_that_there_are(at_once: int, named: str, said: str) -> None:
    play = Play(_passes(at_once))
    play.run()
    for again in (
        lambda: reopen(play.book.plan, play.facts, 9, [named]),
        lambda: fork(play.book.plan, play.facts, [named], 9),
    ):
        with pytest.raises(NotFound) as refused:
            again()
        assert refused.value.message.startswith(said)


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("a[1][4]", "'a[1][4]': the loop 'in[1]' began the passes 0 to 1 in this run"),
        ("a[5]", "'a[5]': the loop 'out' began the passes 0 to 2 in this run"),
        (
            "in[1][0]",
            "'in[1][0]' names 2 passes, and 'in' is the loop itself: name a step within it, such as 'a[1][0]'",
        ),
        ("c[0]", "'c[0]': the loop 'none' began no pass in this run"),
        ("d[1]", "'d[1]': the loop 'one' began one pass in this run, 0"),
    ],
)
def test_passes_of_loops_within_loops_are_those_of_their_own_pass(named: str, said: str) -> None:
    out = step("out", times(3, step("in", times(2, step("a")))))
    none, one = step("none", each("${{ [] }}", step("c"))), step("one", times(1, step("d")))
    play = Play(playbook(out, none, one))
    play.run()
    with pytest.raises(NotFound) as refused:
        reopen(play.book.plan, play.facts, 9, [named])
    assert refused.value.message.startswith(said)


@pytest.mark.parametrize("wrong", ["b[", "b[x]", "b[1", "[1]", "b[1]x", "b@1[2]", ""])
def test_what_is_no_address_is_refused(wrong: str) -> None:
    with pytest.raises(NotFound, match="is no step's address"):
        address(wrong)
