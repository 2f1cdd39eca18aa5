"""Work on a thread: what capabilities do before it and behind it."""

from __future__ import annotations

import pytest

from sulla.core.ids import ThreadId
from sulla.daemon.capability_tasks import worker
from sulla.host.host import Built
from sulla.work.base import Job


class Followed:
    """Writes down what happens, in order."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def look(self) -> None:
        """Before work."""
        self.seen.append("look")

    async def fail(self) -> None:
        """Before work, in vain."""
        raise ZeroDivisionError("by nought")

    async def attend(self, thread_id: ThreadId) -> None:
        """The turns."""
        self.seen.append(f"attend {thread_id}")

    def wake(self, thread_id: ThreadId) -> None:
        """Behind them."""
        self.seen.append(f"wake {thread_id}")


async def test_what_looks_before_work_and_what_reads_behind_it_have_their_turn() -> None:
    followed = Followed()
    await worker(followed.attend, {"garden": Built(before_work=followed.look, woken=(followed,))})(Job("t"))
    assert followed.seen == ["look", "attend t", "wake t"]


async def test_a_capability_that_fails_before_work_is_named_and_the_thread_is_not_worked_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    followed = Followed()
    built = {"kitchen": Built(before_work=followed.look), "garden": Built(before_work=followed.fail, woken=(followed,))}
    with pytest.raises(ZeroDivisionError):
        await worker(followed.attend, built)(Job("t"))
    assert followed.seen == ["look", "wake t"]
    assert [record.getMessage() for record in caplog.records] == [
        "what the capability 'garden' does before work on a thread failed"
    ]
