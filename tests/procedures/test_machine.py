"""A procedure goes on by `complete` alone, ends when it is stopped, and loses nothing in between."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.procedures import machine as m
from sulla.procedures.definition import Procedure
from sulla.procedures.slice import Collected, ProcedureMoved, ProcedureState, after, state_from_json
from sulla.procedures.verdicts import CHOICES
from tests.procedures.exercises import EXERCISE, OTHER, REWRITTEN, SHORTENED

AT_SEE = ProcedureState("exercise", EXERCISE.digest, "active", "see", (Collected("see", ("lamp",)),), 1, 3)
STATES: dict[str, ProcedureState | None] = {
    "none": None,
    "first": ProcedureState("exercise", EXERCISE.digest, "active", "settle"),
    "middle": AT_SEE,
    "last": replace(AT_SEE, step="tell"),
    "paused": replace(AT_SEE, status="paused"),
    "done": replace(AT_SEE, status="done"),
    "left": replace(AT_SEE, status="left"),
}
COMES: dict[str, m.Come] = {
    "start": m.Start(),
    "out": m.Continue("stop the exercise", "complete"),
    "ready": m.Continue("ready"),
    "five": m.Continue("door, cup, pen, book"),
    "one": m.Continue("door"),
    "unsure": m.Continue("hm, well"),
    "complete": m.Continue("hm, well", "complete"),
    "stuck": m.Continue("hm, well", "stuck"),
    "exit": m.Continue("hm, well", "exit"),
    "side": m.Continue("what is the time?", "side_question"),
    "odd": m.Continue("hm, well", "perhaps"),
    "resume": m.Resume(),
    "preserve": m.Preserve("gate"),
    "clear": m.Clear(),
}
BEGIN = ("started", "active", "settle")
OVER: dict[str, tuple[str, str, str] | None] = dict.fromkeys(COMES) | {"start": BEGIN}

TABLE: dict[str, dict[str, tuple[str, str, str] | None]] = {
    "none": OVER,
    "done": OVER,
    "left": OVER,
    "first": {
        "start": ("resumed", "active", "settle"),
        "out": ("left", "left", "settle"),
        "ready": ("completed", "active", "see"),
        "five": ("held", "active", "settle"),
        "one": ("held", "active", "settle"),
        "unsure": ("held", "active", "settle"),
        "complete": ("completed", "active", "see"),
        "stuck": ("stuck", "active", "settle"),
        "exit": ("left", "left", "settle"),
        "side": ("held", "active", "settle"),
        "odd": ("held", "active", "settle"),
        "resume": ("resumed", "active", "settle"),
        "preserve": ("preserved", "paused", "settle"),
        "clear": ("left", "left", "settle"),
    },
    "middle": {
        "start": ("resumed", "active", "see"),
        "out": ("left", "left", "see"),
        "ready": ("held", "active", "see"),
        "five": ("completed", "active", "tell"),
        "one": ("held", "active", "see"),
        "unsure": ("held", "active", "see"),
        "complete": ("held", "active", "see"),
        "stuck": ("stuck", "active", "see"),
        "exit": ("left", "left", "see"),
        "side": ("held", "active", "see"),
        "odd": ("held", "active", "see"),
        "resume": ("resumed", "active", "see"),
        "preserve": ("preserved", "paused", "see"),
        "clear": ("left", "left", "see"),
    },
    "last": {
        "start": ("resumed", "active", "tell"),
        "out": ("left", "left", "tell"),
        "ready": ("held", "active", "tell"),
        "five": ("held", "active", "tell"),
        "one": ("held", "active", "tell"),
        "unsure": ("held", "active", "tell"),
        "complete": ("finished", "done", "tell"),
        "stuck": ("stuck", "active", "tell"),
        "exit": ("left", "left", "tell"),
        "side": ("held", "active", "tell"),
        "odd": ("held", "active", "tell"),
        "resume": ("resumed", "active", "tell"),
        "preserve": ("preserved", "paused", "tell"),
        "clear": ("left", "left", "tell"),
    },
}
TABLE["paused"] = TABLE["middle"]
"""Whoever replies goes on, however long the pause was."""


@pytest.mark.parametrize(("state", "come"), [(state, come) for state, row in TABLE.items() for come in row])
def test_what_follows_from_each_state_and_each_input(state: str, come: str) -> None:
    moved, want = m.move(STATES[state], COMES[come], EXERCISE), TABLE[state][come]
    if want is None:
        assert moved == m.Moved(STATES[state])
        return
    assert moved.state is not None
    (fact,) = moved.facts
    assert (fact.what, moved.state.status, moved.state.step) == want
    assert after(STATES[state], fact) == moved.state
    assert (moved.briefing is None) == (come == "preserve")


def test_every_state_meets_every_input() -> None:
    assert {(state, come) for state, row in TABLE.items() for come in row} == set(itertools.product(STATES, COMES))


def test_words_count_before_the_judge() -> None:
    moved = m.move(AT_SEE, m.Continue("stop the exercise", "complete"), EXERCISE)
    assert [(fact.what, fact.by) for fact in moved.facts] == [("left", "words")]
    assert m.move(AT_SEE, m.Continue("hm", "exit"), EXERCISE).facts[0].by == "judge"
    assert m.move(AT_SEE, m.Continue("hm"), EXERCISE).facts[0].by == "caller"


def test_a_judge_is_asked_only_where_the_words_do_not_say_it() -> None:
    assert m.question_for(AT_SEE, "stop the exercise", EXERCISE) == ""
    assert m.question_for(AT_SEE, "door, cup", EXERCISE) == ""
    assert m.question_for(AT_SEE, "  ", EXERCISE) == ""
    assert "<reply>\nhm, well\n</reply>" in m.question_for(AT_SEE, "hm, well", EXERCISE)
    assert m.question_for(STATES["done"], "hm, well", EXERCISE) == ""
    assert m.question_for(None, "hm, well", EXERCISE) == ""
    assert m.question_for(AT_SEE, "hm, well", None) == ""
    assert m.question_for(AT_SEE, "hm, well", SHORTENED) == ""


def test_the_answer_that_completes_a_step_is_kept_where_the_step_says_so() -> None:
    done = m.move(STATES["last"], m.Continue("  a bit\n calmer ", "complete"), EXERCISE).state
    assert done is not None
    assert done.items_of("tell") == ("a bit calmer",)
    assert done.items_of("see") == ("lamp",)


def test_what_is_named_twice_is_kept_once() -> None:
    moved = m.move(AT_SEE, m.Continue("Lamp, door"), EXERCISE)
    assert moved.state is not None
    assert moved.state.items_of("see") == ("lamp", "door")


FIVE = "I can see the door that is open over there, a lamp, my cup. And a pen, a bowl"
"""Things that no words surely name."""


def test_a_step_that_counts_is_completed_by_no_judge_where_fewer_things_are_named() -> None:
    for reply, what in (
        ("nope wont unplug", "held"),
        ("a lamp that I like a lot, you know", "held"),
        (FIVE, "completed"),
    ):
        (fact,) = m.move(AT_SEE, m.Continue(reply, "complete"), EXERCISE).facts
        assert fact.what == what, reply
    assert not m.move(AT_SEE, m.Continue("a red, big, old table", "hold"), EXERCISE).facts[0].items


def test_a_new_step_is_begun_without_the_stuckness_of_the_old_one() -> None:
    twice = m.move(m.move(AT_SEE, m.Continue("hm", "stuck"), EXERCISE).state, m.Continue("hm", "stuck"), EXERCISE).state
    assert twice is not None
    assert twice.stuck_count == 3
    following = m.move(twice, m.Continue(FIVE, "complete"), EXERCISE).state
    assert following is not None
    assert following.stuck_count == 0


# ------------------------------------------------------------------------------------------- definitions that change


def test_an_open_procedure_goes_on_at_its_step_when_its_file_says_something_else() -> None:
    moved = m.move(AT_SEE, m.Continue("door"), REWRITTEN)
    assert moved.state is not None
    assert (moved.state.step, moved.state.digest) == ("see", REWRITTEN.digest)
    assert moved.briefing is not None
    assert "Ask for five more." in moved.briefing.text


@pytest.mark.parametrize("procedure", [SHORTENED, None, OTHER])
def test_one_whose_step_is_gone_says_so_and_holds(procedure: Procedure | None) -> None:
    for come in (m.Continue("door"), m.Continue("hm", "complete"), m.Continue("hm", "exit"), m.Resume()):
        moved = m.move(AT_SEE, come, procedure)
        assert moved.state is not None
        assert (moved.state.status, moved.state.step, moved.state.digest) == ("active", "see", EXERCISE.digest)
        assert moved.state.items == AT_SEE.items
        assert moved.briefing is not None
        assert "Do not make up steps" in moved.briefing.text
    assert m.move(AT_SEE, m.Preserve("gate"), procedure).facts[0].what == "preserved"
    for ending in (m.Continue("stop the exercise"), m.Clear()):
        assert m.move(AT_SEE, ending, procedure).facts[0].what == "left"


def test_one_whose_step_comes_back_goes_on() -> None:
    held = m.move(AT_SEE, m.Continue("door"), SHORTENED).state
    assert m.move(held, m.Continue("door, cup, pen, book"), EXERCISE).facts[0].what == "completed"


def test_one_whose_step_is_gone_can_begin_anew() -> None:
    moved = m.move(AT_SEE, m.Start(), SHORTENED)
    assert [(fact.what, fact.why) for fact in moved.facts] == [("left", "changed"), ("started", "")]
    assert moved.state == ProcedureState("exercise", SHORTENED.digest, "active", "settle")


def test_another_one_takes_the_place_of_an_open_one() -> None:
    moved = m.move(AT_SEE, m.Start(), OTHER)
    assert [(fact.name, fact.what, fact.why) for fact in moved.facts] == [
        ("exercise", "left", "another"),
        ("other", "started", ""),
    ]
    assert m.move(AT_SEE, m.Start(), None) == m.Moved(AT_SEE)


@pytest.mark.parametrize("come", [m.Start(), m.Resume()])
def test_one_that_was_set_aside_is_as_it_was_and_goes_on_where_it_stood(come: m.Come) -> None:
    aside = m.move(AT_SEE, m.SetAside("incident"), EXERCISE)
    assert [(fact.what, fact.why) for fact in aside.facts] == [("set_aside", "incident")]
    assert aside.state == replace(AT_SEE, status="aside")
    again = m.move(aside.state, come, EXERCISE)
    assert again.state == AT_SEE
    assert again.briefing is not None


# -------------------------------------------------------------------------------------------------------- invariants

replies = st.sampled_from(
    [
        "ready",
        "door",
        "cup, pen",
        "a, b, c, d, e",
        "hm",
        "",
        "stop the exercise",
        "don't stop",
        "why?",
        "\u00fc\n\u2028",
        "x" * 900,
    ]
)
comes = st.one_of(
    st.just(m.Start()),
    st.builds(m.Continue, replies, st.sampled_from([*CHOICES, "", "nonsense"])),
    st.just(m.Resume()),
    st.builds(m.Preserve, st.sampled_from(["gate", "agent", "w" * 200])),
    st.just(m.SetAside("incident")),
    st.just(m.Clear()),
)
known = st.sampled_from([EXERCISE, EXERCISE, EXERCISE, REWRITTEN, SHORTENED, OTHER, None])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(comes, known), max_size=14))
def test_any_order_of_inputs_keeps_what_must_hold(inputs: list[tuple[m.Come, Procedure | None]]) -> None:
    state: ProcedureState | None = None
    for come, procedure in inputs:
        moved = m.move(state, come, procedure)
        folded = state
        for fact in moved.facts:
            _check_step(folded, fact, procedure)
            folded = after(folded, fact)
        assert folded == moved.state, "the record says all that has changed"
        now = moved.state
        if now is None:
            assert not moved.facts
            continue
        assert state_from_json(now.to_json()) == now
        if isinstance(come, m.Continue) and moved.facts and moved.facts[-1].what in ("held", "stuck"):
            _check_kept(state, now)
        wants_out = isinstance(come, m.Clear) or (isinstance(come, m.Continue) and come.reply == "stop the exercise")
        aside = state is not None and state.is_aside
        if aside and isinstance(come, m.Preserve | m.SetAside | m.Continue):
            assert moved == m.Moved(state), "nothing but the person's wish takes it up again"
        elif wants_out:
            assert not now.is_open
        if moved.briefing is not None:
            assert moved.briefing.procedure == now.name
        state = now


def _check_step(before: ProcedureState | None, fact: ProcedureMoved, procedure: Procedure | None) -> None:
    if fact.what == "started":
        assert procedure is not None
        assert fact.step == procedure.steps[0].id
        return
    assert before is not None
    assert before.is_open
    if fact.what == "completed":
        assert procedure is not None
        assert procedure.place(fact.step) == procedure.place(before.step) + 1
    else:
        assert fact.step == before.step, "a step is left by complete alone"
    if fact.what == "finished":
        assert procedure is not None
        assert fact.step == procedure.steps[-1].id


def _check_kept(before: ProcedureState | None, now: ProcedureState) -> None:
    assert before is not None
    assert now.replies in (before.replies, before.replies + 1)
    for one in before.items:
        assert now.items_of(one.step)[: len(one.items)] == one.items


def test_seven_replies_walk_through_it_with_side_questions_and_days_in_between() -> None:
    state = m.move(None, m.Start(), EXERCISE).state
    for come in (
        m.Continue("what is this for?", "side_question"),
        m.Continue("ready"),
        m.Preserve("gate"),
        m.Continue("lamp, door"),
        m.Resume(),
        m.Continue("I don't know", "stuck"),
        m.Continue("cup, pen, book"),
    ):
        state = m.move(state, come, EXERCISE).state
    done = m.move(state, m.Continue("calmer", "complete"), EXERCISE).state
    assert done == ProcedureState(
        "exercise",
        EXERCISE.digest,
        "done",
        "tell",
        (Collected("see", ("lamp", "door", "cup", "pen", "book")), Collected("tell", ("calmer",))),
        0,
        6,
    )
