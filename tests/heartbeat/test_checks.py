"""`sulla doctor` on agents' own time: off and how to switch it on, when it is, and what in its settings cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from sulla.daemon.settings.config import load_settings
from sulla.heartbeat.checks import judge_heartbeat
from sulla.heartbeat.settings import HeartbeatSettings
from sulla.host.findings import Finding


def judged(home: Path, text: str) -> Finding:
    (home / "sulla.toml").write_text(text)
    return found(load_settings({}, {}, home).section(HeartbeatSettings))


def found(beats: HeartbeatSettings) -> Finding:
    (finding,) = judge_heartbeat(beats, ["sulla", "coder"])
    return finding


def test_where_it_is_off_it_is_said_how_to_switch_it_on(tmp_path: Path) -> None:
    finding = judged(tmp_path, "")
    assert finding.result == "ok"
    assert "off" in finding.found
    assert "heartbeat.enabled = true in sulla.toml" in finding.found


def test_where_it_is_on_it_is_said_when(tmp_path: Path) -> None:
    text = (
        '[heartbeat]\nenabled = true\njitter_s = 0\n[heartbeat.schedules.garden]\nproject = "garden"\ncron = "@daily"\n'
    )
    finding = judged(tmp_path, text)
    assert (finding.result, finding.found.partition("; ")[0]) == ("ok", "on: heartbeat_sulla: Every 30m")
    assert "heartbeat.garden: At 00:00" in finding.found


@pytest.mark.parametrize(
    ("beats", "said"),
    [
        (HeartbeatSettings(enabled=True, agent="codre"), "heartbeat.agent: no agent 'codre'"),
        (HeartbeatSettings(enabled=True, period_s=60, jitter_s=60), "heartbeat: jitter"),
    ],
)
def test_what_cannot_be_is_a_fault_with_its_name(beats: HeartbeatSettings, said: str) -> None:
    finding = found(beats)
    assert finding.result == "fault"
    assert finding.found.startswith(said)
    assert "docs/settings.md" in finding.remedy
