"""Playbooks from their file to their end: what the form says is what the machine does."""

from __future__ import annotations

import pytest

from sulla.core.jsontypes import Json
from sulla.playbooks.expression.expression import evaluate
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.machine.plan import build
from sulla.playbooks.machine.records import StepStarted
from tests.playbooks.corpus import GOOD, KNOWN
from tests.playbooks.machine import play
from tests.playbooks.machine.play import BROKEN, Play, Work


@pytest.fixture(autouse=True)
def _real_expressions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "evaluate", evaluate)


def played(what: str, inputs: dict[str, Json] | None = None, work: Work | None = None) -> Play:
    definition = check_playbook(GOOD[what], KNOWN).definition
    assert definition is not None
    run = Play(definition, inputs, work)
    run.run()
    return run


def told(run: Play, at: str) -> Json:
    """What a step worked with."""
    fact = next(fact for fact in run.facts if isinstance(fact, StepStarted) and fact.at == at)
    return dict(fact.given or {})


@pytest.mark.parametrize("what", GOOD)
def test_every_good_playbook_can_be_walked(what: str) -> None:
    definition = check_playbook(GOOD[what], KNOWN).definition
    assert definition is not None
    assert set(build(definition).nodes) == set(_ids(definition.all_steps))


def _ids(steps: tuple[object, ...]) -> list[str]:
    found = []
    for step in steps:
        found.append(step.id)  # type: ignore[attr-defined]  # a step
        does = step.does  # type: ignore[attr-defined]  # the same
        for inner in (getattr(does, "body", ()), *getattr(does, "branches", {}).values()):
            found += _ids(inner)
    return found


EXAMPLE = "the example that the original could not run"


@pytest.mark.parametrize(
    ("answers", "reply"),
    [
        ({"kind": "sales", "research": "3 facts", "approve": "yes"}, "Answer using 3 facts"),
        ({"kind": "other"}, "Answer using what you know"),
    ],
)
def test_the_example_of_the_original_ends_as_its_author_meant(answers: Work, reply: str) -> None:
    run = played(EXAMPLE, {"message": "hi"}, answers)
    assert run.book.ended is not None
    assert run.book.ended.status == "completed"
    assert told(run, "reply") == {"text": reply}


def test_a_no_is_a_way_that_was_not_taken_and_fails_nothing() -> None:
    run = played(EXAMPLE, {"message": "hi"}, {"kind": "sales", "research": "x", "approve": "no"})
    assert run.book.ended is not None
    assert run.book.ended.status == "completed"
    assert run.ends["reply"] == run.ends["either"] == "skipped"


def test_an_approval_has_a_way_for_no_and_one_for_silence() -> None:
    said_no = played("an approval and its no", {}, {"ok": "no"})
    assert {name for name, end in said_no.ends.items() if end == "completed"} == {"ok", "not_now"}
    silent = played("an approval and its no", {}, {"ok": BROKEN})
    assert {name for name, end in silent.ends.items() if end == "completed"} == {"late"}
    assert told(silent, "late") == {"text": "Nobody said anything: broken"}


def test_a_loop_of_quality_ends_at_its_break_and_sees_the_pass_before() -> None:
    def review(count: dict[str, int]) -> object:
        def one(attempt: int) -> Json:
            count["passes"] = count.get("passes", 0) + 1
            return {"ok": count["passes"] == 3, "notes": f"note {count['passes']}"}

        return one

    run = played("a loop of quality with a break", {}, {"draft": "a draft", "review": review({})})
    assert run.book.ended is not None
    assert run.book.ended.status == "completed"
    assert len(run.passes) == 3
    assert told(run, "note@0") == {"text": "Not yet: note 1"}
    assert "note@2" not in run.done
    assert told(run, "say") == {"text": "a draft"}
    assert told(run, "draft@0") == {"prompt": "Write. Last time: "}


def test_loops_in_loops_name_their_entries() -> None:
    rows: list[Json] = [{"name": "r", "cells": ["a", "stop", "b"]}, {"name": "s", "cells": ["c"]}]
    run = played("loops in loops", {"rows": rows})
    said = [dict(fact.given or {})["text"] for fact in run.facts if isinstance(fact, StepStarted) and "tell" in fact.at]
    assert said == ["r a 0", "r stop 1", "s c 0"]


@pytest.mark.parametrize(("n", "taken", "left"), [(4, "up", "down"), (2, "down", "up")])
def test_a_condition_takes_one_way_and_the_merge_goes_on(n: int, taken: str, left: str) -> None:
    run = played("a condition, two ways and a merge", {"n": n}, {"up": "UP", "down": "DOWN"})
    assert (run.ends[taken], run.ends[left], run.ends["both"]) == ("completed", "skipped", "completed")
    assert told(run, "say") == {"text": taken.upper()}


def test_a_failure_is_taken_care_of_as_written() -> None:
    run = played("success or the repair", {}, {"a": BROKEN})
    assert run.ends["mend"] == run.ends["m"] == "completed"
    fine = played("success or the repair", {})
    assert (fine.ends["mend"], fine.ends["m"]) == ("skipped", "completed")


def test_a_secret_is_the_drivers_to_put_in() -> None:
    definition = check_playbook(GOOD["a secret in a tool"], KNOWN).definition
    assert definition is not None
    run = Play(definition, {}, names={"secrets": {"smtp_key": "<smtp_key>"}})
    run.run()
    assert told(run, "send") == {"args": {"to": "a@b.c", "body": "key=<smtp_key>"}}


def test_an_entry_of_a_loop_is_there_by_its_name() -> None:
    run = played("a loop over a list", {"names": [{"mail": "m", "first name": "F"}]})
    assert told(run, "greet@0") == {"args": {"to": "m", "body": "Hi F"}}
