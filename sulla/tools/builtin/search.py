"""Searching the files of the workspace."""

from __future__ import annotations

import asyncio
import os
import stat
import threading
from collections.abc import Generator, Iterator
from contextlib import closing
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import Annotated

from sulla.core.errors import InvalidInput, SullaError
from sulla.core.jsontypes import Json
from sulla.core.words import Author, Words
from sulla.tools.base import Done, Result, ToolContext
from sulla.tools.builtin.expression import Expression, MatcherGone
from sulla.tools.paths import locate, open_at, open_folder, printable, translated
from sulla.tools.schema import Bounds

TIME_S = 10.0
"""How long one search may take, in seconds."""
MAX_FILES = 20_000
"""How many files one search reads at most."""
MAX_FILE_BYTES = 2 * 1024 * 1024
"""Larger files are left out."""
MAX_BYTES = 128 * 1024 * 1024
"""How many bytes one search reads at most."""
MAX_LINE = 300
"""How many code points of a line are shown."""
LEFT_OUT = frozenset({".git", "node_modules", "__pycache__", ".venv", ".sulla"})
"""Folders full of files that nobody wrote; the last one holds rests of results, which are to be asked for by name."""


async def search_files(
    context: ToolContext,
    *,
    pattern: Annotated[str, Bounds(1, 1000)],
    path: str = ".",
    regex: bool = False,
    ignore_case: bool = False,
    files: Annotated[str, Bounds(1, 200)] = "*",
    limit: Annotated[int, Bounds(1, 200)] = 100,
) -> Result:
    """Search text files of the workspace for a text or a regular expression. A result is "path:line: text". Binary and
    very large files, links, .git, .sulla, node_modules, __pycache__ and .venv are left out, unless the path names one.

    Args:
        pattern: What stands within a line.
        path: A folder of the workspace, with all below it, or one file.
        regex: Whether the pattern is a regular expression of Python's.
        ignore_case: Whether capitals make no difference.
        files: Names of files to look into, such as *.py.
        limit: Results at the most.
    """
    if "\n" in pattern:
        raise InvalidInput("the pattern has a line break in it; files are searched line by line")
    hunt = _SearchJob(context, path, files, limit)
    late = False
    try:
        async with context.clock.timeout(TIME_S):
            await asyncio.to_thread(hunt.for_expression if regex else hunt.for_text, pattern, ignore_case)
    except TimeoutError:
        late = True
    finally:
        # Also when this call is cancelled: its thread cannot be, but it ends at once when it is told to.
        hunt.stop()
    return hunt.report(late=late)


class _SearchJob:
    """One search on its own thread; what it has found so far can be read at any time."""

    def __init__(self, context: ToolContext, path: str, names: str, limit: int) -> None:
        self._context = context
        self._path = path
        self._names = names
        self._limit = limit
        self._results: list[tuple[str, int, str]] = []
        """File, line and text."""
        self.tainted = False
        """Whether any result is from outside, or the name before it."""
        self._files = 0
        self._skipped = 0
        self._bytes = 0
        self._crowded = False
        self._stopped = threading.Event()
        self._expression: Expression | None = None

    def for_text(self, pattern: str, ignore_case: bool) -> None:
        """Look for a plain text."""
        needle = pattern.lower() if ignore_case else pattern
        for shown, text in self._texts():
            hay = text.lower() if ignore_case else text
            if needle in hay:
                columns = enumerate(line.find(needle) for line in hay.split("\n"))
                self._add(shown, text, [(number, column) for number, column in columns if column >= 0])

    def for_expression(self, pattern: str, ignore_case: bool) -> None:
        """Look for an expression."""
        expression = self._expression = Expression(pattern, ignore_case, self._limit)
        try:
            with expression:
                for shown, text in self._texts():
                    self._add(shown, text, expression.find(text))
        except MatcherGone as error:
            if not self._stopped.is_set():
                raise InvalidInput(f"the expression {pattern!r} takes too much to match; make it simpler") from error
        finally:
            expression.close()

    def stop(self) -> None:
        """Have it end; from any thread."""
        self._stopped.set()
        if self._expression is not None:
            self._expression.kill()

    def report(self, *, late: bool) -> Done:
        """What was found, and what was not looked at."""
        results = list(self._results)
        notes = [f"{len(results) or 'no'} match{'' if len(results) == 1 else 'es'} in {self._files} searched files"]
        if self._skipped:
            notes.append(f"{self._skipped} files left out (binary, over {MAX_FILE_BYTES} bytes, or not readable)")
        cut = ""
        if late:
            cut = f"stopped after {TIME_S:g} s: make the pattern simpler, or narrow path or files"
        elif len(results) == self._limit:
            cut = "stopped at the limit: there may be more"
        elif self._exhausted():
            cut = "stopped at the most that one search reads: narrow path or files"
        shown = [f"{name}:{line}: {text}" for name, line, text in results]
        told = "\n".join([*shown, f"[{'; '.join(filter(None, (*notes, cut)))}]"])
        matches: list[Json] = [{"path": name, "line": line, "text": text} for name, line, text in results]
        return Done(
            Words(told, Author.OUTSIDE if self.tainted else Author.AGENT),
            origin="file",
            data={"matches": matches, "files": self._files, "left_out": self._skipped},
            cut=f"the search {cut}; `limit` is {self._limit}" if cut else "",
        )

    def _exhausted(self) -> bool:
        return self._files >= MAX_FILES or self._bytes >= MAX_BYTES or self._crowded

    def _texts(self) -> Iterator[tuple[str, str]]:
        """Every text to look at, until a bound is reached."""
        with closing(self._candidates()) as candidates:
            for folder_fd, name, shown in candidates:
                if len(self._results) >= self._limit or self._files >= MAX_FILES or self._bytes >= MAX_BYTES:
                    return
                if not fnmatchcase(name, self._names):
                    continue
                text = self._read(folder_fd, name, shown)
                if text is None:
                    self._skipped += 1
                else:
                    self._files += 1
                    yield shown, text

    def _candidates(self) -> Generator[tuple[int, str, str]]:
        """Every file at or below the path, in order: an open folder, the name in it, what to call it. Follows no link,
        and ends when it is told to, also where there are only folders.
        """
        with locate(self._context.workspace, self._path) as spot:
            start = spot.path
            if spot.kind() == stat.S_IFREG:
                yield spot.folder_fd, spot.name, start
                return
        ahead = [start]
        while ahead and not self._stopped.is_set():
            folder = ahead.pop()
            try:
                with open_folder(self._context.workspace, folder) as fd:
                    files, folders = _sorted_entries(self._entries(fd), "" if folder == "." else f"{folder}/")
                    for name, shown in files:
                        if self._stopped.is_set():
                            return
                        yield fd, name, shown
            except SullaError:
                # A folder that went away or cannot be read is no reason to find nothing elsewhere.
                if folder == start:
                    raise
                continue
            ahead += reversed(folders)

    def _entries(self, fd: int) -> list[os.DirEntry[str]]:
        with os.scandir(fd) as entries:
            found = list(islice(entries, MAX_FILES + 1))
        self._crowded |= len(found) > MAX_FILES
        return found[:MAX_FILES]

    def _read(self, folder_fd: int, name: str, shown: str) -> str | None:
        try:
            with translated(shown), open_at(folder_fd, name, shown) as file:
                raw = file.read(MAX_FILE_BYTES + 1)
        except SullaError:
            return None  # Counted and reported as left out.
        self._bytes += len(raw)
        return None if len(raw) > MAX_FILE_BYTES or b"\0" in raw else raw.decode("utf-8", "replace")

    def _add(self, shown: str, text: str, hits: list[tuple[int, int]]) -> None:
        if hits:
            lines = text.split("\n")
            room = self._limit - len(self._results)
            if not self.tainted:  # said before there is anything to be told
                file = Path(os.path.realpath(self._context.workspace), shown)
                self.tainted = self._context.origins.is_outside(file, text.encode("utf-8", "replace"))
            name = printable(shown)
            whole = bool(self._context.whole_bytes)
            self._results += [
                (name, line + 1, lines[line].rstrip("\r") if whole else _excerpt(lines[line], column))
                for line, column in hits[:room]
            ]


def _excerpt(line: str, column: int) -> str:
    line = line.rstrip("\r")
    if len(line) <= MAX_LINE:
        return line
    start = max(0, min(column - MAX_LINE // 3, len(line) - MAX_LINE))
    end = start + MAX_LINE
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"


def _sorted_entries(found: list[os.DirEntry[str]], prefix: str) -> tuple[list[tuple[str, str]], list[str]]:
    files: list[tuple[str, str]] = []
    folders: list[str] = []
    for entry in sorted(found, key=lambda entry: entry.name):
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in LEFT_OUT:
                folders.append(prefix + entry.name)
        elif entry.is_file(follow_symlinks=False):
            files.append((entry.name, prefix + entry.name))
    return files, folders
