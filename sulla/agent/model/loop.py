"""What an agent does next, read off the conversation alone: so a crash, an approval and a wait all resume the same
way. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sulla.core.dataclass import dataclass
from sulla.core.ids import MessageId
from sulla.core.message import UNTRUSTED, Message, ToolCall, ToolResult
from sulla.threads.log.open_run import OpenRun
from sulla.threads.log.transcript import Transcript


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


@dataclass(frozen=True, slots=True)
class GivenReply:
    """A reply that no model has written."""

    asked: MessageId
    """What it answers: a person's message, or the reply that asked for the calls."""
    text: str
    outside: bool = False
    """Whether it is from outside."""


def direct_reply(transcript: Transcript, is_direct: Callable[[str], bool]) -> GivenReply | None:
    """What the newest calls came to, if it ends the reply and is shown to the person as it stands.

    That is so if every tool of the newest reply says so (`Tool.return_direct`) and none of the calls failed.

    Args:
        transcript: the conversation; only its end is looked at.
        is_direct: whether the tool of that name says so.

    Returns:
        The results of the calls; None if the model has to see them.
    """
    newest = newest_calls(transcript)
    if newest is None:
        return None
    message, results = newest
    good = {result.call_id for result in results if not result.is_error}
    if not all(is_direct(call.name) and call.id in good for call in message.calls):
        return None
    return given_reply(message.id, results)


def given_reply(asked: MessageId, results: Sequence[ToolResult]) -> GivenReply:
    """Results of tools as a reply: from outside if one of them is.

    Args:
        asked: what it answers.
        results: at least one.
    """
    outside = any(result.origin in UNTRUSTED for result in results)
    return GivenReply(asked, "\n\n".join(result.text for result in results), outside)


def taken_over(transcript: Transcript, takes_over: Callable[[str], bool]) -> GivenReply | None:
    """What is shown to the person if one of the newest calls has set something to work that takes over.

    Args:
        transcript: the conversation; only its end is looked at.
        takes_over: whether the tool of that name does (`Tool.takes_over`).

    Returns:
        The results of those calls alone; None if nothing has taken over.
    """
    newest = newest_calls(transcript)
    if newest is None:
        return None
    message, results = newest
    over = {call.id for call in message.calls if takes_over(call.name)}
    good = [result for result in results if result.call_id in over and not result.is_error]
    return given_reply(message.id, good) if good else None


def newest_calls(transcript: Transcript) -> tuple[Message, list[ToolResult]] | None:
    """The newest reply, if it has calls, and their results in the model's order.

    Args:
        transcript: the conversation; only its end is looked at.
    """
    results: list[ToolResult] = []
    for message in reversed(transcript):
        if message.role == "tool":
            results = [part for part in message.parts if isinstance(part, ToolResult)] + results
            continue
        return (message, results) if message.role == "assistant" and message.calls else None
    return None


def next_action(transcript: Transcript, run: OpenRun) -> Action:
    """The next action of a run.

    Args:
        transcript: the conversation; only its end is looked at.
        run: whether the model has had its last word, and which calls are answered from outside.
    """
    if run.model.replied:
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
