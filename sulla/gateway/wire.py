"""What travels over ``sulla.v1``: each method's parameters and result, and the events, as strict models. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints

from sulla.gateway.limits import ID_CHARS, TEXT_CHARS, TITLE_CHARS

SUBPROTOCOL = "sulla.v1"
PROTOCOL = 1

Scope = Literal["read", "write", "approve", "admin"]
"""What a token allows; granted by the server, never asked for."""

ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.\-]*$"
QUESTION_PATTERN = r"^[a-z]+(:[A-Za-z0-9_.\-]+)+$"
LINE_PATTERN = r"^[^\x00-\x1f\x7f]*$"
PATTERN_WORDS = {
    ID_PATTERN: "letters, digits, '_', '.' and '-', beginning with a letter or digit",
    QUESTION_PATTERN: "a question's id as approval.list or SUSPENDED gives it, e.g. 'review:tool_…'",
    LINE_PATTERN: "one line without control characters",
}
"""What the patterns mean, for error messages."""

Id = Annotated[str, StringConstraints(min_length=1, max_length=ID_CHARS, pattern=ID_PATTERN)]
Title = Annotated[str, StringConstraints(max_length=TITLE_CHARS, pattern=LINE_PATTERN)]
Label = Annotated[str, StringConstraints(min_length=1, max_length=ID_CHARS, pattern=LINE_PATTERN)]
Words = Annotated[str, StringConstraints(min_length=1, max_length=TEXT_CHARS)]
QuestionId = Annotated[str, StringConstraints(min_length=1, max_length=4 * ID_CHARS, pattern=QUESTION_PATTERN)]
Answer = Annotated[str, StringConstraints(max_length=TEXT_CHARS)]
Seq = Annotated[int, Field(ge=0, le=2**53)]
"""A number that JavaScript holds exactly."""


class Wire(BaseModel):
    """The root of all models here: no guessing of types, no unknown fields."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


# ------------------------------------------------------------------------------------------------------ parameters


class Client(Wire):
    """Who is calling."""

    name: Label
    version: Label


class Hello(Wire):
    """`hello`: the first request of a connection."""

    client: Client
    protocol: Literal[1]
    token: Annotated[str, StringConstraints(min_length=1, max_length=512)] | None = None


class ThreadCreate(Wire):
    """`thread.create`."""

    agent: Id | None = None
    title: Title = ""
    project: Id | None = None
    request_id: Id | None = None


class ThreadList(Wire):
    """`thread.list`."""

    after: Id | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50


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
    verdict: Literal["result", "run_again", "give_up"] = "result"
    text: Answer = ""


class EventsSubscribe(Wire):
    """`events.subscribe`."""

    thread_id: Id
    after: Seq = 0


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
    """One thread in a list."""

    thread_id: str
    title: str
    agent: str
    status: str
    last_seq: int
    created_at: str
    waiting: int


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


# ---------------------------------------------------------------------------------------------------------- methods


@dataclass(frozen=True, slots=True)
class Method:
    """One row of the protocol."""

    params: type[Wire]
    result: type[BaseModel]
    scope: Scope | None
    """What the token must allow; None before anybody is known."""


METHODS: dict[str, Method] = {
    "hello": Method(Hello, Welcome, None),
    "thread.create": Method(ThreadCreate, ThreadCreated, "write"),
    "thread.list": Method(ThreadList, Threads, "read"),
    "thread.history": Method(ThreadHistory, History, "read"),
    "thread.delete": Method(ThreadDelete, ThreadDeleted, "write"),
    "turn.send": Method(TurnSend, TurnSent, "write"),
    "turn.stop": Method(TurnStop, TurnAsked, "write"),
    "turn.continue": Method(TurnContinue, TurnAsked, "write"),
    "approval.list": Method(ApprovalList, Questions, "read"),
    "approval.answer": Method(ApprovalAnswer, Answered, "approve"),
    "events.subscribe": Method(EventsSubscribe, Subscribed, "read"),
    "events.unsubscribe": Method(EventsUnsubscribe, Unsubscribed, "read"),
    "system.status": Method(SystemStatus, Status, "read"),
    "system.check": Method(SystemCheck, Status, "admin"),
}

METHOD_OF: dict[type[Wire], str] = {method.params: name for name, method in METHODS.items()}
"""The name of the method that takes these parameters."""

PLANNED = frozenset(
    {
        *("speech.chunk", "speech.flush", "speech.status"),
        *("heartbeat.status", "heartbeat.trigger", "heartbeat.pause", "heartbeat.resume", "heartbeat.log"),
        *("workflow.list", "workflow.check", "workflow.start", "workflow.status", "workflow.cancel", "workflow.resume"),
        *("agent.list", "skill.list", "project.list", "project.get", "tool.list"),
        *("system.pause", "system.resume"),
    }
)
"""Methods of ``sulla.v1`` that this daemon does not offer (design §12): answered with `not_available`."""
