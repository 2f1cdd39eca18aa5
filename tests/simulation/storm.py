"""What a seed has in store: how many homes, people and messages there are, and which faults befall them. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal

from tests.simulation.home import LEASE_TTL_S, Fickle
from tests.simulation.wire import Weather

Kind = Literal["kill", "stop", "pause", "cut", "clock"]
"""`kill`: a crash, and a boot some time later. `stop`: the same in order. `pause`: it stands still. `cut`: it cannot
reach the store. `clock`: somebody sets its wall clock.
"""
PLACES = (
    *("",) * 4,
    *("TOOL_CALL_START", "TOOL_CALL_RESULT", "MODEL_STARTED", "TEXT_MESSAGE_END", "RUN_STARTED", "RUN_", "SUSPENDED"),
    *("RESUMED", "STOPPED", "acquire", "renew", "offer", "read"),
)
KINDS: tuple[Kind, ...] = ("kill", "stop", "pause", "cut", "clock")


@dataclass(frozen=True, slots=True)
class Blow:
    """One fault of one home."""

    after_s: float
    at: str
    """Then it waits for the home to ask the store for this, e.g. to keep a `TOOL_CALL_START`; nothing for at once."""
    steps: int
    """So many steps of the home's process later: time stands still between most of them."""
    kind: Kind
    home: int
    lasts_s: float


@dataclass(frozen=True, slots=True)
class Storm:
    """All that is drawn beforehand."""

    homes: int
    threads: int
    messages: int
    """Of each person."""
    beats: int
    """How often an agent wakes up by itself."""
    lasts_s: float
    blows: tuple[Blow, ...]
    weather: Weather
    mood: Fickle
    calm_mood: Fickle = Fickle()  # noqa: RUF009  - frozen
    kills_all: bool = False
    """Whether every daemon is killed and booted when it is over."""


def brew(random: Random) -> Storm:
    """A storm. Each draws anew which kinds of faults it has: one kind alone finds what all together would hide."""
    homes = random.choice((1, 2, 2, 3))
    lasts_s = 4.0 + random.random() * 8.0
    kinds = [kind for kind in KINDS if random.random() < 0.5]
    blows = tuple(
        Blow(
            random.random() * lasts_s,
            random.choice(PLACES),
            random.randrange(1, random.choice((8, 30))),
            random.choice(kinds),
            random.randrange(homes),
            _length(random),
        )
        for _ in range(random.randrange(random.choice((2, 5, 8, 16))) if kinds else 0)
    )
    wet = random.random() < 0.5
    weather = Weather(
        refused=_share(random, wet, 0.03),
        lost=_share(random, wet, 0.03),
        late=_share(random, wet, 0.03),
        signals_lost=_share(random, wet, 1.0),
        signals_doubled=_share(random, wet, 0.5),
        slow_s=random.choice((0.002, 0.1, 0.2, 0.25)),
    )
    sulky = random.random() < 0.5
    mood = Fickle(_share(random, sulky, 0.2), _share(random, sulky, 0.2), _share(random, sulky, 0.2))
    return Storm(
        homes,
        threads=random.choice((1, 1, 2)),
        messages=random.choice((1, 2, 3, 5)),
        beats=random.choice((0, 0, 1, 3)),
        lasts_s=lasts_s,
        blows=blows,
        weather=weather,
        mood=mood,
        kills_all=random.random() < 0.3,
    )


def calm(random: Random) -> Storm:
    """The same without faults."""
    homes, threads, messages = random.choice((1, 2, 3)), random.choice((1, 2)), random.choice((1, 2, 3, 4))
    return Storm(homes, threads, messages, random.choice((0, 2)), 2.0, (), Weather(), Fickle())


def _share(random: Random, there: bool, most: float) -> float:
    drawn = random.random()
    return drawn * most if there and drawn > 0.3 else 0.0


def _length(random: Random) -> float:
    """Seconds: often short, at times longer than a lease."""
    return random.choice((0.05, 0.5, LEASE_TTL_S, 2 * LEASE_TTL_S, 3 * LEASE_TTL_S)) * (0.5 + random.random())
