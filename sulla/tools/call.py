"""Running one tool call: whatever happens in it becomes a result that a model can act on."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from sulla.core.errors import Aborted, StaleLease, SullaError
from sulla.core.message import ToolCall
from sulla.tools.base import Done, Result, Tool, ToolContext, Waiting
from sulla.tools.nearest import nearest
from sulla.tools.registry import Toolbox
from sulla.tools.schema import validate

MAX_RESULT_BYTES = 48 * 1024
"""The most that one result may add to a conversation, in bytes of UTF-8: some 12,000 tokens."""

MAX_NAMES = 20
"""How many tool names a model is reminded of."""

_REST = "Ask for less at a time to see the rest."
_PASSED_ON = (Aborted, StaleLease)
"""These end the run; they are no tool's result."""

_LOG = logging.getLogger(__name__)


async def run_call(toolbox: Toolbox, call: ToolCall, context: ToolContext) -> Result:
    """Run one call within its tool's time.

    An unknown tool, wrong arguments, a tool that fails and one that takes too long all become error results. An abort,
    a lost lease and cancellation are passed on.

    Args:
        toolbox: the tools that the caller may use.
        call: what the model wants.
        context: what the tool gets besides its arguments.

    Returns:
        The result; its text is at most `MAX_RESULT_BYTES` and valid UTF-8.

    Raises:
        Aborted: the run was told to end.
        StaleLease: somebody else holds the thread.
    """
    tool = toolbox.get(call.name)
    if tool is None:
        return Done(_unknown(call.name, toolbox), is_error=True)
    if problems := validate(call.args, tool.schema):
        return Done(_invalid(tool, problems), is_error=True)
    try:
        async with context.clock.timeout(tool.timeout_s):
            result = await _attempt(tool, call, context)
    except TimeoutError:
        return Done(
            f"{tool.name} was stopped after {tool.timeout_s:g} s, its time limit. What it had done by then stays done.",
            is_error=True,
        )
    return result if isinstance(result, Waiting) else _capped(result, tool)


async def _attempt(tool: Tool, call: ToolCall, context: ToolContext) -> Result:
    """Run the tool and catch what it raises: a ``TimeoutError`` further out is then surely the time limit's."""
    try:
        result: object = await tool.run(call.args, context)
    except _PASSED_ON:
        raise
    except SullaError as error:
        return Done(error.message, is_error=True, passing=error.retryable, retry_after_s=error.retry_after_s)
    except Exception as error:  # noqa: BLE001 - a tool may raise anything, and none of it may end the run
        if isinstance(error, ExceptionGroup):
            _pass_on(error)
        _LOG.warning("a tool failed", exc_info=True, extra={"tool": tool.name, "call_id": call.id})
        said = str(error)
        passing = isinstance(error, ConnectionError)
        return Done(f"{type(error).__name__}: {said}" if said else type(error).__name__, is_error=True, passing=passing)
    if not isinstance(result, Done | Waiting):
        return Done(f"{tool.name} is broken: it returned {type(result).__name__} instead of a result.", is_error=True)
    return result


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


def _capped(done: Done, tool: Tool) -> Done:
    """The result with at most `MAX_RESULT_BYTES` of text that can be kept."""
    raw = done.text.encode("utf-8", "replace")
    if len(raw) <= MAX_RESULT_BYTES:
        text = raw.decode()
        return done if text == done.text else replace(done, text=text)
    shown = raw[: MAX_RESULT_BYTES - 512].decode("utf-8", "ignore")
    note = f"\n\n[Cut: the first {len(shown.encode())} of {len(raw)} bytes are shown. {tool.rest or _REST}]"
    return replace(done, text=shown + note)
