"""A conversation as the original desktop client is told of it. Pure.

The client takes a message for whole as it comes, and believes that its agent is at work until it is told
``graph_execution_complete``: so that comes behind every turn, also behind one that failed, that was stopped, or that
waits for people, and behind the playbook that a turn has begun (design §10).
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import field
from typing import Final, NamedTuple

from sulla.core.dataclass import dataclass
from sulla.core.errors import LimitReached
from sulla.core.jsontypes import JsonObject
from sulla.gateway.commands import Event
from sulla.gateway.dialects.hub.questions import HubQuestion, WaitingQuestions
from sulla.gateway.dialects.hub.wire import FrameType
from sulla.gateway.dialects.questions import aside, question_words
from sulla.gateway.dialects.step_reader import Retellings
from sulla.gateway.dialects.steps import (
    ChildAsks,
    Dropped,
    Step,
    StepAsked,
    StepBegun,
    StepEnded,
    StepSaid,
    StepText,
    StepUsage,
    StepWaits,
    ToolBegun,
    ToolEnded,
    WentOn,
)
from sulla.gateway.problems import Problem

COMPLETE: Final = "graph_execution_complete"
_FIRST_PIECE: Final = 40
"""Code points that are shown of a reply as it is written, at first; each piece says the whole text so far."""
_GROWTH: Final = 8
"""By which part of itself it has to grow before it is shown again: all pieces together are some ten times the text."""
_OPEN: Final = 64
"""Replies that are being written, and turns that are going on."""


class HubEvent(NamedTuple):
    """One frame, without what every frame has."""

    type: FrameType
    data: JsonObject
    kept: bool = True
    """Whether it is told again to a client that did not acknowledge it; pieces of a reply are not."""


@dataclass(slots=True)
class _Reply:
    """A reply that is being written."""

    text: str = ""
    shown: int = 0


@dataclass(slots=True)
class _BegunPlaybooks:
    """Playbooks that were begun in a conversation, and have not ended."""

    ids: dict[str, None] = field(default_factory=dict)
    """By their threads."""
    held: list[HubEvent] = field(default_factory=list)
    """What is told when they have."""


class Conversation:
    """What happens in a conversation, as frames.

    Args:
        thread_id: the thread.
        name: what the client calls it: it passes over what is about any other.
        may_answer: whether its token allows to answer questions.
        streaming: whether replies are shown as they are written; a client of the first years shows every piece as a
            message of its own.
    """

    def __init__(self, thread_id: str, name: str, *, may_answer: bool, streaming: bool) -> None:
        self.thread_id = thread_id
        self.name = name
        self.limited = False
        """Whether the last turn came to a limit, so that the client may ask for more."""
        self.questions = WaitingQuestions()
        self.expected = True
        """Whether the client may believe that its agent is at work, or will be."""
        self.running: OrderedDict[str, int] = OrderedDict()
        """Turns that are going on or wait for people, and when they began, UTC milliseconds."""
        self._may_answer = may_answer
        self._streaming = streaming
        self._turns = Retellings()
        self._replies: OrderedDict[str, _Reply] = OrderedDict()
        self._shown: OrderedDict[str, str] = OrderedDict()
        """What each turn has said last."""
        self._plays = _BegunPlaybooks()

    def take(self, event: Event) -> list[HubEvent]:
        """What an event of its thread says."""
        match event.type, event.data.get("thread_id"):
            case "PLAYBOOK_BEGAN", str(play):
                self.play_began(play)
                return []
            case "PLAYBOOK_ENDED", str(play):
                return self.play_ended(play, turn_follows=event.data.get("turn_follows") is True)
            case "NOTICE", _:
                text = str(event.data.get("text", ""))
                return [self.say(aside(ChildAsks(text)).strip("\n") if event.data.get("wait_id") else text, "notice")]
            case "STOPPED", _ if self.expected and not self.running:
                return [
                    self.complete("aborted")
                ]  # it came before the turn began: the message waits until somebody goes on
        found = list[HubEvent]()
        for run_id, step in self._turns.take(event):
            told = self._show(run_id, step, event)
            found += [self.say(f"[{step.words}]", "notice")] if isinstance(step, StepWaits) else told
        return found

    def play_began(self, thread_id: str) -> None:
        """A playbook was begun here."""
        self._plays.ids[thread_id] = None

    def play_ended(self, thread_id: str, *, turn_follows: bool = False) -> list[HubEvent]:
        """A playbook that was begun here is over, or rests until somebody lets it go on.

        Args:
            thread_id: the playbook's.
            turn_follows: whether the agent says what came of it: then the end of that turn is the end.
        """
        self.questions.settle(thread_id)
        if thread_id not in self._plays.ids:
            return []
        del self._plays.ids[thread_id]
        if self._plays.ids or self.running or turn_follows:
            return []
        held, self._plays.held = self._plays.held, []
        return held or [self.complete()]

    def ask(self, thread_id: str, asked: StepAsked) -> list[HubEvent]:
        """Somebody is asked; the client's next message is the answer."""
        self.questions.learn(thread_id, asked)
        return self.ask_next()

    def ask_next(self, before: str = "") -> list[HubEvent]:
        """Show the first question again, if there is one.

        Args:
            before: what is said before it.
        """
        if not self.questions.all:
            return []
        ask = self.questions.all[0].ask
        self.questions.told = ask.id
        words = question_words(ask, may_answer=self._may_answer)
        about: JsonObject = {
            "approvalId": ask.id,
            "toolName": ask.tool,
            "toolRunId": ask.call_id,
            "choices": [*ask.choices],
        }
        kind = "tool_question" if ask.kind == "answer" else "tool_approval"
        text = f"{before}\n\n{words}" if before else words
        return [self.say(text, kind, about), self.complete(waiting=True)]

    def answered(self, question: HubQuestion) -> list[HubEvent]:
        """It is answered: what comes next, if there is more."""
        self.questions.answered(question)
        return self.ask_next()

    # -------------------------------------------------------------------------------------------------------- frames

    def say(self, text: str, kind: str = "progress", more: JsonObject | None = None, *, kept: bool = True) -> HubEvent:
        """What the agent says."""
        data: JsonObject = {"role": "assistant", "content": text, "kind": kind, "thread_id": self.name}
        return HubEvent("assistant_message", data | (more or {}), kept)

    def refuse(self, problem: Problem, *, ends: bool) -> list[HubEvent]:
        """What the client asked for is not done.

        Args:
            problem: why.
            ends: whether it may believe that its agent is at work on that now.
        """
        waiting = bool(self.questions.all)
        end = [self.complete("error", waiting=waiting)] if ends and (waiting or not self.running) else []
        return [refusal(problem, self.name), *end]

    def complete(self, reason: str | None = None, *, waiting: bool = False) -> HubEvent:
        """The agent is not at work any more."""
        self.expected = False
        data: JsonObject = {"role": "system", "content": COMPLETE, "stopReason": reason, "waitingForUser": waiting}
        return HubEvent("transfer_data", {**data, "thread_id": self.name})

    # --------------------------------------------------------------------------------------------------------- private

    def _show(self, run_id: str, step: Step, event: Event) -> list[HubEvent]:
        if isinstance(step, StepEnded):
            return self._end(run_id, step, event.at_ms)
        self.running.setdefault(run_id, event.at_ms)
        _bound(self.running)
        match step:
            case StepBegun():
                self.limited = False
                return [self.say(f"[{step.handed}]", "notice", {"agent": step.agent})] if step.handed else []
            case StepText():
                return self._piece(step) if self._streaming else []
            case StepSaid(text=text, message_id=message_id):
                self._replies.pop(message_id, None)
                if not text.strip():
                    return []
                self._shown[run_id] = text
                _bound(self._shown)
                return [self.say(text, more={"message_id": message_id})]
            case Dropped(message_id=message_id):
                self._replies.pop(message_id, None)
                return []
            case ToolBegun() | ToolEnded():
                return [HubEvent("progress", tool_json(step) | {"thread_id": self.name})]
            case StepAsked():
                return self.ask(self.thread_id, step)
            case WentOn():
                self.questions.settle(self.thread_id)
        return []

    def _piece(self, step: StepText) -> list[HubEvent]:
        reply = self._replies.setdefault(step.message_id, _Reply())
        _bound(self._replies)
        reply.text += step.delta
        if len(reply.text) - reply.shown < max(_FIRST_PIECE, reply.shown // _GROWTH) or not reply.text.strip():
            return []
        reply.shown = len(reply.text)
        return [self.say(reply.text, "streaming", {"message_id": step.message_id}, kept=False)]

    def _end(self, run_id: str, ended: StepEnded, at_ms: int) -> list[HubEvent]:
        began_ms = self.running.pop(run_id, at_ms)
        shown = self._shown.pop(run_id, "")
        if ended.joined:
            return []
        self.questions.settle(self.thread_id)
        found = [self._tokens(ended.spent, at_ms - began_ms)] if ended.spent != StepUsage() else []
        problem = ended.problem
        self.limited = problem is not None and problem.code == LimitReached.code
        reason = None
        if problem is not None:
            reason = "max_loops" if self.limited else "aborted" if ended.status == "cancelled" else "error"
            found.append(self._failed(problem, stopped=ended.status == "cancelled"))
        elif unsaid := ended.unsaid(shown):
            found.append(self.say(unsaid))
        complete = self.complete(reason, waiting=ended.status == "blocked")
        self._plays.held = [complete] if self._plays.ids else []
        return found if self._plays.ids else [*found, complete]

    def _failed(self, problem: Problem, *, stopped: bool) -> HubEvent:
        if stopped:
            data: JsonObject = {"role": "system", "content": "Execution stopped.", "thread_id": self.name}
            return HubEvent("system_message", {**data, "code": problem.code})
        said = f"Agent error: {problem.message}"
        return self.say(said, "agent_error", {"code": problem.code, "retryable": problem.retryable})

    def _tokens(self, spent: StepUsage, took_ms: int) -> HubEvent:
        read, written = spent.input_tokens, spent.output_tokens
        used: JsonObject = {"tokens_used": read + written, "prompt_tokens": read, "completion_tokens": written}
        about: JsonObject = {"time_spent": max(0, took_ms), "threadId": self.name, "nodeId": "agent"}
        return HubEvent("token_info", used | about)


def tool_json(step: ToolBegun | ToolEnded) -> JsonObject:
    """A tool's card: that it is called, or what came of that."""
    if isinstance(step, ToolBegun):
        call: JsonObject = {"toolRunId": step.call_id, "toolName": step.name, "args": step.args, "kind": "progress"}
        return {"phase": "tool_call", **call}
    error = step.text if step.is_error or step.failure else None
    result: JsonObject = {"toolRunId": step.call_id, "toolName": step.name, "success": error is None, "error": error}
    return {"phase": "tool_result", **result, "result": step.text}


def refusal(problem: Problem, name: str = "") -> HubEvent:
    """Something is not done.

    Args:
        problem: why.
        name: the conversation that it is about; empty for none.
    """
    data: JsonObject = {"role": "system", "kind": "agent_error", "content": f"Error: {problem.message}"}
    data |= {"code": problem.code, "retryable": problem.retryable}
    return HubEvent("system_message", {**data, "thread_id": name} if name else data)


def _bound(mapping: OrderedDict[str, int] | OrderedDict[str, str] | OrderedDict[str, _Reply]) -> None:
    while len(mapping) > _OPEN:
        mapping.popitem(last=False)
