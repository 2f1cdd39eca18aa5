"""What finds conversations again, in a daemon. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sulla.core.ids import ThreadId
from sulla.core.late import late
from sulla.finding.index import ThreadIndex
from sulla.finding.rpc import METHODS
from sulla.host.host import Built, Host
from sulla.memory.memory import Memory

if TYPE_CHECKING:
    from sulla.finding.service import Finder


def build(host: Host) -> Built:
    """Make what finds them; see `host.Built`."""
    index = ThreadIndex(host.store, host.threads, host.place.clock)
    memory = host.provided.get(Memory)

    def make() -> Finder:
        from sulla.finding.service import Finder

        known = memory if isinstance(memory, Memory) else None
        return Finder(host.threads, index, known, host.waker, host.place.make_id)

    async def forget(thread_id: ThreadId) -> None:
        index.wake(thread_id)

    return Built(
        provides=(index,),
        methods=(METHODS.done_by(late(make)),),
        tasks={"threads": index.run},
        at_gateways=frozenset({"threads"}),
        woken=(index,),
        forget=forget,
    )
