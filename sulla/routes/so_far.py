"""What was found and said so far in the open run of a turn that takes a route. Pure."""

from __future__ import annotations

from sulla.agent.model.loop import newest_calls
from sulla.core.ids import CallId
from sulla.core.message import ToolResult
from sulla.threads.log.state import ThreadState


def results_of(tool: str, state: ThreadState) -> list[ToolResult]:
    """What the newest calls of a tool came to; nothing where the newest reply has none.

    Args:
        tool: its name.
        state: the thread.
    """
    newest = newest_calls(state.context.transcript)
    if newest is None:
        return []
    calls = {call.id for call in newest[0].calls if call.name == tool}
    return [result for result in newest[1] if result.call_id in calls]


def found_by(tool: str, state: ThreadState) -> list[ToolResult]:
    """What the calls of a tool in the open run have found.

    Args:
        tool: its name.
        state: the thread.
    """
    calls, found = set[CallId](), list[ToolResult]()
    for message in reversed(state.context.transcript):
        if state.run is None or message.id == state.run.message.id:
            break
        found = [part for part in message.parts if isinstance(part, ToolResult)] + found
        calls |= {call.id for call in message.calls if call.name == tool}
    return [one for one in found if one.call_id in calls and not one.is_error and one.text.strip()]


def said_nothing(state: ThreadState) -> bool:
    """Whether the model has had its last word and said none.

    Args:
        state: the thread.
    """
    if state.run is None or not state.run.model.replied or state.newest.outcome.status not in ("in_progress", "done"):
        return False
    last = next(reversed(state.context.transcript), None)
    return last is None or last.role != "assistant" or not last.text.strip()


def has_told(state: ThreadState) -> bool:
    """Whether the open run has told people anything, beside its calls.

    Args:
        state: the thread.
    """
    for message in reversed(state.context.transcript):
        if state.run is not None and message.id == state.run.message.id:
            break
        if message.role == "assistant" and not message.hidden and message.text.strip():
            return True
    return False
