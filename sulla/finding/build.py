"""What finds conversations again, in a daemon. Pure."""

from __future__ import annotations

from sulla.core.ids import ThreadId
from sulla.finding.index import ThreadIndex
from sulla.finding.rpc import METHODS
from sulla.finding.service import Finder
from sulla.host.host import Built, Host
from sulla.memory.memory import Memory


def build(host: Host) -> Built:
    """Make what finds them; see `host.Built`."""
    index = ThreadIndex(host.store, host.threads, host.place.clock)
    memory = host.provided.get(Memory)
    finder = Finder(host.threads, index, memory if isinstance(memory, Memory) else None, host.waker, host.place.make_id)

    async def forget(thread_id: ThreadId) -> None:
        index.wake(thread_id)

    return Built(
        provides=(index,),
        methods=(METHODS.done_by(finder),),
        tasks={"threads": index.run},
        woken=(index,),
        forget=forget,
    )
