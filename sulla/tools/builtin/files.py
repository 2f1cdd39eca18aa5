"""Reading, listing and writing files of the workspace."""

from __future__ import annotations

import asyncio
import codecs
import os
import stat
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Annotated

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, PathEscape, TooLarge
from sulla.core.jsontypes import Json
from sulla.core.words import Author, Words, ours
from sulla.tools.base import Done, FileUse, Result, Tool, ToolContext
from sulla.tools.builtin.ranges import ShownRange, show_range
from sulla.tools.builtin.search import search_files
from sulla.tools.define import define, giving, rows, value
from sulla.tools.paths import locate, open_file, open_folder_at, printable, translated
from sulla.tools.program_files import PROGRAMS, ProgramFiles
from sulla.tools.schema import Bounds

MAX_LINES = 1000
"""How many lines a model is shown of a file unless it asks for another number."""
CUT_BYTES = 8 * 1024
"""Room for the line that says which lines of which file are shown."""
BYTE_ORDER_MARK = "\ufeff"
MAX_FILE_BYTES = 16 * 1024 * 1024
"""The largest file that is read."""
MAX_WRITE_BYTES = 4 * 1024 * 1024
MAX_ENTRIES = 500
"""How many entries of a folder are shown."""
MAX_SCANNED = 20_000
"""How many entries of a folder are looked at."""


def file_tools(programs: ProgramFiles = PROGRAMS) -> tuple[Tool, ...]:
    """`read_file`, `list_dir`, `write_file` and `search_files`; the workspace comes with each call's context.

    Args:
        programs: which files a tainted run asks about before it writes them.
    """

    async def write_file(context: ToolContext, *, path: str, content: str) -> Result:
        """Write a text file of the workspace, replacing what it held. Missing folders are made. All of it is
        written, or nothing.

        Args:
            path: The file, relative to the workspace.
            content: All that the file shall hold.
        """
        return await asyncio.to_thread(_write, context, path, content, programs)

    writing = define(
        write_file, effect="idempotent", reach="inward", files="told", category="files", timeout_s=30.0, parallel=False
    )
    reading, listing, searching = (
        define(function, effect="pure", reach="inward", files=files, category="files", timeout_s=30.0, rest=rest)
        for function, files, rest in _READING
    )
    return (
        giving(replace(reading, remarks=True), **_LINES),
        giving(listing, entries=rows("by name; `kind` is file, folder, link, other or gone", **_ENTRY)),
        giving(replace(writing, asks=programs.asks), **_WRITTEN),
        giving(searching, **_FOUND),
    )


async def read_file(
    context: ToolContext,
    *,
    path: str,
    first_line: Annotated[int, Bounds(1)] = 1,
    lines: Annotated[int, Bounds(0, 2000)] = 0,
) -> Result:
    """Read a text file of the workspace, whole or a range of its lines. The first line of the result says which lines
    of how many it shows; the file's own text follows unchanged.

    Args:
        path: The file, relative to the workspace.
        first_line: Where to begin, from 1.
        lines: Lines to show at the most; 0 for the usual.
    """
    return await asyncio.to_thread(_read, context, path, first_line, lines)


async def list_dir(context: ToolContext, *, path: str = ".", names: bool = False) -> Result:
    """List a folder of the workspace: names, sizes in bytes, and a slash behind each folder's name. Names from
    outside, such as of saved pages, may be left out; the result says how many.

    Args:
        path: The folder, relative to the workspace.
        names: Whether to show names from outside too. They, and what holds them from then on, are not to be trusted.
    """
    return await asyncio.to_thread(_list, context, path, names)


_READING: tuple[tuple[Callable[..., Awaitable[Result]], FileUse, str], ...] = (
    (read_file, "path", "Go on with a later first_line."),
    (list_dir, "told", "List a folder further down."),
    (search_files, "told", "Search for something narrower."),
)
"""What only reads: which files it touches, and how to get at what was cut."""
_LINES = {
    "first_line": value("integer", "the first line that is given"),
    "last_line": value("integer", "the last one"),
    "lines": value("integer", "how many the file has"),
}
_ENTRY = {"name": "string", "kind": "string", "bytes": "integer"}
_WRITTEN = {"path": value("string", "the file"), "bytes": value("integer", "how many were written")}
_FOUND = {
    "matches": rows("each matching line, whole", path="string", line="integer", text="string"),
    "files": value("integer", "how many were searched"),
    "left_out": value("integer", "how many were binary, too large or not readable"),
}


def _read(context: ToolContext, path: str, first_line: int, lines: int) -> Done:
    with open_file(context.workspace, path) as file:
        raw = file.read(MAX_FILE_BYTES + 1)
    if len(raw) > MAX_FILE_BYTES:
        raise TooLarge(
            f"{path!r} is larger than the {MAX_FILE_BYTES} bytes that can be read; look into it with search_files"
        )
    text, most = decode(raw, path), context.whole_bytes
    if not most:
        return Done(Words(show_range(path, text, first_line, lines or MAX_LINES).told, Author.AGENT), origin="file")
    shown = show_range(path, text, first_line, lines, most - CUT_BYTES)
    # Whoever writes it again wants the byte order mark, too.
    mark = BYTE_ORDER_MARK if raw.startswith(codecs.BOM_UTF8) and first_line == 1 else ""
    return Done(
        Words(shown.told, Author.AGENT),
        origin="file",
        data={
            "text": mark + shown.text,
            "first_line": shown.first_line,
            "last_line": shown.last_line,
            "lines": shown.lines,
        },
        cut=_too_long(path, shown, most) if shown.is_cut else "",
    )


def _too_long(path: str, shown: ShownRange, most: int) -> str:
    return (
        f"{path!r} has {shown.lines} lines, and only lines {shown.first_line}-{shown.last_line} fit into the {most} "
        f"bytes that a step takes: go on with first_line={shown.last_line + 1} in another step, or have bash work on "
        "the file"
    )


def decode(raw: bytes, path: str) -> str:
    """A file's bytes as text, without a byte order mark.

    Raises:
        InvalidInput: it is not UTF-8 text.
    """
    if b"\0" in raw:
        raise InvalidInput(f"{path!r} is a binary file ({len(raw)} bytes), not text")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{path!r} is not text in UTF-8 (byte {raw[error.start]:#04x} at offset {error.start} of {len(raw)})"
        ) from error


def _list(context: ToolContext, path: str, names: bool) -> Done:
    with (
        locate(context.workspace, path) as spot,
        open_folder_at(spot, path) as fd,
        translated(path),
        os.scandir(fd) as entries,
    ):
        found = sorted(islice(entries, MAX_SCANNED + 1), key=lambda entry: entry.name)
        # Asked for after they were read: a mark is there before what it marks.
        folder = Path(os.path.realpath(context.workspace), *spot.parts)
        outside = context.origins.names_outside(folder, (entry.name for entry in found))
        shown = found if names or context.tainted else [entry for entry in found if entry.name not in outside]
        most = MAX_SCANNED if context.whole_bytes else MAX_ENTRIES
        told = [_entry(entry) for entry in shown[:most]]
    if not found:
        return Done(Words(f"[{path} is empty]", Author.AGENT), origin="file", data={"entries": []})
    lines, notes = [entry.told for entry in told], list[str]()
    if len(found) > MAX_SCANNED:
        notes.append(f"[… and more: the folder has over {MAX_SCANNED} entries, and these are only some of them]")
    elif len(shown) > most:
        notes.append(f"[… and {len(shown) - most} more]")
    lacks = " ".join(notes)
    if count := len(found) - len(shown):
        lacks += f"{' ' if lacks else ''}{count} of the names come from outside: `names: true` gives them, too"
        notes.append(
            f"[{count} more, whose {'name comes' if count == 1 else 'names come'} from outside and "
            f"{'is' if count == 1 else 'are'} not shown; to see {'it' if count == 1 else 'them'}, list with names=true]"
        )
    is_told = any(entry.name in outside for entry in shown[:most])
    return Done(
        Words("\n".join((*lines, *notes)), Author.OUTSIDE if is_told else Author.AGENT),
        origin="file",
        data={"entries": [entry.data for entry in told]} if context.whole_bytes else None,
        cut=f"entries of {path!r} are left out: {lacks}" if lacks else "",
    )


@dataclass(frozen=True, slots=True)
class ListedEntry:
    """What is in a folder."""

    name: str
    kind: str
    about: str
    """Goes behind its name."""
    size: int = 0
    """In bytes."""

    @property
    def told(self) -> str:
        """For a model."""
        return f"{printable(self.name)}{self.about}"

    @property
    def data(self) -> Json:
        """For whoever reckons with it."""
        name = self.name.encode("utf-8", "backslashreplace").decode()
        return {"name": name, "kind": self.kind, "bytes": self.size}


def _entry(entry: os.DirEntry[str]) -> ListedEntry:
    if entry.is_symlink():
        return ListedEntry(entry.name, "link", " (link)")
    if entry.is_dir(follow_symlinks=False):
        return ListedEntry(entry.name, "folder", "/")
    if not entry.is_file(follow_symlinks=False):
        return ListedEntry(entry.name, "other", " (device, pipe or socket)")
    try:
        size = entry.stat(follow_symlinks=False).st_size
    except FileNotFoundError:
        return ListedEntry(entry.name, "gone", " (gone)")
    return ListedEntry(entry.name, "file", f" ({size} bytes)", size)


def _write(context: ToolContext, path: str, content: str, programs: ProgramFiles) -> Done:
    try:
        raw = content.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"the content for {path!r} is not valid Unicode at offset {error.start}") from error
    if len(raw) > MAX_WRITE_BYTES:
        raise TooLarge(f"the content for {path!r} is {len(raw)} bytes; one call may write {MAX_WRITE_BYTES}")
    if path.endswith("/"):
        raise InvalidInput(f"{path!r} names a folder; name the file in it")
    with locate(context.workspace, path, make_folders=True) as spot, translated(path):
        programs.check(spot.parts, context)
        kind = spot.kind()
        if kind == stat.S_IFDIR:
            raise InvalidInput(f"{path!r} is a folder, not a file")
        if kind not in (0, stat.S_IFREG):
            raise PathEscape(f"{path!r} is a device, a pipe or a socket; only files can be written")
        replace_file(spot.folder_fd, spot.name, raw, write_key(context), existed=bool(kind))
        count = len(raw.splitlines())
        did = "Replaced" if kind else "Wrote"
        told = f"{did} {spot.path}: {len(raw)} bytes, {count} line{'' if count == 1 else 's'}."
        return Done(ours(told), data={"path": spot.path, "bytes": len(raw)})


def write_key(context: ToolContext) -> str:
    """What the temporary file of a call is called by: the same for every attempt at it."""
    return blake2b(context.idempotency_key.encode(), digest_size=12).hexdigest()


def replace_file(folder_fd: int, name: str, raw: bytes, key: str, *, existed: bool) -> None:
    """Put `raw` in the place of `name` in one step that a crash cannot split.

    Args:
        folder_fd: the open folder.
        name: one name in it, no path.
        raw: all that the file shall hold.
        key: see `write_key`; with it an attempt cleans up behind one that was killed.
        existed: whether there is such a file, whose permissions are kept.
    """
    temporary = f".sulla-{key}.tmp"
    with suppress(FileNotFoundError):
        os.unlink(temporary, dir_fd=folder_fd)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(temporary, flags, 0o666, dir_fd=folder_fd)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(raw)
            file.flush()
            if existed:
                os.fchmod(fd, stat.S_IMODE(os.stat(name, dir_fd=folder_fd, follow_symlinks=False).st_mode) & 0o777)
            os.fsync(fd)
        os.rename(temporary, name, src_dir_fd=folder_fd, dst_dir_fd=folder_fd)
    except BaseException:
        os.unlink(temporary, dir_fd=folder_fd)
        raise
    os.fsync(folder_fd)
