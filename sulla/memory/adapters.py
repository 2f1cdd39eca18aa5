"""What keeps memory, for the store that the settings name: the only module that names those adapters. Pure."""

from __future__ import annotations

from typing import Final

from sulla.core.clock import Clock
from sulla.host.settings import HomeSettings
from sulla.host.store_url import REDIS, StoreUrl, named_store, not_installed, store_file
from sulla.memory.base import MemoryIndex
from sulla.memory.note import MemoryCapacity
from sulla.memory.settings import MemorySettings

MEMORY_SUFFIX: Final = ".memory.db"
"""What agents remember lies beside the store's file, under its name with this ending."""

MEMORY_CONNECTIONS: Final = 2
"""Connections to a PostgreSQL that are the memory's own."""

BUSY_S: Final = 5.0
"""How long a write to that file waits for another process's, in seconds."""


def make_memory_index(settings: HomeSettings, clock: Clock) -> MemoryIndex:
    """The index of what agents remember: on the server that the store is on, or in a file next to the store's.

    Nothing is opened yet. A file that lies where nothing can be written is only read.

    Raises:
        SettingsError: the settings name no store that there is, or its library is not installed.
    """
    named, kept = (
        named_store(settings),
        MemoryCapacity(settings.section(MemorySettings).episodes, facts=settings.section(MemorySettings).facts),
    )
    if named.is_shared:
        return (_redis_memory if named.scheme in REDIS else _postgres_memory)(named, clock, kept)
    from sulla.memory.sqlite import SqliteMemory
    from sulla.memory.sqlite_file import IN_MEMORY, open_memory
    from sulla.store.sqlite.thread import SqliteThread

    path = store_file(settings)
    file = path.with_suffix(MEMORY_SUFFIX) if path is not None else IN_MEMORY
    return SqliteMemory(SqliteThread(file, BUSY_S, open_memory), kept)


def _postgres_memory(named: StoreUrl, clock: Clock, kept: MemoryCapacity) -> MemoryIndex:
    try:
        from sulla.memory.postgres import SCHEMA, PostgresMemory
        from sulla.store.postgres.pool import ANSWER_S, ConnectionPool
        from sulla.store.postgres.url import parse_address
    except ModuleNotFoundError as error:
        raise not_installed(named, error, "postgres") from error
    pool = ConnectionPool(parse_address(named.url), SCHEMA, clock, most=MEMORY_CONNECTIONS, answer_s=ANSWER_S)
    return PostgresMemory(pool, kept)


def _redis_memory(named: StoreUrl, clock: Clock, kept: MemoryCapacity) -> MemoryIndex:
    try:
        from sulla.memory.redis import RedisMemory
        from sulla.store.redis.client import RedisClient
        from sulla.store.redis.url import address_of
    except ModuleNotFoundError as error:
        raise not_installed(named, error, "redis") from error
    return RedisMemory(RedisClient(address_of(named.url, direct=named.redis_direct), clock), kept)
