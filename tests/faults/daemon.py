"""The real daemon, with things that happen to it: ``python -m tests.faults.daemon [faults] --home DIR --port N``.

``--kill-at KIND:N:before|after`` kills the process with SIGKILL around the write that brings the N-th record of a kind.
``--slow-store S`` waits before and after each write, so that a kill from outside can fall between any two.
``--effects FILE`` adds tools that write down what they do. ``--defect NAME`` breaks a promise on purpose.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

from sulla.core.clock import Clock
from sulla.daemon.run import run_daemon
from sulla.daemon.settings.config import load_settings
from sulla.host.place import Place
from sulla.store.base import Store
from sulla.testing.store import FaultyStore, Phase, Plan, Touch, at_record
from sulla.testing.tools import EffectLedger, ledger_tools
from tests.simulation.daemon_defects import DEFECTS


async def kill_now() -> None:
    """End this process as a power cut would."""
    os.kill(os.getpid(), signal.SIGKILL)


def parse_kill(text: str, act: Callable[[], Awaitable[None]] = kill_now) -> Plan:
    """A plan from ``KIND:N:before|after``.

    Raises:
        argparse.ArgumentTypeError: it is not of that form.
    """
    kind, _, rest = text.partition(":")
    number, _, phase = rest.partition(":")
    phases: dict[str, Phase] = {"before": "before", "after": "after"}
    if not kind or not number.isdigit() or phase not in phases:
        raise argparse.ArgumentTypeError(f"{text!r} is not KIND:N:before|after, e.g. TOOL_CALL_RESULT:1:before")
    return at_record(kind, int(number), phases[phase], act)


def slowly(clock: Clock, seconds: float) -> Plan:
    """A plan that waits at each side of each write."""

    async def plan(touch: Touch) -> None:
        await clock.sleep(seconds)

    return plan


def prepared(given: argparse.Namespace, place: Place) -> Place:
    """The place with its doubles in it."""

    def wrap(store: Store) -> Store:
        if given.defect:
            store = DEFECTS[given.defect](store)
        if given.slow_store:
            store = FaultyStore(store, slowly(place.clock, given.slow_store))
        return FaultyStore(store, given.kill_at) if given.kill_at else store

    tools = ledger_tools(EffectLedger(given.effects), given.tool_pause) if given.effects else ()
    return replace(place, wrap_store=wrap, extra_tools=tools)


def main(argv: Sequence[str] | None = None) -> None:
    """Run it."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.daemon")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--kill-at", type=parse_kill, metavar="KIND:N:before|after")
    parser.add_argument("--slow-store", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--effects", type=Path, metavar="FILE")
    parser.add_argument("--tool-pause", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--defect", choices=sorted(DEFECTS))
    given = parser.parse_args(argv)
    settings = load_settings(os.environ, {("gateway", "port"): given.port}, given.home)
    logging.basicConfig(level="WARNING")
    asyncio.run(run_daemon(settings, lambda line: print(line, flush=True), lambda place: prepared(given, place)))


if __name__ == "__main__":
    main(sys.argv[1:])
