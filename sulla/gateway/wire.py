"""What travels over ``sulla.v1``: each method's parameters and result, and the events, as strict models. Pure."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, JsonValue, StringConstraints
from pydantic_core import PydanticCustomError

from sulla.access.principal import Scope
from sulla.agent.approvals.permissions_rpc import RuleRow
from sulla.core.dataclass import dataclass
from sulla.rpc.family_place import MOST_NAMED
from sulla.rpc.form import Answer, Channel, Id, Label, Params, QuestionId, SaidAgain, Seq, Title, Words
from sulla.rpc.limits import MOST_ALWAYS_S
from sulla.rpc.row import Time

SUBPROTOCOL = "sulla.v1"
PROTOCOL = 1


def _one(value: object) -> object:
    """``true`` and ``1.0`` equal 1 too, which is all that pydantic asks of a literal."""
    if type(value) is not int:
        raise PydanticCustomError("literal_error", "Input should be 1")
    return value


# ------------------------------------------------------------------------------------------------------ parameters


class Client(Params):
    """Who is calling."""

    name: Label
    version: Label


class Hello(Params):
    """`hello`: the first request of a connection."""

    client: Client
    protocol: Annotated[Literal[1], BeforeValidator(_one)]
    token: Annotated[str, StringConstraints(min_length=1, max_length=512)] | None = None
    session: Annotated[str, StringConstraints(min_length=1, max_length=512)] | None = None
    """A page's half of its session; the other one is the cookie. A token goes before it."""


class ThreadCreate(Params):
    """`thread.create`."""

    agent: Id | None = None
    title: Title = ""
    project: Id | None = None
    request_id: Id | None = None
    channel: Channel = ""


class ThreadList(Params):
    """`thread.list`."""

    after: Id | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class ThreadGet(Params):
    """`thread.get`."""

    thread_id: Id


class ThreadHistory(Params):
    """`thread.history`."""

    thread_id: Id
    after: Seq = 0
    before: Seq | None = None
    limit: Annotated[int, Field(ge=1, le=500)] = 100


class ThreadDelete(Params):
    """`thread.delete`."""

    thread_id: Id


class TurnSend(Params):
    """`turn.send`."""

    thread_id: Id
    message_id: Id
    text: Words
    mode: Literal["queue", "steer", "interrupt"] = "queue"
    agent: Id | None = None
    quoted: Answer = ""
    """What is passed on with it and is not the person's own words."""
    said_chars: Annotated[int, Field(ge=0, le=100_000)] = 0
    """How many characters at the end of `text` the person said, where an application's words come first; 0 for all.
    Only what a person said leads to agents and playbooks by its words."""
    from_model: bool = False
    """Whether the words are a model's, which may have read anything: then they count as from outside."""
    unattended: bool = False
    """Whether a program says them by itself, e.g. a calendar of others' events: from outside, in a turn of nobody's."""
    again: SaidAgain | None = None  # which message this says again, edited or not: where its words came from rides on
    flow: Annotated[dict[str, JsonValue], Field(max_length=16)] | None = None
    """By which flow it is walked: `agent_mode`, `deep_thinking`, `plan`, `more_suggest`, `max_loop_count`, `flow` by
    its name, `system_context`; for `admin` alone `custom_flow` and `custom_sub_agents`. Nothing for the agent's."""


class TurnStop(Params):
    """`turn.stop`."""

    thread_id: Id
    request_id: Id | None = None
    drop: bool = False
    """Whether messages that wait get no turn any more, instead of being held."""


class TurnContinue(Params):
    """`turn.continue`."""

    thread_id: Id
    request_id: Id | None = None


class ApprovalList(Params):
    """`approval.list`."""

    after: Id | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class ApprovalAnswer(Params):
    """`approval.answer`."""

    thread_id: Id
    id: QuestionId
    verdict: Literal["result", "run_again", "give_up", "approve", "reject", "always"] = "result"
    text: Answer = ""
    for_s: Annotated[int, Field(ge=1, le=MOST_ALWAYS_S)] | None = None
    """For how long `always` is to be good, in seconds; null for 30 days."""


class EventsSubscribe(Params):
    """`events.subscribe`."""

    thread_id: Id
    after: Seq = 0
    speak: bool = False
    """Whether replies come in pieces to speak too, as `SPEAK`; the thread's own alone."""
    children: bool = False
    """Whether the events of all that the thread sets to work come too, however deep."""
    after_children: Annotated[dict[Id, Seq], Field(max_length=MOST_NAMED)] | None = None
    """The last number that the client has of each sub-agent that is not done, by its thread; 0 for none."""


class EventsUnsubscribe(Params):
    """`events.unsubscribe`."""

    thread_id: Id


# ---------------------------------------------------------------------------------------------------------- results


@dataclass(frozen=True, slots=True)
class Server:
    """Who answers."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class ShownLimits:
    """What a client has to keep to."""

    frame_bytes: int
    text_chars: int
    id_chars: int
    title_chars: int
    subscriptions: int


@dataclass(frozen=True, slots=True)
class Welcome:
    """The answer to `hello`."""

    server: Server
    protocol: int
    session: str
    scopes: tuple[Scope, ...]
    limits: ShownLimits


@dataclass(frozen=True, slots=True)
class ThreadCreated:
    """The answer to `thread.create`."""

    thread_id: str


@dataclass(frozen=True, slots=True)
class FlowRow:
    """Where a turn stands that is walked by a flow."""

    name: str
    place: str
    """In the flow, e.g. ``root.steps[1].body#2``."""
    part: str
    """The key of the part that is under way; empty between two."""
    root: dict[str, JsonValue] = field(default_factory=dict)
    """The flow itself; in `thread.get` alone."""


@dataclass(frozen=True, slots=True)
class ThreadRow:
    """One thread in a list, and the answer to `thread.get`."""

    thread_id: str
    title: str
    agent: str
    status: str
    last_seq: int
    created_ms: Annotated[Time, Field(alias="created_at")]
    waiting: int
    """How many messages wait for their turn."""
    channel: str = ""
    """The client's channel that it was begun on; empty for none (seed 004 `wsChannel`)."""
    model: str = ""
    """Which model the newest turn is for, or was; empty before the first (seed 004 `llmModel`)."""
    loops: int = 0
    """How often the agent went on by itself in the newest turn, after it had said that it was not done."""
    noticed: tuple[str, ...] = field(default_factory=tuple)
    """What the newest message was found to have, e.g. ``injection``, ``sanitized`` (seed 004 `inputHandler`)."""
    project: str = ""  # what it is about; empty for nothing in particular
    flow: FlowRow | None = None
    """By which flow the open turn is walked; null for none."""
    active_agent: str = ""
    """Who answers the next message: `agent`, unless the conversation was handed to another one."""
    supervisor: str = ""  # whom that agent works for here; empty for nobody but the person
    reached: tuple[str, ...] = ()
    """The agents that a message can name with `@`: those that have the conversation or can be handed it from here."""
    held: int = 0
    """How many of those that wait are held by a stop, until somebody says continue or sends something new."""
    copy_of: str = ""  # the conversation that it is a copy of; empty for none
    copied_ms: Annotated[Time | None, Field(alias="copied_at")] = None


@dataclass(frozen=True, slots=True)
class Threads:
    """The answer to `thread.list`."""

    threads: tuple[ThreadRow, ...]
    next: str | None
    """What to give as `after` for the next page; null if this was the last."""


@dataclass(frozen=True, slots=True)
class EventParams:
    """One event: the parameters of the `event` notification, and one entry of `thread.history`."""

    thread_id: str
    seq: int | None
    run_id: str | None
    parent_run_id: str | None
    agent: str
    depth: int
    type: str
    at_ms: Annotated[Time, Field(alias="at")]
    data: dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class History:
    """The answer to `thread.history`."""

    events: tuple[EventParams, ...]
    more: bool


@dataclass(frozen=True, slots=True)
class ThreadDeleted:
    """The answer to `thread.delete`."""

    thread_id: str


@dataclass(frozen=True, slots=True)
class TurnSent:
    """The answer to `turn.send`: the message is kept."""

    run_id: str
    seq: int


@dataclass(frozen=True, slots=True)
class TurnAsked:
    """The answer to `turn.stop` and `turn.continue`: the request is kept."""

    seq: int


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One question that a suspended run waits for an answer to."""

    thread_id: str
    run_id: str
    id: str
    prompt: str
    expires_ms: Annotated[Time | None, Field(alias="expires_at")] = None
    """When no answer means no; null for never."""
    tool: str = ""
    target: str = ""
    """What `always` would allow; empty where it allows no more than the call."""
    choices: tuple[str, ...] = field(default_factory=tuple)
    """What the `text` of a `result` has to be one of; empty where it does not."""
    agent: str = ""
    """Who asks."""
    title: str = ""
    """What the thread is called; empty for nothing."""
    since_ms: Annotated[Time | None, Field(alias="since")] = None
    """Since when the turn has waited; null where other steps are at work meanwhile."""
    arguments: str = ""
    """What a call would be made with, to the letter, as text; empty for none, or if `prompt` does not show it whole."""
    why: str = ""
    """Why a call is asked about; empty as above."""


@dataclass(frozen=True, slots=True)
class Questions:
    """The answer to `approval.list`."""

    questions: tuple[QuestionRow, ...]
    next: str | None
    """What to give as `after` for the next page; null if this was the last."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to `approval.answer`: the answer is kept."""

    seq: int
    rule: RuleRow | None = None
    """What `always` allows from now on; null for any other answer, and for one that came before."""


@dataclass(frozen=True, slots=True)
class Subscribed:
    """The answer to `events.subscribe`."""

    seq: int
    """The log's last number now: with it the client has caught up."""


@dataclass(frozen=True, slots=True)
class Unsubscribed:
    """The answer to `events.unsubscribe`."""

    ended: bool


@dataclass(frozen=True, slots=True)
class ErrorData:
    """The machine's part of an error."""

    code: str
    retryable: bool
    retry_after_s: float | None


@dataclass(frozen=True, slots=True)
class Error:
    """A JSON-RPC error."""

    code: int
    message: str
    data: ErrorData


@dataclass(frozen=True, slots=True)
class EndedParams:
    """The parameters of the `events.ended` notification: a subscription is over and the client did not ask for it."""

    thread_id: str
    error: Error


@dataclass(frozen=True, slots=True)
class GapParams:
    """The parameters of the `events.gap` notification: kept events between two numbers are not there any more."""

    thread_id: str
    after: int
    """The last number that the client has."""
    next: int
    """The number of the event that comes next, which is higher than the one behind `after`."""
