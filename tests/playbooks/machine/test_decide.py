"""Answers: exactly one of the names, or none."""

from __future__ import annotations

import itertools

import pytest

from sulla.core.jsontypes import Json
from sulla.playbooks.definition import (
    AgentStep,
    ConditionStep,
    HumanStep,
    Kind,
    Retry,
    RouterStep,
    Template,
)
from sulla.playbooks.machine.decide import Chosen, NoAnswer, choices_of, pause_before_next_s, read_answer
from sulla.playbooks.machine.records import StepCompleted, StepFailed, StepReasked
from tests.playbooks.machine.play import Play, T, playbook, step

ROUTER = RouterStep(Template("What is this?"), {"sales": "wants to buy", "support": "needs help"})
CONDITION = ConditionStep(question=Template("Is it?"))

_SENTENCES = (
    "I think this is a {0} request", "not {0} but {1}", "Definitely not {0}; it is about {1} for login", "{0} or {1}",
    "{0}, {1}", "{0}/{1}", "{0}\n{1}", "It is not {0}. Rather {1}.", "{0}?", "{0}..", "{0}!", "\"{0}", "'{0}`",
    "`{0}", "**{0}**", "the answer is {0}", "{0} because it says so", "route: {0}", '{{"route": "{0}"}}', "<{0}>",
    "({0})", "[{0}]", "{0} {0}", "1. {0}", "- {0}", "neither {0} nor {1}", "{0}: no, {1}", "un{0}", "{0}s", "{0}_1",
    "{0}\u200b", "{0}\u0000", "~{0}", "{0}…", "\u202e{0}", "{0}\\n", "first {0} then {1}", "if not {0}, {1}",
    "probably {0}", "maybe {0}", "I cannot decide between {0} and {1}",
)  # fmt: skip
_EMPTY = ("", " ", "\n", "none", "neither", "both", "other", "n/a", "?", "0", "1", "null", "I do not know", "…")
_NEAR = (
    "sale",
    "salse",
    "s ales",
    "suport",
    "True",
    "true",
    "TRUE",
    "y",
    "ok",
)
_TRUTHS = (
    "True, because…", "True, because it says so", "true!", "yes, but only on Mondays", "yes and no", "yes/no",
    "no doubt: yes", "not no", "no?", "yes;", "\"yes", "False", "it is true", "nope", "yeah", "yep", "ja", "1",
)  # fmt: skip

ADVERSARIAL = list(
    dict.fromkeys(
        [
            *(
                sentence.format(*pair)
                for sentence in _SENTENCES
                for pair in itertools.permutations(("sales", "support"))
            ),
            *(sentence.format(*pair) for sentence in _SENTENCES for pair in itertools.permutations(("yes", "no"))),
            *(*_EMPTY, *_NEAR, *_TRUTHS),
        ]
    )
)


def test_there_are_two_hundred_of_them() -> None:
    assert len(ADVERSARIAL) >= 200


@pytest.mark.parametrize("does", [ROUTER, CONDITION])
def test_none_of_the_adversarial_replies_routes_anything(does: Kind) -> None:
    routed = {}
    for reply in ADVERSARIAL:
        play = Play(playbook(step("ask", does), step("then", None, "ask")))
        play.turn()
        first = play.book.decide("ask", reply)
        second = play.book.decide("ask", reply)
        if [type(fact) for fact in first + second] != [StepReasked, StepFailed]:
            routed[reply] = first + second
        assert not any(isinstance(fact, StepCompleted) for fact in first + second)
    assert routed == {}


@pytest.mark.parametrize(
    "answer",
    [
        None,
        1,
        0,
        1.0,
        True,
        ["sales"],
        {"route": "sales"},
        {"sales": True},
        [],
        {},
        "Sale",
        "sales, I think",
        "x" * 300,
    ],
)
def test_a_forced_answer_that_is_no_name_is_no_answer(answer: Json) -> None:
    read = read_answer(ROUTER, answer)
    assert isinstance(read, NoAnswer)
    assert read.reason.startswith("expected exactly one of 'sales', 'support'; the answer was ")


@pytest.mark.parametrize(
    ("does", "answer", "chosen"),
    [
        (ROUTER, "sales", Chosen("sales", "sales")),
        (CONDITION, True, Chosen("yes", True)),
        (CONDITION, False, Chosen("no", False)),
        (ROUTER, "Sales.", Chosen("sales", "sales")),
        (ROUTER, '```json\n"SALES"\n```', Chosen("sales", "sales")),
        (HumanStep(T("Which?"), ("A", "a")), "a", Chosen("a", "a")),
        (HumanStep(T("Which?"), ("A", "a")), "'A'", Chosen("A", "A")),
        (CONDITION, "Yes.", Chosen("yes", True)),
        (CONDITION, "yes", Chosen("yes", True)),
        (CONDITION, "no", Chosen("no", False)),
        (HumanStep(T("Which?"), ("a", "b")), "b", Chosen("b", "b")),
        (HumanStep(T("How?"), input={"type": "string"}), "so", Chosen("", "so")),
    ],
)
def test_an_answer_that_is_a_name_counts(does: Kind, answer: Json, chosen: Chosen) -> None:
    assert read_answer(does, answer) == chosen


@pytest.mark.parametrize("answer", [1, 0, "true", "True", None, "yes please"])
def test_yes_and_no_are_words_or_truths_and_no_numbers(answer: Json) -> None:
    assert isinstance(read_answer(CONDITION, answer), NoAnswer)


def test_a_long_answer_is_shown_in_short() -> None:
    read = read_answer(ROUTER, "x" * 10_000)
    assert isinstance(read, NoAnswer)
    assert len(read.reason) < 200


def test_a_step_that_asks_nothing_has_no_choices() -> None:
    assert choices_of(AgentStep(Template("do"))) == ()


def test_pauses_grow_as_the_step_says_and_have_an_end() -> None:
    policy = Retry(5, 10.0, 10.0)
    pauses = [pause_before_next_s(policy, ["permanent"] * count, repeatable=True) for count in range(1, 6)]
    assert pauses == [10.0, 100.0, 1_000.0, 10_000.0, None]
    assert pause_before_next_s(Retry(99, 10.0, 10.0), ["transient"] * 50, repeatable=True) == 86_400.0


@pytest.mark.parametrize(
    ("policy", "asked_s", "pause_s"),
    [
        (None, 0.0, 10.0),
        (None, 25.0, 25.0),
        (None, 3.0, 10.0),
        (Retry(3, 2.0), 3.0, 3.0),
        (Retry(3, 60.0), 3.0, 60.0),
        (Retry(3, 2.0), 9e9, 86_400.0),
        (None, 9e9, 86_400.0),
    ],
)
def test_nobody_is_asked_again_before_they_want_to_be(policy: Retry | None, asked_s: float, pause_s: float) -> None:
    assert pause_before_next_s(policy, ["transient"], repeatable=True, asked_s=asked_s) == pause_s


def test_what_a_person_refused_is_not_tried_again() -> None:
    assert pause_before_next_s(Retry(5), ["human_rejected"], repeatable=True) is None
