"""``on_failure: go_on`` is for a step's own failure."""

from __future__ import annotations

import pytest

from sulla.playbooks.expression.expression import evaluate
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.machine.machine import Playbook
from sulla.playbooks.machine.records import Failure

TEXT = """
name: chain
steps:
  - {id: a, tool: x}
  - {id: b, tool: x, on_failure: go_on}
  - {id: c, tool: x}
"""


@pytest.mark.parametrize(("breaks", "status", "done"), [("a", "failed", []), ("b", "completed", ["a", "c"])])
def test_a_failure_that_was_passed_on_is_not_forgiven(breaks: str, status: str, done: list[str]) -> None:
    definition = check_playbook(TEXT).definition
    assert definition is not None
    machine = Playbook(definition, evaluate)
    machine.start({}, 0)
    finished = []
    while machine.ended is None:
        for fact in machine.next():
            at = getattr(fact, "at", "")
            if type(fact).__name__ != "StepStarted":
                continue
            if at == breaks:
                machine.fail(at, Failure("permanent", "tool", "broke"))
            else:
                machine.complete(at, "ok")
                finished.append(at)
    assert (machine.ended.status, finished) == (status, done)
