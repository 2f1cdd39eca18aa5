"""What is heavy is loaded beside the event loop, and never two at a time."""

from __future__ import annotations

import asyncio
import threading

import pytest

from sulla.host.loading import load

_MEETS_S = 0.3
"""How long a library that loads looks around for a second one: those that load at once meet within milliseconds."""


async def test_two_libraries_are_never_loaded_at_once() -> None:
    at_work, together = threading.Barrier(2), list[bool]()

    def library() -> None:
        try:
            at_work.wait(_MEETS_S)
            together.append(True)
        except threading.BrokenBarrierError:
            at_work.reset()
            together.append(False)

    await asyncio.gather(load(library), load(library))
    assert together == [False, False]


async def test_what_cannot_be_loaded_says_why_and_keeps_nothing_from_the_next() -> None:
    def broken() -> None:
        raise ImportError("half of it is missing")

    with pytest.raises(ImportError, match="half of it"):
        await load(broken)
    assert await load(lambda: 7) == 7
