"""Graphs on which the walkers that came before went wrong: each does what its author would expect."""

from __future__ import annotations

import pytest

from sulla.core.jsontypes import Json
from sulla.playbooks.definition import (
    AgentStep,
    ConditionStep,
    HumanStep,
    PlaybookStep,
    RespondStep,
    RouterStep,
    Step,
)
from sulla.playbooks.machine.records import StepReasked, StepStarted
from tests.playbooks.machine.play import Play, T, anything, both, merge, playbook, step, whether, while_

ROUTES = {"Sales": "wants to buy", "Support": "needs help"}


def _two_ways(need: str) -> tuple[Step, ...]:
    return (
        step("yes", whether("${{ inputs.yes }}")),
        step("a", None, "yes.yes"),
        step("b", None, "yes.no"),
        merge("a", "b", need=need),
        step("after", None, "merge"),
    )


@pytest.mark.parametrize("need", ["all", "first"])
@pytest.mark.parametrize(("yes", "way", "other"), [(True, "a", "b"), (False, "b", "a")])
def test_a_condition_with_two_ways_that_merge_goes_on_after_the_way_taken(
    need: str, yes: bool, way: str, other: str
) -> None:
    play = Play(playbook(*_two_ways(need), inputs=anything("yes")), {"yes": yes})
    ended = play.run()
    assert ended is not None
    assert ended.status == "completed"
    assert play.done == [way, "after"]
    assert play.ends[other] == "skipped"
    assert play.ends["merge"] == "completed"


def test_a_loop_of_at_most_two_runs_its_body_twice_and_then_goes_on() -> None:
    loop = step("loop", while_("${{ loop.index < 2 }}", step("writer", AgentStep(T("write"))), most=2))
    play = Play(playbook(loop, step("after", None, "loop")))
    ended = play.run()
    assert ended is not None
    assert ended.status == "completed"
    assert play.done == ["writer@0", "writer@1", "after"]
    assert play.value("loop") == ["writer@0", "writer@1"]


def test_a_writer_whose_text_is_refused_writes_again() -> None:
    # What was drawn as an edge back to the writer is a loop that is left when the text is good.
    drafts = {"writer@0": "bad", "writer@1": "still bad", "writer@2": "good"}
    loop = while_(
        "${{ steps.good.route != 'yes' }}",
        step("writer", AgentStep(T("write"))),
        step("good", whether("${{ steps.writer.output == 'good' }}"), "writer"),
    )
    definition = playbook(step("loop", loop), step("send", RespondStep(T("${{ steps.writer.output }}")), "loop"))
    play = Play(definition, work=drafts)
    ended = play.run()
    assert ended is not None
    assert ended.status == "completed"
    assert play.done == ["writer@0", "writer@1", "writer@2", "send"]
    sent = next(fact for fact in play.facts if isinstance(fact, StepStarted) and fact.at == "send")
    assert sent.given == {"text": "good"}


@pytest.mark.parametrize(
    "replies",
    [
        ("I think this is a support request", "Support"),
        ("Definitely not sales; it is about support for login", "Support"),
    ],
)
def test_a_router_is_not_led_by_words_in_a_sentence_but_asks_again(replies: tuple[str, str]) -> None:
    play = _routed()
    play.facts += play.book.decide("kind", replies[0])
    assert isinstance(play.facts[-1], StepReasked)
    assert "expected exactly one of 'Sales', 'Support'" in play.facts[-1].reason
    play.facts += play.book.decide("kind", replies[1])
    ended = play.run()
    assert ended is not None
    assert ended.status == "completed"
    assert play.done == ["support"]
    assert play.ends["sales"] == "skipped"


def test_a_router_without_an_answer_fails_and_takes_no_way_at_all() -> None:
    play = _routed()
    play.facts += play.book.decide("kind", "I think this is a support request")
    play.facts += play.book.decide("kind", "Definitely not sales; it is about support for login")
    ended = play.run()
    assert ended is not None
    assert (ended.status, play.done) == ("failed", [])
    assert play.failure("kind").reason == "no_answer"
    assert (play.ends["sales"], play.ends["support"]) == ("failed", "failed")


def _routed() -> Play:
    definition = playbook(
        step("kind", RouterStep(T("What is this?"), ROUTES)),
        step("sales", None, "kind.Sales"),
        step("support", None, "kind.Support"),
    )
    play = Play(definition)
    play.turn()
    return play


def test_a_condition_answered_true_because_is_asked_again_and_not_taken_for_no() -> None:
    play = Play(
        playbook(
            step("ok", ConditionStep(question=T("Is it?"))), step("then", None, "ok.yes"), step("else", None, "ok.no")
        )
    )
    play.turn()
    play.facts += play.book.decide("ok", "True, because it says so")
    assert isinstance(play.facts[-1], StepReasked)
    play.facts += play.book.decide("ok", "yes")
    assert play.run() is not None
    assert play.done == ["then"]


def test_a_need_that_names_no_way_is_met_whichever_was_taken_and_one_that_does_is_not() -> None:
    play = Play(
        playbook(step("ok", whether("${{ false }}")), step("either", None, "ok"), step("then", None, "ok.yes")),
    )
    assert play.run() is not None
    assert play.done == ["either"]
    assert play.ends["then"] == "skipped"


def test_two_tools_in_parallel_are_begun_side_by_side() -> None:
    play = Play(playbook(step("both", both(one=[step("a")], two=[step("b")]))))
    assert [fact.at for fact in play.turn() if isinstance(fact, StepStarted)] == ["both", "a", "b"]


def test_fields_of_an_output_can_be_named() -> None:
    definition = playbook(
        step("x"),
        step("y", RespondStep(T("It is ${{ steps.x.output.field }}")), "x"),
        outputs={"said": T("${{ steps.x.output.field }}")},
    )
    play = Play(definition, work={"x": {"field": 3}})
    ended = play.run()
    assert ended is not None
    assert ended.outputs == {"said": 3}


@pytest.mark.parametrize("last", ["agent", "tool", "router"])
def test_a_playbook_within_another_comes_back_whatever_kind_it_ends_on(last: str) -> None:
    kinds = {"agent": AgentStep(T("do")), "tool": None, "router": RouterStep(T("which?"), ROUTES)}
    inner = playbook(step("first"), step("last", kinds[last], "first"), outputs={"said": T("${{ steps.last.output }}")})
    outer = playbook(step("sub", PlaybookStep("inner")), step("after", None, "sub"))
    parent = Play(outer)
    parent.turn()
    child = Play(inner, work={"last": "Sales"})
    ended = child.run()
    assert ended is not None
    assert ended.status == "completed"
    outputs: Json = dict(ended.outputs)
    parent.facts += parent.book.complete("sub", outputs)
    over = parent.run()
    assert over is not None
    assert (over.status, parent.done) == ("completed", ["after"])
    assert parent.value("sub") == {"said": "Sales"}


@pytest.mark.parametrize(("route", "asked"), [("Sales", True), ("Other", False)])
def test_the_lead_triage_example_answers_on_either_way(route: str, asked: bool) -> None:
    definition = playbook(
        step("kind", RouterStep(T("What is this?"), {"Sales": "wants to buy", "Other": "anything else"})),
        step("research", AgentStep(T("Find facts")), "kind.Sales"),
        step("approve", HumanStep(T("Send this? ${{ steps.research.output }}")), "research"),
        merge("kind.Other", "approve.yes"),
        step("reply", RespondStep(T("Here you are")), "merge"),
    )
    play = Play(definition, work={"kind": route, "approve": True})
    ended = play.run()
    assert ended is not None
    assert ended.status == "completed"
    assert play.done == (["kind", "research", "approve", "reply"] if asked else ["kind", "reply"])
