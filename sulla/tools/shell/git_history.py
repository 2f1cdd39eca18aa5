"""What a command has done to the history of repositories, for the person who has to allow it: what moves, what the new
commits change, and how they change files that programs obey, which are not in the workspace as files.
"""

from __future__ import annotations

import shlex
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Final

from sulla.tools.program_files import ProgramFiles
from sulla.tools.shell.git_records import REFS, commits_diff, commits_log, commits_names, compared
from sulla.tools.shell.held_text import spelled
from sulla.tools.shell.layer import Layer

MOST_REPOSITORIES: Final = 3
"""Repositories of which the new commits are shown."""
MOST_FILES: Final = 50
"""Files of commits that are shown line by line, as far as there is room."""
LOG_CHARS: Final = 4_000
"""Of what git says of the commits."""
DIFF_CHARS: Final = 6_000
"""Of how they change files that programs obey."""

Look = Callable[[str, Layer | None], Awaitable[str]]
"""Runs a command line where it can change nothing, over a layer or in the workspace; what it prints."""


async def history(folders: Iterable[str], layer: Layer, look: Look, programs: ProgramFiles) -> list[str]:
    """What has changed in the history of repositories, in lines.

    Args:
        folders: of the repositories, below the workspace.
        layer: holds what the command has changed.
        look: asks git.
        programs: says which files programs obey.
    """
    lines: list[str] = []
    for folder in sorted(folders)[:MOST_REPOSITORIES]:
        inside = f"cd {shlex.quote(folder or '.')} && {{ %s; }}"
        refs = compared(await look(inside % REFS, None), await look(inside % REFS, layer))
        lines += [f"== what git says of {spelled(folder) or 'the repository'}", *_set_in(refs.lines)]
        if not refs.commits:
            continue
        count, _, log = (await look(inside % commits_log(refs.commits), layer)).partition("\n")
        lines += [f"  new commits: {spelled(count)}", *_cut(log, LOG_CHARS)]
        names = (await look(inside % commits_names(refs.commits), layer)).splitlines()
        obeyed = [name for name in names if name and programs.reader((*filter(None, folder.split("/")), *_parts(name)))]
        if obeyed:
            more = f" and {len(obeyed) - MOST_FILES} more" if obeyed[MOST_FILES:] else ""
            named = ", ".join(map(spelled, obeyed[:MOST_FILES]))
            diff = await look(inside % commits_diff(refs.commits, obeyed[:MOST_FILES]), layer)
            lines += [f"== programs may run or obey files that these commits hold: {named}{more}"]
            lines += _cut(diff, DIFF_CHARS)
    return lines


def _parts(name: str) -> Sequence[str]:
    """Of a name that git tells; it puts one in quotes that holds what is not plain."""
    return name.strip('"').split("/")


def _cut(said: str, chars: int) -> list[str]:
    """What git says, as far as there is room."""
    lines, shown = said.splitlines(), said[:chars].splitlines()
    more = len(lines) - len(shown)
    return [*_set_in(shown), *([f"  [{more} more lines of git's are not shown]"] if more else [])]


def _set_in(lines: Iterable[str]) -> list[str]:
    """What git says may be anybody's words: each line of it is set in, as none of ours is."""
    return [f"  {spelled(line)}" for line in lines]
