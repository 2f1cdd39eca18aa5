"""What a reply surely means is read off its words; all else is left to a judge."""

from __future__ import annotations

import sys

import pytest

from sulla.procedures import verdicts
from sulla.procedures.definition import MOST_ITEMS
from sulla.procedures.verdicts import CHOICES, ITEM_CHARS, QUESTION_CHARS, Reading, read_reply
from tests.procedures import replies as r
from tests.procedures.exercises import EXERCISE, SEE, SETTLE, TELL


@pytest.mark.parametrize("reply", r.STAYS)
def test_a_person_who_does_not_surely_want_out_is_kept(reply: str) -> None:
    assert read_reply(reply, EXERCISE, TELL, ()) == Reading()


@pytest.mark.parametrize("reply", r.EXIT)
def test_a_person_who_surely_wants_out_gets_out_in_every_step(reply: str) -> None:
    for step in EXERCISE.steps:
        assert read_reply(reply, EXERCISE, step, ()) == Reading("exit")


@pytest.mark.parametrize("reply", r.DONE)
def test_a_phrase_of_the_step_completes_it(reply: str) -> None:
    assert read_reply(reply, EXERCISE, SETTLE, ()) == Reading("complete")
    assert read_reply(reply, EXERCISE, TELL, ()) == Reading()


@pytest.mark.parametrize("reply", r.NOT_DONE)
def test_a_phrase_that_is_taken_back_or_asked_completes_nothing(reply: str) -> None:
    assert read_reply(reply, EXERCISE, SETTLE, ()) == Reading()


@pytest.mark.parametrize(("reply", "items"), r.NAMED)
def test_things_are_read_however_they_are_listed(reply: str, items: tuple[str, ...]) -> None:
    assert read_reply(reply, EXERCISE, SEE, ()) == Reading("hold", items)


@pytest.mark.parametrize("reply", r.NOTHING_NAMED)
def test_what_is_no_list_names_nothing_surely(reply: str) -> None:
    assert read_reply(reply, EXERCISE, SEE, ()).verdict is None


@pytest.mark.parametrize(
    ("reply", "parts"),
    [
        ("a red, big, old, heavy, wooden table", ("a red", "big", "old", "heavy", "wooden table")),
        ("lamp door cup", ("lamp", "door", "cup")),
        ("nope wont unplug", ()),
        (
            "I see the lamp that my mother gave me. And a window over there",
            ("the lamp that my mother gave me", "a window over there"),
        ),
        ("what do you mean?", ()),
        ("ok", ()),
    ],
)
def test_what_a_reply_may_name_is_counted_where_a_model_says_that_it_does(reply: str, parts: tuple[str, ...]) -> None:
    assert verdicts.parts_of(reply) == parts


def test_the_figures_of_all_replies() -> None:
    rows = [
        *((text, SETTLE, "exit") for text in r.EXIT),
        *((text, SETTLE, None) for text in (*r.STAYS, *r.NOT_DONE)),
        *((text, SETTLE, "complete") for text in r.DONE),
        *((text, SEE, "hold") for text, _ in r.NAMED),
        *((text, SEE, None) for text in r.NOTHING_NAMED),
    ]
    assert len(rows) >= 120
    found = [(want, read_reply(text, EXERCISE, step, ()).verdict) for text, step, want in rows]
    told = [f"{len(rows)} replies"]
    for verdict in ("exit", "complete", "hold"):
        hits = sum(want == got == verdict for want, got in found)
        said, wanted = sum(got == verdict for _, got in found), sum(want == verdict for want, _ in found)
        told.append(f"{verdict}: precision {hits}/{said}, recall {hits}/{wanted}")
        assert hits == said == wanted, told
    sys.stdout.write("; ".join(told) + "\n")


def test_the_count_of_a_step_is_met_by_different_things_alone() -> None:
    assert read_reply("lamp, door", EXERCISE, SEE, ("cup", "book")) == Reading("hold", ("lamp", "door"))
    assert read_reply("Lamp, Cup, door", EXERCISE, SEE, ("cup", "lamp", "book")).verdict == "hold"
    assert read_reply("lamp, door", EXERCISE, SEE, ("cup", "book", "pen")).verdict == "complete"


def test_a_procedure_has_words_of_its_own_that_end_it() -> None:
    assert read_reply("Pineapple please!", EXERCISE, TELL, ()) == Reading("exit")
    assert read_reply("no pineapple please", EXERCISE, TELL, ()) == Reading()


@pytest.mark.parametrize("answer", ["", "yes", "Complete", "complete, I think", "left", "\x00"])
def test_an_answer_that_is_no_choice_holds(answer: str) -> None:
    assert verdicts.judged(answer) == "hold"


@pytest.mark.parametrize("answer", CHOICES)
def test_an_answer_that_is_a_choice_is_taken(answer: str) -> None:
    assert verdicts.judged(f" {answer}\n") == answer


def test_a_long_reply_costs_little_and_keeps_little() -> None:
    for unit in ("a, ", "stop ", "i want to ", "lamp and ", "- a\n", "no ", '"', "ok, " * 3):
        reading = read_reply(unit * (100_000 // len(unit)), EXERCISE, SEE, ())
        assert len(reading.items) <= MOST_ITEMS
    assert all(len(item) <= ITEM_CHARS for item in verdicts.items_of(f"{'x' * 900}, door"))
    asked = verdicts.question("y" * 100_000, EXERCISE, SEE, ("lamp",))
    assert len(asked) <= QUESTION_CHARS
    assert asked.endswith("choose hold.")
    assert "5 things to see are named; 1 are" in asked
