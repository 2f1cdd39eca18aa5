"""`sulla thread export`: through a daemon if one runs, else from its store."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, AsyncExitStack, contextmanager
from pathlib import Path
from typing import Protocol

from sulla.cli.settings import settings_of
from sulla.cli.thread.pages import Pages
from sulla.core.errors import InvalidInput, SullaError, Unavailable
from sulla.core.jsontypes import JsonObject
from sulla.host.home import Home
from sulla.terminal.exits import Exit
from sulla.terminal.output import tell
from sulla.terminal.place import home_of
from sulla.terminal.table import one_line
from sulla.threads.archive.lines import Sealer


class Source(Protocol):
    """Where threads come from."""

    def whole(self, begins: str) -> str:
        """The id of the thread that is meant."""

    def ids(self, after: str) -> list[str]:
        """The next threads behind an id, by id; empty at the end."""

    def events(self, thread_id: str, after: int = 0) -> list[JsonObject]:
        """A thread's next durable events behind a record; empty at the end."""


def run_export(given: argparse.Namespace) -> Exit:
    """Write one thread or all."""
    if given.all and given.out is None:
        given.wrong("--all writes a file for each thread: say where with --out DIR")
    with _source(given) as source:
        if given.all:
            return _export_all(source, given)
        thread_id = source.whole(given.id)
        if given.out is None:
            for line in _lines(source, thread_id, Sealer(thread_id)):
                sys.stdout.write(line.decode("ascii"))
        else:
            _export(source, thread_id, given.out, as_json=given.json)
    return Exit.OK


def _source(given: argparse.Namespace) -> AbstractContextManager[Source]:
    home = home_of(given)
    if Home(home).whereabouts() is not None:
        return _FromDaemon(home)
    return _from_store(given)


class _FromDaemon(Pages):
    def ids(self, after: str) -> list[str]:
        return [row["thread_id"] for row in self.threads(after)]


@contextmanager
def _from_store(given: argparse.Namespace) -> Iterator[Source]:
    from sulla.daemon.home.archive import Archive, open_archive

    class FromStore:
        def __init__(self, archive: Archive, runner: asyncio.Runner) -> None:
            self._archive = archive
            self._runner = runner

        def whole(self, begins: str) -> str:
            return begins  # without a daemon nobody is asked which one is meant

        def ids(self, after: str) -> list[str]:
            return self._runner.run(self._archive.ids(after))

        def events(self, thread_id: str, after: int = 0) -> list[JsonObject]:
            return self._runner.run(self._archive.events(thread_id, after))

    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        archive = runner.run(stack.enter_async_context(open_archive(settings_of(given), make=False, only_reads=True)))
        try:
            yield FromStore(archive, runner)
        finally:
            runner.run(stack.aclose())


def _export_all(source: Source, given: argparse.Namespace) -> Exit:
    """Each thread for itself: one that cannot be read does not hold up the others."""
    _make_folder(given.out)
    ended, after = Exit.OK, ""
    while page := source.ids(after):
        for thread_id in page:
            try:
                _export(source, thread_id, given.out / f"{thread_id}.jsonl", as_json=given.json)
            except Unavailable:
                raise
            except SullaError as error:
                tell(f"sulla: thread {one_line(thread_id)}: {error.message}")
                ended = Exit.FAILED
        after = page[-1]
    return ended


def _export(source: Source, thread_id: str, path: Path, *, as_json: bool) -> None:
    sealer = Sealer(thread_id)
    try:
        _write_whole(path, _lines(source, thread_id, sealer))
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror or error}") from None
    if as_json:
        wrote = {"thread_id": thread_id, "file": str(path), "records": sealer.count, "digest": sealer.digest}
        print(json.dumps(wrote))
    else:
        print(one_line(f"exported {thread_id}: {sealer.count} records to {path}"))


def _lines(source: Source, thread_id: str, sealer: Sealer) -> Iterator[bytes]:
    page = source.events(thread_id)  # first: of a thread that is not there nothing is written
    yield sealer.first()
    while page:
        for event in page:
            yield sealer.event(event)
        page = source.events(thread_id, sealer.count)
    yield sealer.last()


def _write_whole(path: Path, lines: Iterator[bytes]) -> None:
    """Write a file that is there as a whole or not at all, readable for its owner alone."""
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:64]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"the folder {path} cannot be made: {error.strerror}") from None
