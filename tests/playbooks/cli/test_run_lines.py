"""What a person sees of a playbook's run."""

from __future__ import annotations

from typing import Any

import pytest

from sulla.playbooks.cli.run_lines import RunLines, of_child, short, span_of, took


def lines(sheet: RunLines, what: str, at: str = "", when: str = "2027-01-15T08:00:00.000Z", **detail: Any) -> list[str]:
    event = {"type": "PLAYBOOK", "at": when, "data": {"what": what, "at": at, "detail": detail}}
    return list(sheet.show(event))


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-1, "0.0s"), (0.04, "0.0s"), (9.94, "9.9s"), (10, "10s"), (59.4, "59s"), (60, "1m00s"), (3599, "59m59s"),
        (3600, "1h00m"), (86_399, "23h59m"), (86_400, "1d00h"), (30 * 86_400 + 7200, "30d02h"),
    ],
)  # fmt: skip
def test_times_are_short(seconds: float, said: str) -> None:
    assert span_of(seconds) == said


def test_a_step_is_timed_from_its_first_attempt() -> None:
    sheet = RunLines()
    failure = {"kind": "transient", "reason": "unreachable", "message": "503"}
    assert lines(sheet, "STEP_STARTED", "a", attempt=1) == ["a began"]
    due_ms = 1_800_000_012_000
    assert lines(sheet, "STEP_RETRY", "a", "2027-01-15T08:00:02.000Z", attempt=1, failure=failure, due_ms=due_ms) == [
        "a: attempt 1 failed (unreachable): 503; again in 10s"
    ]
    assert lines(sheet, "STEP_STARTED", "a", "2027-01-15T08:00:12.000Z", attempt=2) == ["a began again (attempt 2)"]
    assert lines(sheet, "STEP_FAILED", "a", "2027-01-15T08:00:14.000Z", failure=failure) == [
        "a failed in 14s (unreachable): 503"
    ]


def test_what_a_failure_keeps_from_being_done_is_told_in_few_words() -> None:
    sheet = RunLines()
    failure = {"kind": "permanent", "reason": "upstream", "message": "step 'kind' failed: " + "long " * 100}
    assert lines(sheet, "STEP_FAILED", "send", failure=failure) == ["send not done: step 'kind' failed"]
    failure["reason"] = "refused"
    (end,) = lines(sheet, "RUN_ENDED", status="failed", outputs={}, failure=failure)
    assert end.startswith("failed: 0 steps, 0 tokens; step 'kind' failed: long")
    assert end.endswith("…")
    assert len(end) < 250


def test_passes_of_a_loop_are_apart_and_counted_from_one() -> None:
    sheet = RunLines()
    assert lines(sheet, "PASS_STARTED", "each", number=0) == ["each: pass 1"]
    lines(sheet, "STEP_STARTED", "say@0")
    lines(sheet, "STEP_STARTED", "say@1", "2027-01-15T08:00:01.000Z")
    assert lines(sheet, "STEP_COMPLETED", "say@0", "2027-01-15T08:00:03.000Z", value=None) == ["say@0 done in 3.0s"]
    assert lines(sheet, "STEP_COMPLETED", "say@1", "2027-01-15T08:00:03.000Z", value=2) == ["say@1 done in 2.0s: 2"]


def test_what_was_not_done_says_why() -> None:
    sheet = RunLines()
    assert lines(sheet, "STEP_SKIPPED", "send", why="approve went no") == ["send skipped: approve went no"]
    assert lines(sheet, "STEP_CANCELLED", "slow") == ["slow cancelled"]
    assert lines(sheet, "STEP_REASKED", "kind", reason="both labels") == ["kind: asked once more (both labels)"]


def test_a_run_tells_its_turns() -> None:
    sheet = RunLines()
    assert lines(sheet, "RUN_PAUSED", why="look") == ["paused (look): no further step begins until it is resumed"]
    assert lines(sheet, "RUN_RESUMED") == ["resumed"]
    lines(sheet, "STEP_SKIPPED", "a", why="")
    assert lines(sheet, "RUN_STOPPED", status="cancelled", why="enough") == ["is ended (cancelled): enough"]
    assert lines(sheet, "RUN_ENDED", status="transferred", to="other", outputs={"x": 1}) == [
        "transferred to other: 0 steps, 0 tokens"
    ]
    assert (sheet.ended, sheet.outputs) == ("transferred", {})  # they are for whoever takes over
    lines(sheet, "RUN_REOPENED", steps=["a"])
    assert sheet.ended is None


def test_a_run_that_was_told_to_go_on_has_not_ended() -> None:
    sheet = RunLines()
    lines(sheet, "RUN_ENDED", status="failed", outputs={})
    assert list(sheet.show({"type": "INPUT", "at": "", "data": {"text": "{}"}})) == []
    assert sheet.ended is None


def test_an_unknown_fact_of_a_later_version_is_passed_over() -> None:
    sheet = RunLines()
    assert lines(sheet, "STEP_DANCED", "a") == lines(sheet, "RUN_SANG") == []
    assert list(sheet.show({"type": "MODEL_STARTED", "at": "", "data": {}})) == []
    assert list(of_child({"type": "MODEL_STARTED", "at": "", "data": {}})) == []


def test_values_are_cut_to_a_line() -> None:
    assert short("a\n b") == "a b"
    assert short({"a": "ü"}) == '{"a": "ü"}'
    assert short(None) == ""
    assert len(short("x" * 1000)) == 120
    assert took(None, "2027-01-15T08:00:00.000Z") == took("2027-01-15T08:00:00.000Z", None) == ""


def test_a_run_that_waits_for_its_turn_says_behind_which() -> None:
    sheet = RunLines()
    assert lines(sheet, "TAKEN_UP") == []
    assert lines(sheet, "TAKEN_UP", behind=["thr_1", "thr_2"]) == ["waits for its turn, behind thr_1, thr_2"]


def test_what_a_merge_does_without_is_skipped_also_where_it_had_begun() -> None:
    sheet = RunLines()
    lines(sheet, "STEP_STARTED", "slow")
    why = "'one' has what it waits for"
    assert lines(sheet, "STEP_SKIPPED", "slow", why=why) == [f"slow skipped: {why}"]
    assert lines(sheet, "STEP_SKIPPED", "later", why=why) == [f"later skipped: {why}"]


def test_a_run_says_how_it_comes_to_its_end_before_it_does() -> None:
    failure = {"kind": "permanent", "reason": "said", "message": "no report"}
    assert lines(RunLines(), "RUN_CLOSING", status="failed", failure=failure) == [
        "comes to its end (failed); (said): no report"
    ]
    assert lines(RunLines(), "RUN_CLOSING", status="cancelled") == ["comes to its end (cancelled)"]
