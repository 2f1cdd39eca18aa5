"""What travels over ``sulla.v1``: each method's parameters and result, and the events, as strict models. Pure."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, StringConstraints
from pydantic_core import PydanticCustomError

from sulla.access import Scope
from sulla.gateway import wire_access as access
from sulla.gateway import wire_approvals as approvals
from sulla.gateway import wire_environment as environment
from sulla.gateway import wire_heartbeat as heartbeat
from sulla.gateway import wire_people as people
from sulla.gateway import wire_projects as projects
from sulla.gateway import wire_schedules as schedules
from sulla.gateway import wire_skills as skills
from sulla.gateway import wire_speech as speech
from sulla.gateway import wire_system as system
from sulla.gateway import wire_workflows as workflows
from sulla.gateway.wire_form import Answer, Channel, Id, Label, Method, QuestionId, Seq, Title, Wire, Words

SUBPROTOCOL = "sulla.v1"
PROTOCOL = 1


def _one(value: object) -> object:
    """``true`` and ``1.0`` equal 1 too, which is all that pydantic asks of a literal."""
    if type(value) is not int:
        raise PydanticCustomError("literal_error", "Input should be 1")
    return value


# ------------------------------------------------------------------------------------------------------ parameters


class Client(Wire):
    """Who is calling."""

    name: Label
    version: Label


class Hello(Wire):
    """`hello`: the first request of a connection."""

    client: Client
    protocol: Annotated[Literal[1], BeforeValidator(_one)]
    token: Annotated[str, StringConstraints(min_length=1, max_length=512)] | None = None


class ThreadCreate(Wire):
    """`thread.create`."""

    agent: Id | None = None
    title: Title = ""
    project: Id | None = None
    request_id: Id | None = None
    channel: Channel = ""


class ThreadList(Wire):
    """`thread.list`."""

    after: Id | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class ThreadGet(Wire):
    """`thread.get`."""

    thread_id: Id


class ThreadHistory(Wire):
    """`thread.history`."""

    thread_id: Id
    after: Seq = 0
    before: Seq | None = None
    limit: Annotated[int, Field(ge=1, le=500)] = 100


class ThreadDelete(Wire):
    """`thread.delete`."""

    thread_id: Id


class TurnSend(Wire):
    """`turn.send`."""

    thread_id: Id
    message_id: Id
    text: Words
    mode: Literal["queue", "steer", "interrupt"] = "queue"
    agent: Id | None = None


class TurnStop(Wire):
    """`turn.stop`."""

    thread_id: Id
    request_id: Id | None = None


class TurnContinue(Wire):
    """`turn.continue`."""

    thread_id: Id
    request_id: Id | None = None


class ApprovalList(Wire):
    """`approval.list`."""

    after: Id | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class ApprovalAnswer(Wire):
    """`approval.answer`."""

    thread_id: Id
    id: QuestionId
    verdict: Literal["result", "run_again", "give_up", "approve", "reject", "always"] = "result"
    text: Answer = ""


class EventsSubscribe(Wire):
    """`events.subscribe`."""

    thread_id: Id
    after: Seq = 0
    speak: bool = False
    """Whether replies come in pieces to speak too, as `SPEAK`."""


class EventsUnsubscribe(Wire):
    """`events.unsubscribe`."""

    thread_id: Id


class SystemStatus(Wire):
    """`system.status`."""


class SystemCheck(Wire):
    """`system.check`."""


# ---------------------------------------------------------------------------------------------------------- results


class Server(Wire):
    """Who answers."""

    name: str
    version: str


class ShownLimits(Wire):
    """What a client has to keep to."""

    frame_bytes: int
    text_chars: int
    id_chars: int
    title_chars: int
    subscriptions: int


class Welcome(Wire):
    """The answer to `hello`."""

    server: Server
    protocol: int
    session: str
    scopes: list[Scope]
    limits: ShownLimits


class ThreadCreated(Wire):
    """The answer to `thread.create`."""

    thread_id: str


class ThreadRow(Wire):
    """One thread in a list, and the answer to `thread.get`."""

    thread_id: str
    title: str
    agent: str
    status: str
    last_seq: int
    created_at: str
    waiting: int
    channel: str = ""
    model: str = ""
    loops: int = 0
    noticed: Annotated[list[str], Field(default_factory=list)]


class Threads(Wire):
    """The answer to `thread.list`."""

    threads: list[ThreadRow]
    next: str | None
    """What to give as `after` for the next page; null if this was the last."""


class EventParams(Wire):
    """One event: the parameters of the `event` notification, and one entry of `thread.history`."""

    thread_id: str
    seq: int | None
    run_id: str | None
    parent_run_id: str | None
    agent: str
    depth: int
    type: str
    at: str
    data: dict[str, JsonValue]


class History(Wire):
    """The answer to `thread.history`."""

    events: list[EventParams]
    more: bool


class ThreadDeleted(Wire):
    """The answer to `thread.delete`."""

    thread_id: str


class TurnSent(Wire):
    """The answer to `turn.send`: the message is kept."""

    run_id: str
    seq: int


class TurnAsked(Wire):
    """The answer to `turn.stop` and `turn.continue`: the request is kept."""

    seq: int


class QuestionRow(Wire):
    """One question that a suspended run waits for an answer to."""

    thread_id: str
    run_id: str
    id: str
    prompt: str
    expires_at: str | None = None
    """When no answer means no; null for never."""
    tool: str = ""
    target: str = ""
    """What `always` would allow; empty where it allows no more than the call."""
    choices: Annotated[list[str], Field(default_factory=list)]
    """What the `text` of a `result` has to be one of; empty where it does not."""


class Questions(Wire):
    """The answer to `approval.list`."""

    questions: list[QuestionRow]
    next: str | None
    """What to give as `after` for the next page; null if this was the last."""


class Answered(Wire):
    """The answer to `approval.answer`: the answer is kept."""

    seq: int


class Subscribed(Wire):
    """The answer to `events.subscribe`."""

    seq: int
    """The log's last number now: with it the client has caught up."""


class Unsubscribed(Wire):
    """The answer to `events.unsubscribe`."""

    ended: bool


class Status(BaseModel):
    """The answer to `system.status` and `system.check`: open, because it is for people."""

    model_config = ConfigDict(extra="allow", frozen=True)


class ErrorData(Wire):
    """The machine's part of an error."""

    code: str
    retryable: bool
    retry_after_s: float | None


class Error(Wire):
    """A JSON-RPC error."""

    code: int
    message: str
    data: ErrorData


class EndedParams(Wire):
    """The parameters of the `events.ended` notification: a subscription is over and the client did not ask for it."""

    thread_id: str
    error: Error


class GapParams(Wire):
    """The parameters of the `events.gap` notification: kept events between two numbers are not there any more."""

    thread_id: str
    after: int
    """The last number that the client has."""
    next: int
    """The number of the event that comes next, which is higher than the one behind `after`."""


# ---------------------------------------------------------------------------------------------------------- methods


METHODS: dict[str, Method] = {
    "hello": Method(Hello, Welcome, None),
    "thread.create": Method(ThreadCreate, ThreadCreated, "write"),
    "thread.list": Method(ThreadList, Threads, "read"),
    "thread.get": Method(ThreadGet, ThreadRow, "read"),
    "thread.history": Method(ThreadHistory, History, "read"),
    "thread.delete": Method(ThreadDelete, ThreadDeleted, "write"),
    "turn.send": Method(TurnSend, TurnSent, "write"),
    "turn.stop": Method(TurnStop, TurnAsked, "write"),
    "turn.continue": Method(TurnContinue, TurnAsked, "write"),
    "approval.list": Method(ApprovalList, Questions, "read"),
    "approval.answer": Method(ApprovalAnswer, Answered, "approve"),
    "approval.rules": Method(approvals.ApprovalRules, approvals.RuleRows, "read"),
    "approval.forget": Method(approvals.ApprovalForget, approvals.Forgotten, "approve"),
    "events.subscribe": Method(EventsSubscribe, Subscribed, "read"),
    "events.unsubscribe": Method(EventsUnsubscribe, Unsubscribed, "read"),
    "agent.list": Method(access.AgentList, access.Agents, "read"),
    "tool.list": Method(access.ToolList, access.Tools, "read"),
    "skill.list": Method(skills.SkillList, skills.SkillRows, "read"),
    "environment.report": Method(environment.EnvironmentReport, environment.EnvironmentReported, "write"),
    "presence.report": Method(people.PresenceReport, people.PresenceReported, "write"),
    "presence.list": Method(people.PresenceList, people.Persons, "read"),
    "notice.subscribe": Method(people.NoticeSubscribe, people.NoticeSubscribed, "read"),
    "notice.list": Method(people.NoticeList, people.NoticeRows, "read"),
    "notice.seen": Method(people.NoticeSeen, people.NoticesSeen, "read"),
    "project.list": Method(projects.ProjectList, projects.ProjectRows, "read"),
    "project.get": Method(projects.ProjectGet, projects.ProjectText, "read"),
    "schedule.list": Method(schedules.ScheduleList, schedules.ScheduleRows, "read"),
    "schedule.add": Method(schedules.ScheduleAdd, schedules.ScheduleRow, "write"),
    "schedule.remove": Method(schedules.ScheduleRemove, schedules.ScheduleRemoved, "write"),
    "schedule.run": Method(schedules.ScheduleRun, schedules.ScheduleFired, "write"),
    "schedule.pause": Method(schedules.SchedulePause, schedules.ScheduleRow, "write"),
    "schedule.resume": Method(schedules.ScheduleResume, schedules.ScheduleRow, "write"),
    "heartbeat.status": Method(heartbeat.HeartbeatStatus, heartbeat.HeartbeatRows, "read"),
    "heartbeat.trigger": Method(heartbeat.HeartbeatTrigger, heartbeat.HeartbeatBegun, "write"),
    "heartbeat.pause": Method(heartbeat.HeartbeatPause, heartbeat.HeartbeatRows, "write"),
    "heartbeat.resume": Method(heartbeat.HeartbeatResume, heartbeat.HeartbeatRows, "write"),
    "heartbeat.log": Method(heartbeat.HeartbeatLog, heartbeat.TickRows, "read"),
    **speech.METHODS,
    **workflows.METHODS,
    "token.create": Method(access.TokenCreate, access.TokenCreated, "admin"),
    "token.list": Method(access.TokenList, access.TokenRows, "admin"),
    "token.revoke": Method(access.TokenRevoke, access.TokenRevoked, "admin"),
    "token.ticket": Method(access.TokenTicket, access.TicketMade, "write"),
    "system.status": Method(SystemStatus, Status, "read"),
    "system.pause": Method(system.SystemPause, system.SwitchState, "admin"),
    "system.resume": Method(system.SystemResume, system.SwitchState, "admin"),
    "system.check": Method(SystemCheck, Status, "admin"),
}

METHOD_OF: dict[type[Wire], str] = {method.params: name for name, method in METHODS.items()}
"""The name of the method that takes these parameters."""
