from __future__ import annotations

import pytest

from sulla.core.errors import CorruptRecord, InvalidInput
from sulla.core.jsontypes import JsonObject
from sulla.schedules.forms import spec_from_json, spec_to_json
from sulla.schedules.hours import parse_hours
from sulla.schedules.spec import (
    At,
    BeatAction,
    Cron,
    Every,
    MessageAction,
    PlaybookAction,
    Spec,
    ToolAction,
    action_text,
    check_spec,
    duration,
    explain,
    parse_at,
)

SAY = MessageAction("hello")
SPECS = (
    Spec(Every(1800, 5, 300), SAY),
    Spec(Cron("@daily"), BeatAction("sulla", "garden"), "Europe/Berlin", parse_hours("mon 09:00-10:00"), "once", "Hi"),
    Spec(At(1_800_000_000_000), ToolAction("bash", {"command": ["ls", 1, None]}, "sulla")),
    Spec(Every(60), PlaybookAction("triage", {"lead": {"name": "x"}})),
    Spec(Every(60), MessageAction("x", thread="thr_1")),
)


@pytest.mark.parametrize("spec", SPECS)
def test_what_is_kept_reads_the_same(spec: Spec) -> None:
    assert spec_from_json(spec_to_json(spec), "here") == spec


@pytest.mark.parametrize(
    "change",
    [
        {"when": {"kind": "never"}},
        {"zone": 1},
        {"missed": "twice"},
        {"hours": "always"},
        {"colour": "red"},
        {"action": {"kind": "tool"}},
    ],
)
def test_what_was_changed_is_refused(change: JsonObject) -> None:
    with pytest.raises(CorruptRecord, match=r"^here"):
        spec_from_json(spec_to_json(SPECS[0]) | change, "here")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (Spec(Every(5400, jitter_s=60), SAY), "Every 1h30m, up to 1m later"),
        (Spec(Cron("0 9 * * 1-5"), SAY, "Europe/Berlin"), "At 09:00 on Monday through Friday, Europe/Berlin"),
        (Spec(At(1_800_000_000_000), SAY, "Europe/Berlin"), "Once, at Friday 2027-01-15 09:00:00 Europe/Berlin"),
        (Spec(Every(60), SAY, "UTC", parse_hours("22:00-06:00")), "Every 1m; only 22:00-06:00, UTC"),
    ],
)
def test_it_is_explained(spec: Spec, said: str) -> None:
    check_spec(spec)
    assert explain(spec) == said


def test_what_is_done_is_said() -> None:
    assert [action_text(spec.action) for spec in SPECS] == [
        "message to its own thread: hello",
        "beat of sulla for garden",
        "tool bash",
        "playbook triage",
        "message to thr_1: x",
    ]


@pytest.mark.parametrize(("seconds", "said"), [(0, "0s"), (59, "59s"), (3600, "1h"), (90_061, "1d1h1m1s")])
def test_durations_are_written_as_people_do(seconds: int, said: str) -> None:
    assert duration(seconds) == said


def test_jitter_is_less_than_the_period() -> None:
    with pytest.raises(InvalidInput, match="jitter: got 60 seconds"):
        check_spec(Spec(Every(60, jitter_s=60), SAY))


@pytest.mark.parametrize(
    ("text", "zone", "at_ms"),
    [
        ("2027-01-15T09:00", "Europe/Berlin", 1_800_000_000_000),
        ("2027-01-15T08:00:00Z", "Europe/Berlin", 1_800_000_000_000),
        ("2027-01-15 03:00-05:00", "UTC", 1_800_000_000_000),
    ],
)
def test_a_single_time_is_one_of_its_zone_unless_it_says_otherwise(text: str, zone: str, at_ms: int) -> None:
    assert parse_at(text, zone) == at_ms


@pytest.mark.parametrize(
    ("text", "said"), [("tomorrow", "expected a time such as"), ("2027-03-28T02:30", "never show '2027-03-28T02:30'")]
)
def test_a_single_time_that_never_comes_is_refused(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        parse_at(text, "Europe/Berlin")
