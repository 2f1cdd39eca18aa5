"""``python -m bench.turns [dev] [more] [trial] [FILE.tsv]``: totals of these files, for whoever writes rules.

Those of the held-out half are not to be had here, so that nobody looks at them by accident.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.frame import table
from bench.turns import data
from bench.turns_end import rows_of

FILES = {"dev": data.dev, "more": data.more, "trial": data.trial}
"""What may be looked at while rules change; `trial` at milestones only."""


def main(argv: list[str]) -> int:
    """Print the totals of the files that `argv` names, or of `dev` and `more`."""
    parser = argparse.ArgumentParser("bench.turns", description="Totals of labelled lines, without the held-out half.")
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help=f"{', '.join(FILES)} or the path of another .tsv (default dev more)"
    )
    files = parser.parse_args(argv).files or ["dev", "more"]
    unknown = [name for name in files if name not in FILES and not name.endswith(".tsv")]
    if unknown:
        parser.error(f"no file named {', '.join(map(repr, unknown))}; there are: {', '.join(FILES)}, or any .tsv")
    for name in files:
        try:
            lines = FILES[name]() if name in FILES else data.further(Path(name))
        except data.DataError as error:
            parser.error(str(error))
        print(table(f"turns: {name}", rows_of(name, lines, judged=False)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
