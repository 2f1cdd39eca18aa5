"""What of a run is from outside where it begins, and what its log adds to that."""

from __future__ import annotations

from typing import Any

import pytest

from sulla.core.ids import ThreadId
from sulla.core.words import Author
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.machine.data_flow import EVERYTHING, INPUTS, PAYLOAD
from sulla.playbooks.machine.plan import build
from sulla.playbooks.records import Played
from sulla.playbooks.run.orders import RunOrder, play_of
from sulla.playbooks.run.trust import RunTrust, trust_in

TEXT = """
name: one
inputs: {x: {type: string, default: y}}
steps:
  - {id: a, tool: look, with: {url: "https://a.example/${{ inputs.x }}"}}
  - {id: b, tool: look, with: {url: "https://a.example/${{ run.payload }}"}}
  - {id: c, tool: look, with: {url: "https://a.example/${{ steps.a.output }}"}}
  - {id: d, tool: look, with: {url: "https://a.example"}}
  - {id: e, tool: look, with: {url: "https://a.example"}, check: orchestrator}
"""


def trust(trigger: str = "manual", *facts: Played, **order: Any) -> RunTrust:
    made = check_playbook(TEXT)
    assert made.definition is not None, made.faults
    play = play_of(made.definition, TEXT, trigger, ThreadId(""))
    given: dict[str, Any] = {"do": "start", "by": Author.OUTSIDE, "own": True, **order}
    return trust_in(build(made.definition), play, RunOrder(**given), facts)


def asked(of: RunTrust, by: Author = Author.OUTSIDE) -> str:
    return "".join(step for step in "abcde" if of.whose(step, by, reads=True).tainted)


@pytest.mark.parametrize(
    ("trigger", "order", "outside", "steps"),
    [
        ("manual", {}, {INPUTS, PAYLOAD}, "abce"),
        ("agent", {}, {INPUTS, PAYLOAD}, "abce"),
        ("playbook", {}, {INPUTS, PAYLOAD}, "abce"),
        ("playbook", {"inputs_own": True}, {PAYLOAD}, "be"),
        ("webhook", {}, {PAYLOAD}, "be"),
        ("event", {}, {PAYLOAD}, "be"),
        ("webhook", {"by": Author.PERSON}, set(), "e"),
        ("manual", {"do": "fork"}, {EVERYTHING}, "abce"),
        ("webhook", {"own": False}, {PAYLOAD}, "abcde"),
        ("manual", {"own": False, "by": Author.PERSON}, set(), "e"),
    ],
)
def test_what_a_run_begins_with_counts_for_the_steps_that_it_flows_into(
    trigger: str, order: dict[str, Any], outside: set[str], steps: str
) -> None:
    found = trust(trigger, **order)
    assert (found.outside, asked(found)) == (outside, steps)


def test_a_step_that_came_to_words_from_outside_counts_for_those_that_name_it() -> None:
    told = (
        Played("STEP_COMPLETED", "a@2", tainted=True),
        Played("STEP_COMPLETED", "b"),
        Played("TAKEN_UP", tainted=True),
    )
    assert asked(trust("manual", *told, by=Author.PERSON)) == "ce"


@pytest.mark.parametrize(("at", "tainted"), [("a", True), ("d", True)])
def test_what_takes_effect_counts_with_all_that_the_run_holds(at: str, tainted: bool) -> None:
    of = trust("manual", Played("STEP_COMPLETED", "b", tainted=True), by=Author.PERSON)
    assert of.whose(at, Author.OUTSIDE).tainted is tainted


def test_a_question_names_what_is_from_outside() -> None:
    of = trust("webhook", Played("STEP_COMPLETED", "a", tainted=True), Played("STEP_COMPLETED", "d", tainted=True))
    assert of.told("c", reads=True) == "what 'a' came to"
    assert of.told("d", reads=False) == "what 'a' came to, what began the run"
    assert of.told("d", reads=True) == ""


ENDS = """
name: one
steps:
  - {id: a, tool: look, with: {url: "https://a.example"}}
  - {id: b, tool: look, with: {url: "https://a.example"}}
finally:
  - {id: how, tool: look, with: {url: "https://a.example/${{ run.status }}"}}
  - {id: why, tool: look, with: {url: "https://a.example/${{ run.error.message }}"}}
  - {id: both, tool: look, with: {url: "https://a.example/${{ steps.a.output }}"}}
"""


def test_how_a_run_ends_is_no_word_from_outside_and_a_question_about_why_says_that_it_is_about_the_run() -> None:
    made = check_playbook(ENDS)
    assert made.definition is not None, made.faults
    facts = [Played("STEP_COMPLETED", step, tainted=True) for step in "ab"]
    of = trust_in(build(made.definition), None, RunOrder("start", by=Author.PERSON, own=True), facts)
    assert {step: of.told(step, reads=True) for step in ("how", "why", "both")} == {
        "how": "",
        "why": "how the run went, which hangs on what 'a' came to, what 'b' came to",
        "both": "what 'a' came to, and how the run went, which hangs on what 'b' came to",
    }
    assert [of.whose(step, Author.OUTSIDE, reads=True).tainted for step in ("how", "why", "both")] == [
        False,
        True,
        True,
    ]


def test_another_attempt_counts_as_the_first_one_did_where_nothing_but_its_answer_came_from_outside() -> None:
    answered = trust("manual", Played("STEP_FAILED", "a", tainted=True), by=Author.PERSON)
    assert [answered.whose(step, Author.OUTSIDE).tainted for step in "acd"] == [False, True, True]
    assert trust("webhook", Played("STEP_FAILED", "a", tainted=True)).whose("a", Author.OUTSIDE).tainted


def begun(at: str, attempt: int, url: str) -> Played:
    return Played("STEP_STARTED", at, {"attempt": attempt, "given": {"args": {"url": url}}})


def test_another_attempt_at_the_same_call_does_not_count_with_what_came_in_beside_it() -> None:
    first, retry = begun("c", 1, "https://a.example"), Played("STEP_RETRY", "c", tainted=True)
    beside, other = Played("STEP_COMPLETED", "d", tainted=True), begun("c", 2, "https://b.example")
    again = begun("c", 2, "https://a.example")
    tainted = {
        "beside it": (first, beside, retry, again),
        "before it": (beside, first, retry, again),
        "with other arguments": (first, beside, retry, other),
        "once more from the beginning": (first, beside, retry, begun("c", 1, "https://a.example")),
        "with a first attempt that nobody knows": (beside, retry, again),
    }
    found = {
        name: trust("manual", *facts, by=Author.PERSON).whose("c", Author.OUTSIDE).tainted
        for name, facts in tainted.items()
    }
    assert found == {name: name != "beside it" for name in tainted}
    assert trust("manual", first, beside, retry, again, by=Author.PERSON).told("c", reads=False) == ""


LOOP = """
name: one
steps:
  - id: l
    loop:
      count: 3
      steps:
        - {id: a, tool: look, with: {url: "${{ loop.last.u | default('https://a.example') }}"}}
        - {id: p, playbook: other, with: {u: "${{ loop.last.u | default('https://a.example') }}"}}
        - {id: s, set: {u: "${{ steps.a.output }}"}}
"""


@pytest.mark.parametrize("step", ["a", "p"])
def test_another_pass_is_no_other_attempt_and_counts_with_what_the_passes_before_it_came_to(step: str) -> None:
    made = check_playbook(LOOP)
    assert made.definition is not None, made.faults
    order, facts = RunOrder("start", by=Author.PERSON, own=True), (Played("STEP_FAILED", f"{step}@0", tainted=True),)
    of = trust_in(build(made.definition), None, order, facts)
    assert [of.whose(f"{step}@{number}", Author.OUTSIDE).tainted for number in (0, 1)] == [False, True]


def test_what_takes_effect_counts_as_from_outside_where_nothing_says_what_of_the_run_is() -> None:
    assert trust("manual", Played("TAKEN_UP", tainted=True), by=Author.PERSON).whose("a", Author.OUTSIDE).tainted


AGENTS = """
name: one
steps:
  - {id: page, tool: look, with: {url: "https://a.example"}}
  - {id: apart, needs: [], agent: , prompt: Begin}
  - {id: after, needs: [page], agent: , prompt: Begin}
  - {id: told, needs: [page], agent: , prompt: "${{ steps.page.output }}"}
  - id: both
    needs: []
    parallel:
      branches:
        one: [{id: one, tool: look, with: {url: "https://a.example"}}]
        two: [{id: two, agent: , prompt: Begin}]
  - {id: when, needs: [both], when: "${{ steps.both.status == 'completed' }}", agent: , prompt: Begin}
"""


def test_an_agent_counts_by_what_it_is_told_and_by_what_had_it_set_to_work() -> None:
    made = check_playbook(AGENTS)
    assert made.definition is not None, made.faults
    facts = (Played("STEP_COMPLETED", "page", tainted=True), Played("STEP_COMPLETED", "one", tainted=True))
    plan, names = build(made.definition), ("apart", "after", "told", "two", "when")
    begun = {
        by: trust_in(plan, None, RunOrder("start", by=by, own=True), facts) for by in (Author.PERSON, Author.OUTSIDE)
    }
    found = {by: [name for name in names if of.whose(name, Author.OUTSIDE).tainted] for by, of in begun.items()}
    assert found == {Author.PERSON: ["after", "told", "when"], Author.OUTSIDE: list(names)}


WITHIN = """
name: one
inputs: {x: {type: string, default: y}}
steps:
  - {id: page, tool: look, with: {url: "https://a.example"}}
  - {id: fixed, playbook: other, with: {u: mate}}
  - {id: given, playbook: other, with: {u: "${{ inputs.x }}"}}
  - {id: read, playbook: other, with: {u: "${{ steps.page.output }}"}}
"""


@pytest.mark.parametrize(
    ("order", "own"),
    [
        ({"by": Author.PERSON}, ["fixed", "given"]),
        ({"by": Author.OUTSIDE}, ["fixed"]),
        ({"by": Author.OUTSIDE, "inputs_own": True}, ["fixed", "given"]),
        ({"by": Author.OUTSIDE, "own": False}, []),
    ],
)
def test_a_playbook_within_is_given_what_is_the_files_own_or_from_outside(
    order: dict[str, Any], own: list[str]
) -> None:
    made = check_playbook(WITHIN)
    assert made.definition is not None, made.faults
    given: dict[str, Any] = {"do": "start", "own": True, **order}
    of = trust_in(build(made.definition), None, RunOrder(**given), [Played("STEP_COMPLETED", "page", tainted=True)])
    assert [step for step in ("fixed", "given", "read") if of.gives_own(step, Author.OUTSIDE)] == own
    assert of.whose("fixed", Author.OUTSIDE).tainted


def test_in_a_run_without_words_from_outside_nothing_is_from_there() -> None:
    assert asked(trust("manual", by=Author.PERSON), Author.AGENT) == ""


@pytest.mark.parametrize(
    ("trigger", "by", "askers"),
    [
        ("manual", Author.PERSON, ()),
        ("manual", Author.OUTSIDE, ("sulla",)),
        ("webhook", Author.OUTSIDE, ()),
        ("agent", Author.PERSON, ("reader",)),
    ],
)
def test_whoever_begins_a_run_in_a_models_place_answers_for_its_agents(
    trigger: str, by: Author, askers: tuple[str, ...]
) -> None:
    assert trust(trigger, by=by).askers("reader") == askers
