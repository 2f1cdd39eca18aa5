"""One example of each request and its answer, for the OpenAPI document. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from sulla.core.jsontypes import JsonObject


@dataclass(frozen=True, slots=True)
class Example:
    """A request's body and what comes back."""

    answered: JsonObject
    asked: JsonObject = field(default_factory=dict)


_THREAD: JsonObject = {
    "thread_id": "thr_9b2d",
    "title": "Trip to Rome",
    "agent": "sulla",
    "status": "idle",
    "last_seq": 7,
    "created_at": "2027-01-15T08:00:00.000Z",
    "waiting": 0,
}
_EVENT: JsonObject = {
    "thread_id": "thr_9b2d",
    "seq": 2,
    "run_id": "run_77aa",
    "parent_run_id": None,
    "agent": "sulla",
    "depth": 0,
    "type": "INPUT",
    "at": "2027-01-15T08:00:01.000Z",
    "data": {"message_id": "m-1", "text": "hello"},
}
_QUESTION: JsonObject = {
    "thread_id": "thr_9b2d",
    "run_id": "run_77aa",
    "id": "review:tool_5c",
    "prompt": "Nobody knows whether this took effect: did it?",
}

EXAMPLES: dict[str, Example] = {
    "thread.list": Example({"threads": [_THREAD], "next": None}),
    "thread.create": Example({"thread_id": "thr_9b2d"}, {"title": "Trip to Rome", "request_id": "make-rome"}),
    "thread.get": Example(_THREAD),
    "thread.delete": Example({"thread_id": "thr_9b2d"}),
    "thread.history": Example({"events": [_EVENT], "more": False}),
    "turn.send": Example({"run_id": "run_77aa", "seq": 2, "message_id": "m-1"}, {"text": "hello", "message_id": "m-1"}),
    "turn.stop": Example({"seq": 5}, {"request_id": "stop-1"}),
    "turn.continue": Example({"seq": 6}, {"request_id": "go-1"}),
    "approval.list": Example({"questions": [_QUESTION], "next": None}),
    "approval.answer": Example({"seq": 9}, {"verdict": "result", "text": "it did"}),
    "agent.list": Example(
        {"agents": [{"id": "sulla", "completion": "wrapper", "model": "offline", "tools": ["read_file"]}]}
    ),
    "tool.list": Example(
        {
            "tools": [
                {
                    "name": "read_file",
                    "description": "Read a file of the workspace.",
                    "effect": "pure",
                    "category": "files",
                    "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
                }
            ]
        }
    ),
    "system.status": Example({"version": "0.1.0", "model": "offline", "running": 0, "queued": 0, "degraded": None}),
}
"""By the name of the method."""
