"""A procedure is read as it was written, and what is wrong with one is said with its place and what was expected."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator

from sulla.definitions.file_fault import FileFault
from sulla.procedures import definition as d
from sulla.procedures.reading import read_procedure
from tests.house.source import ROOT
from tests.procedures.exercises import EXERCISE, REWRITTEN

words = st.sampled_from(["breathe in", "look around", "say it", "a, b: c", "\u00fcber", "it's 'so'"])
phrases = st.lists(words.filter(lambda text: "'" not in text), min_size=1, max_size=3).map(tuple)
done = st.one_of(
    st.just(d.DoneWhen("model")),
    phrases.map(lambda found: d.DoneWhen("phrases", phrases=found)),
    st.builds(lambda items, count: d.DoneWhen("items", items=items, count=count), words, st.integers(1, d.MOST_ITEMS)),
)
steps = st.lists(
    st.builds(d.ProcedureStep, st.from_regex(d.NAME, fullmatch=True), words, words, done, words, st.booleans()),
    min_size=1,
    max_size=4,
    unique_by=lambda step: step.id,
).map(tuple)
procedures = st.builds(d.Procedure, st.just("p"), words, words, steps, words, phrases, words)

START = "name: p\ntitle: A\ndescription: B\n"
STEP = "steps:\n  - id: a\n    title: A\n    instructions: Do it.\n"


def faults(text: str) -> tuple[FileFault, ...]:
    """What is wrong with a text."""
    found = read_procedure(text)
    assert isinstance(found, tuple), f"{found} is a procedure"
    return found


@given(procedures)
def test_a_procedure_reads_as_it_was_written_and_meets_the_schema(procedure: d.Procedure) -> None:
    assert read_procedure(json.dumps(procedure.to_json())) == procedure
    Draft202012Validator(d.json_schema()).validate(procedure.to_json())


@pytest.mark.parametrize(
    ("text", "line", "path", "said"),
    [
        ("", 1, "the procedure", "expected `name`, `title`, `description`, `steps`"),
        ("[]", 1, "the procedure", "expected `name`"),
        (START, 1, "the procedure", "the key `steps` is missing"),
        (f"{START}{STEP}stpes: []\n", 8, "the procedure", "Did you mean 'steps'?"),
        (f"{START}steps: []\n", 4, "steps", "expected a list of one step or more"),
        (f"{START}steps: [walk]\n", 4, "steps[0]", "expected a step with `id`, `title`, `instructions`"),
        (f"{START}{STEP}    done_wen: model\n", 8, "steps[0]", "Did you mean 'done_when'?"),
        (f"{START}{STEP}    done_when: modle\n", 8, "steps[0].done_when", "Did you mean 'model'?"),
        (f"{START}{STEP}    done_when: [a]\n", 8, "steps[0].done_when", "expected `model`, `{phrases: […]}`"),
        (f"{START}{STEP}    done_when: {{}}\n", 8, "steps[0].done_when", "the key `items` is missing"),
        (f"{START}{STEP}    done_when: {{items: x}}\n", 8, "steps[0].done_when", "the key `count` is missing"),
        (f"{START}{STEP}    done_when: {{items: x, count: 11}}\n", 8, "steps[0].done_when.count", "from 1 to 10"),
        (f"{START}{STEP}    done_when: {{items: x, count: true}}\n", 8, "steps[0].done_when.count", "whole number"),
        (f"{START}{STEP}    done_when: {{phrases: []}}\n", 8, "steps[0].done_when.phrases", "one phrase or more"),
        (f"{START}{STEP}    done_when: {{phrases: [a], count: 1}}\n", 8, "steps[0].done_when", "no key 'count' here"),
        (
            f'{START}{STEP}    done_when: {{phrases: ["!"]}}\n',
            8,
            "steps[0].done_when.phrases[0]",
            "has no words of its own",
        ),
        (f"{START}{STEP}    keep: sometimes\n", 8, "steps[0].keep", "expected `true` or `false`"),
        (f"{START}{STEP}    hint: ''\n", 8, "steps[0].hint", "expected a text"),
        (f"{START}{STEP}{STEP.partition(chr(10))[2]}", 8, "steps[1].id", "there is another step 'a'"),
        (START.replace("p", "P p", 1) + STEP, 1, "name", "is no name; expected 1 to 64 of a-z"),
        (f"{START}title: C\n{STEP}", 4, "the procedure", "a second time"),
        (f"{START}exits: [{'x' * 81}]\n{STEP}", 4, "exits[0]", "81 characters; 80 are allowed"),
        (f"{START}exits: [{', '.join(['x'] * 31)}]\n{STEP}", 4, "exits", "31 phrases; 30 are allowed"),
        (f"{START}closing: {'x' * 1601}\n{STEP}", 4, "closing", "1601 characters; 1600 are allowed"),
        (f"{START}steps: *a", 4, "the file", "anchors"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, line: int, path: str, said: str) -> None:
    found = faults(text)[0]
    assert (found.line, found.path) == (line, path), found
    assert said in found.message
    assert found.told("procedure.yaml").startswith(f"procedure.yaml:{line}:{found.column}: error: {path}: ")


def test_all_that_is_wrong_is_said_at_once_in_the_order_of_the_text() -> None:
    text = "name: P\ntitle: ''\nsteps:\n  - id: A\n    title: A\n    keep: 1\n"
    said = [fault.path for fault in faults(text)]
    assert said == ["the procedure", "name", "title", "steps[0]", "steps[0].id", "steps[0].keep"]


def test_a_procedure_has_so_many_steps_and_no_more() -> None:
    def text(count: int) -> str:
        steps = [{"id": f"s{at}", "title": "T", "instructions": "I"} for at in range(count)]
        return json.dumps({"name": "p", "title": "T", "description": "D", "steps": steps})

    assert isinstance(read_procedure(text(d.MOST_STEPS)), d.Procedure)
    assert "20 are allowed" in faults(text(d.MOST_STEPS + 1))[0].message


def test_a_digest_tells_what_a_procedure_says() -> None:
    assert EXERCISE.digest == read_procedure(json.dumps(EXERCISE.to_json())).digest  # type: ignore[union-attr]  # it reads
    assert EXERCISE.digest != REWRITTEN.digest
    assert EXERCISE.digest.startswith("sha256:")


SHIPPED = sorted((ROOT / "skills").glob(f"*/{d.FILE}"))


def test_some_are_shipped() -> None:
    assert {path.parent.name for path in SHIPPED} == {
        "support-refund",
        "wellbeing-breathing",
        "wellbeing-grounding",
        "wellbeing-thought-record",
    }


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.parent.name)
def test_a_shipped_procedure_is_read_meets_the_schema_and_says_what_it_is_not(path: object) -> None:
    file = ROOT / "skills" / str(path).rpartition("skills/")[2]
    procedure = read_procedure(file.read_text())
    assert isinstance(procedure, d.Procedure), [fault.told(file.name) for fault in procedure]
    assert procedure.name == file.parent.name
    assert "no " in procedure.is_not
    assert all(step.hint for step in procedure.steps)
    Draft202012Validator(d.json_schema()).validate(procedure.to_json())
