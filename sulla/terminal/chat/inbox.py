"""What agents tell people beside their answers, shown in a talk from whichever conversation it comes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import aclosing, suppress
from math import inf
from pathlib import Path
from typing import Any, Final

from sulla.core.clock import Clock
from sulla.core.errors import SullaError
from sulla.terminal.chat.link import Link
from sulla.terminal.client import Client, Event
from sulla.terminal.follow import Follow

Row = dict[str, Any]

MOST_AT_ONCE: Final = 5
"""More notices than these that waited before the talk are counted and not shown: nobody would read them there."""
MOST_KNOWN: Final = 1_000
"""Notices that are known to stand on the screen, the newest."""
MOST_MARKED: Final = 64
"""Notices that are marked as seen with one request (docs/inside/protocol.md)."""
_LISTED: Final = 200
"""Notices of one page; the daemon sends fewer of those that wait."""


class NewNotices:
    """Says of each notice whether it is still to be shown: it may come as an event of the conversation, as a notice to
    the person, or both ways, in any order. Pure. It lives as long as the talk.
    """

    def __init__(self) -> None:
        self._shown: dict[tuple[str, str], None] = {}
        """What stands on the screen, by run and text: an event does not say the notice's id."""
        self._passed: dict[str, None] = {}
        """What waited before the talk and was only counted, by id."""
        self._unmarked: dict[str, None] = {}
        """What was shown and is not marked as seen, by id."""

    def wait(self, ids: Iterable[str]) -> int:
        """Learn what waits when a connection begins.

        Args:
            ids: what this person has not seen.

        Returns:
            How many of them are too many to be shown; 0 if all will be.
        """
        new = [one for one in ids if one not in self._passed and one not in self._unmarked]
        if len(new) <= MOST_AT_ONCE:
            return 0
        self._passed |= dict.fromkeys(new)
        return len(new)

    def is_new(self, run_id: str, text: str) -> bool:
        """Whether a notice is to be shown; from now on it is not.

        Args:
            run_id: whose it is.
            text: what it says.
        """
        key = run_id, text
        if key in self._shown:
            return False
        self._shown[key] = None
        while len(self._shown) > MOST_KNOWN:
            del self._shown[next(iter(self._shown))]
        return True

    def take(self, row: Row) -> bool:
        """Whether a notice to the person is to be shown; from now on it is not.

        Args:
            row: it, as `notice.list` has it.
        """
        if row["id"] in self._passed:
            return False
        self._unmarked[str(row["id"])] = None
        return self.is_new(str(row["run_id"]), str(row["text"]))

    def marked(self) -> list[str]:
        """The ids of what the person has seen by now, each once."""
        ids = list(self._unmarked)[:MOST_MARKED]
        for one in ids:
            del self._unmarked[one]
        return ids


class TalkInbox:
    """Follows what the person is told. It lives as long as the talk.

    A notice counts as seen when something is typed after it was shown: a terminal that nobody sits at shows much.

    Args:
        home: whose daemon.
        clock: for waiting.
        show: shows a notice.
        link: is told whether the daemon is there.
    """

    def __init__(self, home: Path, clock: Clock, show: Callable[[Row], None], link: Link) -> None:
        self._show = show
        self._link = link
        self._new = NewNotices()
        self._follow = Follow(
            home, clock, self._begin, begun=True, lost=link.lost, back=link.back, source=Client.notices, patience_s=inf
        )

    async def run(self) -> None:
        """Show what comes, until it is cancelled, or the daemon refuses that: then it is said."""
        try:
            async with aclosing(self._follow.events()) as rows:
                async for row in rows:
                    if self._new.take(row):
                        self._show(row)
        except SullaError as error:
            self._link.note(f"[notices of other conversations are not shown here: {error.message}]")

    def is_new(self, event: Event) -> bool:
        """Whether an event `NOTICE` of the conversation is still to be shown."""
        return self._new.is_new(str(event.get("run_id")), str(event["data"]["text"]))

    async def mark(self) -> None:
        """Mark as seen what was shown."""
        client = self._follow.client
        if client is None:
            return
        while ids := self._new.marked():
            with suppress(SullaError):  # then it is told again, which does no harm
                await client.call("notice.seen", ids=ids)

    async def _begin(self, client: Client) -> bool:
        page = await client.call("notice.list", unseen="mine", limit=_LISTED)
        waiting = self._new.wait(str(row["id"]) for row in page["notices"])
        if waiting:
            more = " or more" if page["next"] else ""
            self._link.note(f"[{waiting}{more} notices that you have not seen: `sulla notices` lists them]")
        await client.call("notice.subscribe")
        return True
