"""JSON-RPC 2.0 around the models of `wire`: reading requests, writing replies, saying what was wrong. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby

import orjson
from pydantic import BaseModel, JsonValue, ValidationError
from pydantic_core import ErrorDetails

from sulla.core.dataclass import dataclass
from sulla.core.errors import (
    Busy,
    Conflict,
    Forbidden,
    InvalidInput,
    NotAvailable,
    NotFound,
    SullaError,
    Unauthorized,
    Unavailable,
)
from sulla.core.jsontypes import Json, JsonObject
from sulla.gateway.commands import Event
from sulla.gateway.event_json import event_json
from sulla.gateway.methods.table import METHODS
from sulla.people.notices import NoticeInfo
from sulla.people.notices_rpc import NoticeRow, notice_row
from sulla.rpc.form import PATTERN_WORDS, Params
from sulla.rpc.limits import ID_CHARS, TEXT_CHARS, VALUE_ENTRIES
from sulla.rpc.row import dump

RequestId = str | int

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
REFUSED = -32000

MOST_FIELDS = 64
"""Of one object in the parameters, and items of one list: more than any model has."""

_DEPTH = 2
"""How deep the models are: a list in the parameters, and an object in the list."""

_ANYTHING = (dict[str, JsonValue], dict[str, JsonValue] | None)
"""Fields whose values by name may be any JSON."""

_CODES: tuple[tuple[type[SullaError], int], ...] = (
    (InvalidInput, INVALID_PARAMS),
    (Unauthorized, -32001),
    (Forbidden, -32003),
    (NotFound, -32004),
    (NotAvailable, -32005),
    (Conflict, -32009),
    (Busy, -32029),
    (Unavailable, -32053),
)
"""The last two digits follow HTTP's status where there is one. ``data.code`` is the finer word."""

_SECRETS: tuple[str, ...] = ("token", "ticket", "session")
"""Ends of the names of fields that hold one."""


@dataclass(frozen=True, slots=True)
class Request:
    """A well-formed request; whether its parameters are right is not yet known."""

    id: RequestId
    method: str
    params: JsonObject


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a request is refused; `id` is None if it could not be made out."""

    id: RequestId | None
    code: int
    message: str
    word: str
    retryable: bool = False
    retry_after_s: float | None = None


def parse(text: str) -> Request | Fault:
    """Read one frame."""
    try:
        value: Json = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        return Fault(None, PARSE_ERROR, f"not JSON: {error}", "invalid_json")
    if isinstance(value, list):
        return _invalid(None, "batches are not part of sulla.v1: send each request in a frame of its own")
    if not isinstance(value, dict):
        return _invalid(None, f"got {_kind(value)}, expected a request object with jsonrpc, id, method and params")
    id_ = value.get("id")
    if "id" not in value:
        return _invalid(None, "id: missing; sulla.v1 has no notifications from clients, every request is answered")
    if isinstance(id_, bool) or not isinstance(id_, str | int) or (isinstance(id_, str) and len(id_) > ID_CHARS):
        return _invalid(None, f"id: got {show(id_)}, expected an integer or a string of at most {ID_CHARS} characters")
    return _request(id_, value)


def _request(id_: RequestId, value: JsonObject) -> Request | Fault:
    if value.get("jsonrpc") != "2.0":
        return _invalid(id_, f"jsonrpc: got {show(value.get('jsonrpc'))}, expected '2.0'")
    if unknown := sorted(set(value) - {"jsonrpc", "id", "method", "params"}):
        return _invalid(id_, f"{unknown[0][:40]!r}: no such field; a request has jsonrpc, id, method and params")
    method, params = value.get("method"), value.get("params", {})
    if not isinstance(method, str):
        return _invalid(id_, f"method: got {show(method)}, expected a string")
    if not isinstance(params, dict):
        return Fault(id_, INVALID_PARAMS, f"params: got {_kind(params)}, expected an object", "invalid_input")
    return Request(id_, method, params)


def _invalid(id_: RequestId | None, message: str) -> Fault:
    return Fault(id_, INVALID_REQUEST, message, "invalid_request")


def read_params(request: Request, within: str = "params") -> Params | Fault:
    """The request's parameters as the method's model; `within` is what errors call the place where they stand."""
    method = METHODS.get(request.method)
    if method is None:
        return _unknown_method(request)
    if (crowd := _crowd(request.params, method.params, within)) is not None:
        return Fault(request.id, INVALID_PARAMS, crowd, "invalid_input")
    try:
        params: Params = method.params.model_validate(request.params)
    except ValidationError as error:
        details = error.errors(include_url=False)
        message = "; ".join(explain(detail, method.params, within) for detail in details[:5])
        too_large = any(detail["type"] == "string_too_long" for detail in details)
        return Fault(request.id, INVALID_PARAMS, message, "too_large" if too_large else "invalid_input")
    return params


def _crowd(params: JsonObject, model: type[Params], within: str) -> str | None:
    """What is wrong if an object has more fields, or a list more items, than any model: to explain 75,000 of them would
    take 0.3 s, in which nobody else is served. What may be any JSON nobody explains: its entries are counted in all.
    """
    free = {name for name, part in params.items() if isinstance(part, dict) and _takes_anything(model, name)}
    for where, part in _parts(params, within, _DEPTH, free):
        if len(part) > MOST_FIELDS:
            what = "fields" if isinstance(part, dict) else "items"
            return f"{where[:200] or 'the values'}: got {len(part)} {what}, expected at most {MOST_FIELDS}"
    for name in free:
        if _has_more(params[name], VALUE_ENTRIES):
            where = f"{within}.{name}" if within else name
            return (
                f"{where}: its lists and objects have more than {VALUE_ENTRIES} entries in all, the most there may be"
            )
    return None


def _takes_anything(model: type[Params], name: str) -> bool:
    field = model.model_fields.get(name)
    return field is not None and field.annotation in _ANYTHING


def _has_more(value: Json, most: int) -> bool:
    """Whether the lists and objects in a value have more entries than so many, all in all."""
    count, ahead = 0, [value]
    while ahead:
        part = ahead.pop()
        if isinstance(part, dict | list):
            count += len(part)
            if count > most:
                return True
            ahead += part.values() if isinstance(part, dict) else part
    return False


def _parts(
    value: dict[str, Json] | list[Json], where: str, depth: int, free: Collection[str] = ()
) -> Iterator[tuple[str, dict[str, Json] | list[Json]]]:
    """An object or list, then those in it but for what stands in the fields named, and where each stands."""
    yield where, value
    if depth:
        for name, part in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(part, dict | list):
                yield from _parts(part, f"{where}.{name}" if where else str(name), 0 if name in free else depth - 1)


def _unknown_method(request: Request) -> Fault:
    name = request.method
    close = difflib.get_close_matches(name[:80], sorted(METHODS), n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(_grouped(METHODS))}"
    return Fault(request.id, METHOD_NOT_FOUND, f"no method {show(name)}; {hint}", "unknown_method")


def _grouped(names: Iterable[str]) -> Iterator[str]:
    """Names in order, as in ``turn.send|stop``."""
    for group, some in groupby(sorted(names), lambda name: name.partition(".")[0]):
        verbs = [name.partition(".")[2] for name in some]
        yield f"{group}.{'|'.join(verbs)}" if verbs[0] else group


def explain(detail: ErrorDetails, model: type[BaseModel], within: str = "params") -> str:
    """One finding of pydantic in our words: the field, what was got, what was expected.

    A secret is never repeated: of `_SECRETS` only the kind of value is said.
    """
    where = ".".join([*([within] if within else ()), *(str(part) for part in detail["loc"])])[:200]
    kind, got = detail["type"], detail["input"]
    if kind == "missing":
        return f"{where}: missing"
    if kind == "extra_forbidden":
        close = difflib.get_close_matches(str(detail["loc"][-1])[:80], list(model.model_fields), n=1)
        return f"{where}: no such field" + (f"; did you mean {close[0]!r}?" if close else "")
    context = detail.get("ctx", {})
    if kind == "string_too_long":
        most = context["max_length"]
        remedy = "; send it in parts, or put it in a file of the workspace and name that" if most == TEXT_CHARS else ""
        return f"{where}: got {len(got)} characters, expected at most {most}{remedy}"
    if kind in ("too_long", "too_short"):
        bound = f"at most {context['max_length']}" if kind == "too_long" else f"at least {context['min_length']}"
        return f"{where}: got {len(got)} items, expected {bound}"
    if kind == "string_pattern_mismatch":
        expected = PATTERN_WORDS.get(context["pattern"], context["pattern"])
    else:
        expected = detail["msg"].removeprefix("Input should be ").removeprefix("String should have ")
    return f"{where}: got {_kind(got) if where.endswith(_SECRETS) else show(got)}, expected {expected}"


def show(value: object) -> str:
    """A value for an error message: short ones as they are, others by kind."""
    if isinstance(value, str):
        return repr(value) if len(value) <= 40 else f"{value[:40]!r}… ({len(value)} characters)"
    if value is None or isinstance(value, bool | int | float):
        return repr(value)[:60]
    return _kind(value)


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "null" if value is None else type(value).__name__)


def fault_of(id_: RequestId | None, error: SullaError) -> Fault:
    """A refusal or failure as it goes to the client."""
    return Fault(id_, code_of(type(error)), error.message, error.code, error.retryable, error.retry_after_s)


def code_of(error: type[SullaError]) -> int:
    """The JSON-RPC code of a kind of error."""
    if error.code == SullaError.code:
        return INTERNAL_ERROR
    return next((code for cls, code in _CODES if issubclass(error, cls)), REFUSED)


def error_json(fault: Fault) -> JsonObject:
    """The error object."""
    data: JsonObject = {"code": fault.word, "retryable": fault.retryable, "retry_after_s": fault.retry_after_s}
    return {"code": fault.code, "message": fault.message, "data": data}


def reply_frame(id_: RequestId, result: JsonObject) -> bytes:
    """A result as a frame."""
    return orjson.dumps({"jsonrpc": "2.0", "id": id_, "result": result})


def fault_frame(fault: Fault) -> bytes:
    """A refusal as a frame."""
    return orjson.dumps({"jsonrpc": "2.0", "id": fault.id, "error": error_json(fault)})


def event_frame(event: Event) -> bytes:
    """An event as a frame. Not by way of a model: this is the path of every token."""
    return orjson.dumps({"jsonrpc": "2.0", "method": "event", "params": event_json(event)})


def ended_frame(thread_id: str, fault: Fault) -> bytes:
    """The end of a subscription as a frame."""
    return orjson.dumps(
        {"jsonrpc": "2.0", "method": "events.ended", "params": {"thread_id": thread_id, "error": error_json(fault)}}
    )


def notice_frame(one: NoticeInfo) -> bytes:
    """A notice as a frame."""
    return orjson.dumps({"jsonrpc": "2.0", "method": "notice", "params": dump(NoticeRow, notice_row(one))})


def watch_frame(name: str, params: JsonObject) -> bytes:
    """What a watch tells as a frame.

    Args:
        name: of the notification.
        params: its parameters.
    """
    return orjson.dumps({"jsonrpc": "2.0", "method": name, "params": params})


def gap_frame(thread_id: str, after: int, following: int) -> bytes:
    """A hole in the log as a frame."""
    params: JsonObject = {"thread_id": thread_id, "after": after, "next": following}
    return orjson.dumps({"jsonrpc": "2.0", "method": "events.gap", "params": params})
