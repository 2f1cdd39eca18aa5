"""Facts come back from the store as they went in, or not at all."""

from __future__ import annotations

import json

import pytest

from sulla.core.errors import CorruptRecord
from sulla.core.jsontypes import Json
from sulla.playbooks.machine.records import (
    KINDS,
    Fact,
    Failure,
    PassStarted,
    RunClosing,
    RunEnded,
    RunPaused,
    RunReopened,
    RunResumed,
    RunStarted,
    RunStopped,
    Spent,
    StepCancelled,
    StepCompleted,
    StepFailed,
    StepGoesOn,
    StepHeld,
    StepReasked,
    StepRetry,
    StepSkipped,
    StepStarted,
    decode,
    encode,
    kind_of,
)

WHY = Failure("transient", "overloaded", "too busy")
FACTS: tuple[Fact, ...] = (
    RunStarted("p", "d", {"x": 1}, 5, ("a", "b"), "run_0"),
    StepStarted("a@1.0", 2, {"args": {"x": [1, None]}}, 5),
    StepStarted("a", 1, None, 5),
    StepReasked("a", "say it", 5, Spent(3, 4)),
    StepHeld("a", 5),
    StepGoesOn("a", 6),
    StepCompleted("a", {"x": [1, {"y": None}]}, "sales", 5, Spent(1, 0)),
    StepCompleted("a", None, "", 5),
    StepRetry("a", 1, WHY, 9, 5, Spent(1, 2)),
    StepFailed("a", WHY, 5),
    StepSkipped("a", "not wanted", 5),
    StepCancelled("a", 5),
    RunClosing("failed", 5, Failure("permanent", "broken", "it broke")),
    PassStarted("a", 3, 5),
    RunPaused("lunch", 5),
    RunResumed(5),
    RunStopped("failed", "limit", 5, WHY),
    RunEnded("transferred", {"x": 1}, 5, None, "next"),
    RunEnded("failed", {}, 5, WHY),
    RunReopened(("a", "b@1"), 5),
)


@pytest.mark.parametrize("fact", FACTS, ids=kind_of)
def test_a_fact_comes_back_as_it_went_in(fact: Fact) -> None:
    again = decode(kind_of(fact), json.loads(json.dumps(encode(fact))), "here")
    assert (type(again), again) == (type(fact), fact)


def test_every_kind_is_tried() -> None:
    assert {kind_of(fact) for fact in FACTS} == set(KINDS)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("STEP_EXPLODED", {}),
        ("STEP_STARTED", []),
        ("STEP_STARTED", {"at": "a"}),
        ("STEP_STARTED", {"at": "a", "attempt": True, "given": None, "at_ms": 5}),
        ("STEP_STARTED", {"at": 1, "attempt": 1, "given": None, "at_ms": 5}),
        ("STEP_STARTED", {"at": "a", "attempt": 1, "given": None, "at_ms": 5, "colour": "red"}),
        ("STEP_FAILED", {"at": "a", "failure": "no", "at_ms": 5}),
        ("STEP_FAILED", {"at": "a", "failure": {"kind": "transient"}, "at_ms": 5}),
        ("STEP_FAILED", {"at": "a", "failure": None, "at_ms": 5}),
        ("RUN_STARTED", {"playbook": "p", "digest": "d", "inputs": [], "at_ms": 5}),
        ("RUN_STARTED", {"playbook": "p", "digest": "d", "inputs": {}, "at_ms": 5, "stack": [1]}),
        ("RUN_REOPENED", {"steps": "a", "at_ms": 5}),
    ],
)
def test_what_is_no_fact_is_refused(kind: str, data: Json) -> None:
    with pytest.raises(CorruptRecord, match=r"^here"):
        decode(kind, data, "here")
