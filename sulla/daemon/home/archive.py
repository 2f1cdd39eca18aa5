"""What a home that no daemon runs on keeps: opened for as long as a command needs them, under the home's lock."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from sulla.agent.ending import Closing, WalkCut, close_run
from sulla.core.dataclass import dataclass
from sulla.core.errors import HomeInUse, NotFound, SettingsError
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.daemon.settings.config import Settings
from sulla.daemon.stores import make_store
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.host.home import Home
from sulla.host.place import Place
from sulla.host.store_url import MEMORY, store_file
from sulla.host.system import SystemClock, random_id, random_part
from sulla.store.base import Store
from sulla.threads.archive.lines import event_of
from sulla.threads.archive.replay import IMPORTED
from sulla.threads.archive.restore import ThreadRestore, undo_half_import
from sulla.threads.bounds import ThreadLimits
from sulla.threads.log.open_run import OpenRun
from sulla.threads.log.state import ThreadState
from sulla.threads.store import ThreadStore

_PAGE = 100


@dataclass(frozen=True, slots=True)
class Archive:
    """What a command can do with threads while no daemon runs."""

    threads: ThreadStore
    restore: ThreadRestore

    async def ids(self, after: str) -> list[str]:
        """The next threads behind an id, by id; empty at the end."""
        return [info.key for info, _ in await self.threads.list(after=after, limit=_PAGE)]

    async def events(self, thread_id: str, after: int) -> list[JsonObject]:
        """A thread's next durable events behind a record, as the gateway shows them; empty at the end.

        Raises:
            NotFound: there is no such thread.
            CorruptRecord: one of them cannot be read.
        """
        entries = await self.threads.entries(ThreadId(thread_id), after=after, limit=_PAGE)
        return [event_of(ThreadId(thread_id), entry) for entry in entries]


@asynccontextmanager
async def open_archive(
    settings: Settings,
    *,
    make: bool,
    prepare: Callable[[Place], Place] = lambda place: place,
    only_reads: bool = False,
) -> AsyncIterator[Archive]:
    """Claim a home and open its threads: see `open_kept`."""
    async with open_kept(settings, make=make, prepare=prepare, only_reads=only_reads) as kept:
        store, place, ceiling = kept.store, kept.place, settings.limits.history_tokens
        limits = ThreadLimits(load_tokens=ceiling)
        yield Archive(
            ThreadStore(store, place.clock, place.make_id, place.owner, THREAD_SCHEMA, limits),
            ThreadRestore(store, place.clock, place.owner, THREAD_SCHEMA, ceiling, _close),
        )


@dataclass(frozen=True, slots=True)
class Kept:
    """A home that no daemon runs on, claimed, and its store, opened."""

    home: Home
    place: Place
    store: Store


@asynccontextmanager
async def open_kept(
    settings: Settings,
    *,
    make: bool,
    prepare: Callable[[Place], Place] = lambda place: place,
    only_reads: bool = False,
) -> AsyncIterator[Kept]:
    """Claim a home and open its store.

    Args:
        settings: the home and its store.
        make: whether to make a store if there is none yet.
        prepare: may put doubles in the place of what it stands on.
        only_reads: whoever asks changes nothing: a home, or a store, to which nothing can be written is opened
            without claiming it and without setting right what was left half done.

    Raises:
        HomeInUse: a daemon runs on it.
        NotFound: nothing is kept there yet, and `make` says to leave it so.
        SettingsError: the store lives in a daemon's memory, or a setting cannot be used.
        StoreUnavailable: the store cannot be opened.
    """
    if settings.store.url == MEMORY:
        raise SettingsError("store.url (SULLA_STORE) is memory:, which ends with its daemon: there is nothing to open")
    file = store_file(settings)
    if not make and file is not None and not file.exists():
        raise NotFound(f"nothing is kept in {file} yet: talk with `sulla chat`, or name another home with --home DIR")
    home = Home(settings.home)
    claims = not (only_reads and home.is_read_only)
    read_only = only_reads and (home.is_read_only or (file is not None and not os.access(file.parent, os.W_OK)))
    if claims:
        _claim(home)
    try:
        owner = f"{home.identity(random_id)}:{random_id('boot')}"
        place = prepare(Place(SystemClock(), random_id, owner, random_part))
        store = place.wrap_store(make_store(settings, place, read_only=read_only))
        await store.open()
        try:
            if not read_only:
                await undo_half_import(store, owner)
            yield Kept(home, place, store)
        finally:
            await store.close()
    finally:
        if claims:
            home.unlock()


def _claim(home: Home) -> None:
    try:
        home.lock()
    except HomeInUse:
        where = home.whereabouts()
        who = f" (pid {where.pid})" if where is not None else ""
        raise HomeInUse(
            f"a daemon{who} runs on the home {home.path}, and this needs the home for itself: stop the daemon "
            "with `sulla stop`, try again, then start it with `sulla up`"
        ) from None


def _close(state: ThreadState, run: OpenRun, now_ms: int) -> list[Closing]:
    return close_run(state, run, WalkCut(IMPORTED), "", now_ms)
