"""A test of a playbook tells what was expected, what came and where; it passes where all is as expected."""

from __future__ import annotations

import pytest

from sulla.core.errors import NotFound
from sulla.playbooks.definition import Definition
from sulla.playbooks.expression.expression import evaluate
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.rehearsal.base import RehearsalSetting
from sulla.playbooks.rehearsal.cases_judge import CaseVerdict, duration_told, same, try_case
from sulla.playbooks.rehearsal.cases_read import read_cases

PLAYBOOK = """
name: p
inputs: {lead: {type: string, default: Ann}, how: {choices: [fast, slow], default: fast}}
outputs: {sent: "${{ steps.send.output }}", n: 3}
steps:
  - {id: kind, router: What?, routes: {sales: x, other: y}}
  - {id: sleep, needs: [kind.sales], wait: 1h}
  - {id: send, tool: send_email, with: {to: "${{ inputs.lead }}", n: 3, more: {tags: [{a: 1, b: 2}], by: x}}}
  - {id: say, respond: "Sent to ${{ inputs.lead }}"}
"""
FIXTURES = "fixtures: {kind: sales, send: done}"


def find(name: str) -> Definition:
    raise NotFound(f"there is no playbook {name!r}")


def tried(text: str, playbook: str = "") -> CaseVerdict:
    definition = check_playbook(playbook or PLAYBOOK).definition
    assert definition is not None
    cases, faults = read_cases(text, definition, find)
    assert faults == ()
    return try_case(cases[0], definition, RehearsalSetting(find, evaluate))


@pytest.mark.parametrize(
    "expect",
    [
        "{}",
        "{status: completed}",
        "{outputs: {sent: done}}",
        "{outputs: {n: 3, sent: done}}",
        "{path: [kind, send]}",
        "{path: [kind.sales, sleep, send, say]}",
        "{calls: [send_email]}",
        "{calls: [{tool: send_email, with: {to: Ann}}]}",
        "{calls: [{tool: send_email, with: {more: {by: x}}}]}",
        "{calls: [{tool: send_email, with: {more: {tags: [{a: 1}]}}}]}",
        "{told: [to Ann]}",
        "{took: 1h, skipped: [], failed: []}",
    ],
)
def test_what_is_as_expected_passes(expect: str) -> None:
    verdict = tried(f"- {{name: a, {FIXTURES}, expect: {expect}}}")
    assert verdict.misses == ()
    assert verdict.rehearsed is not None


@pytest.mark.parametrize(
    ("expect", "said"),
    [
        ("{status: failed}", "expected it to be failed, and it is completed"),
        ("{reason: boom}", "expected a failure with the reason boom; there was none"),
        ("{outputs: {sent: later}}", 'expected the output \'sent\' to be "later"; it is "done"'),
        ("{outputs: {n: '3'}}", "expected the output 'n' to be \"3\"; it is 3"),
        (
            "{path: [send, kind]}",
            "expected 'kind' to be done after 'send'; what was done: kind.sales → sleep → send → say",
        ),
        ("{path: [kind.other]}", "expected 'kind.other' to be done; what was done: kind.sales"),
        ("{skipped: [send]}", "expected 'send' to be skipped; it was completed"),
        ("{failed: [send]}", "expected 'send' to be failed; it was completed"),
        ("{calls: []}", 'expected the calls none; they are send_email({"to": "Ann", "n": 3,'),
        ("{calls: [send_email, send_email]}", "expected the calls send_email, send_email; they are"),
        (
            "{calls: [{tool: send_email, with: {to: Bob}}]}",
            "call 1, send_email by 'send': expected 'to' to be \"Bob\"; it is \"Ann\"",
        ),
        ("{calls: [{tool: send_email, with: {cc: Bob}}]}", "expected 'cc' to be \"Bob\"; it is not there"),
        (
            "{calls: [{tool: send_email, with: {more: {tags: [{a: 2}]}}}]}",
            "call 1, send_email by 'send': expected 'more.tags[0].a' to be 2; it is 1",
        ),
        ("{calls: [{tool: send_email, with: {more: {tags: []}}}]}", "expected 'more.tags' to be []; it is [{"),
        ("{calls: [{tool: send_email, with: {more: {to: x}}}]}", "expected 'more.to' to be \"x\"; it is not there"),
        ("{told: []}", 'expected 0 texts to be told; they are ["Sent to Ann"]'),
        ("{told: [to Bob]}", 'expected "to Bob" to be told; it is "Sent to Ann"'),
        ("{took: 2h}", "expected it to take 2h; it took 1h"),
    ],
)
def test_what_is_not_as_expected_is_told_with_its_line(expect: str, said: str) -> None:
    verdict = tried(f"- name: a\n  {FIXTURES}\n  expect:\n    {expect[1:-1]}\n")
    assert [said in miss.message for miss in verdict.misses] == [True], verdict.misses
    assert verdict.misses[0].line == 4


def test_a_run_that_fails_has_to_be_expected() -> None:
    text = "- name: a\n  fixtures: {kind: sales, send: {error: no post}}\n"
    verdict = tried(text)
    assert [(miss.line, miss.message) for miss in verdict.misses] == [
        (1, "expected it to be completed, and it is failed: step 'send' failed: no post")
    ]
    assert tried(f"{text}  expect: {{status: failed, reason: fixture, failed: [send]}}").misses == ()


def test_the_reason_that_is_expected_is_that_of_the_run_and_none_of_any_step() -> None:
    text = (
        "name: p\nsteps:\n  - {id: a, needs: [], tool: look, on_failure: go_on}\n"
        "  - {id: b, needs: [], tool: look, with: {x: 1}}\n"
    )
    case = "- {name: a, fixtures: {a: {error: no}, b: {error: {reason: cut}}}, expect: {reason: WORD, status: failed}}"
    misses = {
        word: [miss.message for miss in tried(case.replace("WORD", word), text).misses] for word in ("cut", "fixture")
    }
    assert misses["cut"] == []
    assert "expected it to have failed with the reason fixture; there was cut" in misses["fixture"][0]


def test_a_run_that_gives_back_nothing_is_told_once_for_all_outputs() -> None:
    text = "- {name: a, fixtures: {kind: sales, send: {error: no post}}, expect: {outputs: {sent: done, n: 3}}}\n"
    assert [miss.message for miss in tried(text).misses] == [
        "expected it to be completed, and it is failed: step 'send' failed: no post",
        "expected the outputs 'sent', 'n'; it is failed, and gives back nothing",
    ]


def test_a_step_without_a_fixture_is_named() -> None:
    verdict = tried("- {name: a, fixtures: {kind: sales}}")
    assert verdict.rehearsed is None
    assert verdict.misses[0].message == (
        "the step 'send' (tool) has no fixture: say under `fixtures` what it comes to, as 'send' or 'tool:send_email'"
    )


def test_entries_that_have_run_out_are_told_with_the_line_of_the_fixture() -> None:
    verdict = tried("- name: a\n  fixtures:\n    kind: [neither]\n")
    assert verdict.misses[0].message == "the fixture 'kind' in line 3 has 1 entries, and 'kind' asks for another one"


def test_inputs_that_are_not_enough_are_told() -> None:
    verdict = tried("- {name: a, inputs: {how: quick}}")
    assert "the input 'how' is 'quick'; expected one of 'fast', 'slow'" in verdict.misses[0].message


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (1, 1.0, True),
        (1, True, False),
        ([1, 2], (1, 2), True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ("1", 1, False),
    ],
)
def test_values_are_the_same_as_json_has_them(one: object, other: object, alike: bool) -> None:
    assert same(one, other) is alike  # type: ignore[arg-type]  # a tuple is what a frozen list comes as


@pytest.mark.parametrize(("ms", "said"), [(0, "0s"), (999, "0s"), (5_400_000, "1h30m"), (266_461_000, "3d2h1m1s")])
def test_times_are_told_as_they_are_written(ms: int, said: str) -> None:
    assert duration_told(ms) == said
