"""For a shared deployment: one PostgreSQL, any number of daemons."""

from __future__ import annotations

from sulla.core.clock import Clock
from sulla.core.errors import StoreUnavailable
from sulla.core.ids import MakeId
from sulla.store.checked import CheckedStore
from sulla.store.postgres import steps
from sulla.store.postgres.bus import PostgresBus
from sulla.store.postgres.errors import explained, is_failure
from sulla.store.postgres.pool import ANSWER_S, MAX_CONNECTIONS, ConnectionPool, Line, guarded
from sulla.store.postgres.rows import END
from sulla.store.postgres.schema import migrate
from sulla.store.postgres.url import parse_address
from sulla.store.requests import AppendRequest, FindRequest, OfferRequest
from sulla.store.values import Grant, Lease, LogInfo, Offered, Record

SCHEMA = "sulla"
"""Where the tables are, so that the database may hold other things too."""

MIGRATE_S = 90.0
"""How long making or migrating the tables may take, in seconds: another process may be at it."""


class PostgresStore(CheckedStore):
    """Implements `Store` in the tables of one schema of one database, for any number of daemons.

    Leases, times to live and due times go by the server's clock.

    Args:
        url: where it is; see `parse_address`.
        clock: for deadlines.
        make_id: for the incarnation of new tables, and for this process on the bus.
        schema: where the tables are.
        most_connections: how many connections at once, beside the one that listens.
        answer_s: how long a call may take, in seconds, before the store counts as unavailable.

    Raises:
        SettingsError: `url` is none.
    """

    def __init__(
        self,
        url: str,
        clock: Clock,
        make_id: MakeId,
        *,
        schema: str = SCHEMA,
        most_connections: int = MAX_CONNECTIONS,
        answer_s: float = ANSWER_S,
    ) -> None:
        address = parse_address(url)
        self._clock = clock
        self._make_id = make_id
        self._schema = schema
        self._shown = address.shown
        self._pool = ConnectionPool(address, schema, clock, most=most_connections, answer_s=answer_s)
        self._bus = PostgresBus(self._pool, schema, make_id("bus"), clock)
        super().__init__(self._bus)

    async def open(self) -> None:
        """Connect; make or migrate the tables as needed. A second time does nothing.

        Raises:
            StoreUnavailable: the server cannot be reached or used; the message names it and says what to do.
        """
        if self._pool.is_open:
            return
        try:
            line = await self._pool.connect()
            try:
                making = migrate(line, self._schema, self._shown, self._make_id("store"))
                await guarded(line, making, self._clock, MIGRATE_S)
            except BaseException:
                await line.close()
                raise
            await self._pool.open()
            await self._bus.open(line)
        except BaseException as error:
            await self.close()
            if is_failure(error):
                raise explained(self._shown, error) from error
            raise

    async def close(self) -> None:
        """Finish what was asked, let go of the server, end all subscriptions."""
        await self._bus.close()
        await self._pool.close()

    async def ping(self) -> None:
        """Prove that the server answers and takes writes."""
        if not await self._pool.ask(steps.takes_writes):
            raise StoreUnavailable(
                f"the store {self._shown}: it takes no writes: name the primary in the URL, or end its read-only mode",
                retry_after_s=1.0,
            )

    async def incarnation(self) -> str:
        """The id that the tables got when they were first made."""
        return await self._pool.ask(steps.incarnation)

    # ---------------------------------------------------------------------------------------------------- logs

    async def _offer(self, offer: OfferRequest) -> Offered:
        size = len(offer.draft.body) + (len(offer.create.body) if offer.create is not None else 0)
        return await self._pool.ask(lambda line: steps.offer(line, offer), size=size)

    async def _acquire(self, key: str, owner: str, ttl_s: float, after: int | None) -> Grant | None:
        lease = Lease(key, owner, 0, ttl_s)
        return await self._pool.ask(lambda line: steps.acquire(line, lease, after))

    async def renew(self, lease: Lease) -> None:
        """Start the lease's time anew; see `Store.renew`."""
        await self._pool.ask(lambda line: steps.renew(line, lease))

    async def release(self, lease: Lease) -> None:
        """Give the lease back if it is still ours."""
        await self._pool.ask(lambda line: steps.release(line, lease))

    async def _append(self, write: AppendRequest) -> int:
        size = len(write.head.body) + sum(len(draft.body) for draft in write.drafts)
        return await self._pool.ask(lambda line: steps.append(line, write), size=size)

    async def _read(self, key: str, after: int, before: int | None, limit: int, *, reverse: bool) -> list[Record]:
        """A long answer comes in pages, each within its own deadline."""
        end = END if before is None else before
        life: int | None = None
        records: list[Record] = []
        more = True
        while more and len(records) < limit:
            # Bound now: the call goes on in a task of its own.
            span = (life, after, end, limit - len(records))

            async def page(
                line: Line, span: tuple[int | None, int, int, int] = span
            ) -> tuple[int | None, list[Record], bool]:
                return await steps.read_page(line, key, *span, reverse=reverse)

            life, found, more = await self._pool.ask(page)
            records += found
            if found:
                after, end = (after, found[-1].seq) if reverse else (found[-1].seq, end)
            else:
                more = False
        return records

    async def _head(self, key: str) -> LogInfo | None:
        return await self._pool.ask(lambda line: steps.head(line, key))

    async def _find(self, question: FindRequest) -> list[LogInfo]:
        return await self._pool.ask(lambda line: steps.find(line, question))

    async def delete(self, lease: Lease, *, last_seq: int | None = None) -> bool:
        """Remove a log with all it holds; see `Store.delete`."""
        return await self._pool.ask(lambda line: steps.delete(line, lease, last_seq))

    # -------------------------------------------------------------------------------------------------- values

    async def _put(self, key: str, value: bytes, ttl_s: float | None) -> None:
        await self._pool.ask(lambda line: steps.put(line, key, value, ttl_s), size=len(value))

    async def _swap(self, key: str, old: bytes | None, new: bytes, ttl_s: float | None) -> bool:
        size = len(new) + len(old or b"")
        return await self._pool.ask(lambda line: steps.swap(line, key, old, new, ttl_s), size=size)

    async def _get(self, key: str) -> bytes | None:
        return await self._pool.ask(lambda line: steps.get(line, key))

    async def _remove(self, key: str) -> bool:
        return await self._pool.ask(lambda line: steps.remove(line, key))
