"""Lists what commands have changed and a person has to allow, and has it kept or given up when a person says so."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sulla.agent.calls.file_marks import FileMarks
from sulla.agent.model.pictures import spelled_text
from sulla.changes.rpc import ChangesDecided, ChangesRow, ChangesRows, ChangesShown
from sulla.core.clock import Clock
from sulla.core.control import Control
from sulla.core.errors import Conflict, NotFound, Refused, Unavailable
from sulla.core.ids import CallId, RunId
from sulla.core.jsontypes import FrozenJson, Json, JsonObject
from sulla.core.redact import Redactor
from sulla.core.stamp import stamp
from sulla.core.words import Author
from sulla.tools.attempt import within
from sulla.tools.base import Done, Result, ToolContext
from sulla.tools.builtin.shell import HeldBack
from sulla.tools.shell.layer import why_not_written
from sulla.work.switch import WorkSwitch

if TYPE_CHECKING:
    from sulla.tools.shell.held import HeldSet

GIVEN_UP = "Given up: nothing of what the command changed gets into the workspace."


class WaitingChanges:
    """Does the methods of `sulla.changes.rpc`. Lives as long as the daemon, and keeps nothing.

    Args:
        held: what is held back.
        marks: which files are not to be trusted.
        workspace: where changes are put.
        clock: all time.
        switch: says whether all work stands still.
        redactor: takes the daemon's secrets out of what is shown.
    """

    def __init__(
        self, held: HeldBack, marks: FileMarks, workspace: Path, clock: Clock, switch: WorkSwitch, redactor: Redactor
    ) -> None:
        self._held = held
        self._marks = marks
        self._workspace = workspace
        self._clock = clock
        self._switch = switch
        self._redactor = redactor

    async def list(self) -> ChangesRows:
        """All that waits."""
        return ChangesRows(tuple([self._row(one) for one in await self._held.every()]))

    async def show(self, changes: str) -> ChangesShown:
        """What a person is asked about the changes of one command."""
        found = await self._one(changes)
        asked = spelled_text(self._redactor.text(found.question))  # as questions about calls show it
        return ChangesShown(found.id, found.thread_id, asked)

    async def keep(self, changes: str) -> ChangesDecided:
        """Put them into the workspace, by what a model would have had to call and within the same marks."""
        if paused := self._switch.trouble():
            raise Conflict(f"nothing was put into the workspace, and all of it waits still: {paused}")
        found, tool = await self._one(changes), self._held.keeper
        args: FrozenJson = {"action": "keep", "job": found.id}
        touch = await self._marks.before(tool, args, context := self._context(found))

        async def kept() -> Result:
            return await tool.run(args, context)

        try:
            done = await within(self._clock, tool.timeout_s, kept(), tool.name)
        except TimeoutError as error:
            raise Unavailable(
                f"that took more than {tool.timeout_s:g} s: see whether {found.id} waits still"
            ) from error
        except OSError as error:
            raise Refused(f"nothing was put into the workspace: {why_not_written(error, self._workspace)}") from error
        finally:
            await self._marks.after(touch, None)
        self._tell(found, "was put into the workspace by the person")
        text = done.text if isinstance(done, Done) else ""
        return ChangesDecided(found.id, found.thread_id, self._redactor.text(text))

    async def drop(self, changes: str) -> ChangesDecided:
        """Give them up."""
        found = await self._one(changes)
        await self._held.changes().drop(found.id)
        self._tell(found, "was given up by the person, and is not in the workspace")
        return ChangesDecided(found.id, found.thread_id, GIVEN_UP)

    async def status(self) -> JsonObject:
        """How many wait, for `sulla status`."""
        return {"changes": len(await self._held.every())}

    def _tell(self, found: HeldSet, what: str) -> None:
        """Have the conversation's agent told with its next message."""
        self._held.decided.setdefault(found.thread_id, []).append(f"what a command had changed, {found.id}, {what}")

    async def _one(self, changes: str) -> HeldSet:
        for one in await self._held.every():
            if one.id == changes:
                return one
        raise NotFound(f"no changes {changes[:50]!r} wait (any more); `sulla changes` lists those that do")

    def _row(self, one: HeldSet) -> ChangesRow:
        return ChangesRow(one.id, one.thread_id, stamp(one.held_ms), self._redactor.text(one.told))

    def _context(self, found: HeldSet) -> ToolContext:
        """What the tool is told of the call: a person makes it, with words of a conversation that nobody trusts."""
        return ToolContext(
            found.thread_id,
            RunId(found.id),
            CallId(found.id),
            found.id,
            self._workspace,
            self._clock,
            Control(),
            _not_shown,
            Author.OUTSIDE,
            approved=found.question,
        )


def _not_shown(note: Json) -> None:
    """Nobody watches how it goes on."""
