"""One question to its answer, over reconnects and restarts of the daemon."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from sulla.cli.client import Client, open_client
from sulla.cli.exits import Exit
from sulla.cli.place import door
from sulla.cli.screen import Screen
from sulla.core.clock import Clock
from sulla.core.errors import RateLimited, SullaError, Unavailable
from sulla.daemon import random_id

PATIENCE_S = 60.0
"""How long a client waits for a daemon that went away to come back, and for one that takes no more messages now."""

_RETRY_S = 0.25
_LONG_S = 2.0
"""A longer wait than this is told: nobody should think that the command hangs."""


def fault_in(text: str) -> str:
    """Why a text cannot be asked; empty if it can."""
    if not text.strip():
        return "there is no question: write one, or - and pipe it in"
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"character {error.start + 1} of the question is not valid UTF-8: write it in UTF-8"
    return ""


class Asking:
    """A question under way.

    Args:
        home: whose daemon is asked.
        thread_id: where; None for a new thread.
        text: the question.
        clock: for waiting.
        as_json: print each event as a line of JSON instead of the answer.
        agent: who is asked; None for the thread's own.
    """

    def __init__(
        self, home: Path, thread_id: str | None, text: str, clock: Clock, *, as_json: bool, agent: str | None = None
    ) -> None:
        self._home = home
        self.thread_id = thread_id
        self._text = text
        self._agent = agent
        self._as_json = as_json
        # The same ids at every attempt: whatever was acknowledged before a break is not done twice.
        self._request_id = random_id("req")
        self._message_id = random_id("msg")
        self._seen = 0
        self._screen: Screen | None = None
        self._lost_at: float | None = None
        self._may_be_kept = False
        self._clock = clock

    async def answer(self) -> Exit:
        """Ask, print the answer as it comes, and wait for its end.

        Raises:
            Unavailable: the daemon did not come back in time.
            Refused: it did.
        """
        while True:
            try:
                async with open_client(door(self._home)) as client:
                    return await self._follow(client)
            except SullaError as error:
                if self._screen is None or not error.retryable:
                    raise  # nothing was acknowledged yet, or it would be refused again
                now = self._clock.elapsed()
                if self._lost_at is None:
                    self._lost_at = now
                    print("\n[the daemon went away; waiting for it to come back]", file=sys.stderr, flush=True)
                elif now - self._lost_at > PATIENCE_S:
                    raise
                await self._clock.sleep(_RETRY_S)

    async def stop(self) -> bool:
        """End the turn; whether there was one. Somebody else's turn in the same thread goes on.

        Raises:
            Unavailable: no daemon runs.
        """
        if self._may_be_kept:
            async with open_client(door(self._home)) as client:
                await client.call("turn.stop", thread_id=self.thread_id)
        return self._may_be_kept

    async def _follow(self, client: Client) -> Exit:
        if self.thread_id is None:
            made = await client.call("thread.create", request_id=self._request_id, agent=self._agent)
            self.thread_id = str(made["thread_id"])
        sent = await self._send(client)
        if self._screen is None:
            self._screen = Screen(sent["run_id"])
            self._seen = sent["seq"]
        await client.call("events.subscribe", thread_id=self.thread_id, after=self._seen)
        self._lost_at = None
        async for event in client.events():
            self._seen = max(self._seen, event.get("seq") or 0)
            self._print(event, self._screen)
            if self._screen.exit is not None:
                return self._screen.exit
        raise AssertionError("unreachable: events end with an error")

    async def _send(self, client: Client) -> dict[str, Any]:
        """Send the message; if messages come too fast, again when the daemon says so."""
        deadline = self._clock.elapsed() + PATIENCE_S
        while True:
            self._may_be_kept = True
            try:
                given = {"message_id": self._message_id, "text": self._text, "agent": self._agent}
                return await client.call("turn.send", thread_id=self.thread_id, **given)
            except RateLimited as error:
                self._may_be_kept = self._screen is not None
                wait_s = error.retry_after_s or _RETRY_S
                if self._clock.elapsed() + wait_s > deadline:
                    raise
                if wait_s > _LONG_S:
                    note = f"[the daemon takes no more messages now; sent again in {wait_s:.0f} s]"
                    print(note, file=sys.stderr, flush=True)
                await self._clock.sleep(wait_s)

    def _print(self, event: dict[str, Any], screen: Screen) -> None:
        answer, beside = screen.show(event)
        if self._as_json:
            print(json.dumps(event), flush=True)  # in ASCII: no terminal and no pipe can spoil it
            return
        if answer:
            print(answer, end="", flush=True)
        if beside:
            print(beside, end="", file=sys.stderr, flush=True)


def run_turn(asking: Asking, runner: asyncio.Runner) -> Exit:
    """Run a question to its end; Ctrl-C stops the turn instead of leaving it to run on."""
    try:
        return runner.run(asking.answer())
    except KeyboardInterrupt:
        try:
            stopped = runner.run(asking.stop())
        except Unavailable:
            print("\n[not stopped: the daemon is away, and the turn goes on when it is back]", file=sys.stderr)
            return Exit.INTERRUPTED
        print("\n[stopped]" if stopped else "\n[not sent]", file=sys.stderr)
        return Exit.CANCELLED
