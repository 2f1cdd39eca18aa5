"""An agent is told what it needs for one turn of a procedure, and no more than so much."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sulla.procedures import definition as d
from sulla.procedures import machine as m
from sulla.procedures.briefing import BRIEFING_CHARS, MOST_STUCK, brief_end, brief_step
from sulla.procedures.slice import MOST_KEPT, Collected, ProcedureState
from sulla.procedures.verdicts import ITEM_CHARS
from tests.procedures.exercises import EXERCISE

AT_SEE = ProcedureState("exercise", EXERCISE.digest, "active", "see", (Collected("see", ("lamp",)),))


def told(state: ProcedureState | None, come: m.Come) -> str:
    """What the agent is told."""
    briefing = m.move(state, come, EXERCISE).briefing
    assert briefing is not None
    return briefing.text


def test_it_says_which_procedure_and_step_what_to_do_and_what_is_collected() -> None:
    text = told(AT_SEE, m.Continue("door, cup"))
    for part in (
        "'an exercise'",
        "step 2 of 3, 'Five things'",
        "It is no therapy.",
        "What to do in this step: Ask for five things.",
        "5 things to see: 3 so far, 2 to go",
        "- see: 'lamp'; 'door'; 'cup'",
        "does not complete this step",
        "answer it briefly and then lead back",
    ):
        assert part in text
    assert "Ask how it is now" not in text, "of later steps nothing is told"


@pytest.mark.parametrize(
    ("come", "said"),
    [
        (m.Continue("hm", "side_question"), "answer that briefly first, then lead back"),
        (m.Continue("hm", "stuck"), "What helps here: Small ones count."),
        (m.Continue("lamp, door, cup, pen, bowl", "hold"), "has done the step before this one"),
        (m.Continue("stop the exercise"), "do not try to change their mind"),
        (m.Resume(), "comes back to it after a pause"),
    ],
)
def test_it_says_what_has_happened(come: m.Come, said: str) -> None:
    assert said in told(AT_SEE, come)


def test_the_first_step_begins_with_what_it_is_and_the_last_ends_with_how_to_close() -> None:
    assert "that the person can stop at any time" in told(None, m.Start())
    text = told(replace(AT_SEE, step="tell"), m.Continue("calmer", "complete"))
    assert "all 3 steps" in text
    assert "What to do now: Say that it is done." in text
    assert "- tell: 'calmer'" in text


def test_who_was_stuck_often_is_offered_to_leave() -> None:
    assert "offer to leave it" not in told(replace(AT_SEE, stuck_count=MOST_STUCK - 2), m.Continue("hm", "stuck"))
    assert "offer to leave it" in told(replace(AT_SEE, stuck_count=MOST_STUCK - 1), m.Continue("hm", "stuck"))


def test_a_hint_is_for_who_is_stuck_now() -> None:
    assert "What helps here" not in told(replace(AT_SEE, stuck_count=1), m.Continue("door"))


def test_the_fullest_one_is_whole_and_within_its_bound() -> None:
    long = "x" * d.TEXT_CHARS
    phrases = d.DoneWhen("phrases", phrases=("y" * d.PHRASE_CHARS,) * d.MOST_PHRASES)
    steps = tuple(
        d.ProcedureStep(f"{at}{'s' * 62}", "t" * d.LINE_CHARS, long, phrases, long, keep=True) for at in range(9)
    )
    line = "z" * d.LINE_CHARS
    full = d.Procedure("p" * 64, line, line, steps, long, closing=long)
    items = tuple(Collected(step.id, ("\u00e9" * ITEM_CHARS,) * MOST_KEPT) for step in steps)
    state = ProcedureState(full.name, full.digest, "active", steps[0].id, items, MOST_STUCK)
    text = brief_step(full, state, "stuck").text
    assert len(text) <= BRIEFING_CHARS
    assert text.endswith("never press.")
    assert "Earlier ones are left out" in text
    assert f"- {steps[-1].id}: " in text
    assert len(brief_end(full, state).text) <= BRIEFING_CHARS
