"""Changing a part of a file of the workspace."""

from __future__ import annotations

import asyncio
import difflib
import os
import stat
from dataclasses import replace
from typing import Annotated

from sulla.core.errors import Conflict, InvalidInput, NotFound, PathEscape, TooLarge
from sulla.core.words import Author, Words, ours
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.builtin.files import MAX_WRITE_BYTES, decode, replace_file, write_key
from sulla.tools.define import define, giving, value
from sulla.tools.paths import PathSpot, locate, open_at, translated
from sulla.tools.program_files import PROGRAMS, ProgramFiles
from sulla.tools.schema import Bounds

MAX_TEXT = 200_000
"""Code points of what is replaced, and of what comes in its place."""
MAX_COMPARED = 4000
"""How many lines of a file are looked at for the nearest text, and how long they may be: comparing takes its time."""
MAX_COMPARED_LINE = 200
AROUND = 3
"""How many lines are shown before and behind the nearest one."""


def edit_tools(programs: ProgramFiles = PROGRAMS) -> tuple[Tool, ...]:
    """`edit_file`; the workspace comes with each call's context.

    Args:
        programs: which files a tainted run asks about before it changes them.
    """

    async def edit_file(
        context: ToolContext,
        *,
        path: str,
        old_text: Annotated[str, Bounds(1, MAX_TEXT)],
        new_text: Annotated[str, Bounds(0, MAX_TEXT)],
        every: bool = False,
    ) -> Result:
        """Replace a text in a file of the workspace by another one, exactly as it is written, spaces and line breaks
        included. The text must stand in the file once, unless every occurrence is to be replaced. All of it is
        changed, or nothing.

        Args:
            path: The file, relative to the workspace.
            old_text: What to replace, copied from the file, with enough around it that it stands there once.
            new_text: What comes in its place; empty to remove it.
            every: Whether to replace every occurrence.
        """
        if old_text == new_text:
            raise InvalidInput("old_text and new_text are the same; nothing would change")
        return await asyncio.to_thread(_edit, context, path, (old_text, new_text), every, programs)

    tool = define(
        edit_file,
        effect="once",
        reach="inward",
        files="path",
        category="files",
        timeout_s=30.0,
        parallel=False,
    )
    tool = replace(tool, asks=programs.asks)
    return (giving(tool, path=value("string", "the file"), replaced=value("integer", "how many occurrences")),)


def _edit(context: ToolContext, path: str, texts: tuple[str, str], every: bool, programs: ProgramFiles) -> Result:
    with locate(context.workspace, path) as spot, translated(path):
        programs.check(spot.parts, context)
        if spot.kind() == 0:
            raise NotFound(f"there is no {path!r} in the workspace; write_file makes a new file")
        with open_at(spot.folder_fd, spot.name, path) as file:
            before = os.fstat(file.fileno())
            raw = file.read(MAX_WRITE_BYTES + 1)
        if len(raw) > MAX_WRITE_BYTES:
            raise TooLarge(f"{path!r} is larger than the {MAX_WRITE_BYTES} bytes that can be edited")
        decode(raw, path)  # says what is wrong with it; a byte order mark is kept, though
        text = raw.decode()
        old, new = (_broken_as(text, part) for part in texts)
        found = text.count(old)
        if found == 0:
            # It shows a piece of the file, so it comes from there.
            return Done(Words(_not_there(text, old, path), Author.AGENT), is_error=True, origin="file")
        if found > 1 and not every:
            raise InvalidInput(
                f"old_text stands in {path!r} {found} times (lines {_lines_of(text, old)}); "
                "give more of what is around the one that is meant, or set every"
            )
        size = len(raw) + found * (len(new.encode("utf-8", "replace")) - len(old.encode("utf-8", "replace")))
        if size > MAX_WRITE_BYTES:  # before it is made: it could be more than fits in memory
            raise TooLarge(f"{path!r} would have {size} bytes; one call may write {MAX_WRITE_BYTES}")
        _keep(spot, path, text.replace(old, new), write_key(context), before)
        times = "1 occurrence" if found == 1 else f"{found} occurrences"
        told = f"Replaced {times} in {spot.path} (line{'' if found == 1 else 's'} {_lines_of(text, old)})."
        return Done(ours(told), data={"path": spot.path, "replaced": found})


def _keep(spot: PathSpot, path: str, text: str, key: str, before: os.stat_result) -> None:
    try:
        raw = text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"new_text is not valid Unicode: {error.reason}") from error
    now = os.stat(spot.name, dir_fd=spot.folder_fd, follow_symlinks=False)
    if not stat.S_ISREG(now.st_mode):
        raise PathEscape(f"{path!r} became something else than a file meanwhile")
    if (now.st_ino, now.st_mtime_ns, now.st_size) != (before.st_ino, before.st_mtime_ns, before.st_size):
        raise Conflict(f"{path!r} was changed by somebody else meanwhile; read it again")
    replace_file(spot.folder_fd, spot.name, raw, key, existed=True)


def _broken_as(text: str, part: str) -> str:
    """A part with the line breaks of the text, if those are all CRLF: models write LF."""
    crlf = text.count("\r\n")
    return part.replace("\n", "\r\n") if crlf and crlf == text.count("\n") and "\r" not in part else part


def _lines_of(text: str, part: str) -> str:
    """On which lines a part begins, the first ten."""
    lines: list[str] = []
    at, line = text.find(part), 1
    counted = 0
    while at >= 0 and len(lines) < 10:
        line += text.count("\n", counted, at)
        counted = at
        lines.append(str(line))
        at = text.find(part, at + len(part))
    return ", ".join(lines) + (", …" if at >= 0 else "")


def _not_there(text: str, old: str, path: str) -> str:
    said = f"old_text does not stand in {path}, so nothing was changed."
    if "".join(old.split()) in "".join(text.split()):
        said += " It does if spaces and line breaks are left aside: copy those exactly."
    lines = text.splitlines()
    wanted = max((line.strip()[:MAX_COMPARED_LINE] for line in old.splitlines()), key=len, default="")
    at_line: dict[str, int] = {}
    for number, line in enumerate(lines[:MAX_COMPARED]):
        at_line.setdefault(line.strip()[:MAX_COMPARED_LINE], number)
    near = difflib.get_close_matches(wanted, at_line, n=1, cutoff=0.5) if wanted else []
    if not near:
        return f"{said} Nothing in the file is like it; read it again."
    number = at_line[near[0]]
    first = max(0, number - AROUND)
    shown = lines[first : number + AROUND + 1]
    excerpt = "\n".join(line[:MAX_COMPARED_LINE] for line in shown)
    return f"{said} The nearest, lines {first + 1}-{first + len(shown)}:\n{excerpt}"
