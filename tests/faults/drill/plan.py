"""Which faults happen to which parts, and for how long: all of it drawn from a seed. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Final, Literal

Kind = Literal["kill", "freeze", "stop", "cut", "stall", "slow"]
"""`kill` is SIGKILL and a new start, `freeze` SIGSTOP and SIGCONT, `stop` an end in order and a new start; the others
happen to the links of a daemon to its servers, which are cut and refused, do nothing, or crawl.
"""

OF_A_SERVER: Final[tuple[Kind, ...]] = ("kill", "freeze", "stop")
OF_A_DAEMON: Final[tuple[Kind, ...]] = ("kill", "freeze", "stop", "cut", "stall", "slow")
SHORTEST_S, LONGEST_S = 1.0, 8.0
"""The longest is twice what a worker may be silent before others take it for dead."""
LATEST_S = 3.0
"""How long after the first fault of a pair the second one begins, at most."""
SLOW_BYTES_PER_S = 2_000


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that happens to one part."""

    kind: Kind
    part: str
    lasts_s: float
    """From its beginning to the moment when it is mended."""
    after_s: float = 0.0
    """How long after its round's beginning it comes."""

    def __str__(self) -> str:
        """As in a report."""
        return f"{self.kind} {self.part} {self.lasts_s:.1f} s"


Round = tuple[Fault, ...]
"""One fault, or two that may overlap."""


def rounds(seed: int, servers: Sequence[str], daemons: Sequence[str]) -> Iterator[Round]:
    """Faults without an end: single ones and pairs in turn, each kind of each part once before any comes again.

    Args:
        seed: all chance is drawn from it.
        servers: the names of PostgreSQL and Redis.
        daemons: those of gateways and workers.
    """
    chance = Random(seed)
    every: list[tuple[Kind, str]] = [*product(OF_A_SERVER, servers), *product(OF_A_DAEMON, daemons)]
    deck: list[tuple[Kind, str]] = []
    count = 1
    while True:
        if len({part for _, part in deck}) < 2:  # a pair needs two
            deck = chance.sample(every, len(every)) + deck
        first = deck.pop()
        drawn = [first]
        if count == 2:
            # Two faults of one part would get into each other's way.
            place = next(place for place in reversed(range(len(deck))) if deck[place][1] != first[1])
            drawn.append(deck.pop(place))
        yield tuple(
            Fault(kind, part, chance.uniform(SHORTEST_S, LONGEST_S), chance.uniform(0, LATEST_S) if place else 0.0)
            for place, (kind, part) in enumerate(drawn)
        )
        count = 3 - count
