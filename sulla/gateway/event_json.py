"""An event as clients see it. Not by way of a class: this is the path of every token. Pure."""

from __future__ import annotations

from sulla.core.jsontypes import JsonObject
from sulla.core.stamp import stamp
from sulla.gateway.commands import Event


def event_json(event: Event) -> JsonObject:
    """An event in the form of `wire.EventParams`."""
    return {
        "thread_id": event.thread_id,
        "seq": event.seq,
        "run_id": event.run_id,
        "parent_run_id": event.parent_run_id,
        "agent": event.agent,
        "depth": event.depth,
        "type": event.type,
        "at": stamp(event.at_ms),
        "data": event.data,
    }
