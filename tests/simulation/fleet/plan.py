"""What happens on the fleet's day: how much of what, and what goes wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from sulla.work.queue import JobCaps

DAY_S = 86_400.0
HOUR_S = 3_600.0


@dataclass(frozen=True, slots=True)
class Traffic:
    """What people and clocks want of a day."""

    threads: int = 1_000_000
    messages: int = 950_000
    """Of people, over the day's curve."""
    bursts: tuple[tuple[float, int], ...] = ((10.25, 10_000), (15.5, 10_000))
    """At which hour, and how many messages come within a minute, beside those of the curve."""
    beating: int = 25_000
    """How many of the threads are heartbeats, each once an hour; half of them at the full hour, with the product's
    default jitter."""
    agents: int = 40
    """Whose threads they are; the first one has three in ten of them."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What goes wrong in a day."""

    kills: float = 2.0
    """Of each worker; it comes back after some seconds to a minute."""
    stalls: float = 2.0
    """Of each worker: it stands still for a second to two minutes, past its relief and past its leases, and returns."""
    hints_lost: float = 0.005
    """The share of wishes that nobody gets."""
    outages: tuple[tuple[float, float], ...] = ((3.2, 20.0), (9.4, 60.0), (13.1, 180.0), (20.0, 300.0))
    """At which hour the store and the queue go away, and for how many seconds."""
    mass_death: float = 16.2
    """At which hour a twentieth of the workers dies at once."""
    pause: tuple[float, float] = (18.0, 300.0)
    """At which hour somebody turns the kill switch, and after how many seconds back."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A day of a fleet; all chance is drawn from its seed."""

    workers: int = 1_000
    traffic: Traffic = field(default_factory=Traffic)
    trouble: Trouble = field(default_factory=Trouble)
    seed: int = 1
    hours: float = 24.0
    poll_s: float = 0.1
    """`work.poll_s`."""
    caps: JobCaps = field(default_factory=JobCaps)
    takes: int = 16
    """How many jobs a worker takes off the queue at once: its places for turns."""

    def scaled(self, share: float) -> Plan:
        """The same day for so many of the workers and threads, and so much of what happens.

        Args:
            share: of everything, up to 1.
        """
        traffic = self.traffic
        return replace(
            self,
            workers=max(2, round(self.workers * share)),
            traffic=replace(
                traffic,
                threads=round(traffic.threads * share),
                messages=round(traffic.messages * share),
                bursts=tuple((hour, round(count * share)) for hour, count in traffic.bursts),
                beating=round(traffic.beating * share),
            ),
        )


def curve(at_s: float) -> float:
    """How busy people are at a time of the day, 1 on average: least at two at night, most at two in the afternoon."""
    return 1.0 - 0.9 * math.cos(2 * math.pi * (at_s - 2 * HOUR_S) / DAY_S)
