"""The command line of drills: for deploy/drill.sh."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import signal
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

import orjson

from deploy.local_cluster import SERVERS
from deploy.local_parts import Failed
from sulla.host.system import SystemClock
from tests.faults.drill.drill import Plan, drill
from tests.faults.drill.report import lines


def say(line: str) -> None:
    """Tell people."""
    print(line, flush=True)


def main() -> int:
    """Read the command line, and do it."""
    parser = argparse.ArgumentParser(prog="drill.sh")
    parser.add_argument("--minutes", type=float, default=15.0, help="how long faults happen (default 15)")
    parser.add_argument("--seed", type=int, help="makes the same faults again (default: the clock's)")
    parser.add_argument("--store", choices=SERVERS, default="postgres")
    parser.add_argument("--clients", type=int, default=40)
    parser.add_argument("--upgrade-to", default="", metavar="REF|WHEEL", help="a git ref, or a wheel's file")
    parser.add_argument("--report", type=Path, metavar="FILE", help="gets everything as JSON")
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else int(SystemClock().now())
    plan = Plan(given.minutes * 60, seed, given.store, clients=given.clients, upgrade_to=given.upgrade_to)
    outer = Path(tempfile.mkdtemp(prefix="sulla-drill-"))
    outer.chmod(0o711)  # PostgreSQL's user has to get through, where this is root
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that nothing is left either way
    say(f"seed {seed}, {plan.store}, {outer}")
    try:
        report = asyncio.run(drill(outer / "cluster", plan, say))
    except Failed as error:
        print(f"drill.sh: {error}", file=sys.stderr)
        return 2
    finally:
        shutil.rmtree(outer)
    say("\n".join(lines(report)))
    if given.report is not None:
        given.report.write_bytes(orjson.dumps(asdict(report), option=orjson.OPT_INDENT_2))
    return 1 if report.breaches else 0


if __name__ == "__main__":
    sys.exit(main())
