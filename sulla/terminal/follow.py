"""What goes on in threads, over breaks of the connection and restarts of the daemon."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from math import inf
from pathlib import Path
from typing import Final

from sulla.core.clock import Clock
from sulla.core.errors import ShuttingDown, SullaError, Unavailable
from sulla.host.home import Home
from sulla.terminal.client import Client, Event, open_client
from sulla.terminal.output import tell
from sulla.terminal.place import door
from sulla.terminal.program import program
from sulla.terminal.questions import Question, elsewhere
from sulla.terminal.screen import paused_head
from sulla.terminal.table import harmless
from sulla.terminal.waits import Waits

PATIENCE_S: Final = 60.0
"""How long a client waits for a daemon that went away to come back, and for one that takes no more messages now."""

RESTART_S: Final = 20.0
"""How long a daemon that is being restarted is waited for with something that it has not acknowledged yet."""

_RETRY_S: Final = 0.25
_LATER_S: Final = 2.0
"""How long between two looks for a daemon that has been away for longer than most restarts take."""

LOOK_BACK: Final = 200
"""How many records before a message are looked at for answers; no more inputs than that wait in a thread."""

LOST: Final = "[the daemon went away; waiting for it to come back]"
"""What people are told when a daemon is waited for."""
BACK: Final = "[the daemon is back]"
"""What those who were told that are told next."""


def say_lost() -> None:
    """Tell people that a daemon is waited for."""
    tell(LOST)


def _say_nothing() -> None:
    pass


async def tell_of_pause(client: Client, what: str) -> None:
    """Say so if nothing is worked on: nobody should think that a command hangs.

    Args:
        client: a connection.
        what: waits then, in a word.
    """
    if said := await pause_note(client, what):
        tell(harmless(said))


async def pause_note(client: Client, what: str) -> str:
    """What people are told where nothing is worked on: somebody has paused all work, or no worker lives. Empty if work
    goes on.

    Args:
        client: a connection.
        what: waits then, in a word.
    """
    status = await client.call("system.status")
    if (paused := status.get("paused")) is not None:
        return f"[{paused_head(paused)}; {what} waits for `{program()} resume`]"
    if any(trouble["what"] == "no_workers" for trouble in status.get("troubles", ())):
        return f"[no worker lives now; {what} is kept, and waits until one does]"
    return ""


class Follow:
    """The events of threads for somebody who looks on, each kept one once. It lives as long as they look.

    Args:
        home: whose daemon.
        clock: for waiting.
        begin: is called on each connection, before its threads are subscribed to; whether there is anything to follow.
        begun: whether a daemon that is away is waited for. `begin` sets it once the daemon has acknowledged something.
        lost: tells people that it is waited for.
        back: tells them that it is there.
        source: what is followed of a connection.
        patience_s: how long a daemon that went away is waited for.
    """

    def __init__(
        self,
        home: Path,
        clock: Clock,
        begin: Callable[[Client], Awaitable[bool]],
        *,
        begun: bool = False,
        lost: Callable[[], None] = say_lost,
        back: Callable[[], None] = _say_nothing,
        source: Callable[[Client], AsyncIterator[Event]] = Client.events,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._home = home
        self._clock = clock
        self._begin = begin
        self._lost = lost
        self._back = back
        self._patience_s = patience_s
        self._source = source
        self._lost_at_s: float | None = None
        self.begun = begun
        self.client: Client | None = None
        """The connection, once `begin` is through with it; None while there is none."""
        self.seen: dict[str, int] = {}
        """The number of the last kept event, by thread."""
        self._ends: dict[str, int] = {}
        """Where each thread ended when it was subscribed to: up to there it is history."""

    def add(self, thread_id: str, after: int = 0) -> None:
        """Follow a thread, too; one that is followed already stays where it is.

        Args:
            thread_id: which.
            after: the last record that is known of it.
        """
        self.seen.setdefault(thread_id, after)

    def is_caught_up(self, thread_id: str | None = None) -> bool:
        """Whether the history of a thread (None: of all of them) was told."""
        threads = self.seen if thread_id is None else (thread_id,)
        return all(one in self._ends and self.seen[one] >= self._ends[one] for one in threads)

    async def events(self) -> AsyncGenerator[Event]:
        """What happens, until the caller has seen enough; called again, it goes on where it was. Close it (`aclosing`):
        it holds a connection.

        Raises:
            Unavailable: the daemon did not come back in time.
            SullaError: the daemon refuses something, or was never there.
        """
        while True:
            try:
                async with open_client(door(self._home)) as client:
                    if not await self._begin(client):
                        return
                    self.client = client
                    subscribed: set[str] = set()
                    await self._subscribe(client, subscribed)
                    self._found()
                    async for event in self._source(client):
                        thread_id, seq = event.get("thread_id"), event.get("seq")
                        if seq is not None and thread_id in self.seen:
                            self.seen[thread_id] = max(self.seen[thread_id], seq)
                        yield event
                        await self._subscribe(client, subscribed)
            except SullaError as error:
                await self._wait(error)
            finally:
                self.client = None

    async def once(self, work: Callable[[Client], Awaitable[None]]) -> None:
        """Do something with the daemon, which may be away for a while.

        Raises:
            Unavailable: it did not come back in time.
            Refused: it refuses that.
        """
        while True:
            try:
                async with open_client(door(self._home)) as client:
                    await work(client)
                    self._found()
                    return
            except SullaError as error:
                await self._wait(error)

    async def answered_elsewhere(self, question: Question) -> str:
        """Wait until somebody else has answered a question that is asked here, or its turn has ended; that, in words.

        It looks on a connection of its own: `events` tells afterwards whatever happened meanwhile.

        Args:
            question: it, with its thread.

        Raises:
            SullaError: its thread can be followed no longer.
        """

        async def begin(client: Client) -> bool:
            last = int((await client.call("thread.get", thread_id=question.thread_id))["last_seq"])
            follow.add(question.thread_id, self.seen.get(question.thread_id, max(0, last - LOOK_BACK)))
            return True

        follow = Follow(self._home, self._clock, begin, begun=True, lost=_say_nothing, patience_s=inf)
        waits, said = Waits({question.id: question}), ""
        async with aclosing(follow.events()) as events:
            async for event in events:
                asked = question.id in waits.asked
                waits.take(event, own=True)
                if question.id in waits.asked:
                    continue
                said = elsewhere(event) if asked else said
                if follow.is_caught_up():
                    break
        return said

    async def _subscribe(self, client: Client, subscribed: set[str]) -> None:
        for thread_id in [one for one in self.seen if one not in subscribed]:
            place = await client.call("events.subscribe", thread_id=thread_id, after=self.seen[thread_id])
            self._ends[thread_id] = int(place["seq"])
            subscribed.add(thread_id)

    async def _wait(self, error: SullaError) -> None:
        if not error.retryable or not (self.begun or self._is_restarting(error)):
            raise error  # nothing was acknowledged yet, or it would be refused again
        now = self._clock.elapsed()
        patience_s = self._patience_s if self.begun else RESTART_S
        if self._lost_at_s is None:
            self._lost_at_s = now
            self._lost()
        elif now - self._lost_at_s > patience_s:
            raise error
        await self._clock.sleep(_RETRY_S if now - self._lost_at_s <= PATIENCE_S else _LATER_S)

    def _is_restarting(self, error: SullaError) -> bool:
        """Whether a daemon that has acknowledged nothing yet is about to end or to begin, and was not just absent."""
        if type(error) not in (Unavailable, ShuttingDown):  # any other comes of a daemon that is there
            return False
        return self._lost_at_s is not None or type(error) is ShuttingDown or bool(Home(self._home).claimed_by())

    def _found(self) -> None:
        """The daemon is there."""
        self._lost_at_s = None
        self._back()
