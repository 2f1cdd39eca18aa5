"""``python -m bench [NAME ...] [--json FILE] [--list] [--rounds N] [--peers]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.frame import Bench, Frame, Row, as_json, discover, table


def main(argv: list[str]) -> int:
    """Run the benches that `argv` names, or all.

    Returns:
        0, or 1 if a bar is not met.
    """
    benches = discover()
    chosen, options = _arguments(argv, benches)
    if options.list:
        for name, bench in benches.items():
            print(f"{name:<12} {(bench.__doc__ or '').strip().splitlines()[0]}")
        return 0
    frame = Frame(rounds=options.rounds, peers=options.peers)
    found: dict[str, list[Row]] = {}
    for name in chosen:
        found[name] = benches[name].run(frame)
        # Each at once: some take long, and a later one may fail.
        print(table(name, found[name]), flush=True)
    if options.json is not None:
        text = as_json(found, frame)
        if options.json == "-":
            print(text)
        else:
            Path(options.json).write_text(text + "\n", encoding="utf-8")
    missed = [f"{name}: {row.name}" for name, rows in found.items() for row in rows if not row.ok]
    for line in missed:
        print(f"bar not met: {line}", file=sys.stderr)
    return 1 if missed else 0


def _arguments(argv: list[str], benches: dict[str, Bench]) -> tuple[list[str], argparse.Namespace]:
    parser = argparse.ArgumentParser("bench", description="Measure Sulla beside the limits of what is possible.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which to run (default all): {', '.join(benches)}")
    parser.add_argument("--json", metavar="FILE", help="write the figures there too; - for standard output")
    parser.add_argument("--list", action="store_true", help="say what there is, and run nothing")
    parser.add_argument("--rounds", type=int, default=61, metavar="N", help="rounds of each comparison (default 61)")
    parser.add_argument("--peers", action="store_true", help="other people's libraries too, where they are installed")
    options = parser.parse_args(argv)
    unknown = [name for name in options.names if name not in benches]
    if unknown:
        parser.error(f"no bench named {', '.join(map(repr, unknown))}; there are: {', '.join(benches)}")
    if options.rounds < 1:
        parser.error(f"--rounds is {options.rounds}; expected at least 1")
    return options.names or list(benches), options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
