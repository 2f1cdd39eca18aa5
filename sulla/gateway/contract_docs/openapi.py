"""The REST interface as an OpenAPI 3.1 document, made from the routes and the models. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from inspect import getdoc
from typing import cast

import orjson
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from sulla.core.jsontypes import Json, JsonObject
from sulla.gateway.methods.table import METHODS
from sulla.gateway.rest.models import Failure, TurnTaken
from sulla.gateway.rest.read import STREAM
from sulla.gateway.rest.routes import ROUTES, RestRoute, by_path
from sulla.gateway.wire import EventsSubscribe
from sulla.rpc.family_place import PLACE_PATTERN
from sulla.rpc.row import describe

_SCHEMAS = "#/components/schemas/"
_JSON = "application/json"
_PROBLEMS = {
    400: "A value is missing or wrong, or a field is unknown.",
    401: "No valid token, or too many wrong ones from this address.",
    403: "The token does not allow it.",
    404: "There is no such thing.",
    408: "The body did not come in time.",
    409: "It contradicts what is kept.",
    413: "The body, or a value in it, is too large.",
    415: "The body is not JSON.",
    429: "It is in use, or too much comes too fast: the same again can succeed later.",
    500: "A defect of the daemon's, or something kept that cannot be read.",
    503: "The daemon cannot do it now; nothing was acknowledged.",
}


@cache
def document(version: str) -> bytes:
    """The document as it is served; made when somebody first asks for it."""
    return orjson.dumps(openapi(version))


def openapi(version: str) -> JsonObject:
    """The document.

    Args:
        version: the daemon's.
    """
    schemas = _schemas()
    paths: JsonObject = {
        path: {route.verb.lower(): _operation(route, schemas) for route in routes.values()}
        for path, routes in by_path().items()
    }
    taken = {route.method.params.__name__ for route in ROUTES} | {EventsSubscribe.__name__}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Sulla",
            "version": version,
            "description": "What `sulla.v1` does, for whoever has no WebSocket at hand.",
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {name: schema for name, schema in schemas.items() if name not in taken},
            "responses": {str(status): _problem(status) for status in _PROBLEMS},
        },
    }


def result_of(route: RestRoute) -> type:
    """What a good answer is."""
    return TurnTaken if route.name == "turn.send" else route.method.result


# ---------------------------------------------------------------------------------------------------------- operations


def _operation(route: RestRoute, schemas: JsonObject) -> JsonObject:
    found: JsonObject = {
        "operationId": route.name,
        "summary": route.summary,
        "description": f"Needs the scope `{route.method.scope}`.",
        "tags": [route.name.partition(".")[0]],
        "parameters": _parameters(route, schemas),
        "responses": _responses(route),
    }
    if route.verb == "POST":
        found["requestBody"] = _body(route, schemas)
    return found


def _parameters(route: RestRoute, schemas: JsonObject) -> list[Json]:
    shapes = _fields(route.method.params, schemas)
    found: list[Json] = [
        {"name": name, "in": "path", "required": True, "schema": shapes[name]} for name in route.in_path
    ]
    if route.verb == "GET":
        required = {name for name, field in route.method.params.model_fields.items() if field.is_required()}
        for name in route.elsewhere:
            must: JsonObject = {"required": True} if name in required else {}
            found.append({"name": name, "in": "query", **must, "schema": _not_null(shapes[name])})
    if route.key is not None:
        what = f"Stands for `{route.key}` where the body has none: the same again does nothing twice."
        found.append(_header("Idempotency-Key", what, _not_null(shapes[route.key])))
    if route.streams:
        place: JsonObject = {"type": "string", "pattern": PLACE_PATTERN}
        found.append(_header("Last-Event-ID", "The id of the last event that the client of a stream has.", place))
        shape = _fields(EventsSubscribe, schemas)["children"]
        what = "For a stream: whether what sub-agents do is shown, too."
        found.append({"name": "children", "in": "query", "description": what, "schema": shape})
    return found


def _header(name: str, what: str, shape: Json) -> JsonObject:
    return {"name": name, "in": "header", "description": what, "schema": shape}


def _body(route: RestRoute, schemas: JsonObject) -> JsonObject:
    shapes = _fields(route.method.params, schemas)
    whole = cast(JsonObject, schemas[route.method.params.__name__])
    needed = [name for name in cast(list[str], whole.get("required", [])) if name in route.elsewhere]
    needed = [name for name in needed if name != route.key]  # it comes in a header, or is made
    shape: JsonObject = {
        "type": "object",
        "properties": {name: shapes[name] for name in route.elsewhere},
        "additionalProperties": False,
    }
    if needed:
        shape["required"] = [*needed]
    example = route.example.asked
    return {"required": bool(needed), "content": {_JSON: {"schema": shape, "example": example}}}


def _responses(route: RestRoute) -> JsonObject:
    shape: JsonObject = {"$ref": _SCHEMAS + result_of(route).__name__}
    result: JsonObject = {"schema": shape, "example": route.example.answered}
    good: JsonObject = {"description": _said(result_of(route)), "content": {_JSON: result}}
    found: JsonObject = {str(route.status): good}
    if route.streams:
        needed = f"Needs the scope `{METHODS['events.subscribe'].scope}` too."
        stream: JsonObject = {"description": f"Events as they come (docs/inside/rest.md). {needed}", "content": {}}
        shown = cast(JsonObject, found.setdefault("200", stream))
        cast(JsonObject, shown["content"])[STREAM] = {"schema": {"type": "string"}}
    for status in _PROBLEMS:
        found[str(status)] = {"$ref": f"#/components/responses/{status}"}
    return found


def _problem(status: int) -> JsonObject:
    shape: JsonObject = {"schema": {"$ref": _SCHEMAS + Failure.__name__}}
    found: JsonObject = {"description": _PROBLEMS[status], "content": {_JSON: shape}}
    if status in (401, 429, 503):
        said = "Seconds after which the same can succeed, where that is known."
        found["headers"] = {"Retry-After": {"description": said, "schema": {"type": "integer"}}}
    return found


# ------------------------------------------------------------------------------------------------------------- schemas


def _schemas() -> JsonObject:
    """What is taken is closed; what is given is open: fields may be added."""
    taken = _of([route.method.params for route in ROUTES] + [EventsSubscribe])
    given = describe([*(result_of(route) for route in ROUTES), Failure], f"{_SCHEMAS}{{model}}")
    for schema in given.values():
        cast(JsonObject, schema).pop("additionalProperties", None)
    return given | taken


def _of(models: Sequence[type[BaseModel]]) -> JsonObject:
    _, whole = models_json_schema([(model, "validation") for model in models], ref_template=f"{_SCHEMAS}{{model}}")
    return cast(JsonObject, whole["$defs"])


def _fields(model: type[BaseModel], schemas: JsonObject) -> JsonObject:
    """The schemas of a model's fields."""
    return cast(JsonObject, cast(JsonObject, schemas[model.__name__]).get("properties", {}))


def _not_null(shape: Json) -> Json:
    """The same for a place where nothing is said by leaving it out."""
    found = {key: value for key, value in cast(JsonObject, shape).items() if (key, value) != ("default", None)}
    kinds = [kind for kind in cast(list[JsonObject], found.pop("anyOf", [])) if kind != {"type": "null"}]
    return {**found, **kinds[0]} if kinds else found


def _said(model: type) -> str:
    return (getdoc(model) or "").partition("\n")[0]
