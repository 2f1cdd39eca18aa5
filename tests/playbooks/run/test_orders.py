from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.errors import InvalidInput
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.words import Author
from sulla.playbooks.definition import Definition
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.file.read import read
from sulla.playbooks.file.read_digest import digest_of
from sulla.playbooks.file.read_sketch import Sketch
from sulla.playbooks.run.orders import RunOrder, begun_with, play_of, read_order, run_scope, stands_for
from sulla.threads.log.plays import Play

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9), lambda inner: st.lists(inner, max_size=3)
)
_NAMES = st.lists(st.text(max_size=9), max_size=3).map(tuple)
_ORDERS = st.builds(
    RunOrder,
    st.sampled_from(["start", "resume", "fork"]),
    seal=st.text(max_size=9),
    inputs=st.none() | st.dictionaries(st.text(max_size=5), _JSON, max_size=3),
    payload=_JSON,
    stack=_NAMES,
    steps=_NAMES,
    run=st.text(max_size=9),
    upto=st.integers(0, 10**9),
    by=st.sampled_from((Author.AGENT, Author.TAINTED_AGENT)),
)


@given(_ORDERS)
def test_an_order_comes_back_as_it_went(order: RunOrder) -> None:
    back = read_order(order.text())
    assert back.inputs == order.inputs
    assert json.dumps(back.payload) == json.dumps(order.payload)  # 0 is not false, and nothing is not empty
    for name in ("do", "seal", "stack", "steps", "run", "upto", "by"):
        assert getattr(back, name) == getattr(order, name)


@pytest.mark.parametrize("inputs", [None, {}])
def test_no_inputs_and_empty_ones_are_told_apart(inputs: dict[str, Any] | None) -> None:
    assert read_order(RunOrder("fork", inputs=inputs, by=Author.PERSON).text()).inputs == inputs


@pytest.mark.parametrize(
    "text",
    ["", "hello", "null", "[]", "3", "{}", '{"do": "dance"}', '{"do": ["start"]}', '{"inputs": {}}', "{", '"start"'],
)
def test_what_people_write_is_no_order(text: str) -> None:
    with pytest.raises(InvalidInput, match="takes no messages"):
        read_order(text)


@pytest.mark.parametrize(
    "more",
    [
        {"steps": "all"},
        {"steps": 3},
        {"stack": {"a": 1}},
        {"upto": "later"},
        {"upto": [1]},
        {"upto": None},
        {"steps": None},
    ],
)
def test_an_order_with_fields_of_another_kind_is_none(more: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="takes no messages"):
        read_order(json.dumps({"do": "start", **more}))


# --------------------------------------------------------------------------------------------------------- secrets


def test_what_stands_for_a_secret_follows_from_the_run_and_its_name_and_says_nothing() -> None:
    mark = stands_for("seal", "key")
    assert mark == stands_for("seal", "key")
    assert len({mark, stands_for("seal", "other"), stands_for("another", "key")}) == 3
    assert mark.startswith("secret_")
    assert "key" not in mark.removeprefix("secret_")


# ------------------------------------------------------------------------------------------------------- beginnings


def definition(more: str = "") -> Definition:
    made = check_playbook(f"name: one\n{more}steps:\n  - {{id: a, respond: hello}}\n  - {{id: b, respond: again}}\n")
    assert made.definition is not None, made.faults
    return made.definition


def test_the_playbooks_own_budget_goes_before_what_is_given() -> None:
    play = play_of(
        definition("budget: {tokens: 500, cost: 0.5}\n"), "text", "manual", ThreadId(""), tokens=9, cost_micro=9
    )
    assert (play.tokens, play.cost_micro) == (500, 500_000)


def test_what_is_given_holds_where_the_playbook_says_nothing() -> None:
    play = play_of(definition(), "text", "manual", ThreadId("thr_1"), tokens=9, cost_micro=8)
    assert (play.tokens, play.cost_micro, play.steps, play.thread) == (9, 8, 2, "thr_1")
    assert play_of(definition(), "text", "manual", ThreadId("")).cost_micro is None


def test_a_run_knows_what_started_it() -> None:
    play = play_of(definition(), "text", "webhook", ThreadId(""))
    request: JsonObject = {"headers": {"x-kind": "tea"}, "query": {"cups": "2"}}
    order = read_order(RunOrder("start", payload={"x": 1}, by=Author.OUTSIDE, request=request).text())
    assert run_scope(ThreadId("thr_1"), play, order, 1_800_000_000_000) == {
        "id": "thr_1",
        "playbook": "one",
        "started_at": "2027-01-15T08:00:00.000Z",
        "trigger": "webhook",
        "payload": {"x": 1},
        "headers": {"x-kind": "tea"},
        "query": {"cups": "2"},
        "status": "running",
        "error": None,
    }


def _began(text: str, digest: str = "") -> Play:
    sketch = read(text)
    assert isinstance(sketch, Sketch)
    return Play(sketch.definition.name, digest or digest_of(sketch.definition), text)


def test_a_run_goes_on_though_its_text_has_come_to_be_a_fault() -> None:
    schema = "{type: object, properties: {x: {$ref: '#/y'}}, required: [z], strange: 1}"
    text = f"name: a\nsteps:\n  - {{id: a, agent: sulla, prompt: p, output: {schema}}}\n"
    assert check_playbook(text).definition is None
    found = begun_with(play := _began(text))
    assert found is not None
    assert (found.name, found.digest) == ("a", play.digest)


def test_a_text_that_is_not_the_one_that_was_begun_is_none() -> None:
    text = "name: a\nsteps:\n  - {id: a, wait: 3s}\n"
    assert begun_with(_began(text)) == check_playbook(text).definition
    assert begun_with(_began(text, "0" * 64)) is None
    assert begun_with(Play("a", "0" * 64, "name: [")) is None
