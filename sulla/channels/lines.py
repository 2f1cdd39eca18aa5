"""All channels of a home. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from sulla.channels.run.line import Line
from sulla.channels.run.people_book import PeopleBook
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject


class Lines:
    """The channels of the settings. It lives as long as the daemon.

    Args:
        every: by name.
        people: who may write.
    """

    def __init__(self, every: Mapping[str, Line], people: PeopleBook) -> None:
        self.every = every
        self.people = people

    def wake(self, thread_id: ThreadId) -> None:
        """See `host.Follower`."""
        for line in self.every.values():
            line.wake(thread_id)

    def trouble(self) -> str:
        """What is wrong with channels; empty for nothing."""
        broken = [one for one in self.every.values() if one.state in ("failing", "refused")]
        return "; ".join(f"the channel {one.said.name} does not work: {one.why}" for one in broken)[:1_000]

    async def status(self) -> JsonObject:
        """What `sulla status --json` says of them."""
        return {"channels": [self._row(one) for one in self.every.values()]}

    def _row(self, one: Line) -> JsonObject:
        waiting = len(one.held.book.items) if one.held is not None else 0
        return {"channel": one.said.name, "state": one.state, "waiting": waiting, "why": one.why}
