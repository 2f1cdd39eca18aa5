"""The first turn after a start beside the tenth, for each provider: what is loaded late is loaded before it.

A real daemon on SQLite, a client on its WebSocket, and a fake of the model's service on the wire. Nobody types as fast
as a daemon loads what a turn needs: the first message is sent three seconds after the daemon was ready, and on a slow
machine not before its log says that a first turn waits for nothing any more. Each turn is in a new thread.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from bench.frame import Frame, Row, Samples
from bench.process import ready_url, running
from bench.stopwatch import (
    OllamaService,
    OpenAiService,
    Service,
    Times,
    Watch,
    new_thread,
    talking,
    timed,
    turn,
    until_warm,
)
from bench.turn import BEYOND_PEOPLE
from sulla.terminal.place import door
from tests.servers.script import Reply, Rule, Script

NAME = "first_turn"

BAR = 1.2
"""The first beside the tenth (issue 11)."""
TURNS = 12
TENTH = slice(8, 12)
"""The ninth to the twelfth, the middle one of which is taken: one alone says little."""
PERSON_S = 3.0
"""How long after the start somebody says something, in seconds."""

_ROUNDS_PER_LIFE = 6
_ANSWER = "Fine. <AGENT_DONE>fine</AGENT_DONE>"


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider and the fake of its service."""

    name: str
    service: type[Watch]
    address: str
    """The variable that says where it is."""
    settings: Mapping[str, str]


PROVIDERS = (
    Provider("anthropic", Service, "ANTHROPIC_BASE_URL", {"ANTHROPIC_API_KEY": "none"}),
    Provider("openai", OpenAiService, "OPENAI_BASE_URL", {"OPENAI_API_KEY": "none"}),
    Provider("ollama", OllamaService, "OLLAMA_HOST", {}),
)


def run(frame: Frame) -> list[Row]:
    """The bar is issue 11's."""
    costs: defaultdict[str, list[float]] = defaultdict(list)
    for names in frame.orders([one.name for one in PROVIDERS], -(-frame.rounds // _ROUNDS_PER_LIFE)):
        for name in names:
            provider = next(one for one in PROVIDERS if one.name == name)
            with tempfile.TemporaryDirectory(prefix="sulla-bench-") as folder:
                found = [times.overhead for times in asyncio.run(one_life(provider, Path(folder)))]
            costs[f"{name}, tenth turn"].append(median(found[TENTH]))
            costs[f"{name}, first turn"].append(found[0])
    samples = Samples(costs, "ms")
    return [
        row
        for one in PROVIDERS
        for row in (
            samples.row(f"{one.name}, tenth turn"),
            samples.row(f"{one.name}, first turn", f"{one.name}, tenth turn", bar=BAR),
        )
    ]


async def one_life(provider: Provider, folder: Path) -> list[Times]:
    """Start a daemon, wait as a person does, and have turns, each in a new thread.

    Args:
        provider: what its model is asked through.
        folder: an empty one.
    """
    home = folder / "home"
    service = provider.service(Script([Rule(Reply(_ANSWER))]))
    async with service:  # type: ignore[attr-defined]  # each is a fake of a service
        settings = {
            "SULLA_MODEL": f"{provider.name}:fake:1b",
            provider.address: service.url,  # type: ignore[attr-defined]  # the same
            "SULLA_DAEMON__LOG_LEVEL": "info",
            **provider.settings,
            **BEYOND_PEOPLE,
        }
        with running(("-m", "sulla", "up", "--port", "0", "--home", str(home)), settings) as daemon:
            ready_url(daemon)
            await asyncio.sleep(PERSON_S)
            await until_warm(home)
            async with talking(door(home), []) as client:
                found = []
                for _ in range(TURNS):
                    thread = await new_thread(client)
                    found.append(await timed(partial(turn, client, service, thread), daemon.pid))
                return found
