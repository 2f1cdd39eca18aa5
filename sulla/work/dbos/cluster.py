"""What a process asks of the PostgreSQL by which work is shared."""

from __future__ import annotations

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.store.base import Store
from sulla.store.postgres.url import parse_address
from sulla.work.dbos.claims import Claims
from sulla.work.dbos.line import Line
from sulla.work.dbos.members import Members
from sulla.work.dbos.queue import WishQueue
from sulla.work.dbos.queue_store import QueueStore
from sulla.work.queue import JobCaps


@dataclass(frozen=True, slots=True)
class Cluster:
    """The queue and the tables beside it. It lives as long as the daemon."""

    url: str
    """Can hold a password."""
    queue: WishQueue
    members: Members
    claims: Claims
    store: QueueStore
    at_once: int
    """How many jobs one process takes off the queue at the most."""

    async def open(self, store: Store, clock: Clock) -> None:
        """Make what there is to be, and see that the queue is for this daemon's store.

        Args:
            store: of this daemon.
            clock: for the wait until another process has made it.

        Raises:
            StoreReplaced: the queue is for another store.
            StoreUnavailable: the PostgreSQL does not answer, or this user may make nothing there.
        """
        try:
            await self.make(clock)
            await self.store.check(await store.incarnation())
        except BaseException:
            await self.close()
            raise

    async def make(self, clock: Clock) -> None:
        """Make what there is to be, once, whoever comes first.

        Args:
            clock: for the wait until another process has done so.

        Raises:
            StoreUnavailable: the PostgreSQL does not answer, or this user may make nothing there.
        """

        async def also() -> None:
            await self.claims.make()
            await self.store.make()
            await self.queue.open(self.at_once)

        await self.members.make(also, clock)

    async def close(self) -> None:
        """Let go of the connections."""
        await self.members.close()
        await self.claims.close()
        await self.queue.close()


@dataclass(frozen=True, slots=True)
class Joining:
    """Who joins a cluster."""

    executor: str
    """What this process is called."""
    owner: str
    """Its name for leases: the id of its home, and that of its start."""
    store: str
    """Where its store is, for people."""
    accept_store: bool = False
    """Whether the queue is for that store from now on, whatever it was for."""


def make_cluster(url: str, joining: Joining, poll_s: float, caps: JobCaps, places: int) -> Cluster:
    """Make it; nothing is opened yet.

    Args:
        url: of the PostgreSQL.
        joining: this process.
        poll_s: how often each worker looks into the queue, in seconds.
        caps: how many jobs there may be at once, in all processes together.
        places: how many turns this process has places for. So many jobs it takes off the queue at the most: any more
            would lie here while others have places. Of steps and playbooks it may do more, but is told of those.

    Raises:
        SettingsError: there is no such address.
    """
    address = parse_address(url)
    lines = [Line(address.conninfo, address.shown) for _ in range(2)]
    return Cluster(
        url,
        WishQueue(url, address.shown, poll_s),
        Members(lines[0], joining.executor, joining.owner),
        Claims(lines[1], joining.executor, caps),
        QueueStore(lines[1], joining.store, accept=joining.accept_store),
        places,
    )
