"""People in a daemon: who is there, and what they are told."""

from __future__ import annotations

from sulla.core.clock import Clock
from sulla.core.errors import StoreUnavailable
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.stamp import stamp
from sulla.host.host import Built, Host
from sulla.people import notices_rpc, presence_rpc
from sulla.people.child_questions import ChildQuestions
from sulla.people.inbox import NoticeInbox
from sulla.people.notifier import Notifier
from sulla.people.registry import PresenceRegistry
from sulla.tools.builtin.notify import notify_tools


async def people_status(registry: PresenceRegistry, clock: Clock) -> JsonObject:
    """Who is there, for people; nobody is known to be while the store is away, and `degraded` says so.

    Args:
        registry: knows who is there.
        clock: all time.
    """
    now_ms = round(clock.now() * 1000)
    try:
        found = await registry.look()
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
    inbox, registry = NoticeInbox(host.store, clock, owner), PresenceRegistry(host.store, clock, owner)
    notifier = Notifier(host.threads, inbox, clock)

    return Built(
        provides=(registry, inbox, notifier),
        methods=(presence_rpc.METHODS.done_by(registry), notices_rpc.METHODS.done_by(inbox)),
        tools=notify_tools(notifier),
        told_of_waits=ChildQuestions(host.threads),
        tasks={"presence": registry.run, "notices": inbox.run},
        at_gateways=frozenset({"presence", "notices"}),
        forget=inbox.forget,
        status=lambda: people_status(registry, clock),
    )
