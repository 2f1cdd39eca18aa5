"""A task that is told to end does, also where a library loses that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Final

import pytest

from sulla.channels.run.ending import each_ending, ending, finished
from sulla.testing.clock import ManualClock

LIMIT_S: Final = 60.0

Library = Callable[[asyncio.Future[str]], Awaitable[str]]


async def _losing(answer: asyncio.Future[str]) -> str:
    """As `asyncio.wait_for` of Python 3.11 does, whichever Python runs."""
    try:
        return await asyncio.shield(answer)
    except asyncio.CancelledError:
        if answer.done():
            return answer.result()
        raise


async def _waiting(answer: asyncio.Future[str]) -> str:
    return await asyncio.wait_for(answer, LIMIT_S)


async def _said(word: str) -> str:
    await asyncio.sleep(0)
    return word


async def _told_to_end_with_the_answer(
    work: Callable[[asyncio.Future[str]], Coroutine[object, object, str]],
) -> asyncio.Task[str]:
    answer = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(work(answer))
    for _ in range(5):
        await asyncio.sleep(0)
    answer.set_result("here")
    task.cancel()
    await asyncio.wait([task], timeout=LIMIT_S)
    return task


@pytest.mark.parametrize("library", [_losing, _waiting])
async def test_an_end_that_comes_together_with_the_answer_is_not_lost(library: Library) -> None:
    async def work(answer: asyncio.Future[str]) -> str:
        return await ending(library(answer))

    assert (await _told_to_end_with_the_answer(work)).cancelled()


async def test_an_end_while_the_next_piece_is_awaited_is_not_lost() -> None:
    async def pieces(answer: asyncio.Future[str]) -> AsyncIterator[str]:
        yield await _losing(answer)

    async def work(answer: asyncio.Future[str]) -> str:
        return "".join([piece async for piece in each_ending(pieces(answer))])

    assert (await _told_to_end_with_the_answer(work)).cancelled()


async def test_what_nobody_ends_gives_what_it_gives() -> None:
    async def pieces() -> AsyncIterator[int]:
        yield 1
        yield 2

    assert await ending(_said("done")) == "done"
    assert [one async for one in each_ending(pieces())] == [1, 2]


async def test_who_is_ending_already_can_still_let_go_of_things() -> None:
    let_go: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            let_go.append(await ending(_said("gone")))

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task], timeout=LIMIT_S)
    assert let_go == ["gone"]


async def test_a_limit_that_the_library_loses_is_a_limit_all_the_same() -> None:
    answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def losing_at_the_limit() -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            answer.set_result("late")
        return await answer

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await ending(losing_at_the_limit())


@pytest.mark.parametrize(("takes_s", "ends"), [(2.0, True), (4.0, False)])
async def test_work_that_is_under_way_has_its_time_when_somebody_is_told_to_end(takes_s: float, ends: bool) -> None:
    clock, done = ManualClock(), list[str]()

    async def work() -> None:
        await clock.sleep(takes_s)
        done.append("done")

    task = asyncio.create_task(finished(work(), clock, 3.0))
    await clock.settle()
    task.cancel()
    await clock.advance(1.0)
    assert not task.done()
    await clock.advance(2.0)
    assert task.cancelled()
    assert bool(done) is ends
    await clock.advance(5.0)
    assert bool(done) is ends


async def test_work_that_fails_when_somebody_was_told_to_end_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    clock = ManualClock()

    async def work() -> None:
        await clock.sleep(1.0)
        raise ValueError("words of a library")

    task = asyncio.create_task(finished(work(), clock, 3.0))
    await clock.settle()
    task.cancel()
    await clock.advance(1.0)
    assert task.cancelled()
    assert "ValueError" in caplog.text
    assert "words of a library" not in caplog.text


async def test_work_that_nobody_ends_gives_what_it_gives() -> None:
    assert await finished(_working(), ManualClock(), 3.0) == "done"
    with pytest.raises(ValueError, match="no"):
        await finished(_failing(), ManualClock(), 3.0)


async def _working() -> str:
    return "done"


async def _failing() -> None:
    raise ValueError("no")
