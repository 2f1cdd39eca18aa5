"""Remembers which files were written by a run that had read what nobody trusts, so that reading them is no way around
the policy (design §9).

A mark is the file's path, the digest of what was written, and fingerprints of the words that it brought: once a person
has changed the file so that none of these is left, it is trusted again. Names are words too, those of folders and of
files that such a run has made. Marks are kept as lines of JSON in the home, which no tool can write to. A mark is on
the disk before the file is written; until it is known what was, any content counts.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import field, replace
from pathlib import Path
from typing import Final

from sulla.agent.calls.file_state import (
    ALL,
    ANY,
    FOLDER,
    Content,
    Seen,
    content,
    content_of,
    contents,
    look,
    made_folders,
)
from sulla.agent.calls.mark_book import Changes, Mark, MarkBook, is_covering, of_content
from sulla.agent.calls.mark_origins import MarkOrigins
from sulla.agent.calls.mark_state import Before, has_words_of, mark_of_begun, mark_of_written, settled
from sulla.agent.calls.mark_trust import MarkedThere, held_below, marked_at
from sulla.agent.calls.moved_names import any_moved, moved_names
from sulla.agent.calls.shared_marks import SharedMarks
from sulla.core.dataclass import dataclass
from sulla.core.errors import Conflict, SullaError
from sulla.core.jsontypes import FrozenJson
from sulla.tools.base import Tool, ToolContext
from sulla.tools.origins import FileOrigins
from sulla.tools.overflow import FOLDER as OUTPUTS
from sulla.tools.overflow import made_for_outputs
from sulla.tools.paths import inside
from sulla.tools.policy import reach_of
from sulla.tools.program_files import PROGRAMS, ProgramFiles

MOST_WATCHED: Final = 50_000
"""Files and folders that are compared before and after a command; with more of them the whole workspace is marked."""
MOST_EACH: Final = 1_000
"""Files that one command may write to have a mark each; of more, those in a folder that it made have one for all."""
MOST_COMPARED: Final = 4_096
"""Files that persons have changed of which it is remembered whether marked words are left in them."""


@dataclass(frozen=True, slots=True)
class FileTouch:
    """What a call is about to touch."""

    tainted: bool = False
    """Whether any of it is marked and may be shown: then the result is tainted."""
    writes: Mapping[Path, Before] = field(default_factory=dict)
    """The file that is marked once it is written, and the folders that are made for it."""
    watched: Mapping[str, Seen] | None = None
    """What lay in the workspace before a command that may write anywhere in it."""
    held: Mapping[str, Content] = field(default_factory=dict)
    """What of that was read, as far as it was not too much."""
    root: Path = Path()
    """The workspace."""
    read: Path | None = None
    """What is looked into."""
    every: bool = False
    """Whether all that is below it may be read, the rests of long results too."""


class FileMarks:
    """Keeps the marks of a home, and knows those of other homes on the same workspace.

    Args:
        file: where they are kept.
        programs: says which files programs of the owner run.
        shared: what homes tell each other; None for a workspace that no other can have.
    """

    def __init__(self, file: Path, programs: ProgramFiles = PROGRAMS, shared: SharedMarks | None = None) -> None:
        self._programs = programs
        self._shared = shared
        self._book = MarkBook(file, self._holds, self._tell)
        self._at_work: dict[str, list[Mapping[str, Seen]]] = {}
        """What lay in a workspace before each command that may write anywhere in it, by workspace."""
        self._compared: dict[tuple[str, str], tuple[Mark, bool]] = {}
        self._lock = threading.Lock()  # held by the threads: a call that is cut off cannot stop its own

    async def before(self, tool: Tool, args: FrozenJson, context: ToolContext) -> FileTouch:
        """Look at what a call touches, and mark what it is about to write.

        Raises:
            CorruptRecord: the marks cannot be read.
        """
        return FileTouch() if tool.files == "none" else await asyncio.to_thread(self._before, tool, args, context)

    async def tainted(self, touch: FileTouch) -> bool:
        """Whether what a call has read by now is not to be trusted: others may have written to it while it was made."""
        return touch.tainted or (touch.read is not None and await asyncio.to_thread(self._again, touch.read, touch))

    async def mistrusted(self, file: Path, workspace: Path) -> bool:
        """Whether a file is as a run left it that had read what nobody trusts.

        Args:
            file: which.
            workspace: where commands write.

        Raises:
            CorruptRecord: the marks cannot be read.
        """
        touch = await asyncio.to_thread(lambda: FileTouch(root=workspace.resolve(), read=file.resolve()))
        return await self.tainted(touch)

    async def after(self, touch: FileTouch, rest: Path | None) -> Sequence[str]:
        """Mark what the call has written.

        Args:
            touch: what `before` said.
            rest: where the rest of its result lies if that was long, and is not to be trusted.

        Returns:
            Where below the workspace a command has made or changed what programs of the owner run.
        """
        if touch.writes or touch.watched is not None or rest is not None:
            return await asyncio.to_thread(self._after, touch, rest)
        return ()

    def origins(self, workspace: Path) -> FileOrigins:
        """What tells a tool which files of a workspace are from outside."""
        return MarkOrigins(self, workspace)

    @asynccontextmanager
    async def writing(self, file: Path, *, tainted: bool) -> AsyncIterator[None]:
        """While the daemon itself writes a file: mark it if the words are not to be trusted, or if it was marked, so
        that a change of ours does not make somebody else's words trusted.

        Args:
            file: what is written.
            tainted: whether the new words may repeat what nobody trusts.

        Raises:
            CorruptRecord: the marks cannot be read.
            Refused: they cannot be written.
        """
        touch = await asyncio.to_thread(self._before_writing, file, tainted)
        try:
            yield
        finally:
            await self.after(touch, None)

    async def trust(self, target: Path, seen: str = "") -> MarkedThere:
        """Say what is marked at a path; take those marks away once a person has looked at that.

        Args:
            target: the file or folder, links resolved.
            seen: what this said of it before; empty to look alone.

        Raises:
            NotFound: there is no such thing.
            InvalidInput: it is not marked, or not by itself; the message says why.
            Conflict: a run is writing there, or something was written or marked since it was looked at.
            CorruptRecord: the marks cannot be read.
            Refused: they cannot be written.
        """
        return await asyncio.to_thread(self._trust, target, seen)

    def is_outside(self, file: Path, raw: bytes, root: Path) -> bool:
        """Keeps `FileOrigins.is_outside` for a workspace. Waits for a lock: call it on a worker thread."""
        with self._lock:
            if self._is_marked(file, root):
                return True
            # What was read may have been written over since then.
            there = content(raw)
            known = [self._mark_of_content(there), *(marks.get(str(file)) for marks in self._all())]
            if any(has_words_of(mark, there) for mark in known if mark is not None):
                return True
            above = [path for path in file.parents if root in path.parents]
            return any(self._is_name_outside(path, root) for path in above) or any_moved(
                above, list(self._all()), self._is_known
            )

    def names_outside(self, folder: Path, names: Iterable[str], root: Path) -> frozenset[str]:
        """Keeps `FileOrigins.names_outside` in the same way."""
        with self._lock:
            found = list(names)
            outside = frozenset(name for name in found if self._is_name_outside(folder / name, root))
            rest = (name for name in found if name not in outside)
            return outside | moved_names(folder, rest, self._all(), self._is_known)

    # ------------------------------------------------------------------------------------------- on a worker thread

    def _trust(self, target: Path, seen: str) -> MarkedThere:
        held = held_below(target)  # takes a while, in which others may go on
        with self._lock:
            found = marked_at(target, held, list(self._all()))
            if seen and seen != found.seen:
                raise Conflict(f"{target} is not as it was looked at: look again before you trust it")
            if seen:
                self._book.put(found.changes)
            return found

    def _before_writing(self, file: Path, tainted: bool) -> FileTouch:
        with self._lock:
            file = file.resolve()
            if not (tainted or self._is_marked(file, file.parent)):
                return FileTouch()
            return FileTouch(True, self._marked_to_write((file,)))

    def _before(self, tool: Tool, args: FrozenJson, context: ToolContext) -> FileTouch:
        with self._lock:
            root = context.workspace.resolve()
            if tool.files == "all":
                outward = reach_of(tool, args, context) == "outward"  # it may have fetched what it writes
                return self._before_command(root, outside=outward or context.tainted)
            try:
                target = _target(tool, args, context, root)
            except (SullaError, KeyError, TypeError, ValueError):
                return FileTouch()  # the tool will say the same, and touch nothing
            told = tool.files == "told"
            if told and tool.effect == "pure":
                return FileTouch()
            marked = self._is_marked(target, root)
            touch = FileTouch(marked and not told, root=root, read=None if told else target)
            if tool.effect == "pure" or not (context.tainted or marked):
                return touch
            made = (folder for folder in target.parents if root in folder.parents and not folder.exists())
            return replace(touch, writes=self._marked_to_write((target, *made)))

    def _marked_to_write(self, paths: Iterable[Path]) -> Mapping[Path, Before]:
        """Mark a file that is about to be written, and the folders that are made for it."""
        file, *folders = paths
        there = content_of(file)
        mark = self._marks().get(str(file)) or self._mark_of_content(there)
        found = {file: Before(there, mark, there is not None)}
        changes = {str(folder): Mark(FOLDER) for folder in folders}
        self._book.put({str(file): mark_of_begun(found[file])} | changes)
        return found | dict.fromkeys(folders, Before())

    def _before_command(self, root: Path, *, outside: bool) -> FileTouch:
        if not (outside or self._is_marked(root, root, every=True)):
            return FileTouch(root=root, read=root, every=True)
        key, watched = str(root), look(root, MOST_WATCHED)
        if (self._marks().get(key) or Mark(ANY)).digest != ALL and not self._at_work.get(key):
            newest = max((changed for _, _, changed in watched.values()), default=0)
            self._book.put({key: Mark(ANY, since_ns=newest)})
        self._at_work.setdefault(key, []).append(watched)
        return FileTouch(True, {}, watched, contents(watched), root)

    def _again(self, read: Path, touch: FileTouch) -> bool:
        with self._lock:
            return self._is_marked(read, touch.root, every=touch.every)

    def _after(self, touch: FileTouch, rest: Path | None) -> Sequence[str]:
        with self._lock:
            obeyed: Sequence[str] = ()
            changes: dict[str, Mark | None] = (
                {} if rest is None else {str(rest.resolve()): mark_of_written(rest, Before())}
            )
            changes |= {str(path): mark_of_written(path, before) for path, before in touch.writes.items()}
            if touch.watched is not None:
                changed, now = _changed(touch.root, touch.watched)
                changes |= self._after_command(touch, touch.watched, changed, now)
                below = (Path(path).relative_to(touch.root) for path in changed)
                obeyed = [str(path) for path in below if self._is_obeyed(touch.root, path)]
            marks = self._marks()
            if changes := {path: mark for path, mark in changes.items() if mark != marks.get(path)}:
                self._book.put(changes)
            return obeyed

    def _is_obeyed(self, root: Path, below: Path) -> bool:
        reader, parts = self._programs.reader, below.parts
        return bool(reader(parts)) and (bool(reader(parts, folder=True)) or not (root / below).is_dir())

    def _after_command(
        self, touch: FileTouch, watched: Mapping[str, Seen], changed: Sequence[str], now: int
    ) -> dict[str, Mark | None]:
        key, marks = str(touch.root), self._marks()
        made = made_folders(changed, watched) if len(changed) > MOST_EACH else frozenset[str]()
        each = (path for path in changed if not any(str(above) in made for above in Path(path).parents))
        held = {path: (there, marks.get(path) or self._mark_of_content(there)) for path, there in touch.held.items()}
        # What was copied of a trusted file does not make that file somebody else's.
        trusted = {there.digest for there, mark in held.values() if mark is None}
        changes: dict[str, Mark | None] = {}
        for path in each:
            before, known = held.get(path, (None, marks.get(path)))
            mark = mark_of_written(Path(path), Before(before, known, path in watched))
            changes[path] = replace(mark, wherever=False) if mark and mark.digest in trusted else mark
        changes |= dict.fromkeys(made, Mark(ALL))
        if max(now, len(watched)) > MOST_WATCHED:
            changes[key] = Mark(ALL)  # nobody can say what of it was written
        at_work = [one for one in self._at_work.pop(key, []) if one is not watched]
        if at_work:
            self._at_work[key] = at_work
        elif key not in changes and (marks.get(key) or Mark(ANY)).digest != ALL:
            changes[key] = None
        return changes

    def _is_marked(self, target: Path, root: Path, *, every: bool = False) -> bool:
        """Whether a file, or anything in a folder, is as an untrusted run left it.

        Args:
            target: the file or folder.
            root: the workspace.
            every: whether the rests of long results count too where they lie below `target`: who looks through a
                folder is not shown them, but a command may read them.
        """
        rests, below = (root / OUTPUTS).parent, f"{target}{os.sep}"
        if target.is_relative_to(rests):
            return True
        for marks in self._all():
            if any(is_covering(marks.get(str(above))) for above in (root, *target.parents)):
                return True
            found = [path for path in marks if path == str(target) or path.startswith(below)]
            if any(self._holds(marks[path], path) for path in found if every or not Path(path).is_relative_to(rests)):
                return True
        return any(map(len, self._all())) and self._mark_of_content(content_of(target)) is not None

    def _mark_of_content(self, there: Content | None) -> Mark | None:
        """The mark of what a file holds that may have been moved or copied by hand."""
        found = (None if there is None else of_content(marks, there.digest) for marks in self._all())
        return next((mark for mark in found if mark is not None), None)

    def _is_known(self, place: Path) -> bool:
        return self._mark_of_content(content_of(place)) is not None

    def _is_name_outside(self, path: Path, root: Path) -> bool:
        """Whether what something is called may be words of a run that had read what nobody trusts."""
        at_work = self._at_work.get(str(root), ())
        if any(str(path) not in watched for watched in at_work):
            return True
        for number, marks in enumerate(self._all()):
            # While commands of ours are at work it is known what lay there before each of them.
            known = (
                {str(root)} if not number and at_work and marks.get(str(root), Mark(ALL)).digest == ANY else set[str]()
            )
            if any(is_covering(marks.get(str(above))) for above in path.parents if str(above) not in known):
                return True
            mark = marks.get(str(path))
            if mark is not None and mark.named and self._holds(mark, str(path)):
                return True
        return False

    def _holds(self, mark: Mark, path: str) -> bool:
        """Whether anything is left there of what was marked; what cannot be looked at is."""
        if mark.digest == ANY:
            return True
        if (there := content_of(Path(path))) is None:
            return False
        if there.digest in (ANY, mark.digest) or (mark.digest == ALL and there.digest == FOLDER):
            return True
        known = self._compared.get((path, there.digest))
        if known is None or known[0] is not mark:
            if len(self._compared) >= MOST_COMPARED:
                self._compared.clear()
            known = self._compared[path, there.digest] = (mark, has_words_of(mark, there))
        return known[1]

    def _all(self) -> Iterator[Mapping[str, Mark]]:
        """This home's marks, then those of others on the workspace."""
        yield self._marks()
        if self._shared is not None:
            yield from self._shared.others()

    def _marks(self) -> Mapping[str, Mark]:
        if self._book.opened:
            return self._book.marks()
        found: dict[str, Mark | None] = {}
        marks = self._book.marks()
        for path, mark in marks.items():
            if mark.wherever:
                found[path] = mark
            found |= settled(path, mark, marks, MOST_WATCHED)
        if found:
            self._book.put(found)
        self._tell(marks, True)
        return self._book.marks()

    def _tell(self, changes: Changes, whole: bool) -> None:
        if self._shared is not None:
            self._shared.tell(changes, whole)


def _changed(root: Path, watched: Mapping[str, Seen]) -> tuple[list[str], int]:
    """What was made or written since a workspace was looked at, and how much there is in it now."""
    now, ours = look(root, MOST_WATCHED), made_for_outputs(root)
    return [path for path, seen in now.items() if watched.get(path) != seen and path not in ours], len(now)


def _target(tool: Tool, args: FrozenJson, context: ToolContext, root: Path) -> Path:
    if callable(tool.files):
        return tool.files(args, context).resolve()
    path = args.get("path", ".")
    return inside(root, path) if isinstance(path, str) else root
