"""`sulla.v1` as an AsyncAPI 3 document, made from the models and the facts, so that it says what is so. Pure.

What a client sends is closed, as the daemon refuses what it does not know. What the daemon sends is open: fields may be
added, and a client passes over what it does not know.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from inspect import getdoc
from typing import Any, cast

import orjson
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from sulla.core.errors import SullaError
from sulla.core.jsontypes import Json, JsonObject
from sulla.gateway import rpc, wire
from sulla.gateway.contract_docs.event_schemas import KEPT, LIVE, EventSchemas
from sulla.gateway.methods.table import METHODS
from sulla.gateway.websocket import session
from sulla.gateway.wire import PROTOCOL, SUBPROTOCOL
from sulla.people.notices_rpc import NoticeRow
from sulla.rpc.row import describe

CLOSE_CODES = {
    1002: "a frame against RFC 6455",
    session.NOT_TEXT: "a binary frame",
    1007: "text that is not UTF-8",
    session.POLICY: "something else than a good hello came first, a message in too many pieces, or too many pings",
    session.TOO_BIG: "a frame over the limit",
    session.INTERNAL: "a defect in the daemon",
    session.RESTART: "the daemon stops: connect again",
    session.TOO_SLOW: "nothing was read for too long: come back and subscribe from the last seq; or too many are here",
    session.UNAUTHORIZED: "the token is missing, not valid, revoked or expired, or the address is locked out",
    session.NO_HELLO: "no hello in time",
}
"""What the daemon closes a connection with, and when."""

_FRAME_ERRORS = {
    "invalid_json": rpc.PARSE_ERROR,
    "invalid_request": rpc.INVALID_REQUEST,
    "unknown_method": rpc.METHOD_NOT_FOUND,
}
"""Words for what is wrong with a frame before anybody could be asked."""

_SCHEMAS = "#/components/schemas/"
_CHANNEL: JsonObject = {"$ref": "#/channels/ws"}
_REQUEST_ID: JsonObject = {"type": ["string", "integer"]}
_NOTICES: dict[str, type] = {
    "events.ended": wire.EndedParams,
    "events.gap": wire.GapParams,
    "notice": NoticeRow,
    **{row.watch.name: row.watch.row for row in METHODS.values() if row.watch is not None},
}
_EVENT = "event"


@cache
def document() -> bytes:
    """The document as it is served; made when somebody first asks for it."""
    return orjson.dumps(asyncapi(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def asyncapi() -> JsonObject:
    """The document.

    Returns:
        For each method a request and a result, for each type of event a notification, the error, and what they are
        made of; scopes, error codes and close codes are in fields that begin with ``x-``.
    """
    schemas = _schemas()
    messages: JsonObject = {**dict(_messages())}
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Sulla",
            "version": f"{PROTOCOL}.0.0",
            "description": f"The protocol {SUBPROTOCOL}: JSON-RPC 2.0 in text frames over one WebSocket.",
        },
        "defaultContentType": "application/json",
        "servers": {
            "local": {
                "host": "127.0.0.1:8137",
                "protocol": "ws",
                "security": [{"$ref": "#/components/securitySchemes/token"}],
            }
        },
        "channels": {"ws": _channel(messages)},
        "operations": _operations(),
        "components": {
            "messages": messages,
            "schemas": schemas,
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "In the header, or as `token` in hello if the client cannot set headers.",
                }
            },
        },
    }


def error_codes() -> dict[str, int]:
    """The JSON-RPC code that goes with each word in an error's ``data.code``."""
    known = {kind.code: rpc.code_of(kind) for kind in _tree(SullaError) if kind.__module__ == SullaError.__module__}
    return dict(sorted((_FRAME_ERRORS | known).items()))


def _tree(root: type[SullaError]) -> Iterator[type[SullaError]]:
    yield root
    for below in root.__subclasses__():
        yield from _tree(below)


# ------------------------------------------------------------------------------------------------ channel, operations


def _channel(messages: JsonObject) -> JsonObject:
    codes: JsonObject = {str(code): when for code, when in sorted(CLOSE_CODES.items())}
    return {
        "address": "/ws",
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in messages},
        "bindings": {
            "ws": {
                "method": "GET",
                "headers": {
                    "type": "object",
                    "properties": {
                        "Sec-WebSocket-Protocol": {"const": SUBPROTOCOL},
                        "Authorization": {"type": "string", "pattern": "^Bearer "},
                    },
                    "required": ["Sec-WebSocket-Protocol"],
                },
                "bindingVersion": "0.1.0",
            }
        },
        "x-close-codes": codes,
        "x-error-codes": {**error_codes()},
    }


def _operations() -> JsonObject:
    found: JsonObject = {}
    for name, method in METHODS.items():
        found[name] = {
            "action": "receive",
            "channel": _CHANNEL,
            "messages": [_said(f"{name}.request")],
            "reply": {"channel": _CHANNEL, "messages": [_said(f"{name}.result"), _said("error")]},
            "x-scope": method.scope,
        }
    events: list[Json] = [_said(f"{_EVENT}.{type_}") for type_ in (*KEPT, *LIVE)]
    found[_EVENT] = {"action": "send", "channel": _CHANNEL, "messages": events}
    for name in _NOTICES:
        found[name] = {"action": "send", "channel": _CHANNEL, "messages": [_said(name)]}
    return found


def _said(message: str) -> JsonObject:
    return {"$ref": f"#/channels/ws/messages/{message}"}


# ------------------------------------------------------------------------------------------------------------ messages


def _messages() -> Iterator[tuple[str, JsonObject]]:
    for name, method in METHODS.items():
        params = _ref(method.params.__name__)
        call = _frame({"id": _REQUEST_ID, "method": {"const": name}, "params": params})
        call["additionalProperties"] = False
        if not any(field.is_required() for field in method.params.model_fields.values()):
            call["required"] = ["jsonrpc", "id", "method"]
        yield f"{name}.request", _message(method.params, call)
        result = _frame({"id": _REQUEST_ID, "result": _ref(method.result.__name__)})
        yield f"{name}.result", _message(method.result, result)
    refusal = _frame({"id": {"type": ["string", "integer", "null"]}, "error": _ref(wire.Error.__name__)})
    yield "error", _message(wire.Error, refusal)
    for type_, fact in (KEPT | LIVE).items():
        event = _frame({"method": {"const": _EVENT}, "params": _ref(f"{_EVENT}.{type_}")})
        yield f"{_EVENT}.{type_}", _message(fact, event)
    for name, notice in _NOTICES.items():
        yield name, _message(notice, _frame({"method": {"const": name}, "params": _ref(notice.__name__)}))


def _message(about: type, payload: JsonObject) -> JsonObject:
    return {"summary": (getdoc(about) or "").partition("\n")[0], "payload": payload}


def _frame(fields: JsonObject) -> JsonObject:
    shape: JsonObject = {"jsonrpc": {"const": "2.0"}, **fields}
    return {"type": "object", "properties": shape, "required": [*shape]}


def _ref(name: str) -> JsonObject:
    return {"$ref": f"{_SCHEMAS}{name}"}


# ------------------------------------------------------------------------------------------------------------- schemas


def _schemas() -> JsonObject:
    """Every model of the wire, and the parameters of every type of event."""
    taken = _of_models([method.params for method in METHODS.values()])
    results: list[type] = [method.result for method in METHODS.values()]
    given = cast(JsonObject, _untitled(describe([*results, wire.Error, *_NOTICES.values()], f"{_SCHEMAS}{{model}}")))
    found = {**_opened(given), **taken}
    of_events = EventSchemas(_SCHEMAS)
    envelope = cast(JsonObject, found.pop(wire.EventParams.__name__))
    for type_, fact in (KEPT | LIVE).items():
        found[f"{_EVENT}.{type_}"] = _event(envelope, type_, fact, of_events.data(fact))
    found[wire.EventParams.__name__] = {
        "description": "One kept event.",
        "oneOf": [_ref(f"{_EVENT}.{type_}") for type_ in KEPT],
    }
    return {**found, **of_events.shared}


def _of_models(models: list[type[BaseModel]]) -> JsonObject:
    _, whole = models_json_schema([(model, "validation") for model in models], ref_template=f"{_SCHEMAS}{{model}}")
    return cast(JsonObject, _untitled(whole["$defs"]))


def _untitled(shape: Any) -> Any:  # noqa: ANN401 - any part of a schema
    """Without the titles that pydantic makes of the fields' names."""
    if isinstance(shape, list):
        return [_untitled(part) for part in shape]
    if not isinstance(shape, dict):
        return shape
    return {key: _untitled(value) for key, value in shape.items() if key != "title" or not isinstance(value, str)}


def _opened(schemas: JsonObject) -> JsonObject:
    """The same for objects that may get new fields."""
    return {
        name: {key: value for key, value in cast(JsonObject, schema).items() if key != "additionalProperties"}
        for name, schema in schemas.items()
    }


def _event(envelope: JsonObject, type_: str, fact: type, data: JsonObject) -> JsonObject:
    seq: JsonObject = {"type": "integer", "minimum": 1} if type_ in KEPT else {"type": "null"}
    shape = cast(JsonObject, envelope["properties"])
    fields: JsonObject = {**shape, "seq": seq, "type": {"const": type_}, "data": data}
    return {**envelope, "description": getdoc(fact), "properties": fields}
