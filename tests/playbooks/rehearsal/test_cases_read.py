"""Tests of playbooks are read whole or not at all, and what is wrong with them is told with its place."""

from __future__ import annotations

import pytest

from sulla.core.errors import NotFound
from sulla.playbooks.definition import Definition
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.file.check_fault import RULES, PlaybookFault
from sulla.playbooks.machine.records import Failure, Spent
from sulla.playbooks.rehearsal.cases import Case, split_route
from sulla.playbooks.rehearsal.cases_form import CASE, ERROR, EXPECT, FIXTURE, MAX_CASES
from sulla.playbooks.rehearsal.cases_read import read_cases

INNER = """
name: inner
steps:
  - {id: look, tool: search}
"""
OUTER = """
name: outer
inputs: {lead: string, size: {type: integer, default: 1}}
outputs: {sent: "${{ steps.send.output }}"}
steps:
  - {id: kind, router: What?, routes: {sales: x, other: y}}
  - {id: research, needs: [kind.sales], agent: researcher, prompt: Look}
  - {id: facts, playbook: inner}
  - {id: l, loop: {count: 2, steps: [{id: send, tool: send_email}]}}
  - {id: big, condition: "${{ inputs.size > 3 }}"}
"""


def definition(text: str) -> Definition:
    found = check_playbook(text).definition
    assert found is not None
    return found


def find(name: str) -> Definition:
    if name != "inner":
        raise NotFound(f"there is no playbook {name!r}")
    return definition(INNER)


def read(text: str) -> tuple[tuple[Case, ...], tuple[PlaybookFault, ...]]:
    return read_cases(text, definition(OUTER), find)


def case(text: str) -> Case:
    cases, faults = read(text)
    assert faults == ()
    return cases[0]


def test_a_case_is_read_whole() -> None:
    found = case(
        """
- name: it goes well
  inputs: {lead: Ann, size: 3}
  trigger: webhook
  payload: {id: 7}
  at: 2030-02-01T10:00:00+01:00
  fixtures:
    kind: sales
    research: {output: [1, 2], after: 1h30m, tokens: 500, cost: 0.25}
    facts/look: [a, {error: {kind: transient, reason: busy, message: later}}, {after: never}]
    send@1: {error: it broke}
    tool:send_email: {to: nobody}
  expect: {took: 1h30m, path: [kind.sales, facts/look, send@1], calls: [search, {tool: send_email, with: {to: x}}]}
"""
    )
    assert (found.name, found.line, found.inputs) == ("it goes well", 2, {"lead": "Ann", "size": 3})
    assert (found.trigger, found.payload, found.at_ms) == ("webhook", {"id": 7}, 1_896_166_800_000)
    research = found.fixtures["research"].entries[0]
    assert (research.value, research.after_ms, research.spent) == ([1, 2], 5_400_000, Spent(500, 250_000))
    look = found.fixtures["facts/look"]
    assert look.each
    assert [(one.value, one.failure, one.after_ms) for one in look.entries] == [
        ("a", None, 0),
        (None, Failure("transient", "busy", "later"), 0),
        (None, None, None),
    ]
    assert found.fixtures["send@1"].entries[0].failure == Failure("permanent", "fixture", "it broke")
    assert found.fixtures["tool:send_email"].entries[0].value == {"to": "nobody"}
    assert {want.what: want.value for want in found.expect} == {
        "took": 5_400_000,
        "path": ["kind.sales", "facts/look", "send@1"],
        "calls": [{"tool": "search"}, {"tool": "send_email", "with": {"to": "x"}}],
    }


def test_an_output_with_the_keys_of_a_fixture_stands_below_output() -> None:
    found = case("- {name: a, fixtures: {research: {output: {error: none, after: all}}}}")
    assert found.fixtures["research"].entries[0].value == {"error": "none", "after": "all"}


@pytest.mark.parametrize("word", ["output", "answer", "route"])
def test_what_it_comes_to_may_be_said_in_three_words(word: str) -> None:
    assert case(f"- {{name: a, fixtures: {{kind: {{{word}: sales}}}}}}").fixtures["kind"].entries[0].value == "sales"


@pytest.mark.parametrize(
    ("text", "line", "column", "rule", "said"),
    [
        ("", 1, 1, "yaml", "expected a list of tests"),
        ("name: a", 1, 1, "yaml", "expected a list of tests"),
        ("- [", 2, 1, "yaml", "did not find"),
        ("- {inputs: {lead: x}}", 1, 3, "missing-key", "a test needs 'name'"),
        ("- {name: a, fixture: {}}", 1, 13, "unknown-key", "Did you mean 'fixtures'"),
        ("- {name: a, inputs: {laed: x}}", 1, 22, "argument", "has no input 'laed'. Did you mean 'lead'"),
        ("- {name: a, inputs: {size: many}}", 1, 28, "type", "the input 'size' takes integer"),
        ("- {name: a, trigger: webhok}", 1, 22, "value", "Did you mean 'webhook'"),
        ("- {name: a, at: tomorrow}", 1, 17, "value", "a time with its zone"),
        ("- {name: a, at: 2030-01-01T09:00:00}", 1, 17, "value", "a time with its zone"),
        ("- {name: a, fixtures: {reserch: x}}", 1, 24, "unknown-step", "Did you mean 'research'"),
        ("- {name: a, fixtures: {facts/lok: x}}", 1, 24, "unknown-step", "Did you mean 'look'"),
        ("- {name: a, fixtures: {research/look: x}}", 1, 24, "unknown-step", "'research' is no playbook's step"),
        ("- {name: a, fixtures: {tool:serch: x}}", 1, 24, "unknown-tool", "Did you mean 'search'"),
        ("- {name: a, fixtures: {agent:reseacher: x}}", 1, 24, "unknown-agent", "Did you mean 'researcher'"),
        ("- {name: a, fixtures: {l: x}}", 1, 24, "value", "'l' is a loop, which is worked out"),
        ("- {name: a, fixtures: {big: yes}}", 1, 24, "value", "'big' is a condition, which is worked out"),
        ("- {name: a, fixtures: {research: {output: x, afer: 3s}}}", 1, 46, "unknown-key", "Did you mean 'after'"),
        ("- {name: a, fixtures: {research: {output: x, error: y}}}", 1, 46, "value", "comes to one thing"),
        ("- {name: a, fixtures: {send: {error: y, result: {text: x}}}}", 1, 41, "value", "fails has no `result`"),
        ("- {name: a, fixtures: {research: {after: soon}}}", 1, 42, "value", "a time such as"),
        ("- {name: a, fixtures: {research: {tokens: -1}}}", 1, 43, "value", "a whole number"),
        ("- {name: a, fixtures: {research: {error: {kind: transent}}}}", 1, 49, "value", "Did you mean 'transient'"),
        ("- {name: a, fixtures: {research: []}}", 1, 34, "value", "an empty list is `output: []`"),
        ("- {name: a, expect: {statsu: failed}}", 1, 22, "unknown-key", "Did you mean 'status'"),
        ("- {name: a, expect: {status: faild}}", 1, 30, "value", "Did you mean 'failed'"),
        ("- {name: a, expect: {outputs: {snt: x}}}", 1, 32, "argument", "gives back no 'snt'. Did you mean 'sent'"),
        ("- {name: a, expect: {path: [kind.sales, reserch]}}", 1, 41, "unknown-step", "Did you mean 'research'"),
        ("- {name: a, expect: {skipped: reserch}}", 1, 31, "value", "a list"),
        ("- {name: a, expect: {calls: [{tol: x}]}}", 1, 31, "unknown-key", "Did you mean 'tool'"),
        ("- {name: a, expect: {took: long}}", 1, 28, "value", "a time such as"),
        ("- {name: a}\n- {name: a}", 2, 10, "double-id", "another test is called 'a' already"),
    ],
)
def test_what_is_wrong_is_told_where_it_stands(text: str, line: int, column: int, rule: str, said: str) -> None:
    _, faults = read(text)
    assert [(fault.line, fault.column, fault.rule) for fault in faults] == [(line, column, rule)], faults
    assert said in faults[0].message
    assert rule in RULES


def test_there_is_a_bound() -> None:
    _, faults = read("\n".join(f"- {{name: t{number}}}" for number in range(MAX_CASES + 1)))
    assert [(fault.rule, fault.line) for fault in faults] == [("size", MAX_CASES + 1)]


@pytest.mark.parametrize(
    ("word", "at", "route"),
    [
        ("kind", "kind", ""),
        ("kind.sales", "kind", "sales"),
        ("kind@2.sales", "kind@2", "sales"),
        ("kind@2.1.sales", "kind@2.1", "sales"),
        ("sub@1/kind@2.sales-now", "sub@1/kind@2", "sales-now"),
        ("no step", "no step", ""),
    ],
)
def test_a_way_is_told_from_an_address(word: str, at: str, route: str) -> None:
    assert split_route(word) == (at, route)


def test_every_key_says_what_it_is() -> None:
    for keys in (CASE, FIXTURE, ERROR, EXPECT):
        assert all(key.about.endswith(".") for key in keys)
