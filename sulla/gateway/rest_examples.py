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
    "channel": "sulla-desktop",
    "model": "anthropic:claude-sonnet-4-5",
    "loops": 0,
    "noticed": [],
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

_NOTICE: JsonObject = {
    "id": "ntc_4c1d",
    "thread_id": "thr_9b2d",
    "run_id": "run_77aa",
    "agent": "sulla",
    "text": "The report is ready.",
    "urgency": "normal",
    "tainted": False,
    "at": "2027-01-15T08:00:01.000Z",
    "seen": [{"person": "owner", "at": "2027-01-15T08:05:00.000Z"}],
}
_PERSON: JsonObject = {
    "person": "owner",
    "connected": ["desktop"],
    "active_at": "2027-01-15T08:00:01.000Z",
    "idle_s": 42.0,
    "client": "desktop",
    "available": True,
    "activity": "",
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

_SCHEDULE: JsonObject = {
    "schedule": "morning",
    "title": "",
    "explain": "At 09:00 on Monday through Friday, Europe/Berlin",
    "action": "message to its own thread: What is on today?",
    "status": "active",
    "why": "",
    "by": "owner",
    "next": ["2027-01-15T08:00:00.000Z"],
    "notes": [{"at": "2027-01-14T08:00:00.000Z", "what": "set", "slot": "", "said": "owner"}],
    "fired": 0,
    "missed": 0,
    "skipped": 0,
    "failed": 0,
}

_TICK: JsonObject = {
    "run_id": "run_1",
    "seq": 3,
    "at": "2027-01-15T08:00:00.000Z",
    "by": "schedule heartbeat_sulla",
    "fired": True,
    "status": "done",
    "reason": "",
    "why": "1 open task",
    "focus": "garden",
    "focus_reason": "1 open task",
    "cycles": [
        {
            "number": 1,
            "thread_id": "thr_cycle",
            "status": "done",
            "summary": "ticked one",
            "tokens": 1200,
            "cost": 0.0003,
        }
    ],
    "duration_s": 9.0,
    "tokens": 1200,
    "cost": 0.0003,
    "changed": "garden: +1 done, -1 open",
    "summary": "ticked one",
}

_HEARTBEAT: JsonObject = {
    "agent": "sulla",
    "thread_id": "thr_beat",
    "enabled": True,
    "next": "2027-01-15T08:30:00.000Z",
    "schedules": [
        {
            "schedule": "heartbeat_sulla",
            "explain": "Every 30m",
            "paused": False,
            "why": "",
            "next": "2027-01-15T08:30:00.000Z",
            "project": "",
        }
    ],
    "running": None,
    "last": _TICK,
    "beat": _TICK,
    "budgets": [
        {"span": "day", "tokens": 1200, "tokens_limit": 1000000, "cost": 0.0003, "cost_limit": None},
        {"span": "month", "tokens": 1200, "tokens_limit": 20000000, "cost": 0.0003, "cost_limit": 5.0},
    ],
    "quiet_until": None,
    "failures": 0,
    "standing": 0,
    "skipped": 1,
    "beats": 1,
}

_PLAYBOOK: JsonObject = {
    "playbook": "lead-triage",
    "description": "Sorts a new lead.",
    "digest": "sha256:5d0a",
    "file": "workflows/lead-triage.yaml",
    "steps": 4,
    "on": ["manual", "chat a new lead"],
    "inputs": {"lead": {"type": "string", "required": True, "default": None, "description": ""}},
    "trouble": "",
}
_PLAY: JsonObject = {
    "run": "thr_51c0",
    "playbook": "lead-triage",
    "digest": "sha256:5d0a",
    "status": "waiting",
    "trigger": "manual",
    "thread_id": "thr_9b2d",
    "started_at": "2027-01-15T08:00:00.000Z",
    "ended_at": None,
    "steps": 4,
    "done": 2,
    "tokens": 900,
    "cost": 0.0004,
    "open": ["approve"],
    "failure": "",
    "parent": "",
    "chain": 0,
    "chain_ends": False,
}
_STEP: JsonObject = {
    "at": "kind",
    "kind": "router",
    "status": "completed",
    "tries": 1,
    "started_at": "2027-01-15T08:00:00.000Z",
    "ended_at": "2027-01-15T08:00:01.000Z",
    "output": "sales",
    "route": "sales",
    "error": "",
    "tokens": 200,
    "cost": 0.0001,
    "note": "",
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
    "speech.status": Example(
        {
            "exists": True,
            "content": "what is the weather",
            "age_ms": 1240,
            "state": "speaking",
            "turn_id": "u-1",
            "silent_ms": 180,
        }
    ),
    "speech.chunk": Example(
        {"turn_id": "u-1", "state": "speaking", "late": False},
        {"utterance_id": "u-1", "seq": 3, "kind": "cumulative", "text": "what is the weather"},
    ),
    "speech.flush": Example({"turn_id": "u-1", "text": "what is the weather", "run_id": "run_77aa"}),
    "speech.cancel": Example({"turn_id": "u-1"}),
    "approval.list": Example({"questions": [_QUESTION], "next": None}),
    "approval.rules": Example({"rules": [_RULE]}),
    "approval.forget": Example({"rule": "rule_51ab"}),
    "approval.answer": Example({"seq": 9}, {"verdict": "approve"}),
    "agent.list": Example(
        {
            "agents": [
                {
                    "id": "sulla",
                    "completion": "wrapper",
                    "model": "offline",
                    "tools": ["read_file"],
                    "working": [{"thread_id": "thr_9b2d", "project": "rome", "since": "2027-01-15T08:00:00.000Z"}],
                }
            ]
        }
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
    "skill.list": Example(
        {
            "skills": [
                {
                    "name": "plan-a-project",
                    "description": "Turns a wish into tasks.",
                    "source": "shipped",
                    "trusted": True,
                    "changed": False,
                    "digest": "sha256:9f2c",
                    "agents": ["sulla"],
                }
            ],
            "troubles": [],
        }
    ),
    "environment.report": Example(
        {"known": 1},
        {"events": [{"kind": "page", "title": "Trains to Rome", "url": "https://trains.example/rome", "ago_s": 4}]},
    ),
    "project.list": Example({"projects": [_PROJECT]}),
    "project.get": Example(
        {
            "about": _PROJECT,
            "tasks": [
                {
                    "text": "Dig",
                    "done": False,
                    "blocked": "",
                    "depth": 0,
                    "state": "pending",
                    "id": "dig",
                    "depends_on": [],
                }
            ],
            "digest": "a3f1c05e7b9d2468",
            "text": "# Garden\n\n- [ ] Dig\n",
        }
    ),
    "schedule.list": Example({"schedules": [_SCHEDULE], "next": None}),
    "schedule.add": Example(
        _SCHEDULE,
        {"schedule": "morning", "cron": "0 9 * * 1-5", "zone": "Europe/Berlin", "message": "What is on today?"},
    ),
    "schedule.remove": Example({"schedule": "morning"}),
    "schedule.run": Example({"schedule": "morning", "slot": "now:run-1"}, {"request_id": "run-1"}),
    "schedule.pause": Example({**_SCHEDULE, "status": "paused", "why": "paused", "next": []}),
    "schedule.resume": Example(_SCHEDULE),
    "heartbeat.status": Example({"heartbeats": [_HEARTBEAT]}),
    "heartbeat.trigger": Example(
        {"agent": "sulla", "thread_id": "thr_b2e1", "run_id": "run_77aa", "seq": 20},
        {"project": "garden", "request_id": "beat-1"},
    ),
    "heartbeat.pause": Example({"heartbeats": [{**_HEARTBEAT, "enabled": False, "next": None}]}),
    "heartbeat.resume": Example({"heartbeats": [_HEARTBEAT]}),
    "heartbeat.log": Example({"ticks": [_TICK], "next": None}),
    "workflow.list": Example({"playbooks": [_PLAYBOOK]}),
    "workflow.get": Example({"about": _PLAYBOOK, "text": "name: lead-triage\n"}),
    "workflow.check": Example(
        {"faults": ["triage.yaml:1:1: `steps` is missing [missing-key]"]},
        {"text": "name: lead-triage\n", "file": "triage.yaml"},
    ),
    "workflow.start": Example(
        {"run": "thr_51c0", "first": True},
        {"playbook": "lead-triage", "inputs": {"lead": "Ann, ann@example.org"}, "request_id": "ann-1"},
    ),
    "workflow.runs": Example({"runs": [_PLAY], "next": None}),
    "workflow.status": Example(
        {
            "about": _PLAY,
            "inputs": {"lead": "Ann, ann@example.org"},
            "outputs": {},
            "forked_from": "",
            "steps": [_STEP],
            "next": None,
        }
    ),
    "workflow.pause": Example({"run": "thr_51c0"}, {"why": "let me look"}),
    "workflow.resume": Example({"run": "thr_51c0"}, {"steps": ["research"]}),
    "workflow.step": Example({"run": "thr_51c0"}),
    "workflow.cancel": Example({"run": "thr_51c0"}, {"why": "not needed any more"}),
    "workflow.fork": Example(
        {"run": "thr_77fe", "first": True}, {"steps": ["research"], "inputs": {"lead": "Bob"}, "request_id": "again-1"}
    ),
    "presence.list": Example({"people": [_PERSON]}),
    "presence.report": Example({"taken": True}, {"idle_s": 0}),
    "notice.list": Example({"notices": [_NOTICE], "next": None}),
    "notice.seen": Example({"new": 1}, {"ids": ["ntc_4c1d"]}),
    "system.status": Example({"version": "0.1.0", "model": "offline", "running": 0, "queued": 0, "degraded": None}),
    "system.pause": Example(
        {"paused": True, "since": "2027-01-15T08:00:00.000Z", "by": "owner", "reason": "it orders pizza"},
        {"reason": "it orders pizza"},
    ),
    "system.resume": Example({"paused": False, "since": None, "by": "", "reason": ""}),
}
"""By the name of the method."""
