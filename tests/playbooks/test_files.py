"""The playbooks of a home: held against what the home has, and brought along once."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from sulla.core.errors import InvalidInput
from sulla.daemon.settings.config import Settings, load_settings
from sulla.playbooks.files import bring_playbooks, check_schedule
from tests.playbooks.homes import catalog_in, known_in


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings({}, {}, tmp_path)


def test_the_tools_and_agents_of_the_home_are_known_without_a_daemon(settings: Settings) -> None:
    agent = settings.home / "agents" / "reader"
    agent.mkdir(parents=True)
    (agent / "agent.toml").write_text('name = "Reader"\n')
    known = known_in(settings)
    assert known.tools is not None
    assert known.tools["bash"].effect == "once"
    assert known.tools["write_file"].schema["required"] == ["path", "content"]
    assert known.agents == {"sulla", "reader"}


def test_nothing_is_said_of_tools_that_a_server_may_offer(tmp_path: Path) -> None:
    folder = tmp_path / "workflows"
    folder.mkdir()
    alone = catalog_in(load_settings({}, {}, tmp_path))
    (tmp_path / "sulla.toml").write_text('[mcp.servers.mail]\ncommand = "mail-server"\n')
    settings = load_settings({}, {}, tmp_path)
    text = (
        "name: {name}\nsteps:\n  - {{id: a, tool: {tool}}}\n  - {{id: b, agent: sulla, prompt: Do, tools: [{tool}]}}\n"
    )
    (folder / "mcp.yaml").write_text(text.format(name="mcp", tool="mcp__mail__send"))
    (folder / "none.yaml").write_text(text.format(name="none", tool="mail_send"))
    catalog = catalog_in(settings)
    catalog.look_now()
    assert catalog.find("mcp").told == ()
    assert [fault.rule for fault in catalog.find("none").faults] == ["unknown-tool", "unknown-tool"]
    alone.look_now()
    assert [fault.rule for fault in alone.find("mcp").faults] == ["unknown-tool", "unknown-tool"]


def test_the_secrets_of_the_settings_are_known_by_name(tmp_path: Path) -> None:
    (tmp_path / "sulla.toml").write_text('[playbooks.secrets]\nmail_key = "hush"\n')
    assert known_in(load_settings({}, {}, tmp_path)).secrets == {"mail_key"}


@pytest.mark.parametrize(("text", "zone"), [("30m", "UTC"), ("0 9 * * 1-5", "Europe/Berlin"), ("@daily", "UTC")])
def test_what_a_schedule_can_be_made_of_is_taken(text: str, zone: str) -> None:
    check_schedule(text, zone)


@pytest.mark.parametrize(
    ("text", "zone", "said"),
    [("0 25 * * *", "UTC", "25"), ("0 9 31 2 *", "UTC", ""), ("0 9 * * *", "Mars/Base", "no time zone 'Mars/Base'")],
)
def test_what_none_can_be_made_of_is_refused(text: str, zone: str, said: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_schedule(text, zone)
    assert said in refused.value.message


def test_playbooks_are_brought_to_a_home_that_never_had_any(tmp_path: Path) -> None:
    samples, home = tmp_path / "samples", tmp_path / "home"
    samples.mkdir()
    home.mkdir()
    (samples / "tea.yaml").write_text("name: tea\n")
    (samples / "tea.test.yaml").write_text("- {name: a}\n")
    (samples / "notes.txt").write_text("not this\n")
    folder = home / "workflows"
    assert bring_playbooks(folder, samples) == folder
    assert sorted(path.name for path in folder.iterdir()) == ["tea.test.yaml", "tea.yaml"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert [path.name for path in home.iterdir()] == ["workflows"]
    (folder / "tea.yaml").write_text("name: mine\n")
    assert bring_playbooks(folder, samples) is None
    assert (folder / "tea.yaml").read_text() == "name: mine\n"
    assert bring_playbooks(home / "other", tmp_path / "nowhere") is None


def test_what_was_cut_off_is_begun_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    samples, folder = tmp_path / "samples", tmp_path / "workflows"
    samples.mkdir()
    (samples / "tea.yaml").write_text("name: tea\n")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "chmod", lambda *_: (_ for _ in ()).throw(OSError("full")))
        with pytest.raises(OSError, match="full"):
            bring_playbooks(folder, samples)
    assert [path.name for path in tmp_path.iterdir()] == ["samples"]
    assert bring_playbooks(folder, samples) == folder
