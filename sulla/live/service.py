"""Does the methods of `sulla.live.rpc`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable
from typing import Final

from sulla.agent.limits.limits import RunLimits
from sulla.core.clock import Clock
from sulla.core.errors import CorruptRecord, NotFound
from sulla.core.ids import CallId, ThreadId
from sulla.core.jsontypes import Json, JsonObject
from sulla.live.rows import MOST_NAMED, Seen, row_of
from sulla.live.rpc import MOST_ROWS, LiveRow, LiveSwitch
from sulla.rpc.row import dump
from sulla.store.base import Store
from sulla.store.values import LogInfo
from sulla.threads.board import Look, ThreadBoard
from sulla.threads.log.records import ToolCallStart
from sulla.threads.log.state import ThreadState
from sulla.threads.pulse import PULSE_S, ThreadPulse
from sulla.threads.store import ThreadStore
from sulla.work.switch import WorkSwitch

NEWEST: Final = 64
"""Records at the end of a log in which the beginning of a running call is looked for."""
MOST_CALLS: Final = 1_000
"""Calls whose tool is remembered."""


class Live:
    """Knows what goes on in all threads. It lives as long as the daemon.

    Args:
        store: finds heads.
        threads: reads them.
        pulse: says what has changed.
        clock: all time.
        switch: says whether all work stands still.
        limits: what any run may use.
        most_calls: the model calls that a turn of an agent (by its id) may make; None for what any may.
    """

    def __init__(
        self,
        store: Store,
        threads: ThreadStore,
        pulse: ThreadPulse,
        clock: Clock,
        switch: WorkSwitch,
        limits: RunLimits,
        most_calls: Callable[[str], int | None],
    ) -> None:
        self._threads = threads
        self._clock = clock
        self._switch = switch
        self._limits = limits
        self._most_calls = most_calls
        self._tools: OrderedDict[CallId, str] = OrderedDict()
        looks = (Look(ready=True), Look(status="suspended"))
        self.board = ThreadBoard(store, pulse, clock, self._row, looks, MOST_ROWS)
        """The rows, as they are sent."""
        switch.on_change(lambda pause: self.board.tell())

    async def now(self) -> JsonObject:
        """See `rpc.LiveService`."""
        await self.board.read()
        return {"rows": [*self.board.rows.values()], "more": self.board.more, "switch": self._turned()}

    async def follow(self, told: JsonObject) -> AsyncGenerator[JsonObject, None]:
        """See `rpc.LiveService`."""
        rows = told["rows"]
        known: dict[str, Json] = {}
        for row in rows if isinstance(rows, list) else ():
            known.update({str(row["thread_id"]): row} if isinstance(row, dict) else {})
        said = (told["more"], told["switch"])
        with self.board.watch() as news:
            while True:
                await news.wait()
                news.clear()
                now: dict[str, Json] = {str(thread_id): row for thread_id, row in self.board.rows.items()}
                more: Json = self.board.more
                switch: Json = self._turned()
                changed: list[Json] = [row for thread_id, row in now.items() if known.get(thread_id) != row]
                gone: list[Json] = [thread_id for thread_id in known if thread_id not in now]
                if changed or gone or said != (more, switch):
                    known, said = now, (more, switch)
                    yield {"changed": changed, "gone": gone, "more": more, "switch": switch}
                    await self._clock.sleep(PULSE_S)

    def _turned(self) -> JsonObject:
        pause = self._switch.current
        turned = LiveSwitch(True, pause.by, pause.since_ms, pause.reason) if pause else LiveSwitch(False, "", None)
        return dump(LiveSwitch, turned)

    async def _row(self, info: LogInfo) -> Json:
        state = await self._threads.with_inbox(info)
        if state is None:
            return None  # `sulla doctor` says what is wrong with it
        agent = (state.run.agent if state.run is not None else "") or state.identity.agent
        seen = Seen(state, info.held, await self._running(info, state), self._most_calls(agent))
        row = row_of(seen, self._limits)
        return dump(LiveRow, row) if row is not None else None

    async def _running(self, info: LogInfo, state: ThreadState) -> tuple[str, ...]:
        """The tools that a conversation's turn runs now: its head has their calls, and the end of its log the names."""
        run = state.run
        if run is None or state.suspended or state.kind.waits_while_working:
            return ()
        waits = {wait.call_id for wait in run.waits.values()}
        calls = [call_id for call_id in run.calls.intents if call_id not in waits][: MOST_NAMED + 1]
        if any(call_id not in self._tools for call_id in calls):
            try:
                entries = await self._threads.entries(state.thread_id, after=max(0, info.last_seq - NEWEST))
            except (CorruptRecord, NotFound):
                return ()  # it was deleted just now, or `sulla doctor` says what is wrong with it
            facts = (entry.fact for entry in entries)
            self._remember({fact.call_id: fact.name for fact in facts if isinstance(fact, ToolCallStart)})
        return tuple(self._tools[call_id] for call_id in calls if call_id in self._tools)

    def _remember(self, calls: dict[CallId, str]) -> None:
        self._tools.update(calls)
        while len(self._tools) > MOST_CALLS:
            self._tools.popitem(last=False)


class Woken:
    """Has a thread looked at that was worked on: its lease is given back behind the last record.

    Args:
        pulse: is told.
    """

    def __init__(self, pulse: ThreadPulse) -> None:
        self._pulse = pulse

    def wake(self, thread_id: ThreadId) -> None:
        """Have it looked at."""
        self._pulse.note(thread_id)
