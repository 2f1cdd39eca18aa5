"""Running one tool call: whatever happens in it becomes a result that a model can act on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from sulla.core.errors import (
    Aborted,
    Forbidden,
    InvalidInput,
    NotAvailable,
    NotFound,
    Refused,
    SettingsError,
    StaleLease,
    SullaError,
    Unauthorized,
)
from sulla.core.message import ToolCall
from sulla.core.words import Author, Words, ours
from sulla.tools.attempt import is_cancelled, within
from sulla.tools.base import Done, Result, Tool, ToolContext, Waiting
from sulla.tools.nearest import nearest
from sulla.tools.overflow import rest_of
from sulla.tools.policy import reach_of
from sulla.tools.registry import Toolbox
from sulla.tools.repair import repaired
from sulla.tools.schema import validate

MAX_RESULT_BYTES = 48 * 1024
"""The most that one result may add to a conversation, in bytes of UTF-8: some 12,000 tokens."""

MAX_STEP_BYTES = 4 * 1024 * 1024
"""The same for a step of a playbook, which adds to no conversation: as much as `write_file` takes at once."""

CUT_BYTES = 128
"""The most characters that the note about a cut takes, without the hint at how to read the rest."""

MAX_NAMES = 20
"""How many tool names a model is reminded of."""

MAX_WHOLE_BYTES = 16 * 1024 * 1024
"""The longest result that is kept as a file; of a longer one only so much is."""

_PASSED_ON = (Aborted, StaleLease)
"""These end the run; they are no tool's result."""

_TIMELESS = (InvalidInput, NotFound, NotAvailable, Forbidden, Unauthorized, SettingsError)
"""What a tool raises for a call that time does not mend."""

_LOG = logging.getLogger(__name__)


async def run_call(toolbox: Toolbox, call: ToolCall, context: ToolContext) -> Result:
    """Run one call within its tool's time.

    An unknown tool, wrong arguments, a tool that fails and one that takes too long all become error results; arguments
    that are almost right are mended first (`mend`). What of a result is too long is kept as a file of the workspace. An
    abort, a lost lease and cancellation are passed on.

    Args:
        toolbox: the tools that the caller may use.
        call: what the model wants.
        context: what the tool gets besides its arguments.

    Returns:
        The result; its text is valid UTF-8 of at most `MAX_RESULT_BYTES`, or of `ToolContext.whole_bytes`.

    Raises:
        Aborted: the run was told to end.
        StaleLease: somebody else holds the thread.
    """
    tool = toolbox.get(call.name)
    if tool is None:
        return Done(ours(_unknown(call.name, toolbox)), is_error=True, refused=True)
    if tool.missing:
        return Done(ours(f"{tool.name} cannot be used: {tool.missing}"), is_error=True, refused=True)
    mended = repaired(call.args, tool.schema)
    if problems := validate(mended.args, tool.schema):
        return Done(ours(_invalid(tool, problems)), is_error=True, nothing_read=True, refused=True)
    call = replace(call, args=mended.args)
    try:
        result = await within(context.clock, tool.timeout_s, _attempt(tool, call, context), tool.name)
    except TimeoutError:
        return Done(ours(tool.limit.said), is_error=True)
    except asyncio.CancelledError as error:
        if is_cancelled():
            raise
        return _failed(
            error, tool, call, context
        )  # the tool's own: it awaited what was cancelled, and nobody cuts it off
    if isinstance(result, Waiting):
        return result
    note = f"\n\n[The arguments were mended: {'; '.join(mended.notes)}.]" if mended.notes else ""
    return await _capped(result, note, tool, context)


def mend(toolbox: Toolbox, call: ToolCall) -> ToolCall:
    """The call as `run_call` will make it. Whoever decides whether it may be made decides about this one.

    Args:
        toolbox: the tools that the caller may use.
        call: what the model wants.
    """
    tool = toolbox.get(call.name)
    return call if tool is None else replace(call, args=repaired(call.args, tool.schema).args)


async def _attempt(tool: Tool, call: ToolCall, context: ToolContext) -> Result:
    """Run the tool and catch what it raises: a ``TimeoutError`` further out is then surely the time limit's."""
    context.control.check()  # it has a task of its own, and the process may have stood still before that one began
    try:
        result: object = await tool.run(call.args, context)
    except _PASSED_ON:
        raise
    except SullaError as error:
        # In our own words: a tool that has to quote the other side gives a result instead.
        return Done(
            ours(error.message),
            is_error=True,
            passing=error.retryable,
            retry_after_s=error.retry_after_s,
            refused=isinstance(error, _TIMELESS) or type(error) is Refused,
        )
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001 - none of it may end the run, or us
        if isinstance(error, ExceptionGroup):
            _pass_on(error)
        return _failed(error, tool, call, context)
    if not isinstance(result, Done | Waiting):
        return Done(
            ours(f"{tool.name} is broken: it returned {type(result).__name__} instead of a result."), is_error=True
        )
    if isinstance(result, Done):
        given: object = result.words
        if not isinstance(given, Words):  # a package's that has no types
            return replace(result, words=Words(str(given), _unsaid(tool, call, context)))
    return result


def _failed(error: BaseException, tool: Tool, call: ToolCall, context: ToolContext) -> Done:
    _LOG.warning("a tool failed", exc_info=error, extra={"tool": tool.name, "call_id": call.id})
    said = str(error)
    text = f"{type(error).__name__}: {said}" if said else type(error).__name__
    # Nobody has written these words for models: they may quote the other side.
    return Done(Words(text, _unsaid(tool, call, context)), is_error=True, passing=isinstance(error, ConnectionError))


def _unsaid(tool: Tool, call: ToolCall, context: ToolContext) -> Author:
    """Whose words those are of which a tool does not say it: what only reaches inward has met nobody else."""
    return context.by if reach_of(tool, call.args, context) == "inward" else Author.OUTSIDE


def _pass_on(group: ExceptionGroup[Exception]) -> None:
    """Raise what must not be swallowed out of a tool's own task group."""
    for error in group.exceptions:
        if isinstance(error, ExceptionGroup):
            _pass_on(error)
        elif isinstance(error, _PASSED_ON):
            raise error


def _unknown(name: str, toolbox: Toolbox) -> str:
    if not len(toolbox):
        return f"There is no tool {name[:100]!r}; there are no tools at all."
    close = nearest(name, toolbox.names)
    if close:
        return f"There is no tool {name[:100]!r}. The nearest: {', '.join(close)}."
    more = f" and {len(toolbox) - MAX_NAMES} more" if len(toolbox) > MAX_NAMES else ""
    return f"There is no tool {name[:100]!r}. There are: {', '.join(toolbox.names[:MAX_NAMES])}{more}."


def _invalid(tool: Tool, problems: Sequence[str]) -> str:
    lines = "\n".join(f"- {problem}" for problem in problems)
    return f"{tool.name} was not run, because its arguments are wrong:\n{lines}"


async def _capped(done: Done, note: str, tool: Tool, context: ToolContext) -> Done:
    """The result with `note` behind it: as much text as can be kept, `MAX_RESULT_BYTES` or what the caller takes."""
    most = context.whole_bytes or MAX_RESULT_BYTES
    raw = done.text.encode("utf-8", "replace")
    if len(raw) + len(note.encode()) <= most:
        text = raw.decode() + note
        return done if text == done.text else replace(done, words=done.words.but(text))
    # A tool that can show the rest by itself needs no copy.
    whole = raw[:MAX_WHOLE_BYTES].decode("utf-8", "ignore")
    rest = tool.rest or await rest_of(context.workspace, context.call_id, map(context.redact, (whole,)))
    room = most - CUT_BYTES - len(rest.encode()) - len(note.encode())
    # Before it is cut: half a secret is none that anybody would know.
    head = context.redact(raw[: 2 * most].decode("utf-8", "ignore")).encode()
    shown = head[: max(0, room)].decode("utf-8", "ignore")
    cut = f"the first {len(shown.encode())} of {len(raw)} bytes are shown. {rest}"
    # What is the same as data is no smaller.
    return replace(done, words=done.words.but(f"{shown}\n\n[Cut: {cut}]{note}"), data=None, cut=done.cut or cut)
