"""The frame that every bench runs in: fair rounds, ratios, one table.

A bench is a module of this package with a `NAME` and a function ``run(frame) -> list[Row]``. Its figures hold on any
machine, because each is given as a ratio to a limit, the least code that does the same by hand, measured in the same
rounds.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import os
import pkgutil
import platform
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import asdict, dataclass
from statistics import median
from typing import Protocol, cast

import bench

Measure = Callable[[], float]
"""Does the work once and returns what it cost."""
Work = Callable[[], Coroutine[object, object, object]]
"""Work inside this process."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure."""

    name: str
    value: float
    unit: str
    ratio: float | None = None
    """`value` over the limit's, or None where it stands alone."""
    limit_name: str = ""
    bar: float | None = None
    """What `ratio` may be at most, or None where nothing is promised."""
    ok: bool = True
    """Whether what is promised holds."""


class Bench(Protocol):
    """What a bench module offers."""

    NAME: str
    __doc__: str | None

    def run(self, frame: Frame) -> list[Row]:
        """Measure."""
        ...


class Samples:
    """What each contender cost in each round."""

    def __init__(self, costs: Mapping[str, list[float]], unit: str) -> None:
        self._costs = costs
        self._unit = unit

    def median(self, name: str) -> float:
        """The contender's cost in the middle round."""
        return median(self._costs[name])

    def ratio(self, name: str, limit: str) -> float:
        """The middle one of the ratios within each round: what slows a whole round down cancels out."""
        return median(one / other for one, other in zip(self._costs[name], self._costs[limit], strict=True))

    def row(self, name: str, limit: str | None = None, bar: float | None = None) -> Row:
        """A contender beside its limit.

        Args:
            name: the contender.
            limit: the contender that it is compared with.
            bar: what the ratio may be at most.
        """
        if limit is None:
            return Row(name, self.median(name), self._unit)
        ratio = self.ratio(name, limit)
        return Row(name, self.median(name), self._unit, ratio, limit, bar, ok=bar is None or ratio <= bar)


class Frame:
    """How things are measured.

    Args:
        rounds: how often each comparison is made.
        peers: whether libraries of others are wanted.
    """

    def __init__(self, *, rounds: int = 61, peers: bool = False) -> None:
        self.rounds = rounds
        self.peers = peers

    def compare(self, contenders: Mapping[str, Measure], unit: str, rounds: int | None = None) -> Samples:
        """Have each contender measure itself once a round, in an order that rotates; a first round does not count.

        Args:
            contenders: by name; each returns its cost in `unit`.
            unit: of the costs.
            rounds: if not the frame's.
        """
        names = list(contenders)
        costs: dict[str, list[float]] = {name: [] for name in names}
        for name in names:
            contenders[name]()
        for order in self.orders(names, rounds):
            for name in order:
                costs[name].append(contenders[name]())
        return Samples(costs, unit)

    def orders(self, names: list[str], rounds: int | None = None) -> Iterator[list[str]]:
        """The names in the order of each round: everybody goes first now and then.

        Args:
            names: of the contenders.
            rounds: if not the frame's.
        """
        for round_ in range(rounds or self.rounds):
            gc.collect()
            shift = round_ % len(names)
            yield names[shift:] + names[:shift]

    def compare_cpu(self, contenders: Mapping[str, Work], per: int, rounds: int | None = None) -> Samples:
        """As `compare`, for coroutines: processor time of this process, in µs per unit of work.

        Args:
            contenders: by name; each call gives a fresh coroutine.
            per: units of work that one coroutine does. Short work and many rounds are fairer than the reverse.
            rounds: if not the frame's.
        """

        async def measure(work: Work) -> float:
            coroutine = work()
            begin = time.process_time_ns()
            await coroutine
            return (time.process_time_ns() - begin) / 1000 / per

        with asyncio.Runner() as runner:
            measures = {name: lambda work=work: runner.run(measure(work)) for name, work in contenders.items()}
            return self.compare(measures, "µs", rounds)


def discover() -> dict[str, Bench]:
    """Every bench of this package by its name."""
    found: dict[str, Bench] = {}
    for info in sorted(pkgutil.iter_modules(bench.__path__), key=lambda info: info.name):
        if info.name not in ("__main__", "frame"):
            module = importlib.import_module(f"bench.{info.name}")
            if hasattr(module, "NAME"):
                found[module.NAME] = cast("Bench", module)
    return found


def table(title: str, rows: list[Row]) -> str:
    """The rows as aligned text."""
    lines = [("", "value", "ratio", "limit", "bar", "")]
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}x"
        bar = "" if row.bar is None else f"<= {row.bar:g}x"
        verdict = "" if row.bar is None and row.ok else "ok" if row.ok else "MISSED"
        lines.append((row.name, f"{row.value:.4g} {row.unit}", ratio, row.limit_name, bar, verdict))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines)
    return "\n".join((f"== {title}", *text))


def as_json(found: Mapping[str, list[Row]], frame: Frame) -> str:
    """The rows as JSON, with what somebody needs to judge them."""
    machine = {"python": platform.python_version(), "system": platform.platform(), "cpus": os.cpu_count()}
    rows = {name: [asdict(row) for row in rows] for name, rows in found.items()}
    return json.dumps({"machine": machine, "rounds": frame.rounds, "benches": rows}, indent=2, ensure_ascii=False)
