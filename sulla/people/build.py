"""People in a daemon: who is there, and what they are told."""

from __future__ import annotations

from sulla.core.clock import Clock
from sulla.core.errors import StoreUnavailable
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.stamp import stamp
from sulla.host.host import Built, Host
from sulla.people import notices_rpc, presence_rpc
from sulla.people.board import NoticeInbox
from sulla.people.company import PresenceRegistry
from sulla.people.notifier import Notifier
from sulla.tools import notify_tools


async def people_status(company: PresenceRegistry, clock: Clock) -> JsonObject:
    """Who is there, for people; nobody is known to be while the store is away, and `degraded` says so.

    Args:
        company: knows who is there.
        clock: all time.
    """
    now_ms = round(clock.now() * 1000)
    try:
        found = await company.look()
    except StoreUnavailable:
        return {"people": []}
    people: list[Json] = [
        {
            "person": one.name,
            "connected": [*one.clients],
            "active_at": stamp(one.active_ms) if one.active_ms else None,
            "idle_s": one.idle_s(now_ms),
            "client": one.client,
            "available": one.available,
        }
        for one in found
    ]
    return {"people": people}


def build(host: Host) -> Built:
    """Make what a daemon does for people; see `host.Built`."""
    clock, owner = host.place.clock, host.place.owner
    board, company = NoticeInbox(host.store, clock, owner), PresenceRegistry(host.store, clock, owner)
    notifier = Notifier(host.threads, board, clock)

    async def forget(thread_id: ThreadId) -> None:
        await board.forget(thread_id)

    return Built(
        provides=(company, board, notifier),
        methods=(presence_rpc.METHODS.done_by(company), notices_rpc.METHODS.done_by(board)),
        tools=notify_tools(notifier),
        tasks={"presence": company.run, "notices": board.run},
        forget=forget,
        status=lambda: people_status(company, clock),
    )
