"""The units of deploy/systemd, by systemd's own tools where they are; the rest by their text."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from sulla.host.sections import DaemonSettings, GatewaySettings
from tests.house.source import ROOT

UNITS = ROOT / "deploy" / "systemd"
SERVICES = sorted(UNITS.glob("*.service"))
MOST_EXPOSED = 3.0

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed, so no tool judges the units"
)


def _analyze(*words: str | Path) -> str:
    run = subprocess.run(["systemd-analyze", *words], capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout + run.stderr


def _hardening(unit: Path) -> list[str]:
    text = unit.read_text()
    return text[text.index("NoNewPrivileges=") : text.index("[Install]")].splitlines()


@needs_systemd
@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.name)
def test_a_unit_leaves_little_open(unit: Path) -> None:
    said = _analyze("security", "--offline=true", "--no-pager", unit)
    exposure = re.search(r"Overall exposure level for \S+: ([\d.]+)", said)
    assert exposure is not None, said
    assert float(exposure[1]) <= MOST_EXPOSED, said


@needs_systemd
def test_systemd_finds_nothing_wrong_with_the_units(tmp_path: Path) -> None:
    program = tmp_path / "sulla"  # it looks whether what is started is there
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for unit in UNITS.glob("*.s[eo]*"):
        text = unit.read_text().replace("/opt/sulla/bin/sulla", str(program))
        (tmp_path / unit.name.replace("@.", "@1.")).write_text(text)
    assert _analyze("verify", "--man=no", *(path for path in tmp_path.iterdir() if path != program)) == ""


def test_all_services_are_hardened_alike() -> None:
    (hardened,) = {tuple(_hardening(unit)) for unit in SERVICES}
    assert "ProtectSystem=strict" in hardened


def test_the_sandbox_of_commands_keeps_what_it_needs() -> None:
    needed = ("RestrictNamespaces", "ProtectKernelTunables", "ProtectKernelLogs", "ProtectProc", "ProcSubset")
    assert [line for unit in SERVICES for line in _hardening(unit) if line.startswith(needed)] == []


def test_a_stop_leaves_turns_their_time() -> None:
    drain_s = DaemonSettings().drain_s
    for unit in SERVICES:
        stop = re.search(r"^TimeoutStopSec=(\d+)$", unit.read_text(), re.MULTILINE)
        assert stop is not None
        assert int(stop[1]) >= 3 * drain_s, unit.name


def test_a_store_that_is_away_for_long_is_waited_for_however_often_a_start_fails() -> None:
    for unit in SERVICES:
        lines = unit.read_text().splitlines()
        assert {"Restart=on-failure", "Restart=always"} & set(lines), unit.name
        assert "StartLimitIntervalSec=0" in lines, unit.name


def test_all_workers_of_a_machine_work_in_one_place() -> None:
    # A question names the folder; were there one for each worker, the next one would ask again what a person allowed.
    text = (UNITS / "sulla-worker@.service").read_text()
    (place,) = re.findall(r"^Environment=SULLA_AGENT__WORKSPACE=/var/lib/(\S+)$", text, re.MULTILINE)
    assert "%" not in place
    assert place in text[text.index("StateDirectory=") :].splitlines()[0].split()


def test_the_socket_is_where_the_daemon_listens_by_itself() -> None:
    settings = GatewaySettings()
    assert f"ListenStream={settings.host}:{settings.port}\n" in (UNITS / "sulla.socket").read_text()


@pytest.mark.parametrize("role", ["gateway", "worker"])
def test_each_daemon_of_a_cluster_listens_on_a_port_that_is_known_so_that_it_can_be_watched(role: str) -> None:
    text = (UNITS / f"sulla-{role}@.service").read_text()
    assert "--port %i\n" in text
