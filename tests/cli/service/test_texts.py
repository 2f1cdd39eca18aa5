"""What systemd and launchd are told."""

from __future__ import annotations

import plistlib
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from sulla.cli.service.texts import DaemonService, launchd_plist, systemd_unit
from sulla.core.errors import SettingsError

SERVICE = DaemonService("sulla", ("/opt/my tools/bin/sulla",), '/srv/ann/50% "mine" $x \\y', "/usr/bin:/bin")


def test_a_unit_holds_every_path_as_it_is() -> None:
    unit = systemd_unit(SERVICE)
    home = '"/srv/ann/50%% \\"mine\\" $$x \\\\y"'
    assert f'ExecStart="/opt/my tools/bin/sulla" "up" "--home" {home}\n' in unit
    assert f'ExecReload="/opt/my tools/bin/sulla" "reload" "--home" {home}\n' in unit
    assert 'Environment="PATH=/usr/bin:/bin"\n' in unit
    for line in ("Restart=on-failure", "NoNewPrivileges=yes", "UMask=0077", "WantedBy=default.target"):
        assert f"{line}\n" in unit


def test_nothing_in_a_unit_keeps_bubblewrap_from_its_work() -> None:
    for service in (SERVICE, replace(SERVICE, setuid_sandbox=True)):
        unit = systemd_unit(service)
        assert not any(word in unit for word in ("Restrict" + "Namespaces", "Private", "Protect", "SystemCall"))
    gains = systemd_unit(replace(SERVICE, setuid_sandbox=True))
    assert not any(word in gains for word in ("NoNewPrivileges", "LockPersonality", "RestrictRealtime"))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_reads_the_unit_without_a_complaint(tmp_path: Path) -> None:
    home = tmp_path / '50% "mine" $x'
    unit = tmp_path / "sulla.service"
    unit.write_text(systemd_unit(DaemonService("sulla", ("/bin/true",), str(home), "/usr/bin:/bin")))
    found = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, check=False, timeout=60
    )
    assert [line for line in found.stderr.splitlines() if "sulla.service" in line] == []


def test_a_path_with_a_line_break_is_refused() -> None:
    with pytest.raises(SettingsError, match="has a line break"):
        systemd_unit(replace(SERVICE, home="/srv/a\nExecStartPre=/bin/evil"))


def test_a_property_list_holds_every_path_as_it_is() -> None:
    found = plistlib.loads(launchd_plist(SERVICE))
    assert found["ProgramArguments"] == [*SERVICE.command, "up", "--home", SERVICE.home]
    assert found["EnvironmentVariables"] == {"PATH": "/usr/bin:/bin"}
    assert (found["KeepAlive"], found["RunAtLoad"]) == ({"SuccessfulExit": False}, True)
    assert found["StandardErrorPath"] == f"{SERVICE.home}/logs/service.log"
