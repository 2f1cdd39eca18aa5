"""DBOS seen from outside: what is asked of its tables, by a client that needs no place in the cluster."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from typing import Final, TypeVar

from dbos import DBOS, DBOSClient, DBOSPortableJSONSerializer, EnqueueOptions
from dbos import error as errors
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from sulla.core.errors import StoreUnavailable
from sulla.work.dbos.connections import SENDING
from sulla.work.dbos.line import unavailable
from sulla.work.dbos.quiet import hush
from sulla.work.dbos.wishes import JOB, QUEUE, SCHEMA, VERSION, Wish

T = TypeVar("T")

APPLICATION: Final = "sulla"
_PAGE: Final = 1_000
_WAITING: Final = ["ENQUEUED", "DELAYED", "PENDING"]
_OVER: Final = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]


class WishQueue:
    """The queue of wishes. It lives as long as the daemon.

    Args:
        url: of the PostgreSQL; can hold a password.
        shown: the same for people, without one.
        poll_s: how often each worker looks into it, in seconds.
    """

    def __init__(self, url: str, shown: str, poll_s: float) -> None:
        self._url = url
        self._shown = shown
        self._poll_s = poll_s
        self._made: DBOSClient | None = None

    async def open(self, at_once: int) -> None:
        """Make what there is to be, once, whoever comes first.

        Args:
            at_once: how many jobs one process takes at the most.

        Raises:
            StoreUnavailable: the PostgreSQL does not answer, or lets this user make nothing.
        """
        hush()
        await self._ask(lambda: self._open(at_once))

    def _open(self, at_once: int) -> None:
        DBOS.migrate(self._url, schema=SCHEMA)
        self._made = DBOSClient(
            system_database_url=self._url,
            dbos_system_schema=SCHEMA,
            serializer=DBOSPortableJSONSerializer(),
            system_database_pool_size=SENDING,
            application_name=APPLICATION,
            retry_connection_errors=False,  # a wish is a hint: whoever looks for ready logs finds what was lost
        )
        self._made.register_queue(
            QUEUE, partition_concurrency=1, worker_concurrency=at_once, polling_interval_sec=self._poll_s
        )

    async def close(self) -> None:
        """Let go of the connections."""
        if self._made is not None:
            await asyncio.to_thread(self._made.destroy)

    async def send(self, wish: Wish) -> str:
        """Have a log looked at; nothing happens if one that waits asks for the same.

        Returns:
            The name of the one that waits now.

        Raises:
            StoreUnavailable: it is not known whether the wish was taken.
        """
        return await self._ask(lambda: self._send(wish))

    def _send(self, wish: Wish) -> str:
        for name in wish.ids():
            options: EnqueueOptions = {
                "workflow_name": JOB,
                "queue_name": QUEUE,
                "workflow_id": name,
                "workflow_id_reuse_policy": "reject",
                "app_version": VERSION,
                "queue_partition_key": wish.key,
            }
            if wish.delay_s:
                options["delay_seconds"] = wish.delay_s
            try:
                self._client.enqueue(options, wish.key, wish.although_held)
            except errors.DBOSWorkflowIDInUseError as error:
                if error.workflow_status == "ENQUEUED":
                    return name
            else:
                return name
        raise AssertionError("there is always another name")

    async def withdraw(self, name: str) -> None:
        """Nobody needs to take a wish off the queue any more; one that comes from now on has a name of its own.

        Raises:
            StoreUnavailable: it may still be taken.
        """
        await self._ask(lambda: self._client.cancel_workflow(name))

    async def wanted(self) -> set[str]:
        """The logs that somebody is to look at, or does."""
        found = await self._ask(
            lambda: self._client.list_workflows(status=_WAITING, queue_name=QUEUE, load_input=False, load_output=False)
        )
        return {one.queue_partition_key or "" for one in found}

    async def taken_by(self, executor: str) -> dict[str, str]:
        """What a process has taken and not brought to an end: the names of the wishes, and their logs."""
        found = await self._ask(
            lambda: self._client.list_workflows(
                status="PENDING", executor_id=executor, queue_name=QUEUE, load_input=False, load_output=False
            )
        )
        return {one.workflow_id: one.queue_partition_key or "" for one in found}

    async def give_back(self, ids: Collection[str]) -> None:
        """Have what was taken by a process that works no more done by another one."""
        if ids:
            # The queue has to be named: DBOS's own one, where they would land, knows nothing of partitions.
            await self._ask(lambda: self._client.resume_workflows([*ids], queue_name=QUEUE))

    async def forget(self, before_s: float) -> None:
        """Remove what was over by then: its names are not needed any more.

        Args:
            before_s: UTC seconds.
        """
        before = datetime.fromtimestamp(before_s, UTC).isoformat()
        while await self._ask(lambda: self._forget_some(before)):
            pass

    def _forget_some(self, before: str) -> int:
        found = self._client.list_workflows(
            status=_OVER, completed_before=before, name=JOB, limit=_PAGE, load_input=False, load_output=False
        )
        self._client.delete_workflows([one.workflow_id for one in found])
        return len(found)

    @property
    def _client(self) -> DBOSClient:
        if self._made is None:
            raise StoreUnavailable(f"the PostgreSQL {self._shown}, by which work is shared, was not opened yet")
        return self._made

    async def _ask(self, call: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(call)
        except SQLAlchemyError as error:
            cause = error.orig if isinstance(error, DBAPIError) else error
            raise unavailable(self._shown, cause or error) from error
