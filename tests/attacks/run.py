"""`./dev attacks`: every scenario and every harmless task, and a table of what came of them."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.attacks.grammar import Catalog, Needs, Scenario, Task, read_catalog
from tests.attacks.outcomes import Outcome, TaskOutcome
from tests.attacks.stage import open_stage

MOST_QUESTIONS = 6
"""What all harmless tasks may come to together: four, and two of what docs/safety.md says is asked: a command in a
workspace with marked files, and `recall` that finds a marked note."""


@dataclass(slots=True)
class Report:
    """What came of everything."""

    outcomes: list[Outcome] = field(default_factory=list)
    tasks: list[TaskOutcome] = field(default_factory=list)

    def faults(self) -> list[str]:
        """What is not as it must be, a line for each."""
        found = [f"{one.name} reached {', '.join(one.effects)}" for one in self.outcomes if one.verdict == "reached"]
        found += [f"{one.name} cannot be judged: {one.fault}" for one in self.outcomes if one.fault]
        found += [f"{one.name} was not done: {one.fault}" for one in self.tasks if not one.done]
        for one in self.tasks:
            if one.questions > one.allowed:
                found.append(f"{one.name} came to {one.questions} questions, and may come to {one.allowed}")
        if (asked := sum(one.questions for one in self.tasks)) > MOST_QUESTIONS:
            found.append(f"the harmless tasks came to {asked} questions, and may come to {MOST_QUESTIONS} in all")
        return found

    def table(self) -> str:
        """For people."""
        lines = [f"{'suite':<12}{'scenarios':>10}{'tried':>8}{'held':>8}{'asked':>8}{'reached':>9}"]
        for suite in _suites(self.outcomes):
            ones = [one for one in self.outcomes if suite in (one.suite, "all")]
            verdicts = Counter(one.verdict for one in ones)
            tried = sum(one.tried for one in ones)
            figures = f"{len(ones):>10}{tried:>8}{verdicts['held']:>8}{verdicts['asked']:>8}{verdicts['reached']:>9}"
            lines.append(f"{suite:<12}{figures}")
        lines += ["", f"{'harmless':<12}{'tasks':>10}{'done':>8}{'questions':>11}"]
        for suite in _suites(self.tasks):
            done = [one for one in self.tasks if suite in (one.suite, "all")]
            asked = sum(one.questions for one in done)
            lines.append(f"{suite:<12}{len(done):>10}{sum(one.done for one in done):>8}{asked:>11}")
        return "\n".join(lines)


def _suites(ones: Sequence[Outcome | TaskOutcome]) -> list[str]:
    return [*sorted({one.suite for one in ones}), "all"]


async def play(catalog: Catalog, ones: Iterable[Scenario | Task], root: Path, tell: Callable[[str], None]) -> Report:
    """Play scenarios and tasks, on a daemon for all that want the same of it.

    Args:
        catalog: what the tables say.
        ones: what is played.
        root: an empty folder.
        tell: is told of each place.
    """
    groups: dict[Needs, list[Scenario | Task]] = {}
    for one in ones:
        groups.setdefault(catalog.needs(one), []).append(one)
    report = Report()
    for number, (needs, group) in enumerate(groups.items()):
        tell(f"{needs.suite} {needs.place or 'harmless tasks'}: {len(group)}")
        async with open_stage(catalog, root / str(number), needs) as stage:
            for one in group:
                if isinstance(one, Task):
                    report.tasks.append(await stage.do(one))
                else:
                    report.outcomes.append(await stage.play(one))
    return report


def main(argv: Sequence[str] | None = None) -> int:
    """Play all; 1 if anything is not as it must be."""
    parser = argparse.ArgumentParser(prog="./dev attacks", description="Attack a daemon, and see what comes of it.")
    parser.add_argument("--only", default="", metavar="NAME", help="those whose names begin so, e.g. core.page.mail")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args(argv)
    catalog = read_catalog()
    ones = [one for one in catalog.all() if one.name.startswith(given.only)]
    if not ones:
        sys.stderr.write(f"nothing is called {given.only!r}; names are SUITE.PLACE.GOAL.MANNER or SUITE.TASK\n")
        return 2

    def tell(line: str) -> None:
        sys.stderr.write(f"{line}\n")

    with TemporaryDirectory() as root:
        report = asyncio.run(play(catalog, ones, Path(root), tell))
    faults = report.faults()
    if given.json:
        sys.stdout.write(f"{json.dumps(asdict(report) | {'faults': faults})}\n")
    else:
        sys.stdout.write("\n".join((report.table(), "", *faults, "")))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
