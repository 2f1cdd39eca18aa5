"""The schedules that `[heartbeat]` asks for: the usual beat, what differs from it, and what cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from sulla.core.errors import SettingsError
from sulla.daemon.settings.config import load_settings
from sulla.heartbeat.schedules import wanted_by
from sulla.heartbeat.settings import HeartbeatSettings
from sulla.schedules.hours import parse_hours
from sulla.schedules.spec import BeatAction, Cron, Every, Spec


def wanted(home: Path, text: str, *agents: str) -> dict[str, Spec]:
    home.mkdir(exist_ok=True)
    for agent in agents:
        (home / "agents" / agent).mkdir(parents=True)
        (home / "agents" / agent / "agent.toml").write_text("description = 'works'\n")
    (home / "sulla.toml").write_text(text)
    return wanted_by(load_settings({}, {}, home).section(HeartbeatSettings), ["sulla", *agents])


def test_nobody_works_by_itself_unless_that_is_asked_for(tmp_path: Path) -> None:
    assert wanted(tmp_path, "") == {}
    assert wanted(tmp_path, "[heartbeat]\nperiod_s = 60") == {}


def test_the_usual_beat_is_every_half_hour(tmp_path: Path) -> None:
    assert wanted(tmp_path, "[heartbeat]\nenabled = true") == {
        "heartbeat_sulla": Spec(Every(1800, jitter_s=30), BeatAction("sulla"))
    }


def test_what_is_not_said_of_one_is_as_it_is_said_of_all(tmp_path: Path) -> None:
    text = """
        [heartbeat]
        enabled = true
        agent = "coder"
        cron = "@hourly"
        active_hours = "mon-fri 09:00-18:00"
        zone = "Europe/Berlin"
        missed = "once"
        [heartbeat.schedules.garden]
        project = "garden"
        [heartbeat.schedules.quick]
        period_s = 60
        jitter_s = 0
        active_hours = "10:00-11:00"
        zone = "UTC"
        missed = "skip"
    """
    hours = parse_hours("mon-fri 09:00-18:00")
    hourly = (Cron("@hourly"), "Europe/Berlin", hours, "once")
    found = wanted(tmp_path, text, "coder")
    assert {name: spec.action for name, spec in found.items()} == {
        "heartbeat_coder": BeatAction("coder"),
        "heartbeat.garden": BeatAction("sulla", "garden"),
        "heartbeat.quick": BeatAction("sulla"),
    }
    for name in ("heartbeat_coder", "heartbeat.garden"):
        assert (found[name].when, found[name].zone, found[name].hours, found[name].missed) == hourly
    quick = found["heartbeat.quick"]
    assert (quick.when, quick.zone, quick.hours, quick.missed) == (Every(60), "UTC", parse_hours("10:00-11:00"), "skip")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('agent = "nobody"', "heartbeat.agent: no agent 'nobody'"),
        ('cron = "often"', "heartbeat.cron is 'often': cron: got 'often'"),
        ('zone = "Mars"', "heartbeat.zone is 'Mars': there is no time zone 'Mars'"),
        ('active_hours = "days"', "heartbeat.active_hours is 'days': active hours"),
        ("period_s = 60\njitter_s = 60", "heartbeat.jitter_s: got 60 seconds, expected less than every 60"),
        ('[heartbeat.schedules.x]\ncron = "often"', "heartbeat.schedules.x.cron: cron"),
        ("period_s = 59", "greater than or equal to 60"),
    ],
)
def test_what_cannot_be_is_refused_at_the_start_in_words(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SettingsError) as refused:
        wanted(tmp_path, f"[heartbeat]\nenabled = true\n{text}")
    assert said in refused.value.message
