"""The real clock and real chance."""

from __future__ import annotations

import re

import pytest

from sulla.host.system import SystemClock, random_id, random_token


async def test_time_does_not_go_back() -> None:
    clock = SystemClock()
    before = (clock.elapsed(), clock.now())
    await clock.sleep(0)
    assert clock.elapsed() >= before[0]
    assert clock.now() > 1_700_000_000


async def test_a_block_that_takes_too_long_is_cut() -> None:
    clock = SystemClock()
    began = clock.elapsed()
    with pytest.raises(TimeoutError):
        async with clock.timeout(0.001):
            await clock.sleep(30)
    assert clock.elapsed() - began < 10


def test_ids_have_their_form_and_never_come_twice() -> None:
    ids = {random_id("thr") for _ in range(100)}
    assert len(ids) == 100
    assert all(re.fullmatch(r"thr_[0-9a-f]{24}", id_) for id_ in ids)


def test_a_token_is_long_safe_in_a_header_and_new_each_time() -> None:
    tokens = {random_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(re.fullmatch(r"sulla_[A-Za-z0-9_-]{43}", token) for token in tokens)
