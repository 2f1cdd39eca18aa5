"""What a daemon, its store, its clock and its model have to say for themselves, judged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sulla.core.jsontypes import JsonObject
from sulla.daemon.checkup import StoreReport
from sulla.daemon.doctor.states import Times, judge_clock, judge_daemon, judge_leftover, judge_store
from sulla.host.findings import Finding, offset, size, span

URL = "http://127.0.0.1:1"


def _one(findings: list[Finding]) -> Finding:
    (finding,) = findings
    return finding


# ----------------------------------------------------------------------------------------------------------- daemon


def test_a_daemon_of_this_version_says_where_it_is() -> None:
    finding = _one(judge_daemon("1.0", URL, {"version": "1.0", "model": "offline", "failing": [], "stopping": False}))
    assert (finding.result, finding.found) == ("ok", f"version 1.0 answers at {URL} with the model offline")


@pytest.mark.parametrize(
    ("report", "found"),
    [
        ({"version": "0.9"}, "is version 0.9, and this is 1.0"),
        ({"version": "1.0", "failing": ["thr_1"]}, "1 thread cannot be worked on for now: thr_1"),
        ({"version": "1.0", "failing": ["a", "b"]}, "2 threads cannot be worked on for now: a, b"),
        ({"version": "1.0", "stopping": True}, "is stopping"),
        ({"version": "1.0", "without_tools": ["ollama:x:1b"]}, "agents on them only talk: ollama:x:1b"),
    ],
)
def test_a_daemon_that_is_not_quite_right_is_worth_a_word(report: JsonObject, found: str) -> None:
    finding = _one(judge_daemon("1.0", URL, report))
    assert finding.result == "warning"
    assert found in finding.found


@pytest.mark.parametrize(
    ("report", "found"),
    [
        ({"tokens_error": "record 7: the checksum does not match"}, "record 7: the checksum does not match"),
        ({"audit": "failing", "audit_missing": 3}, "3 entries are missing"),
        ({"troubles": [{"what": "store_unavailable", "why": "it is full"}]}, "takes nothing new: it is full"),
        ({"troubles": [{"what": "no_workers"}]}, "no worker that lives: messages are kept"),
    ],
)
def test_a_daemon_whose_guards_are_not_whole_is_a_fault(report: JsonObject, found: str) -> None:
    finding = _one(judge_daemon("1.0", URL, {"version": "1.0", "audit": "on", **report}))
    assert finding.result == "fault"
    assert found in finding.found


def test_what_a_dead_daemon_left_is_named_with_its_process() -> None:
    path = Path("/srv/daemon.json")
    assert _one(judge_leftover(path, False, None)).result == "ok"
    named, silent = _one(judge_leftover(path, True, 4711)), _one(judge_leftover(path, True, None))
    assert (named.result, silent.result) == ("warning", "warning")
    assert "/srv/daemon.json is left over, of process 4711, which is gone" in named.found
    assert "that says nothing" in silent.found


# ------------------------------------------------------------------------------------------------------------ store

WHOLE = StoreReport(logs=1, records=3)


@pytest.mark.parametrize(
    ("report", "result", "found"),
    [
        (WHOLE, "ok", "the store, 1 thread with 3 records, all readable"),
        (StoreReport(unusable="it is gone"), "fault", "it is gone"),
        (StoreReport(outdated=True), "warning", "an earlier version's"),
        (replace(WHOLE, structure=("page 3 is odd", "page 4")), "fault", "damaged: page 3 is odd; page 4"),
        (replace(WHOLE, damaged=1, named=("thr_1 record 2: bad",)), "fault", "thr_1 record 2: bad"),
        (replace(WHOLE, finished=False), "warning", "was not looked at to its end: 1 thread with 3 records"),
        (replace(WHOLE, structure_finished=False), "warning", "was not looked at to its end"),
        (replace(WHOLE, finished=False, broke_off="no disk"), "fault", "broke off after 3 records: no disk"),
    ],
)
def test_a_store_is_judged_by_everything_that_was_found(report: StoreReport, result: str, found: str) -> None:
    finding = _one(judge_store("the store", report))
    assert finding.result == result
    assert found in finding.found
    assert bool(finding.remedy) == (result != "ok")


def test_each_named_piece_of_damage_is_a_finding_and_the_rest_is_counted() -> None:
    found = judge_store("the store", replace(WHOLE, damaged=30, named=("a", "b"), structure=("c",)))
    assert [finding.result for finding in found] == ["fault"] * 4
    assert found[-1].found == "28 more heads or records cannot be read"


# ------------------------------------------------------------------------------------------------------------ clock

NOW_S = 1_800_000_000.0
FINE = Times(NOW_S, NOW_S - 3 * 86400, NOW_S - 5, "/srv/lock", 19800)


def test_a_clock_that_fits_shows_the_distance_from_utc() -> None:
    finding = _one(judge_clock(FINE))
    shown = "2027-01-15 08:00:00 UTC, local time is UTC+05:30; the newest record is 3 days old"
    assert (finding.result, finding.found) == ("ok", shown)


def test_without_a_record_nothing_is_said_of_its_age() -> None:
    assert "newest" not in _one(judge_clock(replace(FINE, newest_record_s=0.0))).found


@pytest.mark.parametrize(
    ("times", "result", "found"),
    [
        (replace(FINE, newest_record_s=NOW_S + 59), "ok", "is 0 seconds old"),
        (replace(FINE, newest_record_s=NOW_S + 7200), "warning", "the newest record is from 2 hours later"),
        (replace(FINE, newest_file_s=NOW_S + 300), "warning", "/srv/lock is from 5 minutes later"),
        (replace(FINE, now_s=5.0), "fault", "1970-01-01 00:00:05 UTC, local time is UTC+05:30: it was never set"),
    ],
)
def test_a_clock_that_stands_behind_what_was_written_is_noticed(times: Times, result: str, found: str) -> None:
    finding = _one(judge_clock(times))
    assert finding.result == result
    assert found in finding.found


# -------------------------------------------------------------------------------------------------------- for people


def test_figures_are_said_as_people_say_them() -> None:
    amounts = (0, 1023, 1024, 1536 * 1024, 3 * 1024**4)
    assert [size(amount) for amount in amounts] == ["0 bytes", "1023 bytes", "1.0 KiB", "1.5 MiB", "3.0 TiB"]
    lengths = (-5, 5, 119, 120, 7200, 200_000)
    assert [span(length) for length in lengths] == [
        "0 seconds", "5 seconds", "119 seconds", "2 minutes", "2 hours", "2 days"
    ]  # fmt: skip
    assert [offset(seconds) for seconds in (0, 3600, -12600)] == ["+00:00", "+01:00", "-03:30"]
