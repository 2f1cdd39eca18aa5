"""Says where a question stands, for notices of it that go elsewhere."""

from __future__ import annotations

from collections.abc import Iterable

from sulla.channels.machine.admission import known
from sulla.channels.machine.quoting import begins
from sulla.channels.run.held import Held
from sulla.channels.run.line import place_of
from sulla.core.ids import ThreadId


async def asked_at(every: Iterable[Held], thread: ThreadId) -> str:
    """Where people are asked what a thread wants to know: a sentence, CommonMark; empty where that is at no channel.

    Args:
        every: the channels that this daemon has.
        thread: it.

    Raises:
        StoreUnavailable: the store does not answer.
    """
    for held in every:
        key = held.book.talks.held_at(thread)
        if not key:
            state = await held.around.threads.load(thread, messages=False)
            key = place_of(held, state) if state is not None else ""
        if (talk := held.book.talks.get(key)) is None:
            continue
        where = f"It is asked at the channel {held.name} ({held.kind})"
        if talk.place.kind == "group":
            return f"{where}, in the group {begins(talk.place.name or talk.place.id)}."
        person = known(await held.around.people.read(), held.rules, talk.reader)
        return f"{where}, in the private chat with {person.name}." if person is not None else f"{where}, in private."
    return ""
