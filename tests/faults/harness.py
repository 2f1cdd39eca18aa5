"""Kills the real daemon, starts it again, and collects what everybody saw: client, log, model's service, tools."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from sulla.core.errors import InvalidInput, Unavailable
from sulla.terminal.client import Client, open_client
from sulla.terminal.place import door
from sulla.testing.tools import EffectLedger
from sulla.threads.log.codec import Entry
from tests.faults.backend import CLOCK, Backend, sqlite
from tests.processes.forked import Process, start
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.script import Reply, Rule, Script, ToolUse

READY_S = 60.0
TURN_S = 60.0
_LOOK_S = 0.002

DONE = "Both are noted. <AGENT_DONE>noted</AGENT_DONE>"
NOTES = (ToolUse("note_once", {"what": "careful"}), ToolUse("note_safe", {"what": "easy"}))


def two_calls(delay_s: float = 0.0) -> Script:
    """A turn with two tool calls and an answer, the same however often it is asked."""
    return Script(
        [
            Rule(Reply("I note both.", tools=NOTES, delay_s=delay_s), results=0),
            Rule(Reply(DONE, delay_s=delay_s), results=2),
        ]
    )


class Daemon:
    """One home, and the daemon that lives and dies in it; none is left when the block ends.

    Args:
        home: the home.
        url: where the fake service is.
        extra: settings for its environment.
    """

    def __init__(self, home: Path, url: str, extra: Mapping[str, str] | None = None) -> None:
        self.home = home
        self._env = {
            **{name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TMPDIR")},
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "key",
            "SULLA_MODEL": "anthropic:fake",
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            **(extra or {}),
        }
        self.process: Process | None = None
        self.effects = EffectLedger(home.parent / "effects.jsonl")
        self._effects_path = home.parent / "effects.jsonl"
        self._complaints = home.with_name(f"{home.name}.err")

    def copy(self, home: Path) -> Daemon:
        """One with a copy of this one's home, as of a volume, and the same settings."""
        shutil.copytree(self.home, home)
        return Daemon(home, "", self._env)

    async def command(self, *words: str) -> tuple[int, str, str]:
        """Type a command with this home and these settings: its exit code, and what it said on both outputs."""
        typed = (sys.executable, "-m", "sulla", "--home", str(self.home), *words)
        pipe = asyncio.subprocess.PIPE
        run = await asyncio.create_subprocess_exec(*typed, env=self._env, stdout=pipe, stderr=pipe)
        async with CLOCK.timeout(READY_S):
            said, error = await run.communicate()
        return run.returncode or 0, said.decode(), error.decode()

    @property
    def complaints(self) -> str:
        """What it and those before it wrote to standard error."""
        return self._complaints.read_text(encoding="utf-8")

    def point_at(self, url: str) -> None:
        """From its next start on, another service."""
        self._env["ANTHROPIC_BASE_URL"] = url

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.kill()

    async def start(self, *faults: str) -> None:
        """Start it and wait until it answers, or is dead already."""
        words = ("--home", str(self.home), "--effects", str(self._effects_path), *faults)
        with self._complaints.open("ab") as complaints:  # no pipe: it fills up, and then the daemon stands still
            self.process = start(
                words, self._env, module="tests.faults.daemon", stderr=complaints.fileno(), session=True
            )
        async with CLOCK.timeout(READY_S):
            while line := await asyncio.to_thread(self.process.stdout.readline):
                if line.startswith("ready "):
                    return
        await self.gone()
        assert self.process.poll() == -signal.SIGKILL, f"the daemon did not start: {self.complaints[-2000:]}"

    async def kill(self) -> None:
        """SIGKILL; nothing if it never began."""
        if self.process is None:
            return
        self.process.kill()
        await self.gone()

    async def gone(self) -> None:
        """Wait until it is dead."""
        assert self.process is not None
        async with CLOCK.timeout(READY_S):
            while not self.dead:
                await CLOCK.sleep(_LOOK_S)
        self.process.stdout.close()

    def send_signal(self, number: signal.Signals) -> None:
        """Send it any signal."""
        assert self.process is not None
        self.process.send_signal(number)

    @property
    def dead(self) -> bool:
        """Whether it has ended."""
        return self.process is None or self.process.poll() is not None


@dataclass(slots=True)
class Seen:
    """What one client saw of one message."""

    thread_id: str = ""
    message_id: str = ""
    run_id: str = ""
    acknowledged: bool = False
    events: list[dict[str, Any]] = field(default_factory=list)
    ended: bool = False


def asked(number: int) -> str:
    """What a user asks for."""
    return f"Note both, please (as number {number})."


class User:
    """A client that does not give up: it sends under one id, connects again, and goes on after the last event it has.

    Args:
        home: whose daemon.
        number: makes its ids its own.
    """

    def __init__(self, home: Path, number: int = 1) -> None:
        self._home = home
        self._number = number
        self.seen = Seen(message_id=f"message-{number}")

    async def run(self) -> Seen:
        """Send the message and follow it to its end, over any number of daemons."""
        async with CLOCK.timeout(TURN_S):
            while not self.seen.ended:
                try:
                    async with open_client(door(self._home)) as client:
                        await self._once(client)
                except Unavailable:
                    await CLOCK.sleep(0.02)
        return self.seen

    async def _once(self, client: Client) -> None:
        seen = self.seen
        if not seen.thread_id:
            made = await client.call("thread.create", request_id=f"request-{self._number}")
            seen.thread_id = made["thread_id"]
        sent = await client.call(
            "turn.send", thread_id=seen.thread_id, message_id=seen.message_id, text=asked(self._number)
        )
        assert seen.run_id in ("", sent["run_id"]), "a re-send must get the same run"
        seen.run_id, seen.acknowledged = sent["run_id"], True
        durable = [event["seq"] for event in seen.events]
        try:
            await client.call("events.subscribe", thread_id=seen.thread_id, after=durable[-1] if durable else 0)
        except InvalidInput:  # it was shown what the log does not have: that is for the judge to say
            await client.call("events.subscribe", thread_id=seen.thread_id, after=0)
        async for event in client.events():
            if event.get("seq") is None:
                continue
            seen.events.append(event)
            if event["type"] == "SUSPENDED":
                await self._review(client, event)
            if event["type"] in ("RUN_FINISHED", "RUN_ERROR") and event["run_id"] == seen.run_id:
                seen.ended = True
                return

    async def _review(self, client: Client, event: dict[str, Any]) -> None:
        for wait in event["data"]["waits"]:
            # After a reconnect the same question comes again; the same answer to it is no second one.
            await client.call(
                "approval.answer", thread_id=self.seen.thread_id, id=wait["wait_id"], verdict="result", text="it did"
            )


@dataclass(slots=True)
class Story:
    """All that is known of one round, for the judge."""

    seen: Seen
    log: list[Entry]
    before_restart: list[list[Entry]]
    """The log as each death left it."""
    asked_before_restart: list[int]
    """How many requests the service had had by each death."""
    requests: list[int]
    """For each request to the service, in order: how many tool results it carried."""
    effects: list[dict[str, str]]
    kills: int
    take_over_s: list[float]


async def round_of_kills(
    home: Path,
    fake: FakeAnthropic,
    deaths: Sequence[Death],
    *,
    defect: str = "",
    backend: Backend | None = None,
) -> Story:
    """One message through a daemon that dies as `deaths` say, and is started again each time.

    Args:
        home: a folder for the daemon's home; its parent gets the ledger.
        fake: the model's service.
        deaths: how each daemon but the last one dies.
        defect: a promise that the daemon breaks on purpose.
        backend: where it keeps everything; None for a file of the round's own.
    """
    backend = backend if backend is not None else sqlite(home.parent / "kept.db")
    broken = ("--defect", defect) if defect else ()
    user = User(home)
    story = Story(user.seen, [], [], [], [], [], 0, [])
    async with Daemon(home, fake.url, backend.settings) as daemon, asyncio.TaskGroup() as group:
        following = group.create_task(user.run())
        for death in deaths:
            await daemon.start(*death.faults, *broken)
            await death.happens(daemon, user)
            story.kills += 1
            story.before_restart.append(await backend.read_log(user.seen.thread_id))
            story.asked_before_restart.append(len(fake.requests))
        await daemon.start(*broken)
        ready = CLOCK.elapsed()
        before = len(user.seen.events)
        open_run = bool(story.before_restart) and _is_open(story.before_restart[-1])
        while open_run and len(user.seen.events) == before and not following.done():
            await CLOCK.sleep(0.01)
        if open_run:
            story.take_over_s.append(CLOCK.elapsed() - ready)
        await following
    story.log = await backend.read_log(user.seen.thread_id)
    story.requests = [seen.results for seen in fake.requests]
    story.effects = daemon.effects.read()
    return story


def _is_open(log: list[Entry]) -> bool:
    kinds = [entry.kind for entry in log]
    return "INPUT" in kinds and "RUN_FINISHED" not in kinds and "RUN_ERROR" not in kinds


@dataclass(frozen=True, slots=True)
class AtRecord:
    """The daemon dies around the write that brings the n-th record of a kind."""

    kind: str
    nth: int
    phase: str

    @property
    def faults(self) -> tuple[str, ...]:
        """For the daemon's command line."""
        return ("--kill-at", f"{self.kind}:{self.nth}:{self.phase}")

    async def happens(self, daemon: Daemon, user: User) -> None:
        """Wait for it."""
        await daemon.gone()


@dataclass(frozen=True, slots=True)
class AtMoment:
    """The daemon is killed from outside, some time after something was seen to happen.

    Every write is slow, so that a kill can fall between any two.
    """

    seen: str
    """A kind of record, or nothing for the acknowledgement."""
    nth: int
    after_s: float
    write_s: float = 0.03

    @property
    def faults(self) -> tuple[str, ...]:
        """For the daemon's command line."""
        return ("--slow-store", str(self.write_s), "--tool-pause", "0.05")

    async def happens(self, daemon: Daemon, user: User) -> None:
        """Bring it about."""
        while not self._has_come(user.seen) and not user.seen.ended:
            await CLOCK.sleep(0.002)
        await CLOCK.sleep(self.after_s)
        await daemon.kill()

    def _has_come(self, seen: Seen) -> bool:
        if not self.seen:
            return seen.acknowledged
        return [event["type"] for event in seen.events].count(self.seen) >= self.nth


Death = AtRecord | AtMoment
