"""What an agent does next, read off the conversation alone: so a crash, an approval and a wait all resume the same
way.
"""

from __future__ import annotations

from dataclasses import dataclass

from sulla.core.ids import MessageId
from sulla.core.message import ToolCall
from sulla.threads import OpenRun, Transcript


@dataclass(frozen=True, slots=True)
class CallModel:
    """It is the model's turn."""

    after_tools: bool
    """Whether this is a tool boundary, where waiting messages may join."""


@dataclass(frozen=True, slots=True)
class RunCalls:
    """These tool calls have no result yet; in the model's order."""

    calls: tuple[ToolCall, ...]
    message_id: MessageId
    """The reply that asked for them."""


@dataclass(frozen=True, slots=True)
class AwaitAnswers:
    """All that is left waits for answers from outside."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The model has said its last word for now."""


Action = CallModel | RunCalls | AwaitAnswers | Finished


def next_action(transcript: Transcript, run: OpenRun) -> Action:
    """The next action of a run.

    Args:
        transcript: the conversation; only its end is looked at.
        run: whether the model has had its last word, and which calls are answered from outside.
    """
    if run.replied:
        return Finished()  # also if the reply was empty and left no message
    for message in reversed(transcript):
        if message.role == "user":
            return CallModel(after_tools=False)
        if message.role == "tool":
            continue
        waiting = {wait.call_id for wait in run.waits.values()}
        missing = [call for call in message.calls if call.id in transcript.unanswered]
        runnable = tuple(call for call in missing if call.id not in waiting)
        if runnable:
            return RunCalls(runnable, message.id)
        return AwaitAnswers() if missing else CallModel(after_tools=True)
    return CallModel(after_tools=False)
