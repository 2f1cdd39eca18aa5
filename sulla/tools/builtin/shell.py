"""Running commands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.errors import NotFound, Refused
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import FrozenJson, JsonObject
from sulla.core.words import Author, Words, ours, worst
from sulla.tools.base import Done, Reach, Result, TimeLimit, Tool, ToolContext
from sulla.tools.define import define, giving
from sulla.tools.output import KEPT_BYTES, TAIL_BYTES, Output, readable, readable_pieces
from sulla.tools.overflow import how_to_read, rest_of
from sulla.tools.schema import Bounds
from sulla.tools.shell.jobs import MAX_JOB_S, ShellJob, ShellJobs
from sulla.tools.shell.layer import Layer, why_not_written
from sulla.tools.shell.process import ProcessEnd, Program, run_program
from sulla.tools.shell.sandbox import Shell

if TYPE_CHECKING:
    from sulla.tools.shell.held import HeldChanges, HeldSet

MAX_COMMAND_S: Final = 600
"""The longest that a command may be waited for, in seconds; jobs may take longer."""
USUAL_S: Final = 120
"""How long it may take unless said otherwise, in seconds."""
MAX_COMMAND: Final = 20_000
MAX_READ_BYTES: Final = TAIL_BYTES
"""How much of a job's output is shown at once."""
LOOK_S: Final = 10.0
"""How long git may take to tell what is in a repository."""
PROGRESS_S: Final = 0.25
"""Output is shown to whoever watches this often at the most, in seconds."""
PROGRESS_BYTES: Final = 2000

Held = Callable[[], "HeldChanges"]
"""Gives what holds changes back, always the same; the first call loads it."""


@dataclass(frozen=True, slots=True)
class HeldBack:
    """What commands have changed and a person has to allow, for people, who ask no model. Lives as long as the
    daemon."""

    changes: Held
    is_any: Callable[[], bool]
    """Whether anything may be held back; looks into a folder, and loads nothing."""
    keeper: Tool
    """`bash_job`: its action 'keep' puts changes into the workspace."""
    decided: dict[ThreadId, list[str]]
    """What people have decided on changes of a conversation's commands, and its agent was not told of yet."""

    async def every(self) -> tuple[HeldSet, ...]:
        """All that is held back, the oldest first."""
        return (await asyncio.to_thread(self.changes)).every() if await asyncio.to_thread(self.is_any) else ()


def shell_tools(shell: Shell, jobs: ShellJobs, held: Held) -> tuple[Tool, ...]:
    """`bash` and `bash_job`.

    Args:
        shell: what runs commands.
        jobs: those that go on beside the conversation.
        held: what of a mistrusted conversation's commands a person has to allow.
    """
    return _bash(shell, jobs, held), _bash_job(shell, jobs, held)


def _bash(shell: Shell, jobs: ShellJobs, held: Held) -> Tool:
    def reach(args: FrozenJson, context: ToolContext) -> Reach:
        return "inward" if shell.sealed else "outward"

    async def bash(
        context: ToolContext,
        *,
        command: Annotated[str, Bounds(1, MAX_COMMAND)],
        timeout_s: Annotated[int, Bounds(1, MAX_JOB_S)] = USUAL_S,
        background: bool = False,
    ) -> Result:
        """Run a command with bash in the workspace and tell what it printed and its exit status. It has no input and no
        terminal, and what it leaves running is killed when it ends. A sandbox, where there is one, gives it no network,
        not even to jobs of before (start a server and talk to it in one command), and lets it write in the workspace
        and a /tmp of this command only.

        Args:
            command: The command line; may be several lines.
            timeout_s: Seconds after which it is killed; at most 600, or 3600 with background.
            background: Whether to go on without waiting; look at the job with bash_job.
        """
        if timeout_s > MAX_COMMAND_S and not background:
            said = f"timeout_s is {timeout_s}; more than {MAX_COMMAND_S} is for background=true"
            return Done(ours(said), is_error=True, nothing_read=True)
        by = context.by if shell.sealed else Author.OUTSIDE  # without a sandbox it may have fetched anything
        if background:
            program = await shell.program(command, context.workspace, tainted=context.tainted)
            job = jobs.new(context.thread_id, command, by)
            jobs.start(program, job, context, timeout_s)
            said = f"Started {job.id}. bash_job with action 'read' and job '{job.id}' shows how it goes."
            return Done(ours(said), goes_on=True, data={"text": said, "exit_status": None})
        if not (context.tainted and shell.layered):
            program = await shell.program(command, context.workspace, tainted=context.tainted)
            return await _ran(shell, program, command, context, timeout_s, by)
        changes = await asyncio.to_thread(held)
        async with changes.layer(context.workspace) as layer:
            program = await shell.program(command, context.workspace, tainted=True, layer=layer)
            done = await _ran(shell, program, command, context, timeout_s, by)
            done = _with_rest(done, await _landed(shell, changes, layer, done, context), context)
            return replace(done, held=changes.id_of(layer))

    tool = define(bash, category="shell", timeout_s=MAX_COMMAND_S + 10.0, parallel=False, reach=reach)
    told = "0, for a step fails with any other; null for a job in the background"
    status: JsonObject = {"type": ["integer", "null"], "enum": [0, None], "description": told}
    return giving(replace(tool, asks=partial(_asks, shell), files="all", remarks=True, late=_late), exit_status=status)


def _asks(shell: Shell, args: FrozenJson, context: ToolContext) -> str:
    """What is asked before a command; empty for nothing."""
    command = str(args.get("command"))
    if not shell.sealed:
        return f"Run this without a sandbox, in {context.workspace}: {command}"
    if not context.tainted or (shell.layered and not args.get("background")):
        return ""
    why = "beside the conversation" if shell.layered else f"({shell.layer_trouble})"
    return (
        f"Run this {why}, able to change files of the workspace that your programs run? The conversation holds text "
        f"from outside that may have asked for it: {command}"
    )


async def _ran(
    shell: Shell, program: Program, command: str, context: ToolContext, timeout_s: float, by: Author
) -> Done:
    """Run it to its end, and say what it came to."""
    output = Output()
    ended = await run_program(program, _shown_live(output, context), context.clock, timeout_s)
    how = _killed(timeout_s) if ended.timed_out else f"exit status {ended.status}"
    return await _told_of_command(shell, command, output, ended, how, context, by)


def _killed(timeout_s: float) -> str:
    return f"killed after {timeout_s} s, its time limit"


def _late(args: FrozenJson) -> TimeLimit:
    """What becomes of a command that takes too long; one in the background begins in no time."""
    wanted = args.get("timeout_s", USUAL_S)
    seconds = wanted if isinstance(wanted, int) and not args.get("background") else USUAL_S
    return TimeLimit(seconds, f"[{_killed(seconds)}, {seconds:.1f} s]")


async def _looked(shell: Shell, context: ToolContext, command: str, layer: Layer | None) -> str:
    """What a command prints that looks at what another has written, and can change nothing of that."""
    output = Output()
    program = await shell.program(command, context.workspace, tainted=True, layer=layer, reading=layer is not None)
    await run_program(program, output.feed, context.clock, LOOK_S)
    return readable(output.kept)


async def _landed(shell: Shell, changes: HeldChanges, layer: Layer, done: Done, context: ToolContext) -> str:
    """What is to be told of changes that are not in the workspace; empty for nothing.

    Raises:
        Refused: the command was not run, or none of them can be kept.
    """
    if not layer.mounted:
        said = f"no layer can be put over the workspace ({layer.folder}): {done.text[:500]}"
        raise Refused(f"the command was not run: {said}")
    try:
        rest = await changes.land(layer, context.thread_id, partial(_looked, shell, context))
    except OSError as error:
        why = why_not_written(error, layer.folder.parent)
        raise Refused(f"nothing of what the command changed is in the workspace: {why}") from error
    held = changes.waiting(context.thread_id) if context.whole_bytes else ()
    if not held:
        return rest
    # No later step of a playbook can ask a person for them.
    await changes.forget(context.thread_id)
    told = held[-1].partition(" allows it: ")[2] or held[-1]
    instead = _INSTEAD if "programs may run or obey" in told or "links lead" in told else _IN_TURN
    return f"Nothing of what the command changed is in the workspace, and it is given up: {told}. {instead}"


_INSTEAD: Final = (
    "In a run that has read text from outside a command does not change such files: have it in a playbook of its own "
    "that reads nothing from outside, give these files other names, or write one with `write_file`, which asks a person"
)
_IN_TURN: Final = (
    "In a run that has read text from outside, a marked file included, a command works on a layer of its own, and of "
    "those at work at the same time one alone changes a file: have these steps one behind the other (`needs`, "
    "`at_once: 1`, `concurrency`), or let each write a file of its own"
)


def _with_rest(done: Done, rest: str, context: ToolContext) -> Done:
    """A result that says what of the command's changes is not in the workspace. A playbook does not count on what is
    not there: its step fails, and no other attempt mends it."""
    if not rest:
        return done
    failed = done.is_error or bool(context.whole_bytes)
    return replace(done, words=Words(f"{done.text}\n[{rest}]", done.words.by), is_error=failed, refused=failed)


async def _told_of_command(
    shell: Shell, command: str, output: Output, ended: ProcessEnd, how: str, context: ToolContext, by: Author
) -> Done:
    """What a command came to."""
    whole = output.total <= min(context.whole_bytes, KEPT_BYTES)
    rest = ""
    if output.long and not whole:
        pieces = map(context.redact, readable_pieces(output.kept))
        rest = await rest_of(context.workspace, context.call_id, pieces)
    text = (readable(output.kept) if whole else output.show(rest)).rstrip("\n")
    # Where the command ended well one of its programs may have met it, or it only printed such words.
    hint = shell.hint(command, text)
    bound = ended.exceeded or (f"if a program failed here: {hint}" if hint and not ended.status else hint)
    note = f"[{how}, {ended.elapsed_s:.1f} s{bound and f'; {bound}'}]"
    done = Done(Words(f"{text}\n{note}" if text else note, by), is_error=ended.status != 0)
    return _with_data(done, output, ended.status) if context.whole_bytes else done


def _with_data(said: Done, output: Output, status: int) -> Done:
    """A result with what was printed as it was printed: colours and controls stay, and nothing is spelled out."""
    cut = ""
    try:
        text = output.kept.decode()
    except UnicodeDecodeError as error:
        text = readable(output.kept)
        cut = (
            f"the command printed what is no text in UTF-8 (byte {output.kept[error.start]:#04x} at offset "
            f"{error.start}): have it print that as text, such as with `| base64 -w0`, or write it to a file"
        )
    if output.total > len(output.kept):
        cut = (
            f"the command printed {output.total} bytes, and a step takes {len(output.kept)}: have it print less, or "
            "write to a file"
        )
    return replace(said, data={"text": text, "exit_status": status}, cut=cut)


def _bash_job(shell: Shell, jobs: ShellJobs, held: Held) -> Tool:
    def asks(args: FrozenJson, context: ToolContext) -> str:
        return held().question(context.thread_id, str(args.get("job", ""))) if args.get("action") == "keep" else ""

    async def bash_job(
        context: ToolContext,
        *,
        action: Literal["list", "read", "kill", "keep"] = "list",
        job: str = "",
        after: Annotated[int, Bounds(0)] = 0,
    ) -> Result:
        """Look at commands that were started in the background, or kill one.

        Args:
            action: list: all of this conversation; read: how one goes and what it printed; kill: end one; keep: ask
                the person for changes held back.
            job: Which.
            after: For read: skip so many bytes of the output.
        """
        if action == "keep":
            looker = partial(_looked, shell, context)
            return Done(Words(await held().keep(context.thread_id, job, looker), context.by))
        now_s = context.clock.elapsed()
        if action == "list":
            found = jobs.of(context.thread_id)
            lines = [f"{one.id}: {one.state(now_s)}: {one.command[:100]!r}" for one in found]
            waiting = held().waiting(context.thread_id)
            if not (found or waiting):
                return Done(ours("No jobs in this conversation."), nothing_read=True)
            by = worst((context.by, *(one.by for one in found)))
            return Done(Words("\n".join([*lines, *waiting]), by))
        try:
            one = jobs.get(context.thread_id, job)
        except NotFound as error:
            return Done(ours(error.message), is_error=True, nothing_read=True)
        if action == "kill":
            await jobs.kill(one)
        return _told(one, now_s, after)

    # What a job prints may come from any file.
    tool = define(bash_job, effect="idempotent", category="shell", timeout_s=60.0, parallel=False, reach="inward")
    return replace(tool, asks=asks, files="all", remarks=True)


def _told(job: ShellJob, now_s: float, after: int) -> Done:
    output = job.output
    new = output.since(after, MAX_READ_BYTES)
    lines = [f"[{job.id}: {job.state(now_s)}; {output.total} bytes printed; go on with after={output.total}]"]
    if job.file:
        lines.append(f"[{how_to_read(job.file)}]")
    if job.made:
        lines.append(f"[{job.made}]")
    cut = f"[… the last {len(new)} bytes of what is new]" if len(new) < output.total - after else ""
    told = filter(None, (*lines, cut, readable(new)))
    return Done(Words("\n".join(told), job.by), data={"text": readable(new)}, cut=cut)


def _shown_live(output: Output, context: ToolContext) -> Callable[[bytes], None]:
    """Takes a command's output, and now and then shows what is new of it to whoever watches."""
    shown, due_s = 0, context.clock.elapsed()

    def feed(chunk: bytes) -> None:
        nonlocal shown, due_s
        output.feed(chunk)
        now_s = context.clock.elapsed()
        if now_s >= due_s:
            context.progress(readable(output.since(shown, PROGRESS_BYTES)))
            shown, due_s = output.total, now_s + PROGRESS_S

    return feed
