"""What somebody has said that steps came to is not done, and a step alone leaves all others undone."""

from __future__ import annotations

import pytest

from sulla.core.jsontypes import FrozenJson
from sulla.playbooks.expression.expression import evaluate
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.machine.given import alone, given_facts
from sulla.playbooks.machine.machine import Playbook
from sulla.playbooks.machine.plan import build
from sulla.playbooks.machine.records import Fact, RunEnded, StepCompleted, StepSkipped, StepStarted

TEXT = """
name: mixed
outputs: {all: "${{ steps.c.output.it }}"}
steps:
  - {id: a, tool: t, with: {x: 1}}
  - {id: ok, human: Fine?}
  - {id: b, needs: [ok.no], tool: t, with: {x: "${{ steps.a.output }}"}}
  - {id: bad, needs: [{a: failure}], set: {it: "${{ steps.a.error.kind }}"}}
  - {id: both, needs: [b, ok], merge: all}
  - {id: first, needs: [a, b], merge: first}
  - {id: behind, set: {it: 1}}
  - {id: second, needs: [first.b], set: {it: "${{ steps.first.output }} of ${{ steps.first.route }}"}}
  - {id: third, needs: [both], set: {it: "${{ steps.both.output.b }}"}}
  - {id: c, needs: [both], set: {it: "${{ steps.a.output }}!"}}
  - id: each
    loop: {for_each: "${{ steps.a.output | lines }}", steps: [{id: one, set: {it: "${{ item }}"}}]}
finally:
  - {id: tidy, tool: t, with: {x: 2}}
"""


def walked(step: str, given: FrozenJson) -> tuple[list[Fact], Playbook]:
    """The facts of a run of one step, as a second process reads them, too."""
    definition = check_playbook(TEXT).definition
    assert definition is not None
    plan = build(definition)
    begins = [*Playbook(plan, evaluate).start({}, 5, only=step), *alone(plan, step, given, 5)]
    machine = Playbook(plan, evaluate)
    machine.replay(begins)
    return [*begins, *machine.next()], machine


def done(facts: list[Fact]) -> list[str]:
    return [fact.at for fact in facts if isinstance(fact, StepStarted)]


def test_one_step_is_done_as_if_what_it_needs_had_ended_as_it_wants() -> None:
    facts, machine = walked("b", {"a": {"output": "hello"}})
    begun = [fact for fact in facts if isinstance(fact, StepStarted) and fact.at == "b"]
    assert [fact.given for fact in begun] == [{"args": {"x": "hello"}}]
    (ended,) = [fact for fact in [*machine.complete("b", "there"), *machine.next()] if isinstance(fact, RunEnded)]
    assert (ended.status, dict(ended.outputs)) == ("completed", {"b": "there"})
    skipped = {fact.at for fact in facts if isinstance(fact, StepSkipped)}
    assert skipped == {"bad", "both", "first", "behind", "second", "third", "c", "each"}


@pytest.mark.parametrize(
    ("step", "given", "came"),
    [
        ("c", {"a": {"output": "x"}}, {"it": "x!"}),
        ("behind", {}, {"it": 1}),
        ("second", {"first": {"output": 5}}, {"it": "5 of b"}),
        ("second", {"a": {"output": 1}, "b": {"output": 2}, "first": {"output": 5}}, {"it": "5 of b"}),
        ("third", {"both": {"output": {"b": 7}}}, {"it": 7}),
        ("bad", {}, {"it": "permanent"}),
        ("each", {"a": {"output": "x\ny"}}, [{"it": "x"}, {"it": "y"}]),
    ],
)
def test_what_needs_nobody_is_over_at_once_and_nothing_is_done_at_the_end(
    step: str, given: FrozenJson, came: object
) -> None:
    facts, _ = walked(step, given)
    ended = facts[-1]
    assert isinstance(ended, RunEnded)
    assert (ended.status, dict(ended.outputs)) == ("completed", {step: came})
    assert "tidy" not in done(facts)


def test_a_run_goes_on_behind_what_it_was_given() -> None:
    definition = check_playbook(TEXT).definition
    assert definition is not None
    plan = build(definition)
    begins = [*Playbook(plan, evaluate).start({}, 5), *given_facts(plan, {"a": {"output": "x"}}, 5)]
    machine = Playbook(plan, evaluate)
    machine.replay(begins)
    assert machine.look("a") is not None
    assert done(machine.next()) == ["ok"]
    assert [fact.at for fact in begins if isinstance(fact, StepCompleted)] == ["a"]
