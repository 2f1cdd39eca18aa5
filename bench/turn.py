"""What a turn costs beside the model's own time, with 10 to 5,000 messages of history.

A real daemon on SQLite, a client on its WebSocket, and a fake of the model's service that takes the times
(`bench.stopwatch`). The limit is `bench.bare_turn`. Every turn adds two messages, so there are new short threads for
each life of the daemon; what a long thread gains is little beside what it has.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import defaultdict
from dataclasses import astuple, fields
from pathlib import Path

from websockets.asyncio.client import ClientConnection, connect

from bench.frame import Frame, Row, Samples
from bench.history import Thread, text_of, write_history
from bench.process import ready_url, running
from bench.stopwatch import Contender, Service, Times, bare_turn, new_thread, talking, timed, turn, until_warm
from sulla.terminal.client import Client
from sulla.terminal.place import door
from tests.servers.script import Reply, Rule, Script

NAME = "turn"

SHORT, LONG = (10, 100), (1_000, 5_000)
SIZES = (*SHORT, *LONG)
LIVES = 5
"""How often the daemon is started anew, so that a thread's first turn is met more than once."""
REQUEST_BAR = 1.3
"""The longest thread beside the shortest, until the service has the request (issue 1)."""
GROWTH_BAR = 1.15
"""The same of the whole overhead (issue 11)."""
BARE_BAR = 2.5
"""The overhead of the shortest thread beside the bare turn's (issue 11)."""

FIGURES = tuple(field.name for field in fields(Times))
_BARS = {"request": (None, REQUEST_BAR), "overhead": (BARE_BAR, GROWTH_BAR)}

BEYOND_PEOPLE = {
    "SULLA_LIMITS__MESSAGE_INTERVAL_MS": "0",
    "SULLA_LIMITS__MESSAGE_WINDOW_S": "0.001",
    **{f"SULLA_LIMITS__{whose}DAY_TOKENS": "1000000000" for whose in ("THREAD_", "AGENT_", "")},
}
"""Settings for somebody who talks faster and more than people do: a dozen messages of a thread each millisecond."""

_ANSWER = f"{text_of(0)} <AGENT_DONE>fine</AGENT_DONE>"

Entrant = tuple[Contender, int]
"""Who has turns, and the process id of its server."""


def run(frame: Frame) -> list[Row]:
    """The bars are those of issues 1 and 11."""
    with tempfile.TemporaryDirectory(prefix="sulla-bench-") as folder:
        return asyncio.run(_Measurement(frame, Path(folder)).rows())


class Costs:
    """What each contender's turns took, by figure."""

    def __init__(self) -> None:
        self._costs: dict[str, defaultdict[str, list[float]]] = {name: defaultdict(list) for name in FIGURES}

    def add(self, name: str, times: Times) -> None:
        """Note a turn."""
        for figure, value in zip(FIGURES, astuple(times), strict=True):
            self._costs[figure][name].append(value)

    def samples(self, figure: str) -> Samples:
        """One figure of all contenders, named for both."""
        return Samples({f"{figure}, {name}": costs for name, costs in self._costs[figure].items()}, "ms")


class _Measurement:
    """One run of this bench, in a folder of its own."""

    def __init__(self, frame: Frame, folder: Path) -> None:
        self._frame = frame
        self._folder = folder
        self._home = folder / "home"
        self._service = Service(Script([Rule(Reply(_ANSWER))]))
        self._first, self._cold, self._warm = Costs(), Costs(), Costs()

    async def rows(self) -> list[Row]:
        """Measure, and say what came out."""
        self._home.mkdir()
        *threads, near = await write_history(self._home / "sulla.db", (*SHORT * LIVES, *LONG, LONG[0]))
        async with self._service:
            for life in range(LIVES):
                short = threads[life * len(SHORT) : (life + 1) * len(SHORT)]
                await self._live(life, dict(zip(SIZES, (*short, *threads[-len(LONG) :]), strict=True)), near)
        return [*warm_rows(self._warm), *_cold_rows(self._cold), *_first_rows(self._first)]

    async def _live(self, life: int, threads: dict[int, Thread], near: Thread) -> None:
        """Start a daemon, have first turns and then others, and end it.

        Args:
            life: how many daemons there were before.
            threads: one of each size.
            near: a long one, whose turn is the daemon's first near the ceiling.
        """
        settings = {
            "SULLA_MODEL": "anthropic:fake",
            "ANTHROPIC_BASE_URL": self._service.url,
            "ANTHROPIC_API_KEY": "none",
            "SULLA_DAEMON__LOG_LEVEL": "info",
            # A summary is made beside the turns, of a history that no daemon has ever let grow so long.
            "SULLA_MODEL__SUMMARIES": "false",
            **BEYOND_PEOPLE,
        }
        with running(("-m", "sulla", "up", "--port", "0", "--home", str(self._home)), settings) as daemon:
            ready_url(daemon)
            async with talking(door(self._home), [*threads.values(), near]) as client:
                ours = {size: (self._ours(client, thread), daemon.pid) for size, thread in threads.items()}
                # At the first turn of all the service's library is loaded, and at the first of a long thread the
                # tokenizer: these two are not like the others.
                first = self._ours(client, await new_thread(client))
                self._first.add("first of the daemon", await timed(first, daemon.pid))
                await until_warm(self._home, life + 1)
                self._first.add("first near the ceiling", await timed(self._ours(client, near), daemon.pid))
                bodies = await self._first_turns(ours)
                database = self._folder / f"bare-{life}.db"
                arguments = ("-m", "bench.bare_turn", str(database), self._service.url, *map(str, bodies))
                with running(arguments) as limit:
                    async with connect(ready_url(limit), compression=None, proxy=None) as socket:
                        bare = [(self._bare(socket, body), limit.pid) for body in range(len(bodies))]
                        await self._rounds(ours, bare)

    def _ours(self, client: Client, thread: Thread) -> Contender:
        return lambda: turn(client, self._service, thread)

    def _bare(self, socket: ClientConnection, body: int) -> Contender:
        return lambda: bare_turn(socket, self._service, body, text_of(body))

    async def _first_turns(self, ours: dict[int, Entrant]) -> list[Path]:
        """Have each thread's first turn; returns the requests of the shortest and the longest one."""
        bodies = []
        for size, entrant in ours.items():
            self._cold.add(f"{size:,} messages, first turn", await timed(*entrant))
            if size in (SIZES[0], SIZES[-1]):
                bodies.append(self._folder / f"body-{size}")
                bodies[-1].write_bytes(self._service.body)
        return bodies

    async def _rounds(self, ours: dict[int, Entrant], bare: list[Entrant]) -> None:
        entrants = {f"{size:,} messages": entrant for size, entrant in ours.items()}
        entrants |= {
            f"bare, request of {size:,}": entrant for size, entrant in zip((SIZES[0], SIZES[-1]), bare, strict=True)
        }
        for entrant in entrants.values():
            await timed(*entrant)
        for names in self._frame.orders(list(entrants), -(-self._frame.rounds // LIVES)):
            for name in names:
                self._warm.add(name, await timed(*entrants[name]))


def warm_rows(costs: Costs) -> list[Row]:
    """Every figure of the turns that were no first ones, beside the shortest thread's."""
    rows = []
    for figure in FIGURES:
        samples = costs.samples(figure)
        shortest, longest = f"{figure}, {SIZES[0]:,} messages", f"{figure}, {SIZES[-1]:,} messages"
        bare_short, bare_long = f"{figure}, bare, request of {SIZES[0]:,}", f"{figure}, bare, request of {SIZES[-1]:,}"
        bare_bar, growth_bar = _BARS.get(figure, (None, None))
        rows += [
            samples.row(bare_short),
            samples.row(bare_long, bare_short),
            samples.row(shortest, bare_short, bare_bar),
        ]
        rows += [samples.row(f"{figure}, {size:,} messages", shortest) for size in SIZES[1:-1]]
        rows.append(samples.row(longest, shortest, growth_bar))
    return rows


def _cold_rows(costs: Costs) -> list[Row]:
    samples = costs.samples("overhead")
    names = [f"overhead, {size:,} messages, first turn" for size in SIZES]
    return [samples.row(names[0]), *(samples.row(name, names[0]) for name in names[1:])]


def _first_rows(costs: Costs) -> list[Row]:
    samples = costs.samples("overhead")
    return [samples.row(f"overhead, {name}") for name in ("first of the daemon", "first near the ceiling")]
