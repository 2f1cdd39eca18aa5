"""`sulla beat now`: a beat begun, and shown while it works."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import field
from typing import Any

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import Busy
from sulla.core.waiting import waiting_words
from sulla.host.system import SystemClock, random_id
from sulla.terminal.client import Client
from sulla.terminal.exits import Exit
from sulla.terminal.follow import Follow, tell_of_pause
from sulla.terminal.framed import brief
from sulla.terminal.output import say, tell
from sulla.terminal.place import home_of
from sulla.terminal.program import program
from sulla.terminal.questions import from_wait
from sulla.terminal.screen import paused_head
from sulla.terminal.table import one_line
from sulla.terminal.times import second

Row = dict[str, Any]

_EXITS = {"blocked": Exit.BLOCKED, "failed": Exit.FAILED, "cancelled": Exit.CANCELLED}
"""How a beat ended, as an exit code; whatever else became of it is as it should be."""


def begin(given: argparse.Namespace) -> Exit:
    """Begin a beat, and show what it does if that is wanted. Ctrl-C leaves it at work."""
    watching = BeatWatch(given, SystemClock())
    with asyncio.Runner() as runner:
        try:
            return runner.run(watching.follow())
        except KeyboardInterrupt:
            if watching.run_id:
                tell(f"\n[the beat goes on; `{program()} beat log` says what becomes of it]")
            return Exit.INTERRUPTED


class BeatWatch:
    """A beat that somebody looks at.

    Args:
        given: the command's arguments.
        clock: for waiting.
    """

    def __init__(self, given: argparse.Namespace, clock: Clock) -> None:
        self._given = given
        self._follow = Follow(home_of(given), clock, self._begin)
        # The same id at every attempt: a beat that was acknowledged before a break is not begun twice.
        self._request_id = random_id("req")
        self._sheet = BeatLines()
        self.run_id = ""
        self._thread = ""

    async def follow(self) -> Exit:
        """Begin it, and show it to its end, also over a restart of the daemon.

        Raises:
            Unavailable: the daemon did not come back in time.
            Refused: it did.
        """
        async with aclosing(self._follow.events()) as events:
            async for event in events:
                own = event["thread_id"] == self._thread
                if event.get("seq") is None or (own and event["run_id"] not in (self.run_id, None)):
                    continue
                self._print(event)
                if own and event["type"] == "SUSPENDED":  # from then on the threads of its cycles are there
                    for cycle in self._sheet.cycles:
                        self._follow.add(cycle)
                if own and (ended := self._sheet.ended) is not None:
                    return _EXITS.get(ended, Exit.OK)
        return Exit.OK

    async def _begin(self, client: Client) -> bool:
        if not self.run_id:
            await self._start(client)
            self._follow.begun = True
            await tell_of_pause(client, "the beat")
        return bool(self._given.watch)

    async def _start(self, client: Client) -> None:
        asked = {"agent": self._given.agent, "project": self._given.project, "request_id": self._request_id}
        try:
            begun = await client.call("heartbeat.trigger", **asked)
        except Busy:
            if not self._given.watch or not await self._join(client):
                raise
            return
        self.run_id, self._thread = str(begun["run_id"]), str(begun["thread_id"])
        self._follow.add(self._thread, int(begun["seq"]))
        if self._given.json and not self._given.watch:
            print(json.dumps(begun))
        elif not self._given.json:
            how = "" if self._given.watch else f"; `{program()} beat log` says what becomes of it"
            say(f"begun: {self.run_id} in the thread {self._thread}{how}")

    async def _join(self, client: Client) -> bool:
        """Look at the beat that is at work already; False if it is over by now."""
        (row,) = (await client.call("heartbeat.status", agent=self._given.agent))["heartbeats"][:1]
        tick = row["last"]
        if tick is None or tick["run_id"] != row["running"]:
            return False
        self.run_id, self._thread = str(row["running"]), str(row["thread_id"])
        self._follow.add(self._thread, int(tick["seq"]))
        tell(f"[a beat is at work already: {self.run_id}]")
        return True

    def _print(self, event: Row) -> None:
        lines = list(self._sheet.show(event, of_beat=event["thread_id"] == self._thread))
        if self._given.json:
            print(json.dumps(event), flush=True)
            return
        indent = "" if event["thread_id"] == self._thread else "  "
        for line in lines:
            say(f"{second(event['at'])[11:]} {indent}{one_line(line, 400)}")


@dataclass(slots=True)
class BeatLines:
    """Turns the events of a beat and of its cycles into lines for people. Pure."""

    ended: str | None = None
    """How the beat ended; None while it is at work."""
    cycles: list[str] = field(default_factory=list)
    """The threads of its cycles."""
    _said: str = ""

    def show(self, event: Row, *, of_beat: bool) -> Iterator[str]:
        """The lines for an event.

        Args:
            event: what happened.
            of_beat: whether it did in the heartbeat's thread, and not in a cycle's.
        """
        data, kind = event["data"], event["type"]
        return self._of_beat(kind, data) if of_beat else _of_cycle(kind, data)

    def _of_beat(self, kind: str, data: Row) -> Iterator[str]:
        match kind:
            case "BEAT_STARTED":
                yield f"focus: {data.get('focus') or 'none'} ({data['why']})"
            case "BEAT_SKIPPED":
                yield f"no beat ({data['reason']}): {data.get('text', '')}"
            case "CHILD_STARTED":
                self.cycles.append(str(data["thread_id"]))
                yield f"{data.get('task', 'a cycle')}: {data['thread_id']}"
            case "CYCLE_ENDED":
                said = data.get("summary") or data.get("blocker", "")
                yield f"cycle {data['number']} {data['status']}: {said}"
            case "BEAT_ENDED":
                self._said = str(data["status"])
                yield _summary(data)
            case "RUN_PAUSED":
                yield f"[{paused_head(data)}; it goes on when somebody says `{program()} resume`]"
            case "RUN_FINISHED":
                self.ended = self._said or str(data["outcome"]["status"])
                if self.ended == "cancelled":
                    yield "the beat was stopped"
            case "RUN_ERROR":
                self.ended = "failed"
                yield f"failed ({data['code']}): {data['message']}"
            case _:
                pass


def _of_cycle(kind: str, data: Row) -> Iterator[str]:
    match kind:
        case "TOOL_CALL_START" if not data.get("refused"):
            yield f"· {data['name']} {json.dumps(data.get('args', {}), ensure_ascii=False)[:120]}"
        case "CHILD_STARTED":
            yield f"· sub-agent {data['agent']}: {data.get('task', '')}"
        case "SUSPENDED":
            asked = [one for one in map(from_wait, data["waits"]) if one.is_for_people]
            yield from (f"? {brief(one.prompt)} ({program()} approvals)" for one in asked)
        case "RUN_WAITING":
            yield f"[{waiting_words(data['reason'], data['wait_s'], data.get('said', ''))}]"
        case "NOTICE":
            yield f"! {data['text']}"
        case _:
            pass


def _summary(data: Row) -> str:
    reason = f" ({data['reason']})" if data.get("reason", "") not in ("", data["status"]) else ""
    cycles, tokens = data.get("cycles", 0), data.get("tokens", 0)
    changed = data.get("changed") or "nothing"
    return f"{data['status']}{reason}: {cycles} cycle{'' if cycles == 1 else 's'}, {tokens} tokens; changed: {changed}"
