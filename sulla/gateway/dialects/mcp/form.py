"""What the tools of the MCP server take and give, and the form of its errors. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Final, TypeVar

import orjson
from pydantic import Field, JsonValue, ValidationError

from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import JsonObject
from sulla.gateway.problems import Malformed, Problem
from sulla.gateway.rpc import MOST_FIELDS, explain, show
from sulla.rpc.form import Answer, Id, Name, Params, QuestionId, Seq, Words

WAIT_S: Final = 45
"""How long a call waits for a turn if it does not say, in seconds: most hosts give up after 60."""
MOST_WAIT_S: Final = 600
_CODES: Final = {400: -32600, 404: -32601, 406: -32600, 413: -32600, 415: -32600, 422: -32602}
"""JSON-RPC's number for an HTTP status; the server's own for all others."""
_OURS: Final = -32000
_SHOWN: Final = 5
"""Findings about arguments that are told."""

_Args = TypeVar("_Args", bound=Params)

Wait = Annotated[
    int, Field(ge=0, le=MOST_WAIT_S, description="How many seconds to wait; then the reply says how to wait on.")
]


class AskArgs(Params):
    """What `ask` takes."""

    message: Annotated[Words, Field(description="What the agent should be told.")]
    agent: Annotated[
        Id | None, Field(description="Who answers, an id of list_agents; the default agent if left out.")
    ] = None
    thread_id: Annotated[Id | None, Field(description="The conversation to go on with; a new one if left out.")] = None
    request_id: Annotated[
        Id | None,
        Field(description="A name of your own for this call: made again with the same one, nothing is asked twice."),
    ] = None
    wait_s: Wait = WAIT_S


class WaitArgs(Params):
    """What `wait_for_reply` takes: what a reply that was not whole has said."""

    thread_id: Id
    run_id: Id
    after: Seq
    wait_s: Wait = WAIT_S


class ReadArgs(Params):
    """What `read_thread` takes."""

    thread_id: Id
    after: Annotated[Seq, Field(description="The `next` of the page before; 0 for the beginning.")] = 0
    limit: Annotated[int, Field(ge=1, le=500)] = 200


class PlayArgs(Params):
    """What `run_playbook` takes."""

    playbook: Annotated[Name, Field(description="A name of list_playbooks.")]
    inputs: Annotated[dict[str, JsonValue], Field(description="What it takes, by name.")] = Field(default={})
    thread_id: Annotated[Id | None, Field(description="The conversation that hears of it and is asked.")] = None
    request_id: Annotated[Id | None, Field(description="The same one begins the same run.")] = None


MOST_ANSWERED: Final = 50


class State(Params):
    """What a client keeps while a person is asked. It says no more than a client could ask for anyway."""

    thread_id: Id
    run_id: Id
    after: Seq
    begun: bool
    ask: QuestionId
    choices: Annotated[list[Answer], Field(max_length=200)]
    answered: Annotated[list[QuestionId], Field(max_length=MOST_ANSWERED)]


class ToolUse(Params):
    """A call that the agent has made."""

    id: str
    name: str
    arguments: dict[str, JsonValue]
    done: bool
    is_error: bool


class Open(Params):
    """A question that the turn waits for, and that people answer."""

    id: str
    prompt: str
    tool: str
    choices: list[str]


class Trouble(Params):
    """Why a turn failed."""

    code: str
    message: str
    retryable: bool


class Reply(Params):
    """What a turn came to by now."""

    thread_id: str
    run_id: str
    after: int
    """What `wait_for_reply` wants to know."""
    status: str
    """`done`, `blocked`, `failed`, `cancelled`, `joined`; `waiting` for people, or `in_progress`."""
    text: str
    tools: list[ToolUse]
    questions: list[Open]
    error: Trouble | None


class Entry(Params):
    """Something that was said or done in a thread."""

    seq: int
    who: str
    """`user`, `agent`, `tool` or `people` (who are asked)."""
    text: str


class Entries(Params):
    """What `read_thread` gives."""

    entries: list[Entry]
    next: int | None
    """The `after` of the next page; null at the end."""


class AnsweredReply(Params):
    """What `answer_approval` gives: what `wait_for_reply` takes."""

    thread_id: str
    run_id: str
    after: int


def read_args(model: type[_Args], values: JsonObject) -> _Args:
    """A tool's arguments.

    Args:
        model: what it takes.
        values: what it was given.

    Raises:
        InvalidInput: something is missing or wrong, or unknown.
    """
    if len(values) > MOST_FIELDS:
        raise InvalidInput(f"got {len(values)} arguments, expected at most {MOST_FIELDS}")
    try:
        return model.model_validate(values)
    except ValidationError as error:
        found = error.errors(include_url=False)[:_SHOWN]
        raise InvalidInput("; ".join(explain(detail, model, "") for detail in found)) from None


def read_wish(query: Iterable[tuple[str, str]]) -> bool:
    """Whether the host's model may answer what people are asked: ``?approvals=tool``.

    It is a thing of the address, so whoever sets a host up decides it, and nothing that a model says can.

    Args:
        query: behind the address.

    Raises:
        InvalidInput: the address asks for something else.
    """
    said = [*query]
    if said not in ([], [("approvals", "tool")]):
        raise InvalidInput("the address may say approvals=tool (docs/clients.md), and nothing else")
    return bool(said)


def check_kinds(headers: Mapping[str, str]) -> None:
    """See whether a request says what it is and what it takes, before the library does, which has no words for it.

    Args:
        headers: of the request.

    Raises:
        Malformed: one of them is missing or another one.
    """
    kind = headers.get("content-type", "").partition(";")[0].strip()
    if kind.lower() != "application/json":
        message = f"got a body of type {show(kind)}: send the header 'Content-Type: application/json'"
        raise Malformed(415, "unsupported_media_type", message)
    accepted = {one.partition(";")[0].strip().lower() for one in headers.get("accept", "").split(",")}
    for kind, likes in ("application/json", "application/*"), ("text/event-stream", "text/*"):
        if accepted.isdisjoint({kind, likes, "*/*"}):
            message = f"an answer may be {kind}: send the header 'Accept: application/json, text/event-stream'"
            raise Malformed(406, "not_acceptable", message)


def read_state(text: str) -> State:
    """What a client has kept.

    Raises:
        InvalidInput: it is not what it was given.
    """
    try:
        return State.model_validate_json(text)
    except ValidationError:
        raise InvalidInput("requestState: expected what the answer before had, unchanged") from None


def error_body(problem: Problem) -> bytes:
    """An error that nobody has read a request's id for."""
    data = {"code": problem.code, "retryable": problem.retryable, "retry_after_s": problem.retry_after_s}
    error = {"code": _CODES.get(problem.status, _OURS), "message": problem.message, "data": data}
    return orjson.dumps({"jsonrpc": "2.0", "id": None, "error": error})
