"""A turn as events of ``/api/chat`` (seed 001, step 8). Pure."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from sulla.core.jsontypes import JsonObject
from sulla.core.stamp import stamp
from sulla.gateway.dialects.breaks import why
from sulla.gateway.dialects.content import ShownText
from sulla.gateway.dialects.questions import aside, closed
from sulla.gateway.dialects.snippbot.form import error_json
from sulla.gateway.dialects.steps import (
    ChildAsks,
    Step,
    StepAsked,
    StepEnded,
    StepQuestion,
    StepUsage,
    StepWaits,
    ToolBegun,
    ToolEnded,
)
from sulla.gateway.problems import Headers, Problem
from sulla.gateway.rest.models import Reason
from sulla.gateway.rest.sse import HEADERS, KEEP_ALIVE
from sulla.gateway.wire import QuestionRow


class SnippbotFrames:
    """Keeps `telling.Projection`: a turn, also while it waits for people.

    Args:
        session: what the client calls the conversation.
        thread_id: its thread.
        run_id: the turn.
        ahead: what people are asked by a turn that is ahead of this one, and has to be answered first.
    """

    keep_alive = KEEP_ALIVE
    rests = False

    def __init__(self, session: str, thread_id: str, run_id: str, ahead: Sequence[QuestionRow] = ()) -> None:
        self._session = session
        self._run_id = run_id
        self._thread_id = thread_id
        self._ahead = ahead
        self._content = ShownText(may_answer=True)
        self._shown: set[str] = set()
        """The questions that the client has seen."""

    @property
    def opening(self) -> bytes:
        """Questions that are in the way; else a comment, so that the client knows at once that it was heard."""
        asks = [
            StepQuestion(one.id, one.prompt, "", one.tool, one.target, one.choices, one.expires_ms)
            for one in self._ahead
            if one.run_id != self._run_id
        ]
        return self._requests(asks) or KEEP_ALIVE

    def head(self) -> tuple[int, Headers]:
        """The status and the headers."""
        return 200, [*HEADERS, (b"x-thread-id", self._thread_id.encode())]

    def show(self, step: Step) -> bytes:
        """What a step looks like."""
        match step:
            case ToolBegun(call_id, _, name, args):
                return self._event("tool_use", {"tool": name, "input": args, "id": call_id})
            case ToolEnded(call_id, name, text, is_error, failure):
                found: JsonObject = {"tool": name, "output": text, "id": call_id, "is_error": is_error}
                return self._event("tool_result", {**found, "failure": failure or None})
            case StepWaits() | ChildAsks():
                return self._event("delta", {"text": closed(self._content.text) + aside(step) + "\n"})
            case StepAsked(asks):
                return self._requests(asks)
            case StepEnded(status=status, spent=spent, problem=problem):
                return self._delta(step) + self._end(status, spent, problem)
            case _:
                return self._delta(step)

    def cut(self, reason: Reason, problem: Problem | None) -> bytes:
        """What went wrong, and the end. The turn goes on."""
        return self._end("in_progress", StepUsage(), why(reason, problem))

    def _delta(self, step: Step) -> bytes:
        text = self._content.take(step)
        return self._event("delta", {"text": text}) if text else b""

    def _requests(self, asks: Sequence[StepQuestion]) -> bytes:
        """Each question once: of several, the others are told again when one was answered."""
        fresh = [ask for ask in asks if ask.id not in self._shown]
        self._shown.update(ask.id for ask in fresh)
        return b"".join(self._event("approval_request", request_json(ask)) for ask in fresh)

    def _end(self, status: str, spent: StepUsage, problem: Problem | None) -> bytes:
        failed = b"" if problem is None else self._event("error", error_json(problem))
        tokens: JsonObject = {"input": spent.input_tokens, "output": spent.output_tokens}
        return failed + self._event("done", {"token_usage": tokens, "status": status})

    def _event(self, name: str, data: JsonObject) -> bytes:
        return b"event: %b\ndata: %b\n\n" % (name.encode(), orjson.dumps({**data, "session_id": self._session}))


def request_json(ask: StepQuestion) -> JsonObject:
    """A question to people; what its `id` begins with says what it can be answered."""
    return {
        "approval_id": ask.id,
        "kind": ask.kind,
        "prompt": ask.prompt,
        "tool": ask.tool,
        "id": ask.call_id or None,
        "target": ask.target or None,
        "choices": [*ask.choices],
        "expires_at": None if ask.expires_ms is None else stamp(ask.expires_ms),
    }
