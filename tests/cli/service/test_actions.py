"""`sulla service`, with managers that only write down what they are told."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sulla.cli.service.actions import service_name
from sulla.host.home import Home, Whereabouts, find_home
from sulla.terminal.exits import Exit
from sulla.terminal.program import program
from tests.cli.typed import typed

Capsys = pytest.CaptureFixture[str]


LAUNCHCTL = (
    r"""case "$1 $2" in print\ gui/*/*) printf 'gui/501/sulla = {\n\tstate = running\n\n\tpid = 4711\n}\n';; esac"""
)
UNLOADED = """case "$1 $2" in print\\ gui/*/*) echo 'Could not find service' >&2; exit 113;; esac"""


def shown(active: str, sub: str, pid: int, starts: str = "enabled") -> str:
    """What `systemctl show` says of a unit, as a script."""
    lines = (f"ActiveState={active}", f"SubState={sub}", f"UnitFileState={starts}", f"MainPID={pid}")
    return f"printf '%s\\n' {' '.join(lines)} Result=exit-code ExecMainStatus=7"


@contextmanager
def running_daemon(home: Path) -> Iterator[int]:
    """A home that is held as a daemon holds it, by this process."""
    held = Home(home)
    held.lock()
    try:
        held.announce(Whereabouts("http://127.0.0.1:8137", os.getpid(), "UTC"))
        yield os.getpid()
    finally:
        held.unlock()


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
    for loaded, verb, done in (
        (False, "install", ["bootstrap"]),
        (True, "install", ["bootout", "bootstrap"]),
        (True, "start", ["kickstart"]),
        (True, "restart", ["kickstart -k"]),
        (True, "stop", ["bootout"]),
        (False, "stop", []),
        (False, "start", ["bootstrap"]),
        (False, "restart", ["bootstrap"]),
    ):
        machine.has("launchctl", LAUNCHCTL if loaded else UNLOADED)
        assert typed(capsys, "service", verb).code == Exit.OK
        asked = [line for line in machine.asked if " print " not in line]
        assert [line.partition(" gui/")[0] for line in asked] == [f"launchctl {one}" for one in done]
    assert plist.exists()
    assert typed(capsys, "service", "logs").code == Exit.OK
    assert machine.asked == [f"tail -n100 {tmp_path}/.sulla/logs/service.log"]
    assert typed(capsys, "service", "uninstall").code == Exit.OK
    assert not plist.exists()


def test_how_a_service_of_systemd_is(machine: Machine, tmp_path: Path, capsys: Capsys) -> None:
    machine.has("systemctl")
    never = typed(capsys, "service", "status")
    assert (never.code, never.out.startswith("installed  no: `")) == (Exit.FAILED, True)
    assert typed(capsys, "service", "install").code == Exit.OK
    with running_daemon(tmp_path / ".sulla") as pid:
        machine.has("systemctl", shown("active", "running", pid))
        well = typed(capsys, "service", "status")
        assert well.code == Exit.OK
        assert f"runs       active (running), pid {pid}\n" in well.out
        assert f"daemon     http://127.0.0.1:8137, pid {pid}, ready since 20" in well.out
        assert f"{tmp_path}/.sulla/logs/daemon.jsonl" in well.out
        machine.has("systemctl", shown("inactive", "dead", 0))
        other = typed(capsys, "service", "status")
        assert f"wrong      the daemon on this home (pid {pid}) is not the service's: `" in other.out


@pytest.mark.parametrize(
    ("shows", "wrong"),
    [
        (("failed", "failed", 0), "its last start failed (exit-code, exit status 7): `"),
        (("activating", "auto-restart", 0), "its last start failed (exit-code, exit status 7): `"),
        (("active", "running", 7), "it runs and is not ready: `"),
        (("active", "running", 7, "disabled"), "it does not start with your session: `"),
    ],
)
def test_what_is_wrong_with_a_service_is_told_with_what_to_do(
    shows: tuple[str, str, int], wrong: str, machine: Machine, capsys: Capsys
) -> None:
    machine.has("systemctl")
    assert typed(capsys, "service", "install").code == Exit.OK
    machine.has("systemctl", shown(*shows))
    said = typed(capsys, "service", "status")
    assert said.code == Exit.FAILED
    assert f"wrong      {wrong}" in said.out


def test_a_service_that_was_described_otherwise_is_told(machine: Machine, tmp_path: Path, capsys: Capsys) -> None:
    machine.has("systemctl")
    assert typed(capsys, "service", "install").code == Exit.OK
    unit = tmp_path / "config" / "systemd" / "user" / "sulla.service"
    unit.write_text(unit.read_text().replace("sulla", "sulla-of-before"))
    assert f"wrong      {unit} is not what this version writes: `" in typed(capsys, "service", "status").out


def test_a_manager_that_is_gone_is_told_by_the_status(machine: Machine, capsys: Capsys) -> None:
    machine.has("systemctl")
    assert typed(capsys, "service", "install").code == Exit.OK
    machine.has("systemctl", "echo No medium found >&2; exit 1")
    said = typed(capsys, "service", "status")
    assert "runs       no: unknown\n" in said.out
    assert "wrong      `systemctl --user show sulla.service" in said.out


def test_how_a_service_of_launchd_is(machine: Machine, capsys: Capsys) -> None:
    machine.has("launchctl", UNLOADED)
    assert typed(capsys, "service", "install").code == Exit.OK
    assert "wrong      it was stopped: `" in typed(capsys, "service", "status").out
    machine.has("launchctl", LAUNCHCTL)
    assert "runs       running, pid 4711\n" in typed(capsys, "service", "status").out


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


def test_a_manager_that_does_not_answer_is_told_before_settings_and_a_daemon_that_runs(
    machine: Machine, tmp_path: Path, capsys: Capsys
) -> None:
    machine.has("systemctl", "echo Failed to connect to bus >&2; exit 1")
    home = tmp_path / ".sulla"
    home.mkdir()
    with running_daemon(home):
        assert "Failed to connect to bus" in typed(capsys, "service", "install").err
    (home / "sulla.toml").write_text("[limits]\nruns = 0\n")
    said = typed(capsys, "service", "install")
    assert said.code == Exit.REFUSED
    assert "Failed to connect to bus" in said.err
    assert "limits.runs" not in said.err


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
    assert machine.asked == ["systemctl --user show-environment"]


def test_each_home_has_a_service_of_its_own() -> None:
    names = {service_name(Path(home)) for home in ("/a", "/b", "/a/b")}
    assert len(names) == 3
    assert service_name(find_home({}, None)) == "sulla"
