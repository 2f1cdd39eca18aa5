"""`sulla service`, with managers that only write down what they are told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sulla.cli.service.actions import service_name
from sulla.host.home import find_home
from sulla.terminal.exits import Exit
from sulla.terminal.program import program
from tests.cli.typed import typed

Capsys = pytest.CaptureFixture[str]


class Machine:
    """A machine with some manager of services.

    Args:
        root: where its programs are.
    """

    def __init__(self, root: Path) -> None:
        self.programs = root / "bin"
        self.told = root / "told"
        self.programs.mkdir()
        self.told.write_text("")

    def has(self, name: str, script: str = "exit 0") -> None:
        """There is a program, which does that after it has written down how it was called."""
        path = self.programs / name
        path.write_text(f'#!/bin/sh\necho "{name} $*" >>"{self.told}"\n{script}\n')
        path.chmod(0o700)

    @property
    def asked(self) -> list[str]:
        """How they were called, since this was last asked."""
        lines = self.told.read_text().splitlines()
        self.told.write_text("")
        return lines


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """One on which only its own programs are found."""
    machine = Machine(tmp_path)
    monkeypatch.setenv("PATH", str(machine.programs))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("SULLA_HOME", str(tmp_path / ".sulla"))
    yield machine
    program.cache_clear()  # how Sulla is called was looked up with this machine's PATH


def test_a_service_of_systemd_is_installed_driven_and_removed(machine: Machine, tmp_path: Path, capsys: Capsys) -> None:
    machine.has("systemctl")
    machine.has("journalctl", "echo a line of the log")
    unit = tmp_path / "config" / "systemd" / "user" / "sulla.service"
    said = typed(capsys, "service", "install")
    assert (said.code, str(unit) in said.out, "enable-linger" in said.out) == (Exit.OK, True, True)
    assert f'"up" "--home" "{tmp_path}/.sulla"' in unit.read_text()
    assert unit.stat().st_mode & 0o777 == 0o600
    assert machine.asked == [
        f"systemctl --user {words}" for words in ("show-environment", "daemon-reload", "enable --now sulla.service")
    ]
    for verb in ("start", "stop", "restart"):
        assert typed(capsys, "service", verb).code == Exit.OK
        assert machine.asked == [f"systemctl --user {verb} sulla.service"]
    assert typed(capsys, "service", "logs", "-f").code == Exit.OK
    assert machine.asked == ["journalctl --user --unit sulla.service --follow"]
    assert typed(capsys, "service", "uninstall").code == Exit.OK
    assert machine.asked == ["systemctl --user disable --now sulla.service", "systemctl --user daemon-reload"]
    assert not unit.exists()


def test_a_service_of_launchd_is_installed_driven_and_removed(machine: Machine, tmp_path: Path, capsys: Capsys) -> None:
    machine.has("launchctl")
    machine.has("tail")
    plist = tmp_path / "Library" / "LaunchAgents" / "sulla.plist"
    for verb, first in (
        ("install", "bootstrap"),
        ("stop", "bootout"),
        ("start", "bootstrap"),
        ("restart", "kickstart -k"),
    ):
        assert typed(capsys, "service", verb).code == Exit.OK
        (asked,) = machine.asked
        assert asked.startswith(f"launchctl {first} gui/")
    assert plist.exists()
    assert typed(capsys, "service", "logs").code == Exit.OK
    assert machine.asked == [f"tail -n100 {tmp_path}/.sulla/logs/service.log"]
    assert typed(capsys, "service", "uninstall").code == Exit.OK
    assert not plist.exists()


def test_where_there_is_no_manager_it_is_said_what_was_looked_for_and_what_to_do(
    machine: Machine, capsys: Capsys
) -> None:
    said = typed(capsys, "service", "install")
    assert said.code == Exit.REFUSED
    assert "neither systemctl (systemd) nor launchctl (launchd)" in said.err
    assert "stop it with SIGTERM" in said.err


def test_a_manager_that_does_not_answer_is_quoted_and_nothing_is_written(
    machine: Machine, tmp_path: Path, capsys: Capsys
) -> None:
    machine.has("systemctl", "echo Failed to connect to bus: No medium found >&2; exit 1")
    said = typed(capsys, "service", "install")
    assert said.code == Exit.REFUSED
    assert "`systemctl --user show-environment` failed (1): Failed to connect to bus: No medium found." in said.err
    assert not (tmp_path / "config").exists()


def test_one_that_was_never_installed_is_not_driven(machine: Machine, capsys: Capsys) -> None:
    machine.has("systemctl")
    for verb in ("start", "stop", "restart", "uninstall", "logs"):
        said = typed(capsys, "service", verb)
        assert (said.code, "service install` makes it" in said.err) == (Exit.REFUSED, True)
    assert machine.asked == []


def test_what_only_this_shell_sets_is_named_and_no_key_is_written_anywhere(
    machine: Machine, tmp_path: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.has("systemctl")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-hunter2")
    said = typed(capsys, "service", "install")
    assert "the service does not see what this shell sets: ANTHROPIC_API_KEY" in said.err
    assert "hunter2" not in said.out + said.err
    assert not any("hunter2" in path.read_text() for path in tmp_path.rglob("*") if path.is_file())


def test_settings_with_faults_make_no_service(machine: Machine, tmp_path: Path, capsys: Capsys) -> None:
    machine.has("systemctl")
    (tmp_path / ".sulla").mkdir()
    (tmp_path / ".sulla" / "sulla.toml").write_text("[gateway]\nport = 'x'\n[limits]\nruns = 0\n")
    said = typed(capsys, "service", "install")
    assert said.code == Exit.SETTINGS
    assert "gateway.port" in said.err
    assert "limits.runs" in said.err
    assert machine.asked == []


def test_each_home_has_a_service_of_its_own() -> None:
    names = {service_name(Path(home)) for home in ("/a", "/b", "/a/b")}
    assert len(names) == 3
    assert service_name(find_home({}, None)) == "sulla"
