"""A daemon's door without a daemon: a real socket, in a thread of its own, behind which a test plays the runs."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sulla.access.principal import ALL_SCOPES
from sulla.agent.calls.file_marks import FileMarks
from sulla.core.errors import InvalidInput
from sulla.gateway.app import GatewayConfig, build_app
from sulla.gateway.commands import Verdict
from sulla.gateway.server.server import Server, bind, serve
from sulla.host.home import Home, Whereabouts
from sulla.host.system import SystemClock, random_id
from sulla.playbooks.projects.service import ProjectDesk
from sulla.playbooks.rpc_forms import PlayBegun
from sulla.playbooks.service import Begin
from sulla.projects.projects import Projects
from sulla.rpc.limits import Limits
from tests.doubles.commands import MemoryCommands
from tests.doubles.playbooks import MemoryPlaybooks
from tests.doubles.tokens import MemoryTokens

T = TypeVar("T")
Said = tuple[str, dict[str, Any]]
"""An event: its type, and its data."""


def fact(what: str, at: str = "", **detail: Any) -> Said:
    """Something that a run's machine has decided."""
    return "PLAYBOOK", {"what": what, "at": at, "detail": detail}


class _Office(MemoryPlaybooks):
    """Begins runs that do what the test has written."""

    def __init__(self, commands: _Commands) -> None:
        super().__init__()
        self._commands = commands

    async def start(self, begin: Begin, key: str) -> PlayBegun:
        """Begin one, and play its first act."""
        begun = await super().start(begin, key)
        if begun.first:
            self._commands.make(begun.run)
            self._commands.play(begun.run)
        return begun


class _Commands(MemoryCommands):
    """What the door asks: an answer lets the play go on."""

    def __init__(self) -> None:
        super().__init__()
        self.playbooks = _Office(self)
        self.carried = False  # what an event says is added to it when it has been told
        self.acts: list[list[Said]] = []
        self.refuses = ""  # an answer that does not fit

    def play(self, run: str) -> None:
        """The next act."""
        for type_, data in self.acts.pop(0) if self.acts else []:
            self.add(run, type_, "run_1").data.update(data)  # nobody reads it before this step is over

    async def answer(
        self, thread_id: str, question: str, verdict: Verdict, text: str, by: str = "", for_s: int = 0
    ) -> int:
        """Keep it, and go on."""
        if self.refuses and text == self.refuses:
            raise InvalidInput(f"text: {text!r} does not fit")
        seq = await super().answer(thread_id, question, verdict, text, by)
        self.play(thread_id)
        return seq


class Stage:
    """Where runs are played.

    Attributes:
        home: of the daemon that commands find here.
        commands: what they ask for.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.commands = _Commands()
        projects, marks = Projects(home / "projects"), FileMarks(home / "marks.jsonl")
        self.commands.plans = ProjectDesk(self.office, projects, lambda: self.agents, marks)
        self.agents: list[str] = ["sulla"]
        """Those that there are, where projects are planned."""
        self._loop = asyncio.new_event_loop()
        self._place = Home(home)
        self._server: Server

    @property
    def office(self) -> MemoryPlaybooks:
        """Who knows the playbooks and their runs."""
        return self.commands.playbooks

    @property
    def environ(self) -> dict[str, str]:
        """The environment of a command that finds it."""
        here = {name: value for name, value in os.environ.items() if name != "COLUMNS"}  # that is another terminal's
        return here | {"SULLA_HOME": str(self.home)}

    def acts(self, *acts: list[Said]) -> None:
        """What runs do: at once, and after each answer."""
        self.commands.acts = list(acts)

    def later(self, what: Callable[[], T]) -> None:
        """Do something where the daemon would."""
        self._loop.call_soon_threadsafe(what)

    @contextmanager
    def open(self) -> Iterator[None]:
        """Answer, as long as the block lasts."""
        ready, done = threading.Event(), asyncio.Event()
        thread = threading.Thread(target=lambda: self._loop.run_until_complete(self._serve(ready, done)))
        thread.start()
        try:
            assert ready.wait(50)
            yield
        finally:
            self._loop.call_soon_threadsafe(done.set)
            thread.join(50)
            self._loop.close()

    def restart(self) -> None:
        """Hang up, and answer somewhere else from now on."""
        asyncio.run_coroutine_threadsafe(self._restart(), self._loop).result(50)

    async def _restart(self) -> None:
        await self._server.stop(1.0)
        self._server = await self._answer()

    async def _serve(self, ready: threading.Event, done: asyncio.Event) -> None:
        self.home.mkdir(parents=True)
        (self.home / "token").write_text("owner")
        self._server = await self._answer()
        ready.set()
        await done.wait()
        await self._server.stop(1.0)

    async def _answer(self) -> Server:
        clock, limits = SystemClock(), Limits()
        tokens = MemoryTokens({"owner": ALL_SCOPES})
        app = build_app(self.commands, tokens, GatewayConfig("1"), clock, make_id=random_id)
        server = await serve(app, bind("127.0.0.1", 0, limits), clock, limits)
        self._place.announce(Whereabouts(server.url, os.getpid()))
        return server
