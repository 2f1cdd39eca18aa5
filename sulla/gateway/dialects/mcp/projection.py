"""A turn as the reply of a tool, and as words about how it gets on. Pure."""

from __future__ import annotations

from typing import Final

from sulla.core.jsontypes import Json, JsonObject
from sulla.gateway.dialects.breaks import why
from sulla.gateway.dialects.steps import (
    SAID_NOTHING,
    Called,
    ChildAsks,
    Dropped,
    Step,
    StepAsked,
    StepBegun,
    StepEnded,
    StepQuestion,
    StepSaid,
    StepText,
    StepWaits,
    ToolBegun,
    ToolEnded,
    WentOn,
)
from sulla.gateway.problems import Headers, Problem
from sulla.gateway.rest.models import Reason

_SHOWN_CHARS: Final = 200
"""How much of a reply a word about progress holds."""
_BETWEEN: Final = "\n\n"
_BY_PEOPLE: Final = (
    "Only a person can answer that: with `sulla approvals`, where the daemon runs, or in another client of Sulla's. "
    "Tell them."
)
_BY_TOOL: Final = "It goes on when that was answered: by a person, or with answer_approval as they decided."


class McpProjection:
    """Keeps `telling.Projection`: what it makes for the client meanwhile are words about progress; the reply is asked
    for when it has ended. One may hear the same turn on from where it rested.
    """

    opening = b""
    keep_alive = b"still at work"
    rests = True

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {}
        """What was said, in pieces: a long reply put together with each of them would cost its length each time."""
        self._tools: dict[str, JsonObject] = {}
        self.asked: tuple[StepQuestion, ...] = ()
        """What people are asked where it rests."""
        self.seq = 0
        """Where that is in the log."""
        self.ended: StepEnded | None = None
        self.problem: Problem | None = None
        """What went wrong; the turn may go on."""
        self.begun = False
        """Whether somebody works on it, or did."""

    def head(self) -> tuple[int, Headers]:
        """Nobody sees it."""
        return 200, []

    def show(self, step: Step) -> bytes:
        """Take a step in; what is said about it meanwhile."""
        return (step.words if isinstance(step, StepWaits | ChildAsks) else self._take(step)).encode()

    def cut(self, reason: Reason, problem: Problem | None) -> bytes:
        """It is told no further."""
        self.problem = why(reason, problem)
        return b""

    def go_on(self) -> None:
        """The questions were answered."""
        self.asked = ()

    @property
    def text(self) -> str:
        """What the turn has said so far, without dropped messages. Once it has ended well, also why it stopped or that
        another turn took the message up, and never empty; before that, or after a failure, it may be empty.
        """
        said = [text for text in map("".join, self._texts.values()) if text]
        ended = self.ended
        if ended is None or ended.problem is not None:
            return _BETWEEN.join(said)
        if ended.status == "joined":
            said.append("(This message was taken up by the turn that was going on.)")
        elif unsaid := ended.unsaid(_BETWEEN.join(said)):
            said.append(unsaid)
        return _BETWEEN.join(said) or SAID_NOTHING

    @property
    def status(self) -> str:
        """How it stands."""
        if self.ended is not None:
            return self.ended.status
        return "waiting" if self.asked else "in_progress"

    @property
    def tools(self) -> list[Json]:
        """The calls that were made."""
        return [*self._tools.values()]

    def _take(self, step: Step) -> str:
        match step:
            case StepText(message_id, _, delta):
                self._texts.setdefault(message_id, []).append(delta)
                return ""
            case Dropped(message_id):
                self._texts.pop(message_id, None)
                return "what was written is void: it is written again"
            case StepSaid(_, agent, text):
                return f"{agent or 'the agent'}: {text[:_SHOWN_CHARS]}"
            case StepBegun(_, agent):
                self.begun = True
                return f"{agent or 'the agent'} is at work"
            case Called():
                return "a reply is being written"
            case ToolBegun() | ToolEnded():
                return self._tool(step)
            case StepAsked(asks, seq):
                self.asked, self.seq = asks, seq
                return ""
            case WentOn():
                return "it goes on"
            case StepEnded():
                self.ended, self.problem = step, step.problem
                return ""
            case _:
                return ""

    def _tool(self, step: ToolBegun | ToolEnded) -> str:
        if isinstance(step, ToolBegun):
            self._tools[step.call_id] = {
                "id": step.call_id,
                "name": step.name,
                "arguments": step.args,
                "done": False,
                "is_error": False,
            }
            return f"tool {step.name} begins"
        if (tool := self._tools.get(step.call_id)) is not None:
            tool |= {"done": True, "is_error": step.is_error}
        return f"tool {step.name or step.call_id} {'failed' if step.is_error else 'is done'}"


def reply_json(heard: McpProjection, thread_id: str, run_id: str, after: int) -> JsonObject:
    """The reply as it stands."""
    problem = heard.problem
    error: Json = None
    if problem is not None:
        error = {"code": problem.code, "message": problem.message, "retryable": problem.retryable}
    return {
        "thread_id": thread_id,
        "run_id": run_id,
        "after": after,
        "status": heard.status,
        "text": heard.text,
        "tools": heard.tools,
        "questions": [
            {"id": ask.id, "prompt": ask.prompt, "tool": ask.tool, "choices": [*ask.choices]} for ask in heard.asked
        ],
        "error": error,
    }


def reply_words(reply: JsonObject, *, by_tool: bool) -> str:
    """The reply for a model: its text, and what is to be done if that is not all.

    Args:
        reply: from `reply_json`.
        by_tool: whether the host's model may answer what people are asked.
    """
    where = f"thread_id={reply['thread_id']} run_id={reply['run_id']} after={reply['after']}"
    said = [str(reply["text"])] if reply["text"] else []
    questions = reply["questions"]
    said += [
        f"(People are asked: {question['prompt']!r}; the question's id is {question['id']}.)"
        for question in (questions if isinstance(questions, list) else [])
        if isinstance(question, dict)
    ]
    if reply["status"] == "waiting":
        said.append(f"({_BY_TOOL if by_tool else _BY_PEOPLE} Then wait_for_reply has the rest: {where})")
    elif reply["status"] == "in_progress":
        said.append(f"(It is not done yet. wait_for_reply waits on: {where})")
    if isinstance(error := reply["error"], dict):
        said.append(f"{error['code']}: {error['message']}")
    return _BETWEEN.join(said) or f"({reply['status']}: {where})"
