"""What steps are said to have come to is what they could come to, and one step alone has all that it reads."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sulla.core.errors import Forbidden, InvalidInput, NotFound
from sulla.core.jsontypes import Json
from sulla.playbooks.definition import Definition
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.given import check_alone, refuse_instead, refuse_past, settled
from tests.playbooks.corpus import KNOWN

TEXT = """
name: mixed
inputs: {n: {default: x}}
steps:
  - {id: read, tool: read_file, with: {path: a.txt}}
  - {id: kind, router: What is it?, routes: {sales: wants to buy, other: anything else}}
  - id: look
    needs: [kind]
    agent: writer
    prompt: p
    output: {type: object, properties: {n: {type: integer}}, required: [n]}
  - {id: ok, human: Fine?}
  - {id: big, condition: "${{ steps.look.output.n > 3 }}"}
  - id: all
    needs: [read, big]
    loop:
      for_each: "${{ steps.read.result.text | lines }}"
      steps: [{id: each, set: {it: "${{ item }} ${{ steps.big.output }}"}}]
  - {id: made_before, needs: [], set: {a: 1}}
  - {id: m, needs: [all, made_before], merge: all}
  - {id: one, needs: [kind, look], merge: first}
finally:
  - {id: tidy, respond: bye}
"""


@pytest.fixture(scope="module")
def mixed() -> Definition:
    definition = check_playbook(TEXT, KNOWN).definition
    assert definition is not None, check_playbook(TEXT, KNOWN).faults
    return definition


@pytest.mark.parametrize(
    ("step", "said", "kept"),
    [
        ("read", "a\nb", {"output": "a\nb"}),
        ("read", {"result": {"text": "a", "lines": 1}}, {"output": "a", "result": {"lines": 1}}),
        ("read", {"output": "[a.txt]\na", "result": {"text": "a"}}, {"output": "[a.txt]\na", "result": {"text": "a"}}),
        ("read", 12, {"output": "12"}),
        ("read", True, {"output": "true"}),
        ("kind", "Sales", {"output": "sales", "route": "sales"}),
        ("ok", True, {"output": True, "route": "yes"}),
        ("ok", "no", {"output": False, "route": "no"}),
        ("big", False, {"output": False, "route": "no"}),
        ("look", {"n": 3}, {"output": {"n": 3}}),
        ("all", [{"it": "a"}], {"output": [{"it": "a"}]}),
        ("made_before", {"a": 2}, {"output": {"a": 2}}),
        ("m", {"all": [1]}, {"output": {"all": [1]}}),
        ("one", "sales", {"output": "sales"}),
        ("one", {"output": 1, "route": "look"}, {"output": 1, "route": "look"}),
    ],
)
def test_what_a_step_is_said_to_have_come_to_is_kept_as_its_own_run_would(
    mixed: Definition, step: str, said: Json, kept: Json
) -> None:
    assert settled(mixed, {step: said}, KNOWN) == {step: kept}


@pytest.mark.parametrize(
    ("step", "said", "why"),
    [
        ("read", {"n": 1}, "comes to text"),
        ("read", {"result": {"pages": 1}}, "'read_file' never gives"),
        ("kind", "I would say sales", "expected exactly one of 'sales', 'other'"),
        ("big", "yes", "comes to true or false"),
        ("look", {"n": "many"}, "is not what it asks for"),
        ("all", "a", "comes to a list"),
        ("m", 1, "comes to an object by step"),
        ("one", {"output": 1, "route": "big"}, "its route is one of 'kind', 'look'"),
        ("each", {}, "stands in 'all': name that one"),
        ("tidy", "bye", "is done at the end of a run"),
    ],
)
def test_what_it_could_never_come_to_is_refused(mixed: Definition, step: str, said: Json, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        settled(mixed, {step: said}, KNOWN)


def test_the_nearest_step_is_told_of_one_that_there_is_not(mixed: Definition) -> None:
    with pytest.raises(NotFound, match="has no step 'lok'"):
        settled(mixed, {"lok": 1}, KNOWN)


@pytest.mark.parametrize(
    ("step", "given", "lacking"),
    [
        ("read", {}, ""),
        ("big", {}, "--output look=…"),
        ("big", {"look": {"n": 4}}, ""),
        ("all", {"read": "a"}, "--output big=…"),
        ("all", {"read": "a", "big": True}, ""),
    ],
)
def test_one_step_alone_is_told_what_it_reads_and_nobody_has_said(
    mixed: Definition, step: str, given: dict[str, Json], lacking: str
) -> None:
    if lacking:
        with pytest.raises(InvalidInput, match=lacking):
            check_alone(mixed, step, given)
    else:
        check_alone(mixed, step, given)


@pytest.mark.parametrize(
    ("step", "given", "why"), [("m", {}, "does nothing"), ("read", {"read": "a"}, "is said already")]
)
def test_what_cannot_be_done_alone_is_refused(mixed: Definition, step: str, given: dict[str, Json], why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        check_alone(mixed, step, given)


GATE = """
name: gate
steps:
  - {id: read, tool: read_file, with: {path: a.txt}}
  - {id: big, condition: "${{ true }}"}
  - {id: ask, needs: [big.yes], human: Fine?}
  - {id: post, needs: [ask], respond: posted}
  - {id: small, needs: [big.no], respond: small}
  - {id: beside, needs: [], respond: beside}
"""
AROUND = """
name: around
steps:
  - {id: inner, playbook: lead-triage, with: {lead: Ann}}
  - id: each
    needs: []
    loop: {count: 2, steps: [{id: choose, human: Which?, choices: [a, b]}, {id: tell, respond: "told"}]}
  - {id: last, needs: [inner, each], respond: done}
"""
FREE = "name: free\nsteps: [{id: a, respond: a}, {id: b, respond: b}]\n"


def _definition(text: str) -> Definition:
    found = check_playbook(text, KNOWN)
    assert found.definition is not None, found.faults
    return found.definition


HOME = {"lead-triage": _definition(GATE)}


@pytest.mark.parametrize(
    ("text", "again", "names"),
    [
        (GATE, None, "'ask'"),
        (GATE, ["read"], ""),
        (GATE, ["ask"], ""),
        (GATE, ["post"], "'ask'"),
        (GATE, ["small"], "'ask'"),
        (AROUND, None, "'inner', 'each'"),
        (AROUND, ["inner"], "'each'"),
        (FREE, None, ""),
    ],
)
def test_outputs_and_other_inputs_are_said_by_who_may_answer(text: str, again: list[str] | None, names: str) -> None:
    _held(lambda: refuse_instead(_definition(text), HOME.get, "this", again), names)


@pytest.mark.parametrize(
    ("text", "again", "names"),
    [
        (GATE, ["post"], "'ask'"),
        (GATE, ["post", "ask"], ""),
        (GATE, ["ask"], ""),
        (GATE, ["big"], ""),
        (GATE, ["small"], ""),
        (GATE, ["beside"], ""),
        (AROUND, ["last"], "'inner', 'each'"),
        (AROUND, ["last", "each"], "'inner'"),
        (AROUND, ["tell@1"], "'each'"),
        (AROUND, ["each"], ""),
        (FREE, ["b"], ""),
    ],
)
def test_going_on_behind_a_question_is_for_who_may_answer_it(text: str, again: list[str], names: str) -> None:
    _held(lambda: refuse_past(_definition(text), HOME.get, "this", again), names)


def _held(refuse: Callable[[], None], names: str) -> None:
    if not names:
        refuse()
        return
    with pytest.raises(Forbidden, match=rf"scope 'approve'.* at the step {names}, which"):
        refuse()
