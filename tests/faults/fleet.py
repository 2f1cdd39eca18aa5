"""``python -m tests.faults.fleet [--share S] [--seed N] [--takes N]``: a day of a fleet, and what it came to."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace

from tests.simulation.fleet.fleet import Fleet
from tests.simulation.fleet.plan import Plan
from tests.simulation.fleet.report import report


def main(argv: list[str]) -> int:
    """Play it, and print.

    Returns:
        0, or 1 if something did not hold.
    """
    parser = argparse.ArgumentParser("tests.faults.fleet", description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the workers, the threads and the traffic")
    parser.add_argument("--seed", type=int, default=1, help="of all chance")
    parser.add_argument("--takes", type=int, default=Plan().takes, help="how many jobs a worker takes at once")
    given = parser.parse_args(argv)
    plan = replace(Plan(seed=given.seed, takes=given.takes).scaled(given.share))
    began = time.process_time()
    fleet = Fleet(plan)
    truth = fleet.run()
    print("\n".join(report(plan, fleet, truth)))
    print(f"{fleet.world.events.done:,} events in {time.process_time() - began:.0f} s of processor time")
    for breach in truth.breaches:
        print(f"BREACH {breach}")
    return 1 if truth.breaches else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
