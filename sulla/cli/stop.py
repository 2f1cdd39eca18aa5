"""`sulla stop`."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
from pathlib import Path

from sulla.core.clock import Clock
from sulla.core.errors import NotAvailable, Refused, Unavailable
from sulla.core.jsontypes import JsonObject
from sulla.host.home import LOCK, Home, Whereabouts
from sulla.host.system import SystemClock
from sulla.terminal.client import open_client
from sulla.terminal.exits import Exit
from sulla.terminal.output import tell
from sulla.terminal.place import Door, door, home_of
from sulla.terminal.program import program

ANSWER_S = 5.0
"""How long the daemon may take to say that it stops; one that says nothing gets a signal."""

SPARE_S = 20.0
"""How much longer than its turns may take it is waited for: connections are closed and the log is written."""

LOOK_S = 0.1
"""How often it is looked whether it has ended."""


def arguments(command: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    command.add_argument("--now", action="store_true", help="cut off turns in progress; they go on at the next start")
    command.add_argument("--json", action="store_true", help="print JSON")


def run(given: argparse.Namespace) -> Exit:
    """Stop the daemon of the home, and wait until it has ended."""
    path = home_of(given)
    home, where = Home(path), Home(path).whereabouts()
    if where is None:
        _tell(given, {"stopped": False, "running": False}, f"no daemon runs on the home {path}")
        return Exit.OK
    return asyncio.run(_stop(given, home, where, door(path), SystemClock()))


async def _stop(given: argparse.Namespace, home: Home, where: Whereabouts, at: Door, clock: Clock) -> Exit:
    try:
        async with clock.timeout(ANSWER_S), open_client(at) as client:
            said = await client.call("system.stop", now=given.now)
        drain_s, running = float(said["drain_s"]), int(said["running"])
    except (TimeoutError, Unavailable, NotAvailable) as error:
        if home.whereabouts() != where:
            return _ended(given)
        _signal(home, where, str(error) or "no answer", takes_orders=not isinstance(error, NotAvailable))
        drain_s, running = ANSWER_S, 0
    if running and drain_s and not given.json:
        said_of = "1 turn" if running == 1 else f"{running} turns"
        tell(f"waiting up to {drain_s:g} s for {said_of} to reach a step border (--now cuts off)")
    try:
        async with clock.timeout(drain_s + SPARE_S):
            while home.whereabouts() == where:
                await clock.sleep(LOOK_S)
    except TimeoutError:
        raise Refused(
            f"the daemon (pid {where.pid}) still runs after {drain_s + SPARE_S:g} s: `{program()} logs` says what it "
            f"waits for; `{program()} stop --now` cuts turns off, and `kill -9 {where.pid}` loses nothing that was kept"
        ) from None
    return _ended(given)


def _signal(home: Home, where: Whereabouts, why: str, *, takes_orders: bool) -> None:
    """Tell the process itself, which does not answer, or takes no orders. That the home's lock is held says that it
    lives.

    Raises:
        Refused: the process of that number is not it, as in another container.
    """
    what = "does not answer" if takes_orders else "takes no orders"
    if not has_home(where.pid, home.path):
        raise Refused(f"the daemon {what} ({why}), and process {where.pid} here is another one: stop it there")
    tell(f"it {what} ({why}): process {where.pid} is sent SIGTERM")
    os.kill(where.pid, signal.SIGTERM)


def has_home(pid: int, home: Path, proc: Path = Path("/proc")) -> bool:
    """Whether a process is the one that has claimed a home; on a system that does not tell, whether it is there.

    Args:
        pid: its number.
        home: the home.
        proc: where the kernel's tables are.
    """
    lock = str(home.resolve() / LOCK)
    try:
        if proc.is_dir():
            return any(str(handle.readlink()) == lock for handle in (proc / str(pid) / "fd").iterdir())
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def _ended(given: argparse.Namespace) -> Exit:
    _tell(given, {"stopped": True, "running": False}, "stopped")
    return Exit.OK


def _tell(given: argparse.Namespace, report: JsonObject, line: str) -> None:
    print(json.dumps(report) if given.json else line)
