"""What commands of mistrusted conversations have changed and a person has to allow: held back in a layer until then."""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import field, replace
from pathlib import Path
from typing import Final, TypeVar

from sulla.core.dataclass import dataclass
from sulla.core.errors import Conflict, NotFound, Refused, TooLarge
from sulla.core.ids import ThreadId
from sulla.tools.paths import printable
from sulla.tools.program_files import ProgramFiles
from sulla.tools.shell.changes import MOST_CHANGES, Change, changes_in
from sulla.tools.shell.git_history import MOST_REPOSITORIES, Look, history
from sulla.tools.shell.git_records import INDEX
from sulla.tools.shell.held_text import MOST_ASKED, is_record, named, question_of, repository_of
from sulla.tools.shell.judging import NOT_KEPT, OUTSIDE, SOMEBODY, JudgedChange, ObeyedFiles, judged
from sulla.tools.shell.landing import put, put_again
from sulla.tools.shell.layer import Layer, Layers
from sulla.tools.shell.leads import led_to_and_changed
from sulla.tools.shell.snapshot import Snapshot, snapshot_at
from sulla.tools.shell.workspace_lock import locked

MOST_SETS: Final = 16
"""Commands of one conversation of which changes are held back; those of the oldest are given up first."""

_NS_IN_MS: Final = 1_000_000

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class HeldSet:
    """What one command has changed, held back. It lives until it was put into the workspace or given up, also over
    restarts."""

    thread_id: ThreadId
    layer: Layer
    question: str
    """What a person is asked before it is put into the workspace."""
    told: str
    """What waits for that, for models."""
    repositories: frozenset[str] = frozenset()
    """Folders below the workspace of which git's records have changed."""
    held_ms: int = 0
    """When its command ended: UTC milliseconds, as the file system tells it."""
    before: Snapshot = field(default=Snapshot(), repr=False)
    """What was in the workspace then of what has changed, and of the folders that it lies in."""
    staged: Mapping[str, str] = field(default_factory=dict)
    """What was staged in the workspace, by repository, as `INDEX` tells it; of some that the command has changed."""

    @property
    def id(self) -> str:
        """By what it is asked for."""
        return f"changes_{self.layer.folder.name.removeprefix('layer-')}"


class HeldChanges:
    """Gives commands their layers and puts what they have written into the workspace, at once or when a person has
    allowed it. It lives as long as the daemon.

    Args:
        layers: makes the layers.
        programs: says which files programs of the owner run.
    """

    def __init__(self, layers: Layers, programs: ProgramFiles) -> None:
        self._layers = layers
        self._programs = programs
        self._sets: dict[str, HeldSet] = {}
        self._made: dict[str, dict[str, int]] = {}
        self._deciding = asyncio.Lock()  # a model and people may decide on the same

    async def open(self) -> None:
        """Take up what an earlier daemon has held back, and remove what else it has left."""
        self._sets = {one.id: one for one in await asyncio.to_thread(self._left)}

    @asynccontextmanager
    async def layer(self, workspace: Path) -> AsyncIterator[Layer]:
        """A layer for one command; it is removed at the end, unless it is held back.

        Args:
            workspace: the folder that the command works in.

        Raises:
            Refused: none can be made.
        """
        layer = await asyncio.to_thread(lambda: self._layers.make(str(workspace.resolve())))
        try:
            yield layer
        finally:
            if not self.id_of(layer):
                await _whole(lambda: self._layers.remove(layer))

    async def land(self, layer: Layer, thread_id: ThreadId, look: Look) -> str:
        """Put what a command has changed into the workspace, or hold all of it back if a person has to allow any.

        Args:
            layer: of a command that has ended.
            thread_id: its conversation.
            look: runs a command in the sandbox that changes nothing, to see what git says of its records.

        Returns:
            What is to be told of what is not in the workspace, as sentences; empty if there is nothing.
        """
        try:
            landed = await _whole(lambda: self._landed(layer, thread_id))
        except (TooLarge, Conflict, Refused) as error:
            return f"What the command changed is not in the workspace: {error.message}"
        if isinstance(landed, str):
            return landed
        found, beside = landed
        past = await history(found.repositories, layer, look, self._programs)
        question = "\n".join(filter(None, [found.question, *past, beside]))
        found = replace(found, question=question, staged=await _staged(found, sorted(found.repositories), look))
        await _whole(lambda: _noted(found))
        self._sets[found.id] = found
        async with self._deciding:
            given_up = self._of(thread_id)[:-MOST_SETS]
            for one in given_up:
                await self._give_up(one)
        more = f". Given up for it: {', '.join(one.id for one in given_up)}" if given_up else ""
        return (
            "Nothing of what the command changed is in the workspace yet, and the next command does not see it: "
            f"{found.told}. Ask the person for it by `bash_job` with action 'keep' and job '{found.id}', or do it "
            f"without these files{more}"
        )

    def question(self, thread_id: ThreadId, set_id: str) -> str:
        """What a person is asked before changes are put into the workspace; empty if there are none of that id.

        Args:
            thread_id: the conversation.
            set_id: whose; empty for the newest.
        """
        found = self._found(thread_id, set_id)
        return "" if found is None else found.question

    def waiting(self, thread_id: ThreadId) -> tuple[str, ...]:
        """What is held back in a conversation, a line for each command."""
        return tuple(f"{one.id}: held back until the person allows it: {one.told}" for one in self._of(thread_id))

    def every(self) -> tuple[HeldSet, ...]:
        """What is held back in all conversations, the oldest first."""
        return tuple(self._sets.values())

    def id_of(self, layer: Layer) -> str:
        """By what it is asked for that a layer is put into the workspace; empty if it is not held back.

        Args:
            layer: of a command that has ended.
        """
        return next((one.id for one in self._sets.values() if one.layer is layer), "")

    async def keep(self, thread_id: ThreadId, set_id: str, look: Look) -> str:
        """Put changes into the workspace that a person has allowed.

        Args:
            thread_id: the conversation.
            set_id: whose; empty for the newest.
            look: as for `land`.

        Returns:
            What came of it, in a sentence.

        Raises:
            NotFound: nothing of that id is held back in this conversation.
            Conflict: somebody has changed one of the files since; nothing was put there.
            Refused: they cannot be put there now, e.g. for want of room; nothing was, and they are held back still.
        """
        async with self._deciding:
            return await self._keep_alone(thread_id, set_id, look)

    async def drop(self, set_id: str) -> None:
        """Give up what a person does not want; nothing of it gets into the workspace any more.

        Args:
            set_id: whose.

        Raises:
            NotFound: nothing of that id is held back.
        """
        async with self._deciding:
            if (found := self._sets.get(set_id)) is None:
                raise NotFound(f"there is nothing {set_id[:50]!r} held back (any more)")
            await self._give_up(found)

    async def forget(self, thread_id: ThreadId) -> None:
        """A conversation was deleted: what was held back in it is given up."""
        async with self._deciding:
            for one in self._of(thread_id):
                await self._give_up(one)

    async def _keep_alone(self, thread_id: ThreadId, set_id: str, look: Look) -> str:
        if (found := self._found(thread_id, set_id)) is None:
            known = ", ".join(one.id for one in self._of(thread_id)) or "nothing"
            if set_id in self._sets:
                raise NotFound(
                    f"{set_id!r} is held back in another conversation, which alone can ask the person for it; {known} "
                    "of this one is held back: nothing was put into the workspace"
                )
            raise NotFound(
                f"there is nothing {set_id[:50]!r} held back in this conversation (held back: {known}): it was put "
                "into the workspace, or given up: look, and run the command again"
            )
        seen = _indexes(found)
        staged = await _staged(found, found.staged, look) if found.staged else {}
        # Git has only looked at files again there, as it does with each `git status` of a person or an editor.
        same = {index for folder, index in seen.items() if staged.get(folder) == found.staged[folder]}
        try:
            return await _whole(lambda: self._kept(found, same))
        except Conflict:
            await self._give_up(found)
            raise
        except Refused as error:
            raise Refused(f"nothing was put into the workspace, and all of it waits still: {error.message}") from error
        finally:
            if found.layer.landed.exists():  # also if this was cut off meanwhile
                await self._give_up(found)

    def _of(self, thread_id: ThreadId) -> list[HeldSet]:
        return [one for one in self._sets.values() if one.thread_id == thread_id]

    def _found(self, thread_id: ThreadId, set_id: str) -> HeldSet | None:
        of_thread = self._of(thread_id)
        return next((one for one in reversed(of_thread) if set_id in ("", one.id)), None)

    async def _give_up(self, one: HeldSet) -> None:
        self._sets.pop(one.id, None)
        await _whole(lambda: self._layers.remove(one.layer))

    # ------------------------------------------------------------------------------------------- on a worker thread

    def _landed(self, layer: Layer, thread_id: ThreadId) -> tuple[HeldSet, str] | str:
        layer.close()
        with locked(layer.workspace):
            return self._landed_alone(layer, thread_id)

    def _landed_alone(self, layer: Layer, thread_id: ThreadId) -> tuple[HeldSet, str] | str:
        """What is held back and what is shown last of it, or else what is told."""
        made = self._made.get(layer.workspace, {})
        if not (changes := changes_in(layer, layer.since_ns, layer.before, made)):
            return ""
        found = judged(changes, ObeyedFiles(layer.workspace, self._programs).who)
        asked = [one.change for one in found if one.why]
        if not asked:
            self._put(layer, [one.change for one in found if not (one.change.same and one.change.raced)])
            return _left_out(changes)
        by_name = [change for change in asked if not is_record(change)]
        if len(by_name) > MOST_ASKED:
            raise TooLarge(
                f"programs may run or obey {len(by_name):,} of its files, and a person is asked about {MOST_ASKED} at "
                f"most: {named(by_name)}. Do it in steps, or in a conversation that holds no text from outside"
            )
        first, beside = question_of(layer, found)
        held = HeldSet(
            thread_id,
            layer,
            first,
            _waiting(found),
            frozenset(repository_of(change) for change in asked if is_record(change)),
            layer.closed_ns // _NS_IN_MS,
            snapshot_at(Path(layer.workspace), (one.parts for one in changes)),
        )
        return held, beside

    def _kept(self, held: HeldSet, same: Collection[tuple[str, int]]) -> str:
        with locked(held.layer.workspace):
            return self._kept_alone(held, {path for path, at_ns in same if (path, at_ns) in _indexes(held).values()})

    def _kept_alone(self, held: HeldSet, same: Collection[str]) -> str:
        layer = held.layer
        changes = changes_in(layer, layer.closed_ns, held.before, self._made.get(layer.workspace, {}))
        raced = [change.path for change in changes if change.raced and not (change.same or change.path in same)]
        # What links lead to, and settings of git may, has to be as it was when a person was asked.
        if not raced and (led := led_to_and_changed(layer, (change for change in changes if not change.same))):
            raise Conflict(
                f"nothing was put into the workspace: somebody has changed {led} since, and links or settings of git "
                "in this may lead there; run the command again"
            )
        if raced:
            raise Conflict(
                "nothing was put into the workspace: somebody has changed "
                f"{', '.join(map(printable, raced[:MOST_SETS]))} since; run the command again"
            )
        if same:
            layer.close()  # all but these are as they were: it was just seen
        try:
            self._put(layer, [change for change in changes if not (change.same and change.raced)])
        except Conflict:
            raise
        except Refused:
            layer.close()  # what was put back looks as if somebody had changed it; until now nobody has
            raise
        return f"What the command changed is in the workspace now. {_left_out(changes)}".rstrip()

    def _put(self, layer: Layer, changes: Sequence[Change]) -> None:
        made = self._made.setdefault(layer.workspace, {})
        made |= put(layer, changes)
        for path in list(made)[:-MOST_CHANGES]:
            del made[path]

    def _left(self) -> list[HeldSet]:
        found: list[HeldSet] = []
        for folder in sorted(self._layers.left(), key=lambda path: path.lstat().st_ctime_ns):
            layer, again = Layer(folder, ""), put_again(folder)
            if again == "waits":
                continue
            if again == "landed":
                self._layers.remove(layer)
                continue
            try:
                note = json.loads(layer.note.read_text())
                layer = Layer(folder, str(note["workspace"]))
                staged = {str(folder): str(digest) for folder, digest in note.get("staged", {}).items()}
                thread_id = ThreadId(note["thread_id"])
                at_ms = layer.closed_ns // _NS_IN_MS
                before = Snapshot.from_json(note["before"]) if "before" in note else Snapshot()
                said = (note["question"], note["told"])
                found.append(HeldSet(thread_id, layer, *said, held_ms=at_ms, before=before, staged=staged))
            except (OSError, ValueError, KeyError):  # of a command that was at work, or not held back to the end
                self._layers.remove(layer)
        return found


def _noted(held: HeldSet) -> None:
    """Have it outlive the daemon."""
    note = {"thread_id": held.thread_id, "workspace": held.layer.workspace, "question": held.question}
    beside = {"told": held.told, "staged": dict(held.staged), "before": held.before.to_json()}
    held.layer.note.write_text(json.dumps(note | beside))


async def _staged(held: HeldSet, folders: Iterable[str], look: Look) -> dict[str, str]:
    """What is staged in repositories of the workspace, by folder; nothing of one that was written since the command."""
    found: dict[str, str] = {}
    for folder in list(folders)[:MOST_REPOSITORIES]:
        found[folder] = await look(f"cd {shlex.quote(folder or '.')} && {INDEX}", None)
    if held.staged:
        return found
    return {folder: said for folder, said in found.items() if not _is_written(held, folder)}


def _is_written(held: HeldSet, folder: str) -> bool:
    written = _indexes(held, [folder]).get(folder)
    return written is None or written[1] > held.layer.closed_ns


def _indexes(held: HeldSet, folders: Iterable[str] | None = None) -> dict[str, tuple[str, int]]:
    """Where the indexes of repositories are and when they were written (``st_ctime_ns``), by repository."""
    found: dict[str, tuple[str, int]] = {}
    for folder in held.staged if folders is None else folders:
        path = "/".join(filter(None, (folder, ".git", "index")))
        with suppress(OSError):
            found[folder] = path, Path(held.layer.workspace, path).lstat().st_ctime_ns
    return found


def _left_out(changes: Sequence[Change]) -> str:
    odd = [f"{printable(change.path)} ({NOT_KEPT})" for change in changes if change.kind == "odd"]
    rights = [printable(change.path) for change in changes if change.refused]
    said = [f"Not in the workspace: {_first_of(odd, '; ')}"] if odd else []
    if rights:
        said.append(
            "A command of a conversation that holds text from outside changes nobody's rights to read and write what "
            f"was there before: these are as they were: {_first_of(rights, ', ')}"
        )
    return ". ".join(said)


def _first_of(names: Sequence[str], between: str) -> str:
    more = f" and {len(names) - MOST_SETS} more" if names[MOST_SETS:] else ""
    return f"{between.join(names[:MOST_SETS])}{more}"


def _waiting(judged_: Sequence[JudgedChange]) -> str:
    """What waits, and why, for a model."""
    raced = [one.change for one in judged_ if one.why == SOMEBODY]
    out = [one.change for one in judged_ if one.why == OUTSIDE]
    asked = [one.change for one in judged_ if one.why not in ("", SOMEBODY, OUTSIDE)]
    others = [change for change in asked if not is_record(change)] or ([] if raced or out else asked)
    found = [f"somebody else has changed {named(raced)} meanwhile"] if raced else []
    found += [f"links lead out of the workspace: {named(out)}"] if out else []
    return " and ".join([*found, *([f"programs may run or obey {named(others)}"] if others else [])])


async def _whole(work: Callable[[], Value]) -> Value:
    """Work of a thread that ends before this does, also if this is cut off: nothing changes the workspace behind it."""
    done = asyncio.get_running_loop().run_in_executor(None, work)
    try:
        return await asyncio.shield(done)
    except asyncio.CancelledError:
        await asyncio.wait([done])
        raise
