"""The tokenizer is loaded once, when somebody asks, and its absence is said once."""

from __future__ import annotations

import asyncio
import logging
import threading

import pytest

from sulla.core.errors import RanksUnusable
from sulla.daemon.models.ranks import LazyRanks
from sulla.models.tokens.estimate import CountText


async def test_it_is_loaded_once_off_the_loop_however_many_ask() -> None:
    threads: list[int] = []

    def load() -> CountText:
        threads.append(threading.get_ident())
        return len

    ranks = LazyRanks(load)
    assert ranks.usable is None
    counts = await asyncio.gather(*(ranks() for _ in range(5)))
    assert set(counts) == {len}
    assert len(threads) == 1
    assert threads[0] != threading.get_ident()
    assert ranks.usable is True


async def test_without_it_estimates_have_to_do_and_one_warning_says_so(caplog: pytest.LogCaptureFixture) -> None:
    def load() -> CountText:
        raise RanksUnusable("the file is damaged: counts stay estimates")

    ranks = LazyRanks(load)
    with caplog.at_level(logging.WARNING):
        assert [await ranks() for _ in range(3)] == [None, None, None]
    assert caplog.text.count("the file is damaged") == 1
    assert ranks.usable is False
