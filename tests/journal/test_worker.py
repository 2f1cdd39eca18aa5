"""What may block runs on a thread of its own, and its asker gets what came of it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from sulla.journal.worker import BlockingWorker


@pytest.fixture
def worker() -> Iterator[BlockingWorker]:
    worker = BlockingWorker("test worker")
    worker.start()
    yield worker
    worker.stop()


def _name() -> str:
    return threading.current_thread().name


def _fails() -> None:
    raise OSError("broken")


async def test_it_answers_from_its_own_thread(worker: BlockingWorker) -> None:
    assert await worker.call(_name) == "test worker"


async def test_a_failure_reaches_the_asker_and_the_next_one_is_served(worker: BlockingWorker) -> None:
    with pytest.raises(OSError, match="broken"):
        await worker.call(_fails)
    assert await worker.call(lambda: 1) == 1


async def test_what_blocks_blocks_nobody_else(worker: BlockingWorker) -> None:
    gate, turns = threading.Event(), 0
    stuck = worker.call(gate.wait)
    for _ in range(100):
        await asyncio.sleep(0)
        turns += 1
    assert (turns, stuck.done()) == (100, False)
    gate.set()
    assert await stuck


async def test_work_goes_on_when_its_asker_is_gone(worker: BlockingWorker) -> None:
    gate, done = threading.Event(), threading.Event()

    def work() -> None:
        gate.wait()
        done.set()

    worker.call(work).cancel()
    gate.set()
    assert await worker.call(done.is_set)


def test_a_thread_that_hangs_does_not_keep_the_process_from_ending() -> None:
    worker = BlockingWorker("test worker")
    worker.start()
    threads = [thread for thread in threading.enumerate() if thread.name == "test worker"]
    worker.stop()
    assert all(thread.daemon for thread in threads)
    assert threads
