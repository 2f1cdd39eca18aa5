"""What flows into a step is what its expressions name, over all that stands between."""

from __future__ import annotations

import pytest

from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.machine.data_flow import EVERYTHING, INPUTS, PAYLOAD, DataFlow, reached_by

STEPS = """
name: flow
inputs: {leaf: {type: string, default: mate}}
steps:
  - {id: page, tool: look, with: {url: "https://tea.example"}}
  - {id: other, tool: look, with: {url: "https://tea.example/${{ inputs.leaf }}"}}
  - {id: kept, set: {cups: "${{ steps.page.output | length }}", plain: 2}}
  - {id: asked, human: "Is ${{ steps.page.output }} good?", input: {type: string}}
  - id: both
    parallel:
      branches:
        one: [{id: one, set: {x: "${{ steps.kept.output.cups }}"}}]
        two: [{id: two, set: {x: "${{ inputs.leaf }}"}}]
  - id: each
    loop:
      for_each: ${{ steps.page.output | lines }}
      as: row
      steps:
        - {id: inner, set: {x: "${{ row }}"}}
        - {id: number, set: {x: "${{ loop.index }}"}}
        - {id: before, set: {x: "${{ loop.last }}"}}
  - id: pairs
    loop:
      matrix: {a: "${{ steps.page.output | lines }}", b: ["${{ inputs.leaf }}"]}
      steps: [{id: cell, set: {x: "${{ item.a }}"}}]
  - id: written
    loop:
      for_each: [{a: "${{ steps.page.output }}"}]
      steps: [{id: line, set: {x: "${{ item.a }}"}}]
  - {id: end, STEP}
"""


def into(step: str, name: str = "end") -> frozenset[str]:
    made = check_playbook(STEPS.replace("STEP", step))
    assert made.definition is not None, made.faults
    return DataFlow(made.definition).into(name)


@pytest.mark.parametrize(
    ("given", "reached"),
    [
        ("it came", set()),
        ("${{ inputs.leaf }}", {INPUTS}),
        ("${{ run.id }} ${{ run.started_at }}", set()),
        ("${{ run.payload.text }}", {PAYLOAD}),
        ("${{ run.headers['x-kind'] }}", {PAYLOAD}),
        ("${{ steps.page.output }}", {"page"}),
        ("${{ steps.page.status }}", {"page"}),
        ("${{ steps.page.result.text }}", {"page"}),
        ("${{ steps.pairs.output }}", {"pairs", "cell", "page", INPUTS}),
        ("${{ steps.written.output }}", {"written", "line", "page"}),
        ("${{ steps.other.error.message | default('') }}", {"other", INPUTS}),
        ("${{ steps.kept.output.plain }}", {"kept", "page"}),
        ("${{ steps.asked.output }}", {"asked"}),
        ("${{ steps.both.output.two }}", {"both", "one", "two", "kept", "page", INPUTS}),
        ("${{ steps.each.output }}", {"each", "inner", "number", "before", "page"}),
        ("${{ 'a' if steps.page.output == 'b' else inputs.leaf }}", {"page", INPUTS}),
    ],
)
def test_what_an_argument_holds_is_what_its_expressions_name(given: str, reached: set[str]) -> None:
    assert into(f'tool: send, with: {{to: "{given}"}}') == reached


def test_an_agent_is_shown_what_came_of_its_own_attempts() -> None:
    assert into("agent: sulla, prompt: Begin, success: '${{ inputs.leaf }}'") == {"end", INPUTS}


@pytest.mark.parametrize(
    ("step", "reached"),
    [("inner", {"page"}), ("number", {"page"}), ("before", {"inner", "number", "before", "page"})],
)
def test_the_entry_of_a_loop_is_of_its_list_and_its_last_output_of_what_stands_in_it(
    step: str, reached: set[str]
) -> None:
    assert into("respond: hi", step) == reached


@pytest.mark.parametrize(
    ("flows", "outside", "reached"),
    [
        ({"a"}, {"b"}, set()),
        ({"a", "c"}, {"b", "c"}, {"c"}),
        (set(), {EVERYTHING}, set()),
        ({"a"}, {EVERYTHING}, {EVERYTHING}),
        ({EVERYTHING}, {"b"}, {"b"}),
        ({EVERYTHING}, set(), set()),
    ],
)
def test_where_nobody_can_say_what_flows_all_does(flows: set[str], outside: set[str], reached: set[str]) -> None:
    assert reached_by(flows, outside) == reached


def test_what_is_done_at_the_end_hangs_on_every_step_and_its_error_may_hold_anything() -> None:
    at_end = """
on_error:
  - {id: told, set: {x: "${{ run.error.message }}"}}
  - {id: plain, set: {x: "${{ steps.other.output }} ${{ run.status }}"}}
"""
    made = check_playbook(STEPS.replace("STEP", "wait: 1s") + at_end)
    assert made.definition is not None, made.faults
    flow = DataFlow(made.definition)
    assert flow.into("told") == {EVERYTHING}
    assert {"other", INPUTS, EVERYTHING} <= flow.into("plain")  # there is no output where another step has failed
    assert EVERYTHING in flow.behind("plain")
    assert EVERYTHING not in flow.behind("other")


CHOSEN = """
name: chosen
inputs: {leaf: {type: string, default: mate}}
steps:
  - {id: page, tool: look, with: {url: "https://tea.example"}}
  - {id: clean, set: {v: 1}}
  - {id: way, condition: "${{ WHAT == 's' }}"}
  - {id: yes, needs: [way.yes], set: {v: a}}
  - {id: no, needs: [way.no], set: {v: b}}
  - {id: met, needs: [yes, no], merge: first}
  - {id: road, needs: [met], router: "${{ WHAT }}", routes: {a: x, b: y}, default: b}
  - {id: left, needs: [road.a], set: {v: a}}
  - {id: right, needs: [road.b], set: {v: b}}
  - {id: joined, needs: [left, right], merge: first}
  - {id: maybe, needs: [joined], when: "${{ WHAT == 's' }}", set: {v: a}}
  - {id: behind, needs: [maybe], set: {v: c}}
  - {id: end, needs: [NEEDS], tool: send, with: {to: "${{ GIVEN }}"}}
"""


@pytest.mark.parametrize(
    ("given", "needs"),
    [
        ("steps.met.output.v", "met"),
        ("steps.met.route", "met"),
        ("steps.joined.output.v", "joined"),
        ("steps.yes.output.v | default('no')", "met"),
        ("steps.yes.status", "met"),
        ("steps.maybe.status", "{maybe: always}"),
        ("steps.maybe.output.v | default('no')", "{maybe: always}"),
        ("steps.behind.status", "{behind: always}"),
    ],
)
def test_what_was_done_at_all_says_what_decided_that(given: str, needs: str) -> None:
    for what, reached in (("run.payload.x", PAYLOAD), ("steps.page.output", "page"), ("inputs.leaf", INPUTS)):
        made = check_playbook(CHOSEN.replace("WHAT", what).replace("NEEDS", needs).replace("GIVEN", given))
        assert made.definition is not None, made.faults
        assert reached in DataFlow(made.definition).into("end"), what


@pytest.mark.parametrize(
    ("given", "needs"),
    [
        ("steps.clean.output.v", "met"),
        ("steps.clean.output.v", "behind"),
        ("steps.yes.output.v", "yes"),
        ("steps.behind.output.v", "behind"),
        ("inputs.leaf", "{maybe: always}"),
    ],
)
def test_what_surely_was_done_says_nothing_of_what_came_before_it(given: str, needs: str) -> None:
    made = check_playbook(CHOSEN.replace("WHAT", "run.payload.x").replace("NEEDS", needs).replace("GIVEN", given))
    assert made.definition is not None, made.faults
    assert not {"page", PAYLOAD} & DataFlow(made.definition).into("end")


RACED = """
name: raced
steps:
  - {id: page, tool: look, with: {url: "https://tea.example"}}
  - {id: slow, needs: [page], wait: "${{ steps.page.output }}"}
  - {id: clock, needs: [], wait: 1s}
  - {id: behind, needs: [clock], set: {v: 1}}
  - {id: apart, needs: [], set: {v: 1}}
  - {id: end2, needs: [slow], set: {v: 1}}
  - {id: met, needs: [end2, behind], merge: first, REST}
  - {id: end, needs: [met, apart], tool: send, with: {to: "${{ GIVEN }}"}}
"""


@pytest.mark.parametrize(
    ("given", "rest", "reached"),
    [
        ("steps.clock.status", "rest: cancel", True),
        ("steps.behind.output.v | default('no')", "rest: cancel", True),
        ("steps.behind.status", "rest: go_on", False),
        ("steps.apart.status", "rest: cancel", False),
        ("steps.end2.output.v | default('no')", "rest: cancel", True),
    ],
)
def test_what_a_merge_leaves_behind_says_how_the_others_did(given: str, rest: str, reached: bool) -> None:
    made = check_playbook(RACED.replace("REST", rest).replace("GIVEN", given))
    assert made.definition is not None, made.faults
    assert ("page" in DataFlow(made.definition).into("end")) == reached


PICKED = """
name: picked
on: [{webhook: key}]
secrets: [key]
steps:
  - {id: clean, set: {v: 1}}
  - id: outer
    loop:
      count: 1
      steps:
        - id: l
          loop:
            for_each: [a, b, c]
            steps:
              - {id: s, set: {card: "${{ item }}"}}
              - {id: page, tool: look, with: {url: "https://tea.example"}}
              - STOP
              - {id: inside, needs: [s], set: {x: "${{ steps.s.output.card }}"}}
        - {id: near, set: {x: "${{ steps.s.output.card }}"}}
  - {id: end, tool: send, with: {to: "${{ steps.s.output.card }}"}}
"""


@pytest.mark.parametrize(
    ("stop", "reached"),
    [
        ('{id: br, when: "${{ steps.page.output == item }}", break: true}', "page"),
        ('{id: br, needs: [s], when: "${{ run.payload.x == item }}", break: true}', PAYLOAD),
        ('{id: br, needs: [s], when: "${{ run.payload.x == item }}", fail: enough}', PAYLOAD),
        ("{id: br, needs: [{page: failure}], break: true}", "page"),
    ],
)
def test_which_pass_was_the_last_says_what_ended_the_loop(stop: str, reached: str) -> None:
    made = check_playbook(PICKED.replace("STOP", stop))
    assert made.definition is not None, made.faults
    flow = DataFlow(made.definition)
    assert {step for step in ("end", "near", "inside") if reached in flow.into(step)} == {"end", "near"}


def test_how_often_a_loop_went_round_says_what_its_while_looked_at() -> None:
    source = """
name: counted
steps:
  - id: round
    loop:
      while: ${{ loop.last is none or loop.last == 'more' }}
      steps:
        - {id: page, tool: look, with: {url: "https://tea.example"}}
  - {id: end, needs: [round], tool: send, with: {to: "${{ steps.round.output | length }}"}}
"""
    inside = source.replace("output | length", "status").replace(
        "  - {id: end,", '        - {id: number, set: {x: "${{ loop.index }}"}}\n  - {id: end,'
    )
    for text, step in ((source, "end"), (inside, "number")):
        made = check_playbook(text)
        assert made.definition is not None, made.faults
        assert "page" in DataFlow(made.definition).into(step), step


def test_a_choice_of_what_is_trusted_stays_trusted_behind_a_merge() -> None:
    made = check_playbook(
        CHOSEN.replace("WHAT", "inputs.leaf").replace("NEEDS", "met").replace("GIVEN", "steps.met.output.v")
    )
    assert made.definition is not None, made.faults
    assert not {"page", PAYLOAD} & DataFlow(made.definition).into("end")


def test_at_the_end_how_a_run_went_says_what_all_of_it_was() -> None:
    last = """
finally:
  - {id: chosen, tool: send, with: {to: "${{ 'you' if run.status == 'failed' else 'me' }}"}}
  - {id: kept, set: {how: "${{ run.status }}"}}
  - {id: behind, tool: send, with: {to: "${{ 'you' if steps.kept.output.how == 'failed' else 'me' }}"}}
  - {id: given, playbook: other, with: {to: "${{ run.status }}"}}
  - {id: fixed, tool: send, with: {to: me}}
"""
    made = check_playbook(STEPS.replace("kept", "held").replace("STEP", "wait: 1s") + last)
    assert made.definition is not None, made.faults
    flow = DataFlow(made.definition)
    assert {step: EVERYTHING in flow.into(step) for step in ("chosen", "behind", "given", "fixed")} == {
        **dict.fromkeys(("chosen", "behind", "given"), True),
        "fixed": False,
    }


def test_the_word_for_how_a_run_ends_is_the_daemons_own_in_what_a_tool_is_called_with_and_in_nothing_made_of_that() -> (
    None
):
    last = """
finally:
  - {id: said, tool: look, with: {url: "https://tea.example/${{ run.id }}/${{ run.status }}"}}
  - {id: more, tool: look, with: {url: "https://tea.example/${{ run.status }}/${{ run.error.message }}"}}
  - {id: behind, tool: send, with: {to: "${{ 'you' if 'failed' in steps.said.output else 'me' }}"}}
"""
    made = check_playbook(STEPS.replace("STEP", "wait: 1s") + last)
    assert made.definition is not None, made.faults
    flow = DataFlow(made.definition)
    assert flow.into("said") == set()
    assert EVERYTHING in flow.into("more")
    assert EVERYTHING in flow.into("behind")
