"""What commands of mistrusted conversations have changed and a person has to allow: held back in a layer until then."""

from __future__ import annotations

import asyncio
import difflib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final, TypeVar

from sulla.core.dataclass import dataclass
from sulla.core.errors import NotFound, TooLarge
from sulla.core.ids import ThreadId
from sulla.tools.paths import printable
from sulla.tools.program_files import ProgramFiles
from sulla.tools.shell.changes import Change
from sulla.tools.shell.landing import NOT_KEPT, HeldChange, landed, put
from sulla.tools.shell.layer import Layer, Layers

MOST_SETS: Final = 16
"""Commands of which changes are held back at once; those of the oldest are given up first."""
MOST_NAMED: Final = 20
"""Files and folders that are named at once."""
MOST_SHOWN: Final = 6_000
"""Characters of changes that a person is shown with the question."""
MOST_READ: Final = 65_536
"""Bytes of a file whose change is shown line by line."""

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class HeldSet:
    """What of one command's changes was held back. It lives until they were put into the workspace or given up."""

    id: str
    """Its content in short, so that a yes to it is one to nothing else."""
    thread_id: ThreadId
    layer: Layer
    held: tuple[HeldChange, ...]
    question: str
    """What a person is asked before they are put into the workspace."""
    told: str
    """What the model is told of them."""


class HeldChanges:
    """Gives commands their layers and puts what they have written into the workspace, at once or when a person has
    allowed it. It lives as long as the daemon; what is held back is given up with it.

    Args:
        layers: makes the layers.
        programs: says which files programs of the owner run.
    """

    def __init__(self, layers: Layers, programs: ProgramFiles) -> None:
        self._layers = layers
        self._programs = programs
        self._sets: dict[str, HeldSet] = {}

    @asynccontextmanager
    async def layer(self, workspace: Path) -> AsyncIterator[Layer]:
        """A layer for one command; it is removed at the end, unless something in it was held back.

        Args:
            workspace: the folder that the command works in.

        Raises:
            Refused: none can be made.
        """
        layer = await asyncio.to_thread(lambda: self._layers.make(str(workspace.resolve())))
        try:
            yield layer
        finally:
            if all(one.layer is not layer for one in self._sets.values()):
                await _whole(lambda: self._layers.remove(layer))

    async def land(self, layer: Layer, thread_id: ThreadId) -> str:
        """Put into the workspace what nobody has to allow, and hold back the rest.

        Args:
            layer: of a command that has ended.
            thread_id: its conversation.

        Returns:
            What is to be told of the rest, in sentences; empty if there is none.
        """
        try:
            found = await _whole(lambda: self._landed(layer, thread_id))
        except TooLarge as error:
            return f"Nothing of what it changed is in the workspace: {error.message}"
        if found is None:
            return ""
        if all(one.why == NOT_KEPT for one in found.held):
            return found.told
        self._sets[found.id] = found
        while len(self._sets) > MOST_SETS:
            await self._give_up(next(iter(self._sets.values())))
        return f"{found.told}. `bash_job` with action 'keep' and job '{found.id}' asks the person to put that there"

    def question(self, thread_id: ThreadId, set_id: str) -> str:
        """What a person is asked before changes are put into the workspace; empty if there are none of that id.

        Args:
            thread_id: the conversation.
            set_id: whose; empty for the newest.
        """
        found = self._found(thread_id, set_id)
        return "" if found is None else found.question

    async def keep(self, thread_id: ThreadId, set_id: str) -> str:
        """Put changes into the workspace that a person has allowed.

        Args:
            thread_id: the conversation.
            set_id: whose; empty for the newest.

        Returns:
            What came of it, in a sentence.

        Raises:
            NotFound: nothing of that id is held back in this conversation.
        """
        if (found := self._found(thread_id, set_id)) is None:
            known = ", ".join(one.id for one in self._of(thread_id)) or "nothing"
            raise NotFound(
                f"there is nothing {set_id[:50]!r} held back in this conversation (held back: {known}); run the "
                "command again"
            )
        changes = [one.change for one in found.held if one.why != NOT_KEPT]
        failed = await _whole(lambda: put(found.layer, changes))
        await self._give_up(found)
        but = f"; but not {_named(failed, self._programs)}" if failed else ""
        return f"{len(changes) - len(failed)} of {len(changes)} changes are in the workspace now{but}"

    async def forget(self, thread_id: ThreadId) -> None:
        """A conversation was deleted: what was held back in it is given up."""
        for one in self._of(thread_id):
            await self._give_up(one)

    def _of(self, thread_id: ThreadId) -> list[HeldSet]:
        return [one for one in self._sets.values() if one.thread_id == thread_id]

    def _found(self, thread_id: ThreadId, set_id: str) -> HeldSet | None:
        of_thread = self._of(thread_id)
        return next((one for one in reversed(of_thread) if set_id in ("", one.id)), None)

    async def _give_up(self, one: HeldSet) -> None:
        self._sets.pop(one.id, None)
        await _whole(lambda: self._layers.remove(one.layer))

    def _landed(self, layer: Layer, thread_id: ThreadId) -> HeldSet | None:
        if not (held := landed(layer, self._programs)):
            return None
        told = f"Not in the workspace: {_named(held, self._programs)}"
        question = (
            f"Put into the workspace what a command has changed? {_named(held, self._programs)}. The conversation "
            f"holds text from outside that may have asked for this.\n{_shown(layer, [one.change for one in held])}"
        ).rstrip()
        return HeldSet(f"changes_{_digest(layer, held)}", thread_id, layer, held, question, told)


async def _whole(work: Callable[[], Value]) -> Value:
    """Work of a thread that ends before this does, also if this is cut off: nothing changes the workspace behind it."""
    done = asyncio.get_running_loop().run_in_executor(None, work)
    try:
        return await asyncio.shield(done)
    except asyncio.CancelledError:
        await asyncio.wait([done])
        raise


def _named(held: Sequence[HeldChange], programs: ProgramFiles) -> str:
    """What was held back and why, shortly: what lies in a folder that programs obey is one with it."""
    found = Counter((_label(one.change, programs), one.why) for one in held)
    reasons: dict[str, list[str]] = {}
    for (label, why), count in list(found.items())[:MOST_NAMED]:
        reasons.setdefault(why, []).append(f"{label} with {count} changes" if label.endswith("/") else label)
    said = "; ".join(f"{', '.join(labels)} ({why})" for why, labels in reasons.items())
    return f"{said}; and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else said


def _label(change: Change, programs: ProgramFiles) -> str:
    for end in range(1, len(change.parts) + (change.kind == "folder")):
        if programs.reader(change.parts[:end], folder=True):
            return f"{printable('/'.join(change.parts[:end]))}/"
    return printable(change.path)


def _shown(layer: Layer, changes: Iterable[Change]) -> str:
    """How texts would change, line by line, the short ones first, as far as that is not too much."""
    pieces: list[str] = []
    left = MOST_SHOWN
    for change in sorted(changes, key=lambda one: one.size):
        before = _lines(Path(layer.workspace, *change.parts))
        after = [] if change.kind == "gone" else _lines(layer.upper.joinpath(*change.parts))
        if before is None or after is None:
            continue
        lines = list(difflib.unified_diff(before, after, "before", printable(change.path), lineterm="", n=1))
        piece = "\n".join(lines)
        if len(piece) > left:
            pieces.append(f"[… more changes than are shown here, such as in {printable(change.path)}]")
            break
        pieces += [piece] if piece else []
        left -= len(piece)
    return "\n".join(pieces)


def _lines(file: Path) -> list[str] | None:
    """Those of a short text; None for what is none, nothing for what is not there."""
    if file.is_symlink():
        return [f"a link to {printable(str(file.readlink()))}"]
    if not file.exists():
        return []
    if not file.is_file() or file.stat().st_size > MOST_READ:
        return None
    raw = file.read_bytes()
    if b"\0" in raw:
        return None
    lines = raw.decode("utf-8", "backslashreplace").split("\n")
    return [
        "".join(char if char.isprintable() or char == "\t" else repr(char)[1:-1] for char in line) for line in lines
    ]


def _digest(layer: Layer, held: Iterable[HeldChange]) -> str:
    found = sha256(layer.folder.name.encode())
    for one in held:
        found.update(f"{one.change.kind} {one.change.size} {one.change.path}\n".encode("utf-8", "surrogateescape"))
    return found.hexdigest()[:12]
