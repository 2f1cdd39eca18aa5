"""Knows which notices would say at a place what is said there anyway."""

from __future__ import annotations

from sulla.channels.run.held import Held
from sulla.channels.run.line import place_of
from sulla.notify.sources import thread_asking, thread_of


async def is_said(held: Held, place: str, matter: str) -> bool:
    """Whether what a notice tells or asks is said at a place by the channel itself, since the conversation that it is
    of is held there: all that goes out of it is read from its log, and stays to be said until it was.

    Args:
        held: the channel.
        place: where the notice goes; see `Held.key_of`.
        matter: the notice's (`notify.values.News.matter`).

    Raises:
        StoreUnavailable: the store does not answer.
    """
    key, thread = held.key_of(place), thread_of(matter)
    if not key or not thread:
        return False
    if held.book.talks.held_at(thread) == key:
        return True
    if not thread_asking(matter):  # of those who work for a conversation only their questions are said there
        return False
    state = await held.around.threads.load(thread, messages=False)
    return state is not None and place_of(held, state) == key
