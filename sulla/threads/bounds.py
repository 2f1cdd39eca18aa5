"""Bounds of every thread. Pure."""

from __future__ import annotations

from dataclasses import field

from sulla.core.dataclass import dataclass
from sulla.threads.retention import Retention


@dataclass(frozen=True, slots=True)
class ThreadLimits:
    """Bounds of every thread (design §4.8)."""

    max_waiting: int = 100
    """Inputs that may wait at once."""
    load_tokens: int = 96_000
    """How much history is loaded (seed 004 §1: the hard token budget)."""
    lease_ttl_s: float = 30.0
    """How long a lease holds without renewal (seed 004 §4)."""
    cached: int = 256
    """Threads whose state is kept in memory between turns."""
    retention: Retention = field(default_factory=Retention)
    """How long idle threads are kept."""
