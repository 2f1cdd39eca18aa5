"""A run of a playbook for people."""

from __future__ import annotations

from typing import Any

import pytest

from sulla.playbooks.cli.run_view import in_full, lines_of
from sulla.playbooks.machine.records import IN_FINALLY
from sulla.terminal.questions import Question
from sulla.terminal.table import Paper

ABOUT = {
    "run": "thr_1", "playbook": "brew", "status": "failed", "trigger": "webhook", "thread_id": "thr_9",
    "started_at": "2027-01-15T08:00:00.000Z", "ended_at": "2027-01-15T09:30:00.000Z", "steps": 2, "done": 2,
    "tokens": 7, "cost": 0.25, "open": [], "failure": "step 'boil' failed: no gas", "parent": "thr_0",
}  # fmt: skip
STEP = {
    "at": "boil", "kind": "tool", "status": "failed", "tries": 2, "started_at": "2027-01-15T08:00:00.000Z",
    "ended_at": "2027-01-15T08:00:03.000Z", "output": None, "route": "", "error": "cold: no gas", "tokens": 7,
    "cost": 0.25, "note": "",
}  # fmt: skip


def shown(about: dict[str, Any] | None = None, **step: Any) -> list[str]:
    run = {"about": ABOUT | (about or {}), "inputs": {}, "outputs": {"tea": "none"}, "forked_from": "thr_2"}
    return list(lines_of(run | {"steps": [STEP | step]}, Paper()))


def test_its_head_says_whose_it_is_how_long_it_took_and_what_can_be_done() -> None:
    assert shown()[:8] == [
        "brew failed  thr_1",
        "  began 2027-01-15 08:00:00 UTC by webhook, ended after 1h30m",
        "  for the thread thr_9",
        "  a step of thr_0",
        "  took over from thr_2",
        "  2 of 2 steps done, 7 tokens, cost 0.2500",
        "  failed: step 'boil' failed: no gas",
        "  `sulla flow resume thr_1` has it go on",
    ]
    assert "  tea: none" in shown()
    done = shown({"status": "completed", "failure": ""})
    last = "  number 3 in a chain of events, the last: what it sets off starts no playbook"
    assert last not in shown({"chain": 2, "chain_ends": False})
    assert last in shown({"chain": 3, "chain_ends": True})
    assert "  waits for its turn, behind thr_3, thr_4" in shown({"status": "queued", "behind": ["thr_3", "thr_4"]})
    assert not [line for line in done if "resume" in line or "failed:" in line]


def test_a_run_that_failed_at_its_end_alone_says_what_going_on_does() -> None:
    (line,) = [line for line in shown({"failure": f"{IN_FINALLY}step 'tidy' failed: no"}) if "resume" in line]
    assert line == (
        "  `sulla flow resume thr_1` does `finally` again and nothing else; "
        "a mistake of its file fails again: mend it and start another run"
    )


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ({}, "cold: no gas"),
        ({"error": "upstream: step 'boil' failed: no gas"}, "step 'boil' failed"),
        ({"error": "", "note": "not wanted after 'boil'", "status": "skipped"}, "not wanted after 'boil'"),
        ({"error": "", "output": {"a": 1}, "route": "yes"}, '-> yes {"a": 1}'),
        ({"error": "x" * 500}, "x" * 199 + "…"),
        ({"error": "two\nlines\x1b[2J"}, "two lines[2J"),
    ],
)
def test_a_step_says_in_a_line_what_came_of_it(step: dict[str, Any], said: str) -> None:
    (row,) = [line for line in shown(**step) if line.startswith("boil")]
    assert row.endswith(f"  {said}")


def test_what_people_are_asked_is_told_with_the_command_that_answers_it() -> None:
    run = {"about": ABOUT | {"status": "waiting", "failure": ""}, "inputs": {}, "outputs": {}, "forked_from": ""}
    asked = Question("human:ask_1", "Keep this?")
    assert list(lines_of(run | {"steps": [STEP]}, Paper(), [asked]))[5:7] == [
        "  asks: Keep this?",
        "    `sulla approvals answer human:ask_1 yes`: yes, no or give_up",
    ]


def test_on_a_terminal_nothing_is_wider_than_it() -> None:
    run = {"about": ABOUT, "inputs": {}, "outputs": {}, "forked_from": ""}
    found = list(lines_of(run | {"steps": [STEP | {"error": "long " * 90}]}, Paper(columns=100)))
    assert all(len(line) <= 100 for line in found)


def test_a_step_in_full_says_what_it_was_given_and_all_that_came_of_it() -> None:
    row = STEP | {"given": {"args": {"x": 1}}, "output": "a\nb", "result": {"text": "a\nb"}, "error": "", "route": "on"}
    assert list(in_full(row, Paper())) == [
        "boil tool failed -> on  3.0s, 2 tries",
        "given",
        "  {",
        '    "args": {',
        '      "x": 1',
        "    }",
        "  }",
        "output",
        "  a",
        "  b",
        "result",
        "  {",
        '    "text": "a\\nb"',
        "  }",
    ]
    assert list(in_full(STEP | {"tries": 1, "error": ""}, Paper())) == ["boil tool failed  3.0s"]
