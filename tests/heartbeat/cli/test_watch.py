"""What a person sees of a beat at work."""

from __future__ import annotations

from typing import Any

import pytest

from sulla.heartbeat.cli.watch import BeatLines


def lines(sheet: BeatLines, kind: str, *, of_beat: bool = True, **data: Any) -> list[str]:
    return list(sheet.show({"type": kind, "data": data}, of_beat=of_beat))


@pytest.mark.parametrize(
    ("status", "reason", "head"),
    [("done", "", "done"), ("blocked", "blocked", "blocked"), ("limited", "limit_cycles", "limited (limit_cycles)")],
)
def test_a_beat_ends_with_its_own_word_and_not_its_runs(status: str, reason: str, head: str) -> None:
    sheet = BeatLines()
    given: dict[str, Any] = {"status": status, "reason": reason, "cycles": 2, "tokens": 7, "changed": "garden: +1 done"}
    assert lines(sheet, "BEAT_ENDED", **given) == [f"{head}: 2 cycles, 7 tokens; changed: garden: +1 done"]
    assert sheet.ended is None
    assert lines(sheet, "RUN_FINISHED", outcome={"status": "done"}) == []
    assert sheet.ended == status


def test_a_beat_that_is_cut_off_ends_with_its_run() -> None:
    stopped, broken = BeatLines(), BeatLines()
    assert lines(stopped, "RUN_FINISHED", outcome={"status": "cancelled"}) == ["the beat was stopped"]
    assert lines(broken, "RUN_ERROR", code="crashed_repeatedly", message="three times") == [
        "failed (crashed_repeatedly): three times"
    ]
    assert (stopped.ended, broken.ended) == ("cancelled", "failed")


def test_a_wake_that_is_no_beat_says_why_and_is_no_failure() -> None:
    sheet = BeatLines()
    assert lines(sheet, "BEAT_SKIPPED", reason="idle", text="nothing to do") == ["no beat (idle): nothing to do"]
    lines(sheet, "RUN_FINISHED", outcome={"status": "done"})
    assert sheet.ended == "done"


def test_cycles_are_followed_and_only_what_matters_of_them_is_shown() -> None:
    sheet = BeatLines()
    assert lines(sheet, "CHILD_STARTED", thread_id="thr_1", task="beat 1, cycle 1") == ["beat 1, cycle 1: thr_1"]
    assert sheet.cycles == ["thr_1"]
    waits = [
        {"wait_id": "approval:a:1", "prompt": "May bash be called?"},
        {"wait_id": "child:sub_1", "prompt": "works on it"},
    ]
    assert lines(sheet, "SUSPENDED", of_beat=False, waits=waits) == ["? May bash be called? (sulla approvals)"]
    assert lines(sheet, "CHILD_STARTED", of_beat=False, thread_id="thr_2", agent="coder", task="Look") == [
        "· sub-agent coder: Look"
    ]
    assert sheet.cycles == ["thr_1"]
    assert lines(sheet, "MODEL_STARTED", of_beat=False) == []
    assert lines(sheet, "CYCLE_ENDED", number=1, status="blocked", blocker="no key") == ["cycle 1 blocked: no key"]
