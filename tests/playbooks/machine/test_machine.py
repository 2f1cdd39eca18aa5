"""Each kind of step, and what people can ask of a run."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sulla.core.errors import Conflict, CorruptRecord, InvalidInput
from sulla.playbooks.definition import (
    AgentStep,
    Budget,
    ConditionStep,
    Definition,
    FailStep,
    HumanStep,
    InputSpec,
    Kind,
    LoopStep,
    MergeStep,
    PlaybookStep,
    PromptStep,
    RespondStep,
    Retry,
    RouterStep,
    Step,
    ToolStep,
    TransferStep,
    WaitStep,
)
from sulla.playbooks.machine.machine import Playbook
from sulla.playbooks.machine.records import (
    Failure,
    PassStarted,
    RunEnded,
    Spent,
    StepCancelled,
    StepReasked,
    StepRetry,
    StepSkipped,
    StepStarted,
    kind_of,
)
from sulla.playbooks.machine.rerun import broken
from tests.playbooks.machine.play import (
    BROKEN,
    Play,
    T,
    anything,
    both,
    each,
    evaluate,
    leave,
    merge,
    over_the_wire,
    playbook,
    same,
    step,
    times,
    whether,
    while_,
)

DAY_MS = 86_400_000
FLAKY = Failure("transient", "overloaded", "too busy")


def _started(play: Play, at: str) -> StepStarted:
    return next(fact for fact in play.facts if isinstance(fact, StepStarted) and fact.at == at)


# ------------------------------------------------------------------------------------------------- what steps are given


def test_what_a_step_works_with_is_worked_out_when_it_begins() -> None:
    definition = playbook(
        step(
            "a", ToolStep("search", {"query": T("${{ inputs.who }}"), "limit": 3, "tags": (T("x-${{ inputs.who }}"),)})
        ),
        step(
            "b", AgentStep(T("About ${{ steps.a.output }}"), before=T("Go?"), success=T("Done ${{ inputs.who }}")), "a"
        ),
        step("c", PromptStep(T("${{ steps.a.output }}")), "b"),
        step("d", RouterStep(T("Which ${{ inputs.who }}?"), {"x": "", "y": ""}), "c"),
        step("e", PlaybookStep("other", {"of": T("${{ steps.a.output }}")}), "d"),
        inputs={"who": InputSpec()},
    )
    play = Play(definition, {"who": "Ada"}, {"a": [1], "d": "x", "e": {}})
    assert play.run() is not None
    assert _started(play, "a").given == {"args": {"query": "Ada", "limit": 3, "tags": ["x-Ada"]}}
    assert _started(play, "b").given == {"prompt": "About [1]", "before": "Go?", "success": "Done Ada"}
    assert _started(play, "c").given == {"text": "[1]"}
    assert _started(play, "d").given == {"question": "Which Ada?"}
    assert _started(play, "e").given == {"args": {"of": [1]}}


def test_an_expression_that_cannot_be_worked_out_fails_its_step_and_says_why() -> None:
    play = Play(playbook(step("a", RespondStep(T("${{ inputs.nobody }}"))), step("b")))
    ended = play.run()
    assert ended is not None
    assert ended.failure is not None
    assert ended.status == "failed"
    assert play.failure("a").reason == "expression"
    assert "there is no 'nobody'" in ended.failure.message
    assert play.ends == {"a": "failed", "b": "completed"}


def test_outputs_that_cannot_be_worked_out_fail_the_run_and_the_one_at_fault_is_named() -> None:
    ended = Play(playbook(step("a"), outputs={"w": T("1"), "x": T("${{ steps.nothing }}")})).run()
    assert ended is not None
    assert ended.failure is not None
    assert (ended.status, ended.failure.reason) == ("failed", "expression")
    assert ended.failure.message.startswith("outputs: x: ")


def test_text_is_no_yes() -> None:
    play = Play(playbook(step("a"), step("b", None, "a", when=T("${{ steps.a.output }}"))), work={"a": "false"})
    ended = play.run()
    assert ended is not None
    assert ended.status == "failed"
    assert "gives the text 'false' where yes or no was expected" in play.failure("b").message


def test_what_does_not_hold_is_skipped_with_what_needs_it_and_the_run_completes() -> None:
    play = Play(
        playbook(
            step("a", when=T("${{ inputs.f }}")),
            step("b", None, "a"),
            step("c", None, "b?always"),
            step("d", None, "a?failure"),
            inputs=anything("f"),
        ),
        {"f": False},
    )
    ended = play.run()
    assert ended is not None
    assert ended.status == "completed"
    assert play.ends == {"a": "skipped", "b": "skipped", "c": "completed", "d": "skipped"}
    reasons = {fact.at: fact.why for fact in play.facts if isinstance(fact, StepSkipped)}
    assert reasons == {"a": "${{ inputs.f }} does not hold", "b": "not wanted after 'a'", "d": "not wanted after 'a'"}


# ------------------------------------------------------------------------------------------------------------- failures


def test_a_failed_step_fails_what_needs_it_and_only_that() -> None:
    play = Play(
        playbook(step("a"), step("b", None, "a"), step("c", None, "b"), step("d"), step("e", None, "d")),
        work={"a": BROKEN},
    )
    ended = play.run()
    assert ended is not None
    assert ended.status == "failed"
    assert play.ends == {"a": "failed", "b": "failed", "c": "failed", "d": "completed", "e": "completed"}
    assert play.failure("c") == Failure("permanent", "upstream", "step 'a' failed: it broke", "broken")
    assert ended.failure == Failure("permanent", "broken", "step 'a' failed: it broke")


@pytest.mark.parametrize("handler", ["b?failure", "b?always", "a?failure", "a?always"])
def test_a_failure_that_is_taken_care_of_does_not_fail_the_run(handler: str) -> None:
    steps = [step("a"), *([step("b", None, "a")] if handler.startswith("b") else []), step("h", None, handler)]
    play = Play(playbook(*steps), work={"a": BROKEN})
    ended = play.run()
    assert ended is not None
    assert ended.status == "completed"
    assert play.ends["h"] == "completed"


def test_a_handler_that_was_not_wanted_took_care_of_nothing() -> None:
    definition = playbook(step("a"), step("b"), step("h", None, "a?failure", "b?failure"))
    play = Play(definition, work={"a": BROKEN})
    ended = play.run()
    assert ended is not None
    assert (ended.status, play.ends["h"]) == ("failed", "skipped")


def test_a_failure_that_the_author_lets_pass_is_seen_by_what_goes_on() -> None:
    definition = playbook(
        step("a", on_failure="go_on"),
        step("b", RespondStep(T("${{ steps.a.error.message }}, ${{ steps.a.output }}")), "a"),
    )
    play = Play(definition, work={"a": BROKEN})
    ended = play.run()
    assert ended is not None
    assert ended.status == "completed"
    assert _started(play, "b").given == {"text": "it broke, None"}
    assert play.ends["a"] == "failed"


def test_siblings_of_a_failed_branch_run_to_their_end() -> None:
    definition = playbook(
        step("both", both(one=[step("a"), step("b", None, "a")], two=[step("c"), step("d", None, "c")])),
        step("after", None, "both"),
    )
    play = Play(definition, work={"a": BROKEN})
    ended = play.run()
    assert ended is not None
    assert ended.status == "failed"
    assert play.ends == {
        "a": "failed",
        "b": "failed",
        "c": "completed",
        "d": "completed",
        "both": "failed",
        "after": "failed",
    }


# --------------------------------------------------------------------------------------------------- retries and limits


def test_a_step_is_tried_again_as_it_says() -> None:
    play = Play(
        playbook(step("a", retry=Retry(3, 10.0, 3.0))), work={"a": lambda attempt: 7 if attempt == 3 else FLAKY}
    )
    ended = play.run()
    assert ended is not None
    assert (ended.status, play.value("a")) == ("completed", 7)
    assert [fact.due_ms for fact in play.facts if isinstance(fact, StepRetry)] == [10_000, 40_000]
    assert play.done == ["a", "a", "a"]


@pytest.mark.parametrize(
    "does", [ToolStep("t"), AgentStep(T("Do.")), PlaybookStep("inner")], ids=["tool", "agent", "playbook"]
)
def test_a_step_that_succeeds_at_last_has_no_error(does: Kind) -> None:
    definition = playbook(step("a", does, retry=Retry(3)), outputs={"error": T("${{ steps.a.error }}")})
    ended = Play(definition, work={"a": lambda attempt: {"b": 7} if attempt == 3 else FLAKY}).run()
    assert ended is not None
    assert ended.outputs == {"error": None}


@pytest.mark.parametrize(
    ("kind", "waits_ms"),
    [
        ("transient", [10_000, 40_000, 130_000]),
        ("tool_error", [10_000, 40_000]),
        ("llm_error", [10_000]),
        ("context_limit", [0]),
        ("permanent", []),
        ("human_rejected", []),
    ],
)
def test_a_step_that_says_nothing_is_tried_again_as_the_class_of_its_failure_asks(
    kind: str, waits_ms: list[int]
) -> None:
    play = Play(playbook(step("a")), work={"a": Failure(kind, "no", "no")})  # type: ignore[arg-type]  # one of the classes
    ended = play.run()
    assert ended is not None
    assert ended.status == "failed"
    assert [fact.due_ms for fact in play.facts if isinstance(fact, StepRetry)] == waits_ms


def test_what_must_not_be_done_twice_is_not_whatever_its_step_says() -> None:
    play = Play(playbook(step("a", retry=Retry(3))))
    play.turn()
    play.facts += play.book.fail("a", FLAKY, repeatable=False)
    ended = play.run()
    assert ended is not None
    assert (ended.status, play.done) == ("failed", [])


def test_an_attempt_that_takes_too_long_fails_and_is_tried_again_where_its_step_says_so() -> None:
    play = Play(playbook(step("a", timeout_s=60.0, retry=Retry(2, 5.0)), step("b", timeout_s=60.0)))
    play.turn()
    assert play.book.due_ms == 60_000
    found = play.book.tick(60_000)
    assert {type(fact).__name__: fact.at for fact in found} == {"StepRetry": "a", "StepFailed": "b"}  # type: ignore[union-attr]  # facts of steps
    assert play.book.complete("b", "late") == []
    assert play.book.tick(65_000) == []
    assert [(fact.at, fact.attempt) for fact in play.turn() if isinstance(fact, StepStarted)] == [("a", 2)]
    # The deadline of the first attempt is not the second one's.
    assert play.book.due_ms == 125_000


def test_a_loop_that_takes_too_long_fails_and_what_runs_in_it_is_stopped() -> None:
    loop = each("${{ [1, 2] }}", step("a"), step("w", WaitStep(seconds=T("1e6"))), at_once=2)
    play = Play(playbook(step("loop", loop, timeout_s=60.0), step("b")))
    play.turn()
    found = play.book.tick(60_000)
    assert sorted(fact.at for fact in found if isinstance(fact, StepCancelled)) == ["a@0", "a@1", "w@0", "w@1"]
    assert play.book.complete("a@0", "late") == []
    play.facts += found
    again = Play(play.definition, facts=over_the_wire(play.facts))
    assert [fact.at for fact in again.book.open] == ["b"]
    ended = again.run()
    assert ended is not None
    assert (ended.status, again.failure("loop").reason, again.ends["b"]) == ("failed", "timeout", "completed")


def test_the_time_of_a_step_and_of_what_it_lies_in_stands_still_while_a_person_is_asked() -> None:
    inner = step("a", timeout_s=10.0, budget=Budget(wall_s=20.0))
    play = Play(playbook(step("loop", times(1, inner), timeout_s=15.0)))
    play.turn()
    play.facts += play.book.tick(4_000)
    play.facts += play.book.hold("a@0")
    assert play.book.hold("a@0") == [], "it is asked about already"
    assert play.book.tick(90_000_000) == []
    assert play.book.due_ms is None
    play.facts += play.book.let_go_on("a@0")
    again = Play(play.definition, facts=over_the_wire(play.facts))
    for book in (play.book, again.book):
        assert book.due_ms == 90_006_000
    play.facts += play.book.tick(90_006_000)
    assert play.failure("a@0").reason == "timeout"


def test_a_step_that_nobody_waits_for_any_more_holds_nothing() -> None:
    first = step("first", MergeStep("first"), "asked", "free")
    group = both(all=[step("asked", None, timeout_s=5.0), step("free"), first, step("after", None, "first")])
    play = Play(playbook(step("group", group, timeout_s=60.0)))
    play.turn()
    play.facts += play.book.hold("asked")
    play.facts += play.book.tick(10_000)
    play.facts += play.book.complete("free")
    play.turn()
    assert play.ends["asked"] == "skipped"
    assert play.book.due_ms == 70_000, "the group's time goes on as soon as nobody is asked"


def test_what_serves_a_step_alone_that_is_to_be_skipped_anyway_is_left_by_a_merge_that_has_won() -> None:
    ways = step("kind", RouterStep(T("?"), {"outage": "o", "other": "x"}))
    to_ops, urgent = step("to_ops", None, "kind.outage", "label"), step("urgent", None, "to_ops")
    first = merge("to_ops", "quick", need="first", id="m")
    play = Play(playbook(ways, step("label"), step("quick", None, "kind.other"), to_ops, urgent, first))
    play.turn()
    play.facts += play.book.decide("kind", "other")
    play.turn()
    play.facts += play.book.complete("quick")
    play.turn()
    assert play.ends["m"] == "completed"
    assert {at: play.ends.get(at) for at in ("label", "to_ops", "urgent")} == dict.fromkeys(
        ("label", "to_ops", "urgent"), "skipped"
    )
    play.turn()
    assert play.book.ended is not None
    assert play.book.ended.status == "completed"


@pytest.mark.parametrize("order", ["x fails, b", "b, x would fail", "wait, x fails, b", "x fails, wait, b"])
@pytest.mark.parametrize("between", [False, True])
def test_a_failure_that_served_a_loser_of_a_merge_alone_fails_no_run_whichever_comes_first(
    order: str, between: bool
) -> None:
    steps = [step("b"), step("x"), step("wait"), step("y", None, "x", "wait"), step("z", None, "y")]
    loser = "z" if between else "y"
    play = Play(playbook(*steps[: 5 if between else 4], merge(loser, "b", need="first", id="n")))
    play.turn()
    for what in order.split(", "):
        if what == "x fails":
            play.facts += play.book.fail("x", BROKEN)
        elif what in ("b", "wait"):
            play.facts += play.book.complete(what)
        play.turn()
    ended = play.book.ended
    assert ended is not None
    assert (ended.status, play.ends["n"]) == ("completed", "completed")
    assert broken(play.book.plan, play.facts) == ()


@pytest.mark.parametrize("won", [False, True])
def test_a_failure_that_serves_another_step_too_or_a_merge_that_has_not_won_fails_the_run(won: bool) -> None:
    steps = [step("b"), step("x"), step("wait"), step("y", None, "x", "wait"), merge("y", "b", need="first", id="n")]
    play = Play(playbook(*steps, *([step("other", None, "x")] if won else [])))
    play.turn()
    play.facts += play.book.fail("x", BROKEN)
    play.facts += play.book.complete("b") if won else play.book.fail("b", BROKEN)
    play.turn()
    if not won:
        play.facts += play.book.complete("wait")
        play.turn()
    assert play.book.ended is not None
    assert (play.book.ended.status, play.ends["n"]) == ("failed", "completed" if won else "failed")
    assert "x" in broken(play.book.plan, play.facts)


def test_what_a_fail_says_goes_before_what_was_merely_not_done() -> None:
    said = step("said", FailStep(T("The order was not pushed.")), "push?failure")
    play = Play(playbook(step("push"), step("note", None, "push"), said), work={"push": BROKEN})
    ended = play.run()
    assert ended is not None
    assert ended.failure is not None
    assert (ended.failure.reason, ended.failure.message) == ("said", "step 'said' failed: The order was not pushed.")


def test_the_time_of_a_run_alone_stands_still_too() -> None:
    play = Play(playbook(step("a"), budget=Budget(wall_s=60.0)))
    play.turn()
    assert [type(fact).__name__ for fact in play.book.hold("a")] == ["StepHeld"]
    assert play.book.due_ms is None
    play.book.tick(600_000)
    play.book.let_go_on("a")
    assert play.book.due_ms == 660_000


def test_where_nothing_has_a_time_nothing_is_written_for_a_question() -> None:
    play = Play(playbook(step("a")))
    play.turn()
    assert play.book.hold("a") == play.book.let_go_on("a") == []


def test_all_attempts_of_a_step_together_have_their_time() -> None:
    play = Play(playbook(step("a", retry=Retry(9, 10.0, 1.0), budget=Budget(wall_s=25.0))), work={"a": FLAKY})
    ended = play.run()
    assert ended is not None
    assert play.done == ["a", "a", "a"]
    assert play.failure("a").reason == "limit_wall"


def test_a_step_that_has_used_up_its_budget_is_not_tried_again() -> None:
    play = Play(playbook(step("a", retry=Retry(3), budget=Budget(tokens=100))))
    play.turn()
    assert play.book.allowance("a") == Budget(tokens=100)
    play.facts += play.book.fail("a", FLAKY, spent=Spent(60, 5))
    play.book.tick(10_000)
    play.turn()
    assert play.book.allowance("a") == Budget(tokens=40)
    play.facts += play.book.fail("a", FLAKY, spent=Spent(60, 5))
    assert play.ends == {"a": "failed"}
    assert play.book.spent == Spent(120, 10)


def test_a_run_that_has_used_up_its_budget_ends_and_says_so() -> None:
    definition = playbook(step("a"), step("b"), step("c", None, "a"), budget=Budget(tokens=100, cost_micro=1_000))
    play = Play(definition)
    play.turn()
    play.facts += play.book.complete("a", None, Spent(100, 1))
    found = play.turn()
    assert [type(fact).__name__ for fact in found] == ["RunStopped", "StepCancelled", "RunEnded"]
    assert play.book.ended is not None
    assert play.book.ended.failure is not None
    assert (play.book.ended.status, play.book.ended.failure.reason) == ("failed", "limit_tokens")


def test_a_run_that_takes_longer_than_it_may_ends_and_says_so() -> None:
    ask = step("ask", HumanStep(T("Well?"), expires_s=None))
    play = Play(playbook(ask, step("a", WaitStep(seconds=T("9000")), "ask"), budget=Budget(wall_s=3_600.0)))
    play.turn()
    assert play.book.tick(86_400_000) == [], "people take none of it"
    play.facts += play.book.complete("ask", True)
    ended = play.run()
    assert ended is not None
    assert ended.failure is not None
    assert (ended.status, ended.failure.reason, ended.at_ms) == ("failed", "limit_wall", 86_400_000 + 3_600_000)


def test_so_many_steps_run_side_by_side_and_those_that_only_wait_do_not_count() -> None:
    definition = playbook(*(step(f"s{n}") for n in range(5)), step("w", WaitStep(seconds=T("5"))))
    play = Play(definition, at_once=2)
    assert [fact.at for fact in play.turn() if isinstance(fact, StepStarted)] == ["s0", "s1", "w"]
    play.facts += play.book.complete("s1")
    assert [fact.at for fact in play.turn() if isinstance(fact, StepStarted)] == ["s2"]
    play.facts += play.book.fail("s0", BROKEN)
    play.facts += play.book.complete("s2")
    assert [fact.at for fact in play.turn() if isinstance(fact, StepStarted)] == ["s3", "s4"]


# ----------------------------------------------------------------------------------------------------- merges, branches


@pytest.mark.parametrize(
    ("need", "work", "ends"),
    [
        ("all", {}, "completed"),
        ("all", {"a": BROKEN}, "failed"),
        ("first", {"a": BROKEN, "b": BROKEN}, "completed"),
        ("first", {"a": BROKEN, "b": BROKEN, "c": BROKEN}, "failed"),
        (2, {"a": BROKEN}, "completed"),
        (2, {"a": BROKEN, "b": BROKEN}, "failed"),
    ],
)
def test_a_merge_has_what_it_waits_for_or_fails(need: object, work: dict[str, Failure], ends: str) -> None:
    definition = playbook(step("a"), step("b"), step("c"), merge("a", "b", "c", need=need))
    play = Play(definition, work=work)
    ended = play.run()
    assert ended is not None
    assert play.ends["merge"] == ends
    # A merge that has what it waits for can do without the others, those that failed too.
    assert ended.status == ends


def test_the_first_is_taken_and_those_that_serve_nothing_else_are_cancelled() -> None:
    slow = times(1, step("within"))
    definition = playbook(
        step("quick"),
        step("before"),
        step("slow", slow, "before"),
        step("both"),
        step("beside", None, "both"),
        step("waits", WaitStep(T("3600"))),
        merge("quick", "slow", "both", "waits", need="first"),
        step("end", None, "merge"),
    )
    play = Play(definition)
    play.turn()
    play.facts += play.book.complete("before")
    play.turn()
    play.facts += play.book.complete("quick", "Q")
    found = play.turn()
    assert [(kind_of(fact), fact.at) for fact in found if not isinstance(fact, RunEnded)] == [  # type: ignore[union-attr]  # a step's
        ("STEP_COMPLETED", "merge"),
        ("STEP_CANCELLED", "within@0"),
        ("STEP_SKIPPED", "slow"),
        ("STEP_SKIPPED", "waits"),
        ("STEP_STARTED", "end"),
    ]
    assert {start.at for start in play.book.open} == {"both", "end"}, "what serves another step goes on"
    again = Play(definition, facts=over_the_wire(play.facts))
    assert [fact.at for fact in again.book.open] == [fact.at for fact in play.book.open]
    ended = again.run()
    assert ended is not None
    assert ended.status == "completed"
    assert again.ends["beside"] == "completed"
    assert again.book.due_ms is None


def mirrors(need: object) -> Definition:
    """Three of which each may fail without failing what needs it."""
    return playbook(*(step(name, on_failure="go_on") for name in "abc"), merge("a", "b", "c", need=need))


@pytest.mark.parametrize(
    ("need", "value", "route"), [("first", "C", "c"), (2, {"a": None, "c": "C"}, None), (1, {"c": "C"}, None)]
)
def test_a_failure_that_is_gone_on_with_does_not_win_a_merge_while_another_may_succeed(
    need: object, value: object, route: str | None
) -> None:
    play = Play(mirrors(need))
    play.turn()
    play.facts += play.book.fail("b", BROKEN)
    play.facts += play.book.fail("a", BROKEN)
    assert play.turn() == []
    play.facts += play.book.complete("c", "C")
    ended = play.run()
    assert ended is not None
    seen = play.book.look("merge") or {}
    assert (ended.status, play.value("merge"), seen["route"]) == ("completed", value, route)
    assert Play(mirrors(need), facts=over_the_wire(play.facts)).value("merge") == value


def test_a_merge_of_failures_that_are_gone_on_with_goes_on_with_the_first_as_written() -> None:
    play = Play(mirrors("first"), work=dict.fromkeys("abc", BROKEN))
    ended = play.run()
    assert ended is not None
    seen = play.book.look("merge") or {}
    assert (ended.status, play.value("merge"), seen["route"]) == ("completed", None, "a")


def test_the_failures_of_losers_do_not_fail_the_run_also_where_they_come_later() -> None:
    goes_on = step("merge", MergeStep("first", rest_goes_on=True), "a", "b", "c")
    play = Play(playbook(step("a"), step("b"), step("c"), goes_on))
    play.turn()
    play.facts += play.book.fail("a", BROKEN)
    play.facts += play.book.complete("b", "B")
    play.turn()
    play.facts += play.book.fail("c", BROKEN)
    ended = play.run()
    assert ended is not None
    assert (ended.status, play.value("merge")) == ("completed", "B")


def test_so_many_are_taken_and_no_more_is_begun_of_the_others() -> None:
    definition = playbook(*(step(name) for name in "abc"), merge("a", "b", "c", need=2))
    play = Play(definition, at_once=2)
    ended = play.run()
    assert ended is not None
    assert (ended.status, play.ends["c"], play.done) == ("completed", "skipped", ["a", "b"])


def test_where_the_rest_goes_on_whoever_comes_later_changes_nothing() -> None:
    goes_on = step("merge", MergeStep("first", rest_goes_on=True), "a", "b")
    definition = playbook(step("a"), step("b"), goes_on, step("c", None, "merge"))
    play = Play(definition)
    play.turn()
    play.facts += play.book.complete("b", "B")
    assert [fact.at for fact in play.turn() if isinstance(fact, StepStarted)] == ["c"]
    assert (play.value("merge"), play.book.look("merge")) == (
        "B",
        {"output": "B", "result": None, "route": "b", "status": "completed", "error": None, "tries": 0},
    )
    play.facts += play.book.complete("a", "A")
    assert play.turn() == []
    assert play.value("merge") == "B"
    # It is let go on to its end, and the run waits for it.
    assert play.book.ended is None


@pytest.mark.parametrize(
    ("flags", "need", "ends", "value"),
    [
        ((True, True, False), "all", "completed", {"a": "a", "b": "b"}),
        ((False, False, False), "all", "skipped", None),
        ((False, False, False), "first", "skipped", None),
        ((False, True, False), 1, "completed", {"b": "b"}),
        ((True, False, False), 2, "failed", None),
    ],
)
def test_ways_not_taken_do_not_keep_a_merge_waiting(
    flags: tuple[bool, ...], need: object, ends: str, value: object
) -> None:
    steps = [step(name, when=T(f"${{{{ inputs.{name} }}}}")) for name in "abc"]
    definition = playbook(*steps, merge("a", "b", "c", need=need), inputs=anything(*"abc"))
    play = Play(definition, dict(zip("abc", flags, strict=True)))
    assert play.run() is not None
    assert play.ends["merge"] == ends
    assert play.value("merge") == value


def test_branches_come_together_with_the_last_output_of_each() -> None:
    branches = both(
        one=[step("a"), step("b", None, "a")], two=[step("c"), step("d", None, "c", when=T("${{ false }}"))]
    )
    definition = playbook(
        step("both", branches), outputs={"all": T("${{ steps.both.output }}"), "b": T("${{ steps.b.output }}")}
    )
    ended = Play(definition).run()
    assert ended is not None
    assert ended.outputs == {"all": {"one": "b", "two": "c"}, "b": "b"}


# ---------------------------------------------------------------------------------------------------------------- loops


def test_a_loop_knows_its_item_its_number_and_what_the_pass_before_came_to() -> None:
    body = step("a", ToolStep("t", {"x": T("${{ lead }}"), "n": T("${{ loop.index }}"), "last": T("${{ loop.last }}")}))
    loop = each("${{ ['p', 'q'] }}", body, name="lead")
    play = Play(playbook(step("loop", loop), step("b", RespondStep(T("${{ steps.a.output }}")), "loop")))
    assert play.run() is not None
    assert _started(play, "a@0").given == {"args": {"x": "p", "n": 0, "last": None}}
    assert _started(play, "a@1").given == {"args": {"x": "q", "n": 1, "last": "a@0"}}
    assert play.value("loop") == ["a@0", "a@1"]
    assert _started(play, "b").given == {"text": "a@1"}


def test_passes_one_after_the_other_or_side_by_side() -> None:
    in_turn = Play(playbook(step("loop", each("${{ [1, 2, 3] }}", step("a")))))
    assert in_turn.turn()[-1] == ("a@0", 1, {"args": {}}, 0)
    assert in_turn.passes == [("loop", 0)]
    together = Play(playbook(step("loop", each("${{ [1, 2, 3] }}", step("a"), at_once=2))))
    together.turn()
    assert together.passes == [("loop", 0), ("loop", 1)]
    together.facts += together.book.complete("a@1", "x")
    together.turn()
    assert together.passes == [("loop", 0), ("loop", 1), ("loop", 2)]
    assert together.run() is not None
    assert together.value("loop") == ["a@0", "x", "a@2"]


@pytest.mark.parametrize("loop", [each("${{ [] }}", step("a")), times(0, step("a")), while_("${{ false }}", step("a"))])
def test_a_loop_with_nothing_to_do_completes(loop: LoopStep) -> None:
    play = Play(playbook(step("loop", loop), step("b", None, "loop")))
    assert play.run() is not None
    assert (play.value("loop"), play.done) == ([], ["b"])


def test_a_failed_pass_ends_a_loop_whose_passes_follow_each_other() -> None:
    play = Play(playbook(step("loop", times(3, step("a"))), step("b", None, "loop?failure")), work={"a@1": BROKEN})
    ended = play.run()
    assert ended is not None
    assert (ended.status, play.done) == ("completed", ["a@0", "a@1", "b"])
    assert play.failure("loop").message == "step 'a@1' failed: it broke"


def test_behind_a_failed_pass_no_further_one_begins_and_those_beside_it_go_on_to_their_end() -> None:
    play = Play(playbook(step("loop", each("${{ [1, 2, 3, 4] }}", step("a"), at_once=2))), work={"a@0": BROKEN})
    ended = play.run()
    assert ended is not None
    assert (ended.status, sorted(play.done)) == ("failed", ["a@0", "a@1"])


def test_a_break_leaves_the_loop_after_what_runs_in_its_pass() -> None:
    body = (
        step("a"),
        step("slow"),
        leave("enough", "a", when="${{ loop.index == 1 }}"),
        step("rest", None, "enough", "slow"),
    )
    play = Play(playbook(step("loop", times(9, *body)), step("b", None, "loop")))
    ended = play.run()
    assert ended is not None
    assert ended.status == "completed"
    assert play.done == ["a@0", "slow@0", "rest@0", "a@1", "slow@1", "b"]
    assert (play.ends["enough@0"], play.ends["enough@1"], play.ends["rest@1"]) == ("skipped", "completed", "skipped")
    assert play.value("loop") == ["rest@0", "slow@1"]


@pytest.mark.parametrize(
    ("first", "out", "message"),
    [
        (step("a"), leave("out", "a", when="${{ loop.index == 9 }}"), "step 'a@0' failed: it broke"),
        (step("a", on_failure="go_on"), leave("out", "a", when="${{ missing }}"), "step 'out@0' failed: when: "),
    ],
)
def test_what_stands_below_a_break_fails_with_what_stands_above_it(first: Step, out: Step, message: str) -> None:
    loop = step("loop", times(3, first, out, step("rest", None, "out")))
    play = Play(playbook(loop, step("b", None, "loop")), work={"a": BROKEN})
    ended = play.run()
    assert ended is not None
    assert (ended.status, play.done) == ("failed", ["a@0"])
    assert play.failure("loop").message.startswith(message)
    assert (play.ends["out@0"], play.ends["rest@0"], play.ends["b"]) == ("failed", "failed", "failed")


def test_what_needs_a_break_is_done_where_there_was_none_also_where_it_was_skipped_with_what_it_needs() -> None:
    off = step("off", None, when=T("${{ false }}"))
    play = Play(playbook(step("loop", times(2, off, leave("out", "off"), step("rest", None, "out")))))
    ended = play.run()
    assert ended is not None
    assert (ended.status, play.done) == ("completed", ["rest@0", "rest@1"])


def test_a_break_within_a_branch_leaves_the_loop_around_it_and_no_other() -> None:
    inner = times(5, step("both", both(one=[step("a")], two=[leave("out")])), step("z", None, "both"))
    play = Play(playbook(step("outer", times(2, step("inner", inner), step("c", None, "inner")))))
    assert play.run() is not None
    assert play.done == ["a@0.0", "c@0", "a@1.0", "c@1"]


def test_a_break_without_a_loop_fails() -> None:
    play = Play(playbook(leave("out"), step("a")))
    assert play.run() is not None
    assert play.failure("out").reason == "no_loop"


@pytest.mark.parametrize(
    ("loop", "reason", "done"),
    [
        (times(4, step("a"), most=3), "limit_passes", 0),
        (each("${{ [1, 2, 3, 4] }}", step("a"), most=3), "limit_passes", 0),
        (while_("${{ true }}", step("a"), most=3), "limit_passes", 3),
        (each("${{ 'abc' }}", step("a")), "expression", 0),
        (LoopStep((step("a"),), count=T("${{ -1 }}")), "expression", 0),
        (LoopStep((step("a"),), count=T("many")), "expression", 0),
        (while_("${{ 'true' }}", step("a")), "expression", 0),
    ],
)
def test_a_loop_that_is_too_long_or_makes_no_sense_fails(loop: LoopStep, reason: str, done: int) -> None:
    play = Play(playbook(step("loop", loop)))
    ended = play.run()
    assert ended is not None
    assert (ended.status, play.failure("loop").reason, len(play.done)) == ("failed", reason, done)


# --------------------------------------------------------------------------------------------- waits, people, playbooks


def test_a_wait_of_thirty_days_needs_nothing_but_the_time() -> None:
    play = Play(playbook(step("w", WaitStep(seconds=T("${{ 2592000 }}"))), step("b", None, "w")))
    assert play.turn()[0] == ("w", 1, {"until_ms": 30 * DAY_MS}, 0)
    again = Play(play.definition, facts=over_the_wire(play.facts))
    assert again.turn() == []
    assert again.book.due_ms == 30 * DAY_MS
    assert again.book.tick(30 * DAY_MS - 1) == []
    again.facts += again.book.tick(30 * DAY_MS)
    assert again.ends == {"w": "completed"}
    assert [fact.at for fact in again.turn() if isinstance(fact, StepStarted)] == ["b"]


@pytest.mark.parametrize(
    ("wait", "until_ms"),
    [
        (WaitStep(until=T("2030-01-31T09:00:00+01:00")), datetime(2030, 1, 31, 8, tzinfo=UTC).timestamp() * 1000),
        (WaitStep(until=T("2030-01-31T09:00:00")), None),
        (WaitStep(seconds=T("90")), 90_000),
        (WaitStep(seconds=T("1h30m")), 5_400_000),
        (WaitStep(until=T("tomorrow")), None),
        (WaitStep(seconds=T("-1")), None),
        (WaitStep(seconds=T("inf")), None),
        (WaitStep(seconds=T("nan")), None),
        (WaitStep(seconds=T("soon")), None),
    ],
)
def test_a_wait_until_a_time_that_can_be_read_with_its_zone(wait: WaitStep, until_ms: float | None) -> None:
    play = Play(playbook(step("w", wait)))
    fact = play.turn()[0]
    if until_ms is None:
        assert play.failure("w").message.startswith("wait: ")
    else:
        assert isinstance(fact, StepStarted)
        assert fact.given == {"until_ms": until_ms}


@pytest.mark.parametrize(
    ("human", "answer", "route", "value"),
    [
        (HumanStep(T("Send?")), True, "yes", True),
        (HumanStep(T("Send?")), "no", "no", False),
        (HumanStep(T("Which?"), ("red", "blue")), "red", "red", "red"),
        (HumanStep(T("How many?"), input={"type": "integer"}), 3, None, 3),
    ],
)
def test_a_person_answers(human: HumanStep, answer: object, route: str | None, value: object) -> None:
    play = Play(playbook(step("ask", human)))
    play.turn()
    play.facts += play.book.decide("ask", answer)  # type: ignore[arg-type]  # JSON
    seen = play.book.look("ask")
    assert seen is not None
    assert (seen["status"], seen["route"], seen["output"]) == ("completed", route, value)
    assert play.book.decide("ask", answer) == []  # type: ignore[arg-type]  # JSON


def test_a_person_who_says_something_else_is_told_and_the_question_stays_open() -> None:
    play = Play(playbook(step("ask", HumanStep(T("Send?")))))
    play.turn()
    with pytest.raises(InvalidInput, match="expected exactly one of 'yes', 'no'; the answer was 'maybe'"):
        play.book.decide("ask", "maybe")
    assert [fact.at for fact in play.book.open] == ["ask"]


def test_a_question_that_nobody_answers_expires() -> None:
    play = Play(playbook(step("ask", HumanStep(T("Send?"), expires_s=3 * 86_400.0)), step("no", None, "ask?failure")))
    ended = play.run()
    assert ended is not None
    assert (ended.status, ended.at_ms) == ("completed", 3 * DAY_MS)
    assert play.failure("ask").reason == "expired"
    assert play.book.decide("ask", True) == []


@pytest.mark.parametrize("within", ["loop", "branch"])
def test_an_approval_in_a_loop_or_branch_survives_being_taken_up_again(within: str) -> None:
    ask = step("ask", HumanStep(T("Send ${{ steps.a.output }}?"), expires_s=None), "a")
    inner = times(2, step("a"), ask) if within == "loop" else both(one=[step("a"), ask], two=[step("c")])
    play = Play(playbook(step("in", inner), step("after", None, "in")))
    assert play.run() is None
    ended = None
    for _ in range(2 if within == "loop" else 1):
        play = Play(play.definition, facts=over_the_wire(play.facts))
        play.facts += play.book.decide(play.book.open[0].at, "yes")
        ended = play.run()
    assert ended is not None
    assert ended.status == "completed"
    assert play.done[-1] == "after"


def test_a_playbook_within_itself_is_refused() -> None:
    book = Playbook(playbook(step("sub", PlaybookStep("a"))), evaluate)
    facts = book.start({}, 0, stack=("a", "b")) + book.next()
    assert isinstance(facts[-1], RunEnded)
    assert facts[-1].failure is not None
    assert "a → b → test → a would never end" in facts[-1].failure.message


def test_playbooks_lie_eight_deep_in_each_other_at_the_most() -> None:
    for depth, status in ((6, None), (7, "failed")):
        book = Playbook(playbook(step("sub", PlaybookStep("last"))), evaluate)
        book.start({}, 0, stack=tuple(f"p{n}" for n in range(depth)))
        book.next()
        assert (book.ended.status if book.ended else None) == status


def test_a_transfer_is_a_clean_end_and_a_start() -> None:
    definition = playbook(
        step("a"),
        step("slow"),
        step("go", TransferStep("next", {"x": T("${{ steps.a.output }}")}), "a"),
        step("z", None, "slow"),
    )
    play = Play(definition)
    ended = play.run()
    assert ended is not None
    assert (ended.status, ended.to, ended.outputs) == ("transferred", "next", {"x": "a"})
    # What ran came to its end; what had not begun was not wanted any more.
    assert (play.done, play.ends["z"]) == (["a", "slow"], "skipped")


def test_a_run_that_failed_hands_nothing_over() -> None:
    play = Play(playbook(step("slow"), step("go", TransferStep("next"))), work={"slow": BROKEN})
    ended = play.run()
    assert ended is not None
    assert (ended.status, ended.to) == ("failed", "")


@pytest.mark.parametrize("where", ["loop", "branch", "playbook"])
def test_nothing_is_handed_over_from_within(where: str) -> None:
    go = step("go", TransferStep("next"))
    inner = {"loop": step("in", times(1, go)), "branch": step("in", both(one=[go])), "playbook": go}[where]
    book = Playbook(playbook(inner), evaluate)
    book.start({}, 0, stack=("outer",) if where == "playbook" else ())
    book.next()
    assert book.ended is not None
    assert book.ended.failure is not None
    assert "cannot hand over" in book.ended.failure.message


# ---------------------------------------------------------------------------------------------------- answers of models


def test_a_router_that_has_a_default_takes_it_after_a_second_wrong_answer() -> None:
    router = RouterStep(T("?"), {"a": "", "b": ""}, default="b")
    play = Play(playbook(step("r", router), step("a", None, "r.a"), step("b", None, "r.b")))
    play.turn()
    first = play.book.decide("r", "neither")
    assert [type(fact) for fact in first] == [StepReasked]
    play.facts += first + play.book.decide("r", "both a and b")
    assert play.run() is not None
    assert play.done == ["b"]


def test_a_condition_of_a_model_that_answers_neither_yes_nor_no_twice_fails() -> None:
    play = Play(playbook(step("c", ConditionStep(question=T("Well?")))))
    play.turn()
    play.facts += play.book.complete("c", "True, because…")
    again = Play(play.definition, facts=over_the_wire(play.facts))
    again.facts += again.book.complete("c", "nope")
    assert again.failure("c").kind == "llm_error"


# ------------------------------------------------------------------------------------------------------ people's wishes


def test_a_cancelled_run_stops_what_runs_and_begins_nothing() -> None:
    play = Play(playbook(step("a"), step("b"), step("c", None, "a")))
    play.turn()
    play.facts += play.book.complete("a")
    play.facts += play.book.cancel("enough")
    assert play.book.cancel() == []
    # Cut off between the wish and its work, it is carried out all the same.
    for each_ in (Play(play.definition, facts=over_the_wire(play.facts)), play):
        found = each_.turn()
        assert [type(fact).__name__ for fact in found] == ["StepCancelled", "RunEnded"]
        assert each_.book.complete("b", "late") == []
        assert each_.turn() == []
    assert play.book.ended is not None
    assert play.book.ended.status == "cancelled"


def test_a_paused_run_begins_nothing_until_it_is_resumed() -> None:
    play = Play(playbook(step("a"), step("b", None, "a")))
    play.turn()
    play.facts += play.book.pause("lunch")
    assert play.book.pause() == []
    play.facts += play.book.complete("a")
    assert play.turn() == []
    play = Play(play.definition, facts=over_the_wire(play.facts))
    assert play.book.paused
    assert play.turn() == []
    play.facts += play.book.resume()
    assert play.book.resume() == []
    ended = play.run()
    assert ended is not None
    assert ended.status == "completed"


def test_time_does_not_run_backwards() -> None:
    play = Play(playbook(step("w", WaitStep(seconds=T("10")))))
    play.turn()
    play.book.tick(5_000)
    assert play.book.tick(1_000) == []
    assert play.book.due_ms == 10_000


def test_facts_of_another_version_are_refused() -> None:
    play = Play(playbook(step("a")))
    other = Playbook(playbook(step("a")).__class__("test", "other", (step("a"),)), evaluate)
    with pytest.raises(Conflict, match="the run is bound to version digest"):
        other.replay(play.facts)


def test_facts_that_fit_nothing_are_refused() -> None:
    play = Play(playbook(step("a")))
    for fact in (StepStarted("nobody", 1, None, 0), PassStarted("a", 0, 0)):
        with pytest.raises(CorruptRecord):
            Playbook(play.definition, evaluate).replay([*play.facts, fact])


def test_names_of_the_drivers_own_can_be_used() -> None:
    definition = playbook(step("a", ToolStep("t", {"key": T("${{ secrets.key }}"), "run": T("${{ run.id }}")})))
    play = Play(definition, names={"secrets": {"key": "<secret:key>"}, "run": {"id": "run_1"}})
    found = play.turn()
    assert same(found, [StepStarted("a", 1, {"args": {"key": "<secret:key>", "run": "run_1"}}, 0)])


def test_a_condition_by_expression_shows_which_way_it_went() -> None:
    play = Play(playbook(step("c", whether("${{ 1 < 2 }}"))))
    assert play.run() is not None
    assert play.book.look("c") == {
        "output": True,
        "result": None,
        "route": "yes",
        "status": "completed",
        "error": None,
        "tries": 0,
    }
