"""What the store's bus says of a thread, as the gateway shows it. Pure."""

from __future__ import annotations

from sulla.gateway.commands import Advanced, Event, Live, Over, Signal
from sulla.threads.bus import LiveSignal, LogAdvanced, unpack
from sulla.threads.log.codec import Entry


def read_signal(thread_id: str, payload: bytes | None) -> Signal | None:
    """A signal of a thread.

    Args:
        thread_id: the thread.
        payload: what the bus has brought; None where it has nothing more.

    Returns:
        None for what this daemon does not know.
    """
    match unpack(payload) if payload is not None else Over():
        case LiveSignal(at_ms, run_id, agent, depth, type_, data):
            return Live(Event(thread_id, None, run_id, None, agent, depth, type_, at_ms, data))
        case LogAdvanced(seq, written):
            return Advanced(seq, [event_of(thread_id, entry) for entry in written.entries()] if written else ())
        case Over() as over:
            return over
        case _:
            return None


def event_of(thread_id: str, entry: Entry) -> Event:
    """A kept record as clients are told of it."""
    of = entry.origin
    return Event(thread_id, entry.seq, of.run_id, of.parent_id, of.agent, of.depth, entry.kind, of.at_ms, entry.data)
