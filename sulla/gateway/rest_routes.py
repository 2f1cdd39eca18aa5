"""Which path of the REST interface stands for which method of the protocol. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sulla.gateway.wire import METHODS
from sulla.gateway.wire_form import Method

ROOT = "/api"
Verb = Literal["GET", "POST", "DELETE"]


@dataclass(frozen=True, slots=True)
class RestRoute:
    """One verb on one path. What stands in braces is a field of the method's parameters; the others come in the query
    of a ``GET`` and in the body of a ``POST``.
    """

    verb: Verb
    path: str
    name: str
    """The method of the protocol that does it."""
    summary: str
    status: int = 200
    """What a good answer says."""
    key: str | None = None
    """The field that the header ``Idempotency-Key`` stands for."""
    numbers: tuple[str, ...] = ("limit",)
    """Fields that are numbers; a query holds nothing but text."""
    streams: bool = False
    """Whether ``Accept: text/event-stream`` is understood."""

    @property
    def method(self) -> Method:
        """The row of the protocol."""
        return METHODS[self.name]

    @property
    def in_path(self) -> tuple[str, ...]:
        """The fields that are in the path."""
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("{"))

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """The fields that are in the query or in the body."""
        return tuple(name for name in self.method.params.model_fields if name not in self.in_path)


_THREAD = f"{ROOT}/threads/{{thread_id}}"
_PLAYS = f"{ROOT}/workflow-runs"
_PLAY = f"{_PLAYS}/{{run}}"

ROUTES: tuple[RestRoute, ...] = (
    RestRoute("GET", f"{ROOT}/threads", "thread.list", "Threads by id, a page at a time."),
    RestRoute("POST", f"{ROOT}/threads", "thread.create", "Make a thread.", 201, "request_id"),
    RestRoute("GET", _THREAD, "thread.get", "One thread."),
    RestRoute("DELETE", _THREAD, "thread.delete", "Remove a thread with all it holds."),
    RestRoute(
        "GET",
        f"{_THREAD}/events",
        "thread.history",
        "Kept events, or a stream that goes on live.",
        numbers=("after", "before", "limit"),
        streams=True,
    ),
    RestRoute(
        "POST",
        f"{_THREAD}/turns",
        "turn.send",
        "Keep a message; as a stream, show what comes of it.",
        202,
        "message_id",
        streams=True,
    ),
    RestRoute("POST", f"{_THREAD}/stop", "turn.stop", "End the running turn and hold what waits.", 202, "request_id"),
    RestRoute("POST", f"{_THREAD}/continue", "turn.continue", "Let held messages go on.", 202, "request_id"),
    RestRoute("GET", f"{_THREAD}/speech", "speech.status", "What is being said, and how it stands."),
    RestRoute("POST", f"{_THREAD}/speech", "speech.chunk", "Take in a piece of what a recognizer hears."),
    RestRoute("POST", f"{_THREAD}/speech/flush", "speech.flush", "End the spoken turn now.", 202),
    RestRoute("POST", f"{_THREAD}/speech/cancel", "speech.cancel", "Drop the spoken turn."),
    RestRoute("POST", f"{_THREAD}/environment", "environment.report", "Tell what the person looks at.", 202),
    RestRoute("GET", f"{ROOT}/presence", "presence.list", "Who is there, and when each was last active."),
    RestRoute("POST", f"{ROOT}/presence", "presence.report", "Tell how the person is."),
    RestRoute("GET", f"{ROOT}/notices", "notice.list", "What people were told, a page at a time."),
    RestRoute("POST", f"{ROOT}/notices/seen", "notice.seen", "Mark some as seen."),
    RestRoute("GET", f"{ROOT}/approvals", "approval.list", "Questions that suspended turns wait for an answer to."),
    RestRoute("POST", f"{ROOT}/approvals/{{thread_id}}/{{id}}", "approval.answer", "Answer one; the first wins.", 202),
    RestRoute("GET", f"{ROOT}/rules", "approval.rules", "What is allowed until further notice."),
    RestRoute("DELETE", f"{ROOT}/rules/{{rule}}", "approval.forget", "Have people asked again."),
    RestRoute("GET", f"{ROOT}/agents", "agent.list", "The agents that can be talked to."),
    RestRoute("GET", f"{ROOT}/tools", "tool.list", "The tools that agents have."),
    RestRoute("GET", f"{ROOT}/skills", "skill.list", "The skills that agents have."),
    RestRoute("GET", f"{ROOT}/projects", "project.list", "The projects of the home."),
    RestRoute("GET", f"{ROOT}/projects/{{project}}", "project.get", "One project, with its tasks and its file."),
    RestRoute("GET", f"{ROOT}/schedules", "schedule.list", "Schedules by id, a page at a time."),
    RestRoute("POST", f"{ROOT}/schedules", "schedule.add", "Make a schedule.", 201, "request_id"),
    RestRoute("DELETE", f"{ROOT}/schedules/{{schedule}}", "schedule.remove", "End a schedule for good."),
    RestRoute("POST", f"{ROOT}/schedules/{{schedule}}/run", "schedule.run", "Fire it now.", 202, "request_id"),
    RestRoute("POST", f"{ROOT}/schedules/{{schedule}}/pause", "schedule.pause", "Have it fire no more."),
    RestRoute("POST", f"{ROOT}/schedules/{{schedule}}/resume", "schedule.resume", "Have it fire again."),
    RestRoute("GET", f"{ROOT}/heartbeat", "heartbeat.status", "How heartbeats are, and what they did last."),
    RestRoute("POST", f"{ROOT}/heartbeat/trigger", "heartbeat.trigger", "Begin a beat now.", 202, "request_id"),
    RestRoute("POST", f"{ROOT}/heartbeat/pause", "heartbeat.pause", "Have the clock wake nobody."),
    RestRoute("POST", f"{ROOT}/heartbeat/resume", "heartbeat.resume", "Have the clock wake agents again."),
    RestRoute(
        "GET",
        f"{ROOT}/heartbeat/log",
        "heartbeat.log",
        "What became of each wake, newest first.",
        numbers=("limit", "before"),
    ),
    RestRoute("GET", f"{ROOT}/workflows", "workflow.list", "The playbooks of the home."),
    RestRoute("GET", f"{ROOT}/workflows/{{playbook}}", "workflow.get", "One playbook, with its file."),
    RestRoute("POST", f"{ROOT}/workflow-check", "workflow.check", "Say what is wrong with the text of a playbook."),
    RestRoute("GET", _PLAYS, "workflow.runs", "Runs of playbooks by id, a page at a time."),
    RestRoute("POST", _PLAYS, "workflow.start", "Begin a run.", 202, "request_id"),
    RestRoute("GET", _PLAY, "workflow.status", "One run, with its steps.", numbers=("after", "limit")),
    RestRoute("POST", f"{_PLAY}/pause", "workflow.pause", "Have it begin no further step.", 202),
    RestRoute("POST", f"{_PLAY}/resume", "workflow.resume", "Have it go on, also from what failed.", 202),
    RestRoute("POST", f"{_PLAY}/step", "workflow.step", "Have a paused one begin what it can now.", 202),
    RestRoute("POST", f"{_PLAY}/cancel", "workflow.cancel", "End it.", 202),
    RestRoute(
        "POST", f"{_PLAY}/fork", "workflow.fork", "Begin another one that takes over from it.", 202, "request_id"
    ),
    RestRoute("GET", f"{ROOT}/status", "system.status", "How the daemon is."),
    RestRoute("POST", f"{ROOT}/pause", "system.pause", "Have all work stand still until it is resumed."),
    RestRoute("POST", f"{ROOT}/resume", "system.resume", "Have work go on where it was."),
)


def by_path() -> dict[str, dict[str, RestRoute]]:
    """The routes of each path, by verb."""
    found: dict[str, dict[str, RestRoute]] = {}
    for route in ROUTES:
        found.setdefault(route.path, {})[route.verb] = route
    return found
