"""What each command of `sulla service` does."""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
from pathlib import Path

from sulla.cli.service.managers import Manager, Systemd, find_manager, own_command, setuid_bubblewrap
from sulla.cli.service.state import ServiceState
from sulla.cli.service.texts import DaemonService
from sulla.cli.settings import examined_of
from sulla.core.errors import HomeInUse, NotFound, Refused, SettingsError
from sulla.core.stamp import stamp
from sulla.daemon.settings.config import FILE, Examined
from sulla.daemon.settings.keys import KEYS_FILE
from sulla.host.home import WHERE, Home, find_home
from sulla.telemetry.logs import FILE as LOG
from sulla.terminal.exits import Exit
from sulla.terminal.output import tell
from sulla.terminal.place import home_of, tell_time_in
from sulla.terminal.program import program
from sulla.terminal.times import moment


def do(given: argparse.Namespace) -> Exit:
    """Do what the command line says.

    Raises:
        NotAvailable: this machine has no manager of services that is known.
        NotFound: the service was never installed.
        Refused: the manager does not do it.
    """
    home = home_of(given)
    path = os.pathsep.join(dict.fromkeys((str(Path(own_command()[0]).parent), *os.get_exec_path())))
    manager = find_manager(DaemonService(service_name(home), own_command(), str(home), path, setuid_bubblewrap()))
    if given.verb == "install":
        manager.check()  # first: whoever has no manager here need mend nothing for it
        return install(manager, home, examined_of(given))
    if given.verb == "status":
        return status(manager, home)
    if not manager.file.exists():
        raise NotFound(
            f"there is no service for the home {home} ({manager.file}): `{program()} service install` makes it"
        )
    if given.verb == "logs":
        return Exit(min(subprocess.run(manager.log_command(follow=given.follow), check=False).returncode, 1))
    if given.verb == "uninstall":
        manager.uninstall()
        print(f"removed {manager.file}; the home {home} stays")
    else:
        manager.tell(given.verb)
        print({"start": "started", "stop": "stopped", "restart": "restarted"}[given.verb])
    return Exit.OK


def install(manager: Manager, home: Path, examined: Examined) -> Exit:
    """Have the manager start the daemon, if it could start.

    Args:
        manager: of this machine.
        home: the home.
        examined: its settings, as this shell sees them.

    Raises:
        HomeInUse: another daemon runs on it.
        SettingsError: it could not start with its settings.
        Refused: the manager does not do it.
    """
    if examined.faults:
        raise SettingsError("; ".join(examined.faults))
    running = Home(home).whereabouts()
    if running is not None and not manager.file.exists():
        raise HomeInUse(
            f"a daemon (pid {running.pid}) runs on the home {home} already: `{program()} stop` ends it first"
        )
    manager.install()
    print(f"made {manager.file}: the daemon runs, and starts with each session of yours")
    print(f"`{program()} status` says how it is, `{program()} service logs` what it printed")
    if isinstance(manager, Systemd):
        print("to have it run while you are not logged in: loginctl enable-linger")
    for line in unseen(home, examined):
        tell(f"warning: {line}")
    return Exit.OK


def status(manager: Manager, home: Path) -> Exit:
    """Say how the service is.

    Args:
        manager: of this machine.
        home: the home.

    Returns:
        Whether it is installed and runs, and nothing is wrong with it.
    """
    if not manager.file.exists():
        print(f"installed  no: `{program()} service install` makes {manager.file}")
        _print_daemon(home, 0)
        return Exit.FAILED
    print(f"installed  {manager.file}")
    try:
        state = manager.state()
    except Refused as error:
        state = ServiceState("unknown", faults=(error.message,))
    faults = [*state.faults]
    if manager.file.read_bytes() != manager.text:
        faults.append(f"{manager.file} is not what this version writes: `{program()} service install` makes it anew")
    print(f"runs       {f'{state.word}, pid {state.pid}' if state.pid else f'no: {state.word}'}")
    faults += _print_daemon(home, state.pid)
    print(f"log        {manager.log} (`{program()} service logs`); {home / 'logs' / LOG} (`{program()} logs`)")
    for fault in faults:
        print(f"wrong      {fault}")
    return Exit.FAILED if faults or not state.pid else Exit.OK


def _print_daemon(home: Path, pid: int) -> list[str]:
    """Which daemon there is on a home, and since when.

    Args:
        home: the home.
        pid: the service's process; 0 if it does not run.

    Returns:
        What is wrong with that.
    """
    where = Home(home).whereabouts()
    if where is None:
        print("daemon     none is ready on this home")
        return [f"it runs and is not ready: `{program()} service logs` shows what it waits for"] if pid else []
    tell_time_in(where.zone)
    since = moment(stamp(round((home / WHERE).stat().st_mtime * 1000)))
    print(f"daemon     {where.url}, pid {where.pid}, ready since {since}")
    if where.pid != pid:
        return [f"the daemon on this home (pid {where.pid}) is not the service's: `{program()} stop` ends it"]
    return []


def unseen(home: Path, examined: Examined) -> list[str]:
    """What this shell sets, and a service does not see.

    Args:
        home: the home.
        examined: its settings, as this shell sees them.
    """
    files = {str(home / FILE), str(home / KEYS_FILE)}
    names = sorted({source for source in examined.sources.values() if source not in files})
    if not names:
        return []
    said = f"the service does not see what this shell sets: {', '.join(names)}"
    return [
        f"{said}. Write settings into {home / FILE} and keys into {home / KEYS_FILE} (`{program()} init --keep-key`)"
    ]


def service_name(home: Path) -> str:
    """What a home's service is called: ``sulla`` for the usual home.

    Args:
        home: the home.
    """
    if home == find_home({}, None):
        return "sulla"
    return f"sulla-{hashlib.sha256(str(home).encode()).hexdigest()[:8]}"
