"""A cluster for tests: a gateway and two workers, processes of their own, over one store and one PostgreSQL."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from sulla.terminal.place import door
from tests.faults.backend import CLOCK, Backend
from tests.faults.crowd import UNBOUNDED
from tests.faults.harness import Daemon, Seen, Story
from tests.faults.harness import asked as asked_for
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.script import Script

PATIENCE_S = 60.0
_RUNNING = re.compile(r'^sulla_work_threads\{state="running"\} (\d+)', re.MULTILINE)


async def asked(daemon: Daemon, path: str) -> httpx.Response:
    """What a daemon answers to the bearer of its token."""
    found = door(daemon.home)
    async with httpx.AsyncClient(headers={"authorization": f"Bearer {found.token}"}) as client:
        return await client.get(f"{found.url}{path}")


async def running(daemon: Daemon) -> int:
    """How many threads are at work in a daemon, by its figures."""
    found = _RUNNING.search((await asked(daemon, "/metrics")).text)
    assert found is not None
    return int(found[1])


@dataclass(frozen=True, slots=True)
class Cluster:
    """What runs."""

    model: FakeAnthropic
    backend: Backend
    gateway: Daemon
    workers: tuple[Daemon, Daemon]

    async def at_work(self, held: str) -> Daemon:
        """Wait until a request stands still; the worker that made it.

        Args:
            held: the name under which it does.
        """
        async with CLOCK.timeout(PATIENCE_S):
            await self.model.until(lambda seen: held in seen.held)
        one, two = self.workers
        return one if await running(one) else two

    async def at_rest(self, worker: Daemon) -> None:
        """Wait until nothing is at work in a worker."""
        async with CLOCK.timeout(PATIENCE_S):
            while await running(worker):
                await CLOCK.sleep(0.02)

    async def story(self, seen: Seen, number: int, kills: int) -> Story:
        """All that is known of one message, for the judge.

        Args:
            seen: what its sender saw.
            number: its sender's.
            kills: how many workers were lost meanwhile.
        """
        log = await self.backend.read_log(seen.thread_id)
        requests = [request.results for request in self.model.requests if asked_for(number) in request.text]
        effects = [line for line in self.gateway.effects.read() if line["key"].startswith(f"{seen.run_id}:")]
        return Story(seen, log, [], [], requests, effects, kills, [])


@asynccontextmanager
async def cluster(
    folder: Path, backend: Backend, script: Script, settings: Mapping[str, str]
) -> AsyncIterator[Cluster]:
    """One that runs for as long as the block lasts.

    Args:
        folder: gets the homes.
        backend: the store.
        script: what the model says.
        settings: what else is set, the PostgreSQL of the queue for one.
    """
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(FakeAnthropic(script, CLOCK))
        parts = []
        for name, role in (("front", "gateway"), ("one", "worker"), ("two", "worker")):
            own = {"SULLA_WORK__ENGINE": "dbos", "SULLA_WORK__ROLE": role, "SULLA_MEMORY__ENABLED": "false"}
            given = {**backend.settings, **UNBOUNDED, **own, **settings}
            parts.append(await stack.enter_async_context(Daemon(folder / name, model.url, given)))
        for part in parts:
            await part.start()
        yield Cluster(model, backend, parts[0], (parts[1], parts[2]))
