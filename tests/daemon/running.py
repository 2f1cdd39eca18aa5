"""Real processes for tests: a daemon on a home, commands beside it, and a model's service that can stand still."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from sulla.host.system import SystemClock
from tests.processes.forked import Process, start
from tests.servers.ollama_server import FakeOllama
from tests.servers.script import Script
from tests.soon import pause, undisturbed

NOWHERE = "127.0.0.1:1"
"""Nothing listens there: no Ollama that happens to run is found."""

AFRESH: dict[str, int] = {"max_keepalive_connections": 0}
"""Bounds for an HTTP client that comes now and then: a daemon hangs up on a connection that stays idle for seconds, and
a request that comes in that very moment is lost."""

PATIENCE_S = 50.0
"""How long anything of this may take before it counts as hanging."""

_PIPE_BYTES = 4096
"""So much any pipe takes before somebody reads it."""


@dataclass(slots=True)
class Command:
    """A command under way."""

    process: Process
    log: Path
    """Where its standard error goes."""
    said: str = ""
    """What was read of its standard output."""

    def until(self, text: str) -> str:
        """Wait until it has printed `text`; all that was printed up to there."""
        while text not in self.said:
            more = self._out.read(1)
            assert more, f"it ended before {text!r}: {self.said!r}, {self.complaints!r}"
            self.said += more
        return self.said

    def line(self) -> None:
        """Read to the end of the line."""
        self.said += self._out.readline()

    def complains(self, text: str) -> None:
        """Wait until it has written `text` to standard error."""
        while text not in self.complaints:
            if self.process.poll() is not None:
                assert text in self.complaints, self.complaints
            pause()

    def ended(self, *numbers: signal.Signals) -> int:
        """Send signals, and wait for the end; its exit code."""
        for number in numbers:
            self.process.send_signal(number)
        self.said += self._out.read()
        return self.process.wait(PATIENCE_S)

    @property
    def complaints(self) -> str:
        """What it wrote to standard error so far."""
        return self.log.read_text()

    @property
    def _out(self) -> IO[str]:
        out: IO[str] = self.process.stdout
        return out


@dataclass(slots=True)
class Daemon(Command):
    """A daemon that has said `ready`."""

    @property
    def greeting(self) -> list[str]:
        """The lines that it said until then."""
        return self.said.splitlines()

    @property
    def url(self) -> str:
        """Where it answers."""
        return self.greeting[-1].removeprefix("ready ")


class Place:
    """One home, and an environment with nothing in it but what is given.

    Args:
        home: the home.
        settings: variables of the environment.
    """

    forks: bool
    """Whether processes may be forked; else each begins as people start it. Python's own variables need that, too."""

    def __init__(self, home: Path, **settings: str) -> None:
        self.home = home
        self._begun = 0
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TMPDIR", "PYTHONPATH")}
        fixed = {"HOME": str(home.parent), "SULLA_HOME": str(home), "OLLAMA_HOST": NOWHERE, "PYTHONUTF8": "1"}
        self.environ = kept | fixed | settings
        self.forks = not any(name.startswith("PYTHON") for name in settings)

    @contextmanager
    def up(self, *arguments: str) -> Iterator[Daemon]:
        """A daemon; what is left of it at the end is killed."""
        with self.begin("up", "--port", "0", *arguments) as command:
            command.until("\nready http")
            command.line()
            yield Daemon(command.process, command.log, command.said)

    @contextmanager
    def begin(self, *words: str) -> Iterator[Command]:
        """A command; what is left of it at the end is killed."""
        self._begun += 1
        log = self.home.parent / f"{self._begun}-{words[0]}.err"
        with (
            log.open("w") as errors,
            start(words, self.environ, stderr=errors.fileno(), afresh=not self.forks) as process,
        ):
            try:
                yield Command(process, log)
            finally:
                if process.poll() is None:
                    process.kill()

    def ask(self, *words: str) -> tuple[int, str, str]:
        """`ask` to its end, like `run`; once more if it was told to try again soon.

        A daemon on a machine that stands still takes its store for one that is away.
        """
        return undisturbed(lambda _: self.run("ask", *words), lambda told: "try again soon" not in told[2])

    def run(self, *words: str, given: bytes = b"") -> tuple[int, str, str]:
        """A command to its end: exit code, standard output, standard error."""
        stdin, typed = os.pipe()
        assert len(given) <= _PIPE_BYTES
        os.write(typed, given)
        os.close(typed)
        with TemporaryFile() as out, TemporaryFile() as errors:
            with start(
                words, self.environ, stdin=stdin, stdout=out.fileno(), stderr=errors.fileno(), afresh=not self.forks
            ) as process:
                os.close(stdin)
                try:
                    code = process.wait(PATIENCE_S)
                finally:
                    process.kill()
            out.seek(0)
            errors.seek(0)
            return code, out.read().decode(), errors.read().decode()


class Service:
    """A model's service on a thread of its own, so that tests may wait in the plain way."""

    def __init__(self, fake: FakeOllama, loop: asyncio.AbstractEventLoop) -> None:
        self._fake = fake
        self._loop = loop

    @property
    def environ(self) -> dict[str, str]:
        """The settings that make a daemon use it."""
        return {"OLLAMA_HOST": self._fake.url, "SULLA_MODEL": "ollama:fake:1b"}

    @property
    def asked(self) -> int:
        """How many replies it was asked for."""
        return len(self._fake.requests)

    @property
    def requests(self) -> list[dict[str, Any]]:
        """What it was asked, oldest first."""
        return list(self._fake.requests)

    @property
    def shown_last(self) -> list[str]:
        """The texts of the messages that the newest request held, without the system prompt."""
        messages: Any = self._fake.requests[-1]["messages"]
        return [message["content"] for message in messages if message["role"] != "system"]

    @property
    def tools_last(self) -> list[str]:
        """The names of the tools that the newest request held."""
        tools: Any = self._fake.requests[-1].get("tools", [])
        return [tool["function"]["name"] for tool in tools]

    def release(self, name: str) -> None:
        """Let a reply go on."""
        self._loop.call_soon_threadsafe(self._fake.release, name)


@contextmanager
def service(script: Script) -> Iterator[Service]:
    """Such a service."""
    ready, over = threading.Event(), list[asyncio.Event]()
    found = list[Service]()

    async def serve() -> None:
        async with FakeOllama(script, SystemClock()) as fake:
            over.append(asyncio.Event())
            found.append(Service(fake, asyncio.get_running_loop()))
            ready.set()
            await over[0].wait()

    with asyncio.Runner() as runner:
        thread = threading.Thread(target=lambda: runner.run(serve()), daemon=True)
        thread.start()
        assert ready.wait(PATIENCE_S)
        try:
            yield found[0]
        finally:
            runner.get_loop().call_soon_threadsafe(over[0].set)
            thread.join(PATIENCE_S)
