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
    "id": "approval:tool_5c:3f2a9c0be1d47788:0",
    "prompt": 'May post be called with {"url": "https://example.org"}?',
    "expires_at": "2027-01-16T08:00:01.000Z",
    "tool": "post",
    "target": "host:https://example.org",
}
_RULE: JsonObject = {
    "rule": "rule_51ab",
    "agent": "sulla",
    "tool": "post",
    "target": "host:https://example.org",
    "created_at": "2027-01-15T08:00:01.000Z",
    "expires_at": "2027-02-14T08:00:01.000Z",
}

_PROJECT: JsonObject = {
    "project": "garden",
    "title": "Garden",
    "status": "active",
    "priority": "p2",
    "open": 1,
    "tasks": 1,
    "last_activity_at": "2027-01-15T08:00:00.000Z",
    "trouble": "",
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
    "approval.rules": Example({"rules": [_RULE]}),
    "approval.forget": Example({"rule": "rule_51ab"}),
    "approval.answer": Example({"seq": 9}, {"verdict": "approve"}),
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
    "project.list": Example({"projects": [_PROJECT]}),
    "project.get": Example(
        {
            "about": _PROJECT,
            "tasks": [{"text": "Dig", "done": False, "blocked": "", "depth": 0}],
            "digest": "a3f1c05e7b9d2468",
            "text": "# Garden\n\n- [ ] Dig\n",
        }
    ),
    "system.status": Example({"version": "0.1.0", "model": "offline", "running": 0, "queued": 0, "degraded": None}),
}
"""By the name of the method."""
