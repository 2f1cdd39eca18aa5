"""How a service is, read from what its manager prints."""

from __future__ import annotations

import pytest

from sulla.cli.service.state import launchd_state, no_systemd, systemd_state

PRINTED = """gui/501/sulla = {
	active count = 1
	path = /Users/ann/Library/LaunchAgents/sulla.plist
	state = %s

	program = /opt/sulla
	runs = 3
%s	last exit code = %s

	spawn type = daemon (3)
	endpoints = {
		state = other
	}
}
"""
"""As `launchctl print` of macOS 13 shows an agent."""


@pytest.mark.parametrize(
    ("state", "pid", "code", "shown", "faults"),
    [
        ("running", "\tpid = 812\n", "(never exited)", ("running", 812), 0),
        ("running", "\tpid = 812\n", "1", ("running", 812), 0),
        ("not running", "", "0", ("not running", 0), 0),
        ("not running", "", "7", ("not running", 0), 1),
    ],
)
def test_an_agent_of_launchd(state: str, pid: str, code: str, shown: tuple[str, int], faults: int) -> None:
    found = launchd_state(PRINTED % (state, pid, code))
    assert (found.word, found.pid) == shown
    assert [code in fault for fault in found.faults] == [True] * faults


def test_what_systemd_does_not_say_is_unknown() -> None:
    found = systemd_state("UnitFileState=enabled\n")
    assert (found.word, found.pid, found.faults) == ("unknown (unknown)", 0, ())


@pytest.mark.parametrize(
    ("booted", "folder", "said"),
    [
        (False, "", "have whatever starts the container run"),
        (True, "", "XDG_RUNTIME_DIR is not set"),
        (True, "/run/user/7", "`sudo loginctl enable-linger ann` starts one that stays"),
    ],
)
def test_why_there_is_no_manager_and_what_to_do(booted: bool, folder: str, said: str) -> None:
    assert said in no_systemd(booted=booted, runtime_folder=folder, user="ann", home="/srv/ann")
