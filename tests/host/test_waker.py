from __future__ import annotations

from sulla.core.ids import ThreadId
from sulla.host.waker import Waker
from sulla.store.values import LogInfo
from sulla.work.base import Inspection, Job
from sulla.work.local import LocalWork

THREAD = ThreadId("thr_1")


class Queue(LocalWork):
    """A worker that only writes down what it is given."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    @property
    def held(self) -> tuple[LogInfo, ...]:
        return ()

    def enqueue(self, job: Job) -> None:
        self.jobs.append(job)

    def inspect(self) -> Inspection:
        return Inspection((), tuple(job.key for job in self.jobs), ())


def test_before_there_is_a_worker_a_wake_does_nothing() -> None:
    waker = Waker()
    waker(THREAD)
    assert waker.queued() == 0
    assert waker.held() == ()


def test_a_wake_puts_the_thread_in_the_workers_queue() -> None:
    waker, queue = Waker(), Queue()
    assert waker.connect(queue, lambda key, agent: None) is queue
    waker(THREAD)
    assert queue.jobs == [Job("thr_1")]
    assert waker.queued() == 1
