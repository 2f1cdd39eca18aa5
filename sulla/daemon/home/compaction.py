"""`sulla doctor --compact`: what was deleted is gone from every file of the home."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Collection, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from sulla.capabilities import capabilities
from sulla.core.errors import Busy, CorruptRecord, NotFound, StoreUnavailable, SullaError
from sulla.core.ids import ThreadId
from sulla.core.pattern import late_pattern
from sulla.daemon.home.archive import Kept, open_kept
from sulla.daemon.settings.config import Settings
from sulla.daemon.stores import compact_store
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.host import collected
from sulla.host.chat_history import NAME, read_history
from sulla.host.compaction import CompactionContext, rewrite_lines
from sulla.store.base import Store
from sulla.telemetry.logs import FILE
from sulla.threads.archive.scrub import scrubbed
from sulla.threads.bounds import ThreadLimits
from sulla.threads.head import THREAD_KIND
from sulla.threads.log.records import Input
from sulla.threads.store import ThreadStore
from sulla.tools.overflow import kept_names, remove

_PAGE: Final = 500
_RECORDS: Final = 64
_LEASE_S: Final = 30.0
_NAMED: Final = late_pattern(rb"\.sulla/outputs/([A-Za-z0-9_-]{1,100})\.txt")
"""How a conversation speaks of the rest of a long result (`tools.overflow`)."""
_COMMAND: Final = late_pattern(r"/[A-Za-z][A-Za-z_-]*")
"""A command of a talk, without anything behind it."""
_THREAD: Final = late_pattern(rb'"thread_id": ?"([^"]{1,200})"')
_LOGS: Final = "logs"
MOST_ROUNDS: Final = 8
"""Threads that were asked for by threads that were asked for …: they go no deeper."""


async def compact_home(settings: Settings) -> AsyncIterator[tuple[str, str]]:
    """Remove for good what is left of deleted threads. Killed at any moment, nothing else is lost, and the next time
    does the rest.

    Args:
        settings: the home, which no daemon may run on.

    Yields:
        What was cleared up and what came of it, as it is done.

    Raises:
        HomeInUse: a daemon runs on it.
        NotFound: nothing is kept there.
        StoreUnavailable: the store cannot be opened.
        SullaError: a file cannot be written anew.
    """
    async with open_kept(settings, make=False) as kept:
        yield "threads", await _orphans(kept)
        store, place = kept.store, kept.place
        live = await _live(store)
        context = CompactionContext(settings, store, place.owner, place.clock, live)
        for name, compact in collected.compactions(capabilities()).items():
            yield name, await _told(name, compact(context))
        yield "outputs", await _told("outputs", _outputs(store, live, settings.workspace))
        yield "history", await _history(kept, live, settings.home)
        yield "log", await asyncio.to_thread(_logs, settings.home / _LOGS, live)
        # The last one: until here pages of what was removed are in the file.
        await store.close()
        yield "store", await asyncio.to_thread(compact_store, settings, partial(_scrubbed, context))


async def _orphans(kept: Kept) -> str:
    """Remove the threads that deleted ones had asked for, and theirs: by themselves they go an hour after their end."""
    place = kept.place
    threads = ThreadStore(kept.store, place.clock, place.make_id, place.owner, THREAD_SCHEMA, ThreadLimits())
    gone = 0
    for _ in range(MOST_ROUNDS):
        live = await _live(kept.store)
        orphans = [thread_id async for thread_id, parent in _children(threads) if parent not in live]
        removed = 0
        for thread_id in orphans:
            with suppress(Busy, NotFound):  # another daemon on the store works on it, or was faster
                await threads.delete(thread_id)
                removed += 1
        gone += removed
        if not removed:
            break
    return f"{gone} threads removed that deleted ones had asked for" if gone else "nothing to remove"


async def _children(threads: ThreadStore) -> AsyncIterator[tuple[ThreadId, ThreadId]]:
    after, more = "", True
    while more:
        page = await threads.list(after=after, limit=_PAGE)
        for info, state in page:
            if state is not None and state.identity.birth is not None:
                yield ThreadId(info.key), state.identity.birth.parent
        more = len(page) == _PAGE
        after = page[-1][0].key if page else ""


async def _live(store: Store) -> frozenset[str]:
    found: set[str] = set()
    after, more = "", True
    while more:
        page = await store.find(kind=THREAD_KIND, after_key=after, limit=_PAGE)
        found.update(info.key for info in page)
        more = len(page) == _PAGE
        after = page[-1].key if page else ""
    return frozenset(found)


async def _told(name: str, work: Awaitable[str]) -> str:
    """One that fails does not keep the others from their work; what it left is said."""
    try:
        return await work
    except (SullaError, OSError) as error:
        said = error.message if isinstance(error, SullaError) else str(error)
        raise StoreUnavailable(
            f"{name}: {said}; what came before it is done, so mend that and compact again"
        ) from error


async def _history(kept: Kept, live: Iterable[str], home: Path) -> str:
    """Remove from what was typed in talks all that stands in no conversation any more; bare commands stay."""
    path = home / NAME
    typed = set(await asyncio.to_thread(read_history, home))
    left = {text for text in typed if not _COMMAND.fullmatch(text)}
    place = kept.place
    threads = ThreadStore(kept.store, place.clock, place.make_id, place.owner, THREAD_SCHEMA, ThreadLimits())
    for thread_id in live if left else ():
        said = await _messages(threads, ThreadId(thread_id))
        left -= said | {f"/{text}" for text in said}  # one that begins as a command does is typed with two strokes

    def keep(line: bytes) -> bytes:
        try:
            return line if json.loads(line) not in left else b""
        except (ValueError, TypeError):
            return b""

    dropped = (await asyncio.to_thread(rewrite_lines, path, keep)).dropped if left else 0
    return f"{dropped} typed lines removed" if dropped else "nothing to remove"


async def _messages(threads: ThreadStore, thread_id: ThreadId) -> set[str]:
    found: set[str] = set()
    after = 0
    with suppress(NotFound, CorruptRecord):  # what stands behind a record that cannot be read, nobody is shown
        while entries := await threads.entries(thread_id, after=after):
            found |= {entry.fact.text for entry in entries if isinstance(entry.fact, Input)}
            after = entries[-1].seq
    return found


async def _outputs(store: Store, live: Iterable[str], workspace: Path) -> str:
    """Remove the rests of long results that no conversation speaks of any more."""
    unnamed = set(await asyncio.to_thread(kept_names, workspace))
    for thread_id in live:
        after = 0
        while unnamed and (records := await store.read(thread_id, after=after, limit=_RECORDS)):
            for record in records:
                unnamed.difference_update(found[1].decode() for found in _NAMED.finditer(record.body))
            after = records[-1].seq
    await asyncio.to_thread(remove, workspace, unnamed)
    return f"{len(unnamed)} results of tools removed" if unnamed else "nothing to remove"


def _scrubbed(context: CompactionContext, kind: str, body: bytes) -> bytes:
    try:
        return scrubbed(kind, body, context.scrub)
    except CorruptRecord:
        return body  # nobody can read it; `sulla doctor` says so


def _logs(folder: Path, live: Collection[str]) -> str:
    def keep(line: bytes) -> bytes:
        gone = any(found[1].decode(errors="replace") not in live for found in _THREAD.finditer(line))
        return b"" if gone else line

    dropped = sum(rewrite_lines(path, keep).dropped for path in sorted(folder.glob(f"{FILE}*")))
    return f"{dropped} lines about deleted threads removed" if dropped else "nothing to remove"
