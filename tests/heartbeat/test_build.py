"""What `[heartbeat]` says is what happens: its bounds, its words, its model and its clock."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sulla.core.errors import SettingsError
from sulla.daemon.settings.config import load_settings
from sulla.heartbeat.limits import BeatLimits
from sulla.heartbeat.settings import HeartbeatSettings
from sulla.heartbeat.threads import limits_of
from tests.daemon.running import Place, service
from tests.servers.script import Failure, Reply, Rule, Script, ToolUse

MORE = "On it.<AGENT_CONTINUE><STATUS_REPORT>half way</STATUS_REPORT></AGENT_CONTINUE>"
GARDEN = "---\ntitle: Garden\nstatus: active\n---\n## Tasks\n\n- [ ] Ponder\n"


def settings_of(home: Path, text: str) -> HeartbeatSettings:
    (home / "sulla.toml").write_text(f"[heartbeat]\n{text}\n")
    return load_settings({}, {}, home).section(HeartbeatSettings)


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("", BeatLimits()),
        ("cycles = 3", BeatLimits(cycles=3)),
        ("wall_s = 60", BeatLimits(wall_s=60.0)),
        ("tokens = 12_000", BeatLimits(tokens=12_000)),
        ("day_tokens = 0", BeatLimits(day_tokens=0)),
        ("month_tokens = 0", BeatLimits(month_tokens=0)),
        ("cost = 0.25", BeatLimits(cost_micro=250_000)),
        ("day_cost = 1", BeatLimits(day_micro=1_000_000)),
        ("month_cost = 20", BeatLimits(month_micro=20_000_000)),
        ("standing = 5", BeatLimits(standing=5)),
    ],
)
def test_each_bound_is_the_one_that_the_settings_name(tmp_path: Path, text: str, limits: BeatLimits) -> None:
    assert limits_of(settings_of(tmp_path, text)) == limits


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('zone = "Mars"', "heartbeat.zone is 'Mars': there is no time zone 'Mars'"),
        ('model = "nobody"', "heartbeat.model is 'nobody': no provider in the model name 'nobody'"),
    ],
)
def test_what_no_beat_could_do_is_refused_at_the_start_also_where_beats_are_off(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(SettingsError) as found:
        settings_of(tmp_path, text)
    assert said in found.value.message


def beats(tmp_path: Path, script: Script, text: str, **settings: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The row of one beat, and what the model was asked."""
    home = tmp_path / "home"
    (home / "projects" / "garden").mkdir(parents=True)
    (home / "projects" / "garden" / "PROJECT.md").write_text(GARDEN)
    (home / "sulla.toml").write_text(f"[heartbeat]\n{text}\n")
    with service(script) as model:
        place = Place(home, **model.environ | settings)
        with place.up():
            code, _, said = place.run("beat", "now", "--watch")
            assert code in (0, 1), said
            row = json.loads(place.run("beat", "log", "--json")[1].splitlines()[0])
            for cycle in row["cycles"]:
                events = map(json.loads, place.run("thread", "show", cycle["thread_id"], "--json")[1].splitlines())
                cycle["models"] = [event["data"]["model"] for event in events if event["type"] == "RUN_STARTED"]
            return row, model.requests


def test_an_agent_is_told_what_the_settings_say_and_answered_by_the_model_that_they_name(tmp_path: Path) -> None:
    text = 'prompt = "Water the plants."\nmodel = "ollama:fake:1b"\nzone = "Asia/Tokyo"\ncycles = 2\nwall_s = 600'
    row, asked = beats(tmp_path, Script([Rule(Reply(MORE))]), text, SULLA_MODEL="offline")
    assert (row["status"], row["reason"], len(row["cycles"])) == ("limited", "limit_cycles", 2)
    assert {request["model"] for request in asked} == {"fake:1b"}
    assert [cycle["models"] for cycle in row["cycles"]] == [["fake:1b"]] * 2
    briefing = asked[0]["messages"][-1]["content"]
    assert "## Directive\nWater the plants.\n" in briefing
    assert "(Asia/Tokyo); cycle 1 of at most 2 of this beat." in briefing


@pytest.mark.parametrize(
    ("text", "reason"), [("day_tokens = 0", "limit_day_tokens"), ("month_tokens = 11_999", "limit_month_tokens")]
)
def test_without_a_budget_no_model_is_asked(tmp_path: Path, text: str, reason: str) -> None:
    row, asked = beats(tmp_path, Script([Rule(Reply(MORE))]), text)
    assert (row["fired"], row["reason"], asked) == (False, reason, [])


def test_a_beat_of_which_a_cycle_has_used_up_the_tokens_ends_there(tmp_path: Path) -> None:
    looks = Rule(Reply("I look.", tools=(ToolUse("list_dir", {"path": "."}),)), results=0)
    row, _ = beats(tmp_path, Script([looks, Rule(Reply(MORE))]), "tokens = 12_000")
    assert (row["status"], row["reason"], len(row["cycles"])) == ("limited", "limit_tokens", 1)
    assert "the limit (tokens) is 12000" in row["summary"]


def test_a_beat_whose_model_fails_says_why(tmp_path: Path) -> None:
    row, _ = beats(tmp_path, Script([Rule(Failure(400, message="no such thing"))]), "")
    assert (row["status"], row["reason"]) == ("failed", "cycle_failed")
    assert "no such thing" in row["summary"]
    assert row["cycles"][0]["summary"] == row["summary"]


def test_every_setting_of_the_section_is_in_the_page() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "heartbeat.md").read_text()
    missing = [name for name in HeartbeatSettings.model_fields if f"`{name}`" not in page and f"{name} =" not in page]
    assert missing == []
