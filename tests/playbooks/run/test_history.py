from __future__ import annotations

from sulla.core.ids import CallId, RunId
from sulla.core.words import Author
from sulla.playbooks.expression.expression import evaluate
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.machine.machine import Playbook
from sulla.playbooks.machine.moves import AskPerson, MoveNote
from sulla.playbooks.machine.plan import build
from sulla.playbooks.machine.records import StepStarted
from sulla.playbooks.run.history import TIMER, MoveId, RunHistory, StepAttempt
from sulla.playbooks.run.orders import RunOrder
from sulla.playbooks.run.trust import trust_in
from sulla.threads.log.waits import Wait

TEXT = """
name: one
steps:
  - id: call
    tool: send
    with: {to: ann}
  - {id: checked, needs: [], tool: send, with: {to: bob}, check: orchestrator}
  - {id: ok, needs: [], human: Shall I?, expires: 2h}
  - {id: colour, needs: [], human: Which?, choices: [red, blue], expires: never}
  - {id: nap, needs: [], wait: 1h}
"""
NOW_MS = 1_000_000


def history() -> RunHistory:
    checked = check_playbook(TEXT)
    assert checked.definition is not None, checked.faults
    machine = Playbook(build(checked.definition), evaluate)
    machine.start({}, NOW_MS)
    trust = trust_in(machine.plan, None, RunOrder("start", by=Author.PERSON), ())
    made = RunHistory(machine, RunId("run_1"), "seal", ("one",), {}, trust)
    for fact in machine.next():
        assert isinstance(fact, StepStarted)
        made.jobs[fact.at] = StepAttempt(fact)
    return made


def asked(made: RunHistory, at: str) -> Wait:
    move = made.move(made.jobs[at])
    assert isinstance(move, AskPerson)
    return made.question(made.jobs[at], move)


# ------------------------------------------------------------------------------------------------------------- ids


def test_an_id_is_the_same_each_time_and_another_one_for_each_run_step_attempt_move_and_kind() -> None:
    place = MoveId(RunId("run_1"), "a@1", 1)
    assert place.id("stp") == MoveId(RunId("run_1"), "a@1", 1).id("stp")
    others = [
        MoveId(RunId("run_2"), "a@1", 1),
        MoveId(RunId("run_1"), "a@2", 1),
        MoveId(RunId("run_1"), "a@1", 2),
        MoveId(RunId("run_1"), "a@1", 1, 1),
    ]
    assert len({place.id("stp"), place.id("msg"), *(other.id("stp") for other in others)}) == 6


def test_parts_of_an_id_do_not_run_into_each_other() -> None:
    assert MoveId(RunId("r"), "a1", 1).id("x") != MoveId(RunId("r"), "a", 11).id("x")


def test_each_note_makes_another_place() -> None:
    made = history()
    job = made.jobs["checked"]
    before = made.place(job)
    job.notes.append(MoveNote("agent", {"verdict": "confirm"}))
    assert made.place(job) != before


# ----------------------------------------------------------------------------------------------------------- calls


def test_a_tool_step_makes_one_call_whose_id_stays() -> None:
    made = history()
    job = made.jobs["call"]
    call = made.call(job)
    assert call is not None
    assert (call.name, call.args) == ("send", {"to": "ann"})
    job.busy, job.fresh = True, True
    assert made.call(job) == call


def test_a_checked_call_is_none_until_it_is_confirmed() -> None:
    made = history()
    job = made.jobs["checked"]
    assert made.call(job) is None
    job.notes.append(MoveNote("agent", {"verdict": "edit", "args": {"to": "eve"}}))
    call = made.call(job)
    assert call is not None
    assert call.args == {"to": "eve"}


def test_what_is_no_tool_makes_no_call() -> None:
    made = history()
    assert [made.call(made.jobs[at]) for at in ("ok", "colour", "nap")] == [None, None, None]


# ----------------------------------------------------------------------------------------------------------- waits


def test_a_yes_or_no_is_asked_as_one_and_expires_when_the_step_says() -> None:
    wait = asked(history(), "ok")
    assert wait.wait_id.startswith("human:")
    assert (wait.prompt, wait.call_id, wait.choices) == ("Shall I?", CallId(""), ())
    assert wait.expires_ms == NOW_MS + 2 * 3_600_000


def test_a_choice_offers_its_names_and_may_wait_for_ever() -> None:
    wait = asked(history(), "colour")
    assert wait.wait_id.startswith("answer:")
    assert (wait.choices, wait.expires_ms) == (("red", "blue"), 0)


def test_a_question_that_is_asked_again_is_another_one() -> None:
    made = history()
    first = asked(made, "colour")
    made.jobs["colour"].notes.append(MoveNote("person", "green"))
    again = asked(made, "colour")
    assert again.wait_id != first.wait_id
    assert again.choices == first.choices


def test_a_run_waits_for_its_answers_and_for_time() -> None:
    made = history()
    made.jobs["ok"].wait = asked(made, "ok")
    waits = made.waits()
    assert [wait.wait_id for wait in waits] == [asked(made, "ok").wait_id, TIMER]
    assert waits[1].expires_ms == NOW_MS + 3_600_000, "the nap ends before the question does"


def test_an_answer_finds_the_step_that_waits_for_it_and_no_other() -> None:
    made = history()
    wait = made.jobs["ok"].wait = asked(made, "ok")
    assert made.waiting_for(wait.wait_id) is made.jobs["ok"]
    assert made.waiting_for("human:other") is None
    assert made.waiting_for("") is None
