"""How a service is, as its manager tells it, and why there may be no manager. Pure."""

from __future__ import annotations

import re
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.terminal.program import program

SYSTEMD_ASKED: Final = ("ActiveState", "SubState", "UnitFileState", "MainPID", "Result", "ExecMainStatus")
"""The properties of a unit that `systemd_state` reads."""

_PRINTED: Final = re.compile(r"^\s*(state|pid|last exit code) = (.*?)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ServiceState:
    """How a service is at one moment."""

    word: str
    """The manager's own word for it, e.g. ``active (running)``."""
    pid: int = 0
    """The process that it runs as; 0 if it does not run."""
    faults: tuple[str, ...] = ()
    """What is wrong with it, each with what to do."""


def systemd_state(shown: str) -> ServiceState:
    """A unit's state.

    Args:
        shown: what `systemctl show` printed: a property on each line.
    """
    told = dict(line.split("=", 1) for line in shown.splitlines() if "=" in line)
    active, pid = told.get("ActiveState", "unknown"), told.get("MainPID", "0")
    faults = []
    if active == "failed" or told.get("SubState") == "auto-restart":
        why = f"{told.get('Result', 'unknown')}, exit status {told.get('ExecMainStatus', 'unknown')}"
        faults.append(_failed(why))
    if told.get("UnitFileState") != "enabled":
        faults.append(f"it does not start with your session: `{program()} service install` has it start")
    return ServiceState(f"{active} ({told.get('SubState', 'unknown')})", int(pid) if pid.isdecimal() else 0, (*faults,))


def launchd_state(printed: str) -> ServiceState:
    """An agent's state.

    Args:
        printed: what `launchctl print` printed; its form is for people, so what is not found there counts as not said.
    """
    told = dict(reversed(_PRINTED.findall(printed)))  # the first of each is the agent's own
    pid, code = told.get("pid", "0"), told.get("last exit code", "")
    failed = not pid.isdecimal() or not int(pid)
    faults = (_failed(f"exit status {code}"),) if failed and code not in ("", "0", "(never exited)") else ()
    return ServiceState(told.get("state", "unknown"), 0 if failed else int(pid), faults)


def _failed(why: str) -> str:
    return f"its last start failed ({why}): `{program()} service logs` shows what it said"


def no_systemd(*, booted: bool, runtime_folder: str, user: str, home: str) -> str:
    """Why systemd's user manager may not answer, and what to do.

    Args:
        booted: whether systemd runs this machine.
        runtime_folder: of the session (`XDG_RUNTIME_DIR`); empty if it has none.
        user: who asks.
        home: the daemon's.
    """
    if not booted:
        return (
            "systemd does not run this machine, as in most containers: have whatever starts the container run "
            f"`{program()} up --home {home}`, stop it with SIGTERM and start it again when it fails"
        )
    if not runtime_folder:
        return (
            "this session has no bus (XDG_RUNTIME_DIR is not set), as after `su` or `sudo` and in cron: log in as "
            f"{user} itself, by ssh or `machinectl shell {user}@`, and ask again"
        )
    return (
        f"no manager of {user}'s answers in {runtime_folder}: `sudo loginctl enable-linger {user}` starts one that "
        "stays, also while nobody is logged in; then ask again"
    )
