"""DBOS seen from inside: this process takes jobs off the queue. A process has one DBOS, and so one of these."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Collection
from concurrent.futures import Future
from typing import Final

from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer

from sulla.work.dbos.connections import TAKING
from sulla.work.dbos.hints import Hint
from sulla.work.dbos.queue import APPLICATION
from sulla.work.dbos.wishes import JOB, SCHEMA, VERSION

_THREADS: Final = 16
_NEVER_S: Final = 86_400.0
"""Between looks for what we do not use."""
_SELDOM_S: Final = 1.0
"""The same where a stop waits for the next look."""

Perform = Callable[[Hint], Awaitable[None]]
"""Does what a wish asks for."""


class Executor:
    """Takes jobs and has them done.

    DBOS keeps to threads and a loop of its own, where it writes to its tables; only the job itself comes to ours.

    Args:
        url: of the PostgreSQL.
        name: what nobody else in the cluster is called, the same after each start.
        perform: does a job.
    """

    def __init__(self, url: str, name: str, perform: Perform) -> None:
        self._url = url
        self.name = name
        self._perform = perform
        self._begun: dict[Future[None], Hint] = {}
        self._closing = asyncio.Lock()
        self._closed = False

    async def open(self) -> None:
        """Take jobs from now on, first those that an earlier start of the same name has left."""
        loop = asyncio.get_running_loop()
        await asyncio.to_thread(self._launch, loop)

    def _launch(self, loop: asyncio.AbstractEventLoop) -> None:
        config: DBOSConfig = {
            "name": APPLICATION,
            "system_database_url": self._url,
            "dbos_system_schema": SCHEMA,
            "executor_id": self.name,
            "application_version": VERSION,
            "serializer": DBOSPortableJSONSerializer(),
            "log_level": "WARNING",
            "run_migrations": False,
            "sys_db_pool_size": TAKING,
            "max_executor_threads": _THREADS,
            "scheduler_polling_interval_sec": _NEVER_S,
            "notification_coalesce_sec": _SELDOM_S,  # else its thread wakes up a hundred times a second
        }
        DBOS(config=config)

        async def job(key: str, although_held: bool) -> None:
            wish = Hint(key, DBOS.workflow_id or "", although_held)
            begun = asyncio.run_coroutine_threadsafe(self._one(wish), loop)
            self._begun[begun] = wish
            try:
                await asyncio.wrap_future(begun)
            finally:
                del self._begun[begun]

        DBOS.workflow(name=JOB, max_recovery_attempts=None)(job)
        DBOS.launch()

    async def _one(self, wish: Hint) -> None:
        await self._perform(wish)

    def has_taken(self, mark: str) -> bool:
        """Whether a wish was taken off the queue here and is being seen to."""
        return any(wish.mark == mark for wish in tuple(self._begun.values()))

    async def close(self, patience_s: float) -> None:
        """Take nothing more; wait for what was taken, and let go of it after `patience_s` seconds."""
        async with self._closing:
            if not self._closed:
                self._closed = True
                await asyncio.to_thread(self._destroy, patience_s)

    def let_go(self, but_for: Collection[str] = ()) -> list[Hint]:
        """Let go of what was taken.

        Args:
            but_for: logs whose jobs are kept.

        Returns:
            It; nobody does it before it is given back.
        """
        found = [(begun, wish) for begun, wish in tuple(self._begun.items()) if wish.key not in but_for]
        for begun, _ in found:
            begun.cancel()
        return [wish for _, wish in found]

    def _destroy(self, patience_s: float) -> None:
        DBOS.destroy(destroy_registry=True, workflow_completion_timeout_sec=math.ceil(patience_s))
