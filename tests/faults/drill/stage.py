"""The cluster of a drill: real parts, each daemon with a way of its own to each server, and what stands around them."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from deploy.local_cluster import LocalCluster, Store
from deploy.local_parts import Failed
from sulla.terminal.place import Door
from tests.faults.backend import CLOCK, Backend, postgres, redis
from tests.faults.crowd import UNBOUNDED
from tests.faults.drill.plan import SLOW_BYTES_PER_S, Fault
from tests.faults.parked import ASKING
from tests.faults.playbooks.playing import write_playbooks
from tests.servers.proxy import FaultProxy, Pass, Refuse, Slow, Stall

UP_S = 120.0
"""How long a daemon may take to come up, however often it is started again."""
AGAIN_S = 1.0
SETTINGS = {
    **UNBOUNDED,
    **ASKING,
    "SULLA_MODEL": "anthropic:fake",
    "ANTHROPIC_API_KEY": "key",
    "SULLA_MEMORY__ENABLED": "false",
    "SULLA_HEARTBEAT__ENABLED": "true",
    "SULLA_HEARTBEAT__PERIOD_S": "60",
    "SULLA_HEARTBEAT__JITTER_S": "0",
}


@dataclass(slots=True)
class Stage:
    """What runs; it lives as long as the drill.

    Args:
        cluster: its processes.
        model: where the model's service is.
    """

    cluster: LocalCluster
    model: str
    code: dict[str, Path] = field(default_factory=dict)
    """Where the program of a daemon is that has been upgraded."""
    _links: dict[str, dict[str, FaultProxy]] = field(default_factory=dict)

    @property
    def doors(self) -> list[Door]:
        """The gateways."""
        gateways = [part for part in self.cluster.daemons if part.role == "gateway"]
        return [Door(f"http://127.0.0.1:{part.port}", self.cluster.token) for part in gateways]

    @property
    def servers(self) -> list[str]:
        """Their names."""
        return [part.name for part in self.cluster.servers]

    @property
    def daemons(self) -> list[str]:
        """Their names."""
        return [part.name for part in self.cluster.daemons]

    @property
    def backend(self) -> Backend:
        """The store, by a way of the judge's own."""
        url = self.cluster.store_url
        return redis(url) if url.startswith("redis") else postgres(url)

    async def start_all(self, stack: AsyncExitStack, playbooks: dict[str, str]) -> None:
        """Start everything.

        Args:
            stack: holds the links.
            playbooks: what every home has.
        """
        for server in self.servers:
            await asyncio.to_thread(self.cluster.start, server)
        for name in self.daemons:
            write_playbooks(self.cluster.home(name), playbooks)
            self._links[name] = {
                server: await stack.enter_async_context(FaultProxy(self.cluster.part(server).port, CLOCK))
                for server in self.servers
            }
        first, *others = self.daemons
        await self.start(first)  # it makes the store
        await asyncio.gather(*map(self.start, others))

    async def start(self, name: str) -> None:
        """Start a part that does not run; return when it answers, however long a link of it is cut. A daemon whose
        server dies under its start ends, and is started again, as service managers do.

        Raises:
            Failed: it does not come up.
        """
        if name in self.servers:
            return await asyncio.to_thread(self.cluster.start, name)
        ways = {server: link.port for server, link in self._links[name].items()}
        settings = {**SETTINGS, "ANTHROPIC_BASE_URL": self.model}
        end_s = CLOCK.elapsed() + UP_S
        while True:
            try:
                return await asyncio.to_thread(
                    lambda: self.cluster.start(name, settings=settings, ways=ways, code=self.code.get(name))
                )
            except Failed:
                if CLOCK.elapsed() > end_s:
                    raise
            await self.stop(name)
            await CLOCK.sleep(AGAIN_S)

    async def stop(self, name: str, how: signal.Signals = signal.SIGTERM) -> None:
        """End a part."""
        await asyncio.to_thread(self.cluster.stop, name, how)

    async def happens(self, fault: Fault) -> None:
        """A fault, from its beginning to the moment when it is mended."""
        await CLOCK.sleep(fault.after_s)
        match fault.kind:
            case "kill" | "stop":
                await self.stop(fault.part, signal.SIGKILL if fault.kind == "kill" else signal.SIGTERM)
                await CLOCK.sleep(fault.lasts_s)
                await self.start(fault.part)
            case "freeze":
                self.cluster.send(fault.part, signal.SIGSTOP)
                await CLOCK.sleep(fault.lasts_s)
                self.cluster.send(fault.part, signal.SIGCONT)
            case _:
                links = self._links[fault.part].values()
                for link in links:
                    await _spoil(link, fault.kind)
                await CLOCK.sleep(fault.lasts_s)
                for link in links:
                    await link.switch(Pass())

    async def upgrade(self, code: Path) -> None:
        """Replace workers and then gateways, one after the other, by another copy of the program."""
        gateways = [part.name for part in self.cluster.daemons if part.role == "gateway"]
        for name in [*(one for one in self.daemons if one not in gateways), *gateways]:
            await self.stop(name)
            self.code[name] = code
            await self.start(name)


async def _spoil(link: FaultProxy, kind: str) -> None:
    if kind == "cut":
        link.cut()
    await link.switch(Refuse() if kind == "cut" else Stall() if kind == "stall" else Slow(SLOW_BYTES_PER_S))


@asynccontextmanager
async def staged(
    folder: Path, store: Store, gateways: int, workers: int, model: str, playbooks: dict[str, str]
) -> AsyncIterator[Stage]:
    """A cluster that runs for as long as the block lasts, and leaves nothing but its logs' last lines in errors.

    Args:
        folder: for all of it; it must not be there.
        store: where conversations are kept.
        gateways: how many.
        workers: how many.
        model: the URL of the model's service.
        playbooks: what every home has.
    """
    cluster = await asyncio.to_thread(LocalCluster.make, folder, store, gateways, workers)
    try:
        async with AsyncExitStack() as stack:
            stage = Stage(cluster, model)
            try:
                await stage.start_all(stack, playbooks)
                yield stage
            finally:
                for name in stage.daemons:  # while the links are there
                    cluster.send(name, signal.SIGCONT)
                    await stage.stop(name)
    finally:
        await asyncio.to_thread(cluster.remove)
