"""docs/heartbeat.md names every reason that there is, and no other; and every section that an agent is told."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

import sulla.heartbeat.plan
from sulla.core.words import NO_WORDS, ours
from sulla.heartbeat.beats import BeatSkipped, BeatSpending, BeatState, CycleEnded
from sulla.heartbeat.brief import CycleContext, PeopleContext, briefing
from sulla.heartbeat.limits import BeatLimits
from sulla.heartbeat.plan import BeatOutcome, Focus, ProjectSummary, WakeRequest, after_cycle, preflight

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "heartbeat.md").read_text()
NOW = 1_800_000_000_000
LOT = ProjectSummary("a", "A", "active", "p2", 1, 0, 0, "")
SPENT = BeatSpending().at(NOW // 86_400_000, "2027-01").plus(1_000, 1_000)
FREE = BeatLimits()


def rows(title: str) -> list[str]:
    """The words in the first column of the table under a heading."""
    found = re.search(rf"^#+ {title}\n(.*?)(?=^#|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None, title
    return re.findall(r"^\| `([a-z_…]+)` \|", found.group(1), re.MULTILINE)


SKIPPED = {
    "idle": (BeatState(), [], FREE, ()),
    "busy": (BeatState(), [LOT], FREE, ("a",)),
    "backing_off": (BeatState(quiet_until_ms=NOW + 1), [LOT], FREE, ()),
    "limit_day_tokens": (BeatState(), [LOT], replace(FREE, day_tokens=0), ()),
    "limit_month_tokens": (BeatState(), [LOT], replace(FREE, month_tokens=0), ()),
    "limit_beat_tokens": (BeatState(), [LOT], replace(FREE, tokens=0), ()),
    "limit_day_cost": (BeatState(spent=SPENT), [LOT], replace(FREE, day_micro=1_000), ()),
    "limit_month_cost": (BeatState(spent=SPENT), [LOT], replace(FREE, month_micro=1_000), ()),
    "limit_beat_cost": (BeatState(), [LOT], replace(FREE, cost_micro=0), ()),
}
"""What leads to each reason not to begin."""


@pytest.mark.parametrize("reason", sorted(SKIPPED))
def test_each_reason_not_to_begin_is_one_that_there_is(reason: str) -> None:
    beat, lots, limits, taken = SKIPPED[reason]
    found = preflight(beat, WakeRequest(at_ms=NOW), lots, limits, NOW, taken)
    assert isinstance(found, BeatSkipped)
    assert found.reason == reason
    assert isinstance(preflight(BeatState(spent=SPENT), WakeRequest(at_ms=NOW), [LOT], FREE, NOW), Focus)


def test_the_page_names_each_reason_not_to_begin() -> None:
    assert sorted(rows("Why there was no beat")) == sorted(SKIPPED)


@pytest.mark.parametrize(
    ("last", "beat", "reason"),
    [
        (CycleEnded(1, "c", "continue", NOW), BeatState(cycle=10, started_ms=NOW), "limit_cycles"),
        (CycleEnded(1, "c", "continue", NOW), BeatState(cycle=1, started_ms=NOW - 3_600_000), "limit_wall_s"),
        (CycleEnded(1, "c", "failed", NOW, reason="limit_tokens"), BeatState(cycle=1), "limit_tokens"),
        (CycleEnded(1, "c", "failed", NOW, reason="unreachable"), BeatState(cycle=1), "cycle_failed"),
        (CycleEnded(1, "c", "cancelled", NOW), BeatState(cycle=1), "cycle_cancelled"),
    ],
)
def test_each_reason_to_end_is_one_that_there_is_and_the_page_names_it(
    last: CycleEnded, beat: BeatState, reason: str
) -> None:
    end = after_cycle(beat, last, FREE, NOW)
    assert isinstance(end, BeatOutcome)
    assert end.reason == reason
    assert (reason if reason != "limit_tokens" else "limit_…") in rows("Why a beat ended")


def test_no_reason_in_the_code_is_missing_from_the_page() -> None:
    tree = ast.parse(Path(sulla.heartbeat.plan.__file__).read_text())
    named: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="skipped"), args=[ast.Constant(value=str(word)), *_]):
                named.add(word)
            case ast.Call(func=ast.Name(id="BeatOutcome"), args=[_, ast.Constant(value=str(word)), *_]):
                named.add(word)
    assert {"idle", "limit_cycles"} <= named
    known = {*rows("Why there was no beat"), *rows("Why a beat ended"), "blocked"}
    assert named - known == set()


def test_the_page_names_each_section_of_a_briefing() -> None:
    beat = BeatState(summary="so far", focus="a", focus_reason="it is old", blocker="no key")
    around = PeopleContext(ours("- owner: there"), (ours("May I?"),))
    now = datetime(2027, 1, 15, tzinfo=UTC)
    text = briefing(beat, CycleContext(now, "UTC", NO_WORDS, ours("Look."), around=around, playbooks=ours("- p"))).text
    sections = re.findall(r"^## (.+)$", text, re.MULTILINE)
    table = PAGE.partition("| section | says |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| ([A-Z][A-Za-z ]+) \|", table, re.MULTILINE) == sections
