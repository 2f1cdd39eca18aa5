"""`sulla chat --voice-sim`: plays recorded speech against a running daemon, and the answer as if it were spoken."""

from __future__ import annotations

import argparse
import asyncio
import json
from contextlib import aclosing
from pathlib import Path
from typing import Any, Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import SullaError, Unavailable
from sulla.host.system import SystemClock, random_id
from sulla.speech.cli.conversation import SpokenConversation
from sulla.speech.cli.player import CHARS_PER_S, Player
from sulla.speech.cli.recording import Heard, Until, recording
from sulla.speech.cli.unsent import UnsentSpeech
from sulla.terminal.client import Client, open_client
from sulla.terminal.exits import Exit
from sulla.terminal.follow import Follow, tell_of_pause
from sulla.terminal.output import tell
from sulla.terminal.place import door, home_of
from sulla.terminal.program import hint
from sulla.terminal.questions import how_to_answer
from sulla.terminal.table import one_line

_RETRY_S: Final = 0.25
_LOOK_S: Final = 0.25
"""How often the daemon is asked whether somebody still speaks."""
UNTIL_S: Final = 60.0
"""How long a recording stands still for an answer before it goes on without one."""


def simulate(given: argparse.Namespace) -> Exit:
    """Play a recording to its end, and what comes of it. The exit code says how the last turn ended."""
    found = recording(given.voice_sim)
    if found.faults:
        for fault in found.faults:
            tell(one_line(fault))
        return Exit.REFUSED
    home = home_of(given)
    door(home)
    voice = VoiceSimulation(home, found.heard, SystemClock(), given)
    with asyncio.Runner() as runner:
        try:
            return runner.run(voice.run())
        except KeyboardInterrupt:
            try:
                stopped = runner.run(voice.stop())
            except Unavailable:
                tell("\n[not stopped: the daemon is away, and what was said is answered]")
                return Exit.INTERRUPTED
            tell("\n[stopped]" if stopped else "\n[not sent]")
            return Exit.CANCELLED


@dataclass(frozen=True, slots=True)
class _Options:
    """What the command line says of it."""

    agent: str | None
    speed: float
    """How much faster than it was recorded."""
    as_json: bool


class VoiceSimulation:
    """Somebody who speaks as recorded, and listens.

    Args:
        home: whose daemon is talked to.
        heard: the recording.
        clock: all time.
        given: `thread`, `agent`, `speed` and `json` of the command line.
    """

    def __init__(self, home: Path, heard: list[Heard], clock: Clock, given: argparse.Namespace) -> None:
        self._home = home
        self._heard = heard
        self._clock = clock
        self._options = options = _Options(given.agent, float(given.speed or 1.0), bool(given.json))
        self.thread_id: str | None = given.thread
        self.talk = SpokenConversation(Player(CHARS_PER_S * options.speed))
        self._unsaid = UnsentSpeech(random_id("v")[:14])
        self._request_id = random_id("req")
        self._began = clock.elapsed()
        self._follow = Follow(home, clock, self._begin, lost=self._say_lost)
        self._all_said = False
        self._rung = asyncio.Event()

    async def run(self) -> Exit:
        """Speak and listen until nothing more comes of it.

        Raises:
            Unavailable: the daemon went away and did not come back in time.
            Refused: it took something not.
        """
        try:
            async with asyncio.TaskGroup() as group:
                others = [group.create_task(one()) for one in (self._talk, self._send, self._speak, self._play)]
                while not self._all_said:
                    await self._wait(None)
                await self._over()
                for task in others:
                    task.cancel()
        except* SullaError as errors:
            raise errors.exceptions[0] from None
        return self._ended()

    async def stop(self) -> bool:
        """Drop what is being said, and end what came of it; whether there was anything.

        Raises:
            Unavailable: no daemon runs.
        """
        if self.thread_id is None:
            return False
        async with open_client(door(self._home)) as client:
            await client.call("speech.cancel", thread_id=self.thread_id)
            await client.call("turn.stop", thread_id=self.thread_id)
        return True

    # ------------------------------------------------------------------------------------------------- the connection

    async def _talk(self) -> None:
        """Be connected, and take in what comes; over breaks."""
        async with aclosing(self._follow.events()) as events:
            async for event in events:
                self._take(event)

    async def _begin(self, client: Client) -> bool:
        if self.thread_id is None:
            made = await client.call("thread.create", request_id=self._request_id, agent=self._options.agent)
            self.thread_id = str(made["thread_id"])
        if not self._follow.begun:
            self.talk.seen = (await client.call("thread.get", thread_id=self.thread_id))["last_seq"]
            await tell_of_pause(client, "what is said")
        await client.call("events.subscribe", thread_id=self.thread_id, after=self.talk.seen, speak=True)
        self._follow.begun = True
        self._ring()  # whoever waits for the connection looks once this task waits, and finds it
        return True

    async def _send(self) -> None:
        """Send what was said until it is acknowledged."""
        while True:
            client = self._follow.client
            if client is None or not self._unsaid:
                await self._wait(None)
                continue
            is_done = await self._unsaid.send(client, str(self.thread_id))
            self._ring()
            if not is_done:
                await self._clock.sleep(_RETRY_S)

    # ---------------------------------------------------------------------------------------------- mouth and ears

    async def _speak(self) -> None:
        """Say what was recorded, at its times."""
        while self._follow.client is None:
            await self._wait(None)
        began = self._began = self._clock.elapsed()
        for heard in self._heard:
            due = began + heard.at_ms / 1000 / self._options.speed
            await self._clock.sleep(max(0.0, due - self._clock.elapsed()))
            if heard.until is not None:
                before = self._clock.elapsed()
                await self._stand_still(heard.until)
                began += self._clock.elapsed() - before
            elif heard.chunk is not None or heard.do is not None:
                now = self._clock.elapsed()
                self.talk.player.advance(now)
                self._unsaid.add(heard, self.talk.player.place(now))
                self._ring()
        self._all_said = True
        self._ring()

    async def _stand_still(self, until: Until) -> None:
        try:
            async with self._clock.timeout(UNTIL_S):
                await self._over(speaking=until == "speaking")
        except TimeoutError:
            self._tell(f"the assistant was not {until} after {UNTIL_S:.0f} s; the recording goes on")

    async def _over(self, *, speaking: bool = False) -> None:
        """Wait until nothing more comes of what was said so far, or the assistant is heard."""
        looks = 0
        while looks < 2:  # what the daemon says of itself may overtake its last event
            if speaking and self.talk.player.is_speaking:
                return
            looks = looks + 1 if await self._is_quiet() else 0
            await self._wait(_LOOK_S)

    async def _is_quiet(self) -> bool:
        client = self._follow.client
        if self._unsaid or client is None or not self.talk.is_over(self._clock.elapsed()):
            return False
        try:
            return not (await client.call("speech.status", thread_id=self.thread_id))["exists"]
        except SullaError as error:
            if not error.retryable:
                raise
            return False

    async def _play(self) -> None:
        """Print the answer as it is spoken."""
        player = self.talk.player
        while True:
            now = self._clock.elapsed()
            for piece in player.advance(now):
                if piece.text.strip() and not self._options.as_json:
                    print(piece.text, flush=True)
            due = player.due
            await self._wait(None if due is None else max(0.0, due - now))

    def _take(self, event: dict[str, Any]) -> None:
        now = self._clock.elapsed()
        lines = self.talk.take(event, now)
        if self._options.as_json:
            print(json.dumps(event), flush=True)
        for line in lines:
            self._tell(line)
        self._ring()

    # -------------------------------------------------------------------------------------------------------- shared

    def _say_lost(self) -> None:
        self._tell("the daemon went away; waiting for it to come back")

    def _tell(self, line: str) -> None:
        if not self._options.as_json:
            tell(f"{self._clock.elapsed() - self._began:9.3f}  {line}")

    def _ring(self) -> None:
        """Something has changed."""
        self._rung.set()
        self._rung = asyncio.Event()

    async def _wait(self, seconds: float | None) -> None:
        """Until something has changed, or so long."""
        if seconds is None:
            await self._rung.wait()
            return
        try:
            async with self._clock.timeout(seconds):
                await self._rung.wait()
        except TimeoutError:
            pass  # then it is looked at without anything having changed

    def _ended(self) -> Exit:
        if self.talk.asked:
            if not self._options.as_json:
                for question in self.talk.asked.values():
                    tell(hint(how_to_answer(question, self.thread_id or "")), end="")
            return Exit.BLOCKED
        if not self.talk.turns:
            self._tell("no message came of what was said")
        return self.talk.exit
