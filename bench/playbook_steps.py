"""What a step of a playbook costs a daemon: tools one after the other, and agents side by side.

A real daemon on SQLite, runs that are begun over its WebSocket, and a fake of the model's service over HTTP that
answers at once. Processor time is the daemon's, from the beginning of a run to its end; the log is the bodies of the
run's own records. Figures are for each step.
"""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from typing import Any

from bench.frame import Frame, Row
from bench.process import at_rest, processor_s, ready_url, running
from bench.stopwatch import Service
from bench.turn import BEYOND_PEOPLE
from sulla.terminal.client import Client, open_client
from sulla.terminal.place import door
from tests.servers.script import Reply, Rule, Script

NAME = "playbook_steps"

TOOLS, AGENTS = 300, 200
ROUNDS = 5
TOOL_BAR_MS, TOOL_BAR_BYTES, AGENT_BAR_MS = 8.0, 700.0, 20.0
"""Issue 14's."""

_LOOK_S = 0.1
_PATIENCE_S = 120.0
_SETTINGS = {
    "SULLA_MODEL": "anthropic:fake",
    "ANTHROPIC_API_KEY": "none",
    "SULLA_DAEMON__LOG_LEVEL": "error",
    "SULLA_MEMORY__ENABLED": "false",
    **BEYOND_PEOPLE,
}


def chain() -> str:
    """A playbook of tools, each after the one before it."""
    steps = (f"  - {{id: s{number}, tool: list_dir, with: {{path: .}}}}\n" for number in range(TOOLS))
    return f"name: chain\nsteps:\n{''.join(steps)}"


def fan() -> str:
    """A playbook of agents that wait for nobody."""
    steps = (
        f"  - {{id: s{number}, agent: sulla, prompt: Say a word., tools: [], needs: []}}\n" for number in range(AGENTS)
    )
    return f"name: fan\nbudget: {{tokens: 50000000}}\nsteps:\n{''.join(steps)}"


def run(frame: Frame) -> list[Row]:
    """The bars are issue 14's."""
    with tempfile.TemporaryDirectory(prefix="sulla-bench-") as folder:
        return asyncio.run(_rows(min(frame.rounds, ROUNDS), Path(folder) / "home"))


async def _rows(rounds: int, home: Path) -> list[Row]:
    service = Service(Script([Rule(Reply("A word. <AGENT_DONE>fine</AGENT_DONE>"))]))
    tools: list[float] = []
    agents: list[float] = []
    size = 0.0
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(service)
        settings = _SETTINGS | {"ANTHROPIC_BASE_URL": service.url}
        daemon = stack.enter_context(running(("-m", "sulla", "up", "--port", "0", "--home", str(home)), settings))
        ready_url(daemon)
        client = await stack.enter_async_context(open_client(door(home)))
        for _ in range(rounds + 1):  # the first of each loads what it needs, and does not count
            for source, count, costs in ((chain(), TOOLS, tools), (fan(), AGENTS, agents)):
                at_rest(daemon.pid)
                begun = processor_s(daemon.pid)
                last = await _carried_out(client, source)
                costs.append((processor_s(daemon.pid) - begun) * 1000 / count)
                if source == chain():
                    size = _log_bytes(home / "sulla.db", last) / count
    return [
        _row("a tool in a chain, processor", tools[1:], TOOL_BAR_MS, "ms"),
        _row("a tool in a chain, log", [size], TOOL_BAR_BYTES, "B"),
        _row(f"an agent of {AGENTS} at once, processor", agents[1:], AGENT_BAR_MS, "ms"),
    ]


def _row(name: str, costs: Sequence[float], bar: float, unit: str) -> Row:
    value = median(costs)
    return Row(name, value, unit, value / bar, f"{bar:g} {unit}", 1.0, ok=value <= bar)


async def _carried_out(client: Client, source: str) -> str:
    """Begin a run and wait for its end; the run's id."""
    begun = await client.call("workflow.start", source=source)
    async with asyncio.timeout(_PATIENCE_S):
        while True:
            told: dict[str, Any] = await client.call("workflow.status", run=begun["run"], limit=1)
            if told["about"]["status"] in ("completed", "failed", "cancelled"):
                assert told["about"]["status"] == "completed", told
                return str(begun["run"])
            await asyncio.sleep(_LOOK_S)


def _log_bytes(database: Path, run: str) -> int:
    """What the records of a run take, without what the database adds to them."""
    rows = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        (size,) = rows.execute(
            "SELECT SUM(LENGTH(r.body)) FROM records r JOIN logs l ON l.life = r.life WHERE l.key = ?", (run,)
        ).fetchone()
        return int(size)
    finally:
        rows.close()
