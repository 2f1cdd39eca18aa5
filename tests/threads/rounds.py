"""Rounds of a follower whose clock stands still."""

from __future__ import annotations

import asyncio

from sulla.testing.clock import ManualClock
from sulla.threads.follower import BREATH_S, LogFollower


async def round_of(follower: LogFollower, clock: ManualClock) -> bool:
    """One round; its pauses pass at once. Whether nothing is left."""
    working = asyncio.ensure_future(follower.catch_up())
    while not working.done():
        await clock.advance(BREATH_S)
    return await working
