from __future__ import annotations

from collections.abc import Sequence

import pytest

from sulla.core.errors import CorruptRecord
from sulla.core.event import Fact as Kept
from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.core.words import Author
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.playbooks.machine.moves import MoveNote
from sulla.playbooks.machine.records import (
    Fact,
    Failure,
    RunEnded,
    RunStarted,
    Spent,
    StepCompleted,
    StepFailed,
    StepRetry,
    StepSkipped,
    StepStarted,
)
from sulla.playbooks.records import Played
from sulla.playbooks.run.log import HEARD, RunRecord, noted, plus, written
from sulla.playbooks.run.orders import RunOrder
from sulla.threads.log.codec import Entry, Origin
from sulla.threads.log.plays import Play
from sulla.threads.log.records import Input, ThreadCreated

FIRST, SECOND = RunId("run_1"), RunId("run_2")
PLAY = Play("one", "digest", "text")
GO = MoveNote("agent", {"verdict": "go"})


def told(*facts: Kept | tuple[Kept, RunId]) -> RunRecord:
    """A run of records, each of the first run unless it says otherwise."""
    record = RunRecord(ThreadId("thr_1"))
    for seq, fact in enumerate(facts, 1):
        kept, run_id = fact if isinstance(fact, tuple) else (fact, FIRST)
        record.take(Entry(seq, kept.kind, False, Origin(1_000 + seq, run_id), kept.data(), THREAD_SCHEMA.forms))
    return record


def begun(at: str = "a", attempt: int = 1) -> Played:
    return written(StepStarted(at, attempt, {}, 1))


FACTS: Sequence[Fact] = [
    RunStarted("one", "digest", {"x": [1, None]}, 1, ("outer",)),
    StepStarted("a@2.0", 1, {"prompt": "do it"}, 2),
    StepCompleted("a@2.0", {"y": "z"}, "yes", 3, Spent(5, 6)),
    StepStarted("b", 1, None, 3),
    StepRetry("b", 1, Failure("transient", "timeout", "late"), 9, 4),
    StepFailed("b", Failure("permanent", "tool", "broken"), 5),
    StepSkipped("c", "b", 5),
    RunEnded("failed", {}, 6, Failure("permanent", "upstream", "b failed")),
]


def test_facts_come_back_as_they_were_written() -> None:
    assert told(*map(written, FACTS)).facts == list(FACTS)


def test_every_record_about_the_playbook_counts_and_no_other() -> None:
    record = told(ThreadCreated("sulla", play=PLAY), Played("TAKEN_UP"), *map(written, FACTS[:2]), Played(HEARD))
    assert (record.records, len(record.facts), record.play) == (4, 2, PLAY)


def test_the_first_message_is_the_order_and_later_ones_change_nothing() -> None:
    order = RunOrder("start", "seal", {"a": 1}, by=Author.AGENT)
    said = Input(MessageId("m0"), "what people write")
    later = Input(MessageId("m2"), RunOrder("resume", steps=("b",), by=Author.PERSON).text(), origin="operator")
    record = told(said, Input(MessageId("m1"), order.text(), origin="playbook"), later, said)
    assert (record.order, record.ordered_ms) == (order, 1_002)


def test_what_begins_a_call_and_what_ends_it_say_so() -> None:
    fact = written(StepStarted("a", 1, {}, 1), input_seq=7, call_id="call_1", effect="once")
    assert (fact.at, fact.input_seq, fact.call_id, fact.effect) == ("a", 7, CallId("call_1"), "once")
    assert "at" not in fact.detail, "it stands there once"


# ----------------------------------------------------------------------------------------------------------- notes


def test_the_notes_of_an_attempt_are_there_in_their_order_with_what_they_used() -> None:
    work = MoveNote("work", "done")
    record = told(
        begun(),
        noted("a", GO, Spent(5, 1), Author.AGENT),
        noted("a", work, Spent(7), Author.AGENT),
        noted("b", GO, Spent(1), Author.AGENT),
    )
    assert record.notes == {"a": [GO, work], "b": [GO]}
    assert record.spent == {"a": Spent(12, 1), "b": Spent(1)}


def test_another_attempt_begins_without_notes() -> None:
    record = told(begun(), noted("a", GO, Spent(5), Author.AGENT), begun(attempt=2))
    assert (record.notes, record.spent) == ({}, {})


def test_another_attempt_leaves_the_notes_of_other_steps() -> None:
    record = told(begun("a"), begun("b"), noted("b", GO, Spent(5), Author.AGENT), begun("a", 2))
    assert (record.notes, record.spent) == ({"b": [GO]}, {"b": Spent(5)})


def test_notes_of_an_earlier_run_are_not_taken() -> None:
    record = told(begun(), noted("a", GO, Spent(5), Author.AGENT), (Played("TAKEN_UP"), SECOND))
    assert (record.run_id, record.notes, record.spent) == (SECOND, {}, {})


def test_a_step_that_is_done_again_in_a_later_run_has_the_notes_of_that_run_alone() -> None:
    again = MoveNote("agent", {"verdict": "ask"})
    record = told(
        begun(),
        noted("a", GO, Spent(5), Author.AGENT),
        (begun(), SECOND),
        (noted("a", again, Spent(1), Author.AGENT), SECOND),
    )
    assert (record.notes, record.spent) == ({"a": [again]}, {"a": Spent(1)})


@pytest.mark.parametrize("value", [None, "text", 3, ["a", {"b": None}], {"verdict": "go"}])
def test_a_note_holds_any_value(value: object) -> None:
    note = MoveNote("work", value)  # type: ignore[arg-type]  # JSON
    assert told(noted("a", note, Spent(), Author.AGENT)).notes["a"] == [note]


@pytest.mark.parametrize("detail", [{}, {"what": "ghost"}, {"what": "agent", "tokens": "many"}])
def test_a_note_that_cannot_be_read_is_named(detail: dict[str, str]) -> None:
    with pytest.raises(CorruptRecord, match="thr_1 record 1: not a note"):
        told(Played("NOTE", "a", detail))


def test_a_fact_that_cannot_be_read_is_named() -> None:
    with pytest.raises(CorruptRecord, match="thr_1 record 1"):
        told(Played("STEP_STARTED", "a", {"attempt": "first"}))


def test_charges_add_up() -> None:
    assert plus(Spent(1, 2), Spent(3, 4)) == Spent(4, 6)
