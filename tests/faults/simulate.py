"""Replay a simulation: ``python -m tests.faults.simulate SEED [--trace] [--seeds N] [--calm] [--defect NAME]``.

Prints what the seed breaks and ends with 1 if it breaks anything; with ``--trace`` all that happened comes first.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence

from tests.simulation.defects import DEFECTS
from tests.simulation.simulate import Outcome, simulate


def replay(seed: int) -> str:
    """The command that shows a seed's simulation again."""
    return f"python -m tests.faults.simulate {seed} --trace"


def show(outcome: Outcome) -> None:
    """Print a simulation's trace, the logs that it left behind, and what it broke."""
    for line in outcome.trace:
        print(line)
    if outcome.trace and outcome.history is not None:
        for thread in outcome.history.threads:
            for entry in thread.log:
                print(
                    f"{thread.thread_id} {entry.seq} {entry.kind} {entry.origin.run_id or ''} {dict(entry.data)}"[:300]
                )
    for breach in outcome.breaches:
        print(f"seed {outcome.seed}: {breach}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one seed, or several in a row."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.simulate")
    parser.add_argument("seed", type=int, nargs="?", default=0)
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="so many seeds, from SEED on")
    parser.add_argument("--trace", action="store_true", help="print everything that happened")
    parser.add_argument("--calm", action="store_true", help="without faults")
    parser.add_argument("--defect", choices=sorted(DEFECTS), default="", help="break a promise on purpose")
    given = parser.parse_args(argv)
    broken, faults, records, seconds = 0, Counter[str](), Counter[str](), 0.0
    for seed in range(given.seed, given.seed + given.seeds):
        outcome = simulate(seed, defect=given.defect, trace=given.trace, storm=not given.calm)
        show(outcome)
        broken += bool(outcome.breaches)
        faults.update(outcome.faults)
        seconds += outcome.seconds
        if outcome.history is not None:
            records.update(entry.kind for thread in outcome.history.threads for entry in thread.log)
    print(f"{given.seeds} seeds from {given.seed}: {broken} broke something; {seconds:.0f} simulated seconds")
    print(f"faults: {dict(faults)}")
    print(f"records: {dict(records)}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
