"""From a request's path, query and body to the parameters of a method. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

import orjson

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, TooLarge
from sulla.core.jsontypes import Json, JsonObject
from sulla.gateway import rpc
from sulla.gateway.problems import Malformed
from sulla.gateway.rest.routes import RestRoute
from sulla.gateway.wire import EventsSubscribe, TurnSend
from sulla.rpc.family_place import FamilyPlace, place_of_text
from sulla.rpc.form import ID_PATTERN, PATTERN_WORDS, Params
from sulla.rpc.limits import ID_CHARS

STREAM = "text/event-stream"
_JSON = "application/json"
_CHILDREN = "children"
"""What is in the query of a stream that shows what sub-agents do; also of a `POST`, whose body is the message."""
_ELSEWHERE = {
    "speak": "pieces to speak come over /ws alone",
    "after_children": "a stream goes on behind what its client says in the header Last-Event-ID",
}
"""What `events.subscribe` takes, and a stream has no place for."""
_NUMBER = re.compile(r"-?[0-9]{1,20}", re.ASCII)


@dataclass(frozen=True, slots=True)
class RequestParts:
    """All that a request says. The body is read last: whoever may not do this need not send it."""

    path: Mapping[str, str]
    """What stands in the path in the place of the braces."""
    query: Sequence[tuple[str, str]]
    headers: Mapping[str, str]
    """By lower-case name."""
    body: bytes = b""

    @property
    def wants_stream(self) -> bool:
        """Whether the answer should go on live."""
        kinds = (part.partition(";")[0].strip().lower() for part in self.headers.get("accept", "").split(","))
        return STREAM in kinds

    @property
    def wants_children(self) -> bool:
        """Whether a stream should show what sub-agents do, too.

        Raises:
            InvalidInput: the query says neither yes nor no.
        """
        said = [value for name, value in self.query if name == _CHILDREN]
        if said not in ([], ["true"], ["false"]):
            raise InvalidInput(f"{_CHILDREN} in the query: got {rpc.show(','.join(said))}, expected 'true' or 'false'")
        return said == ["true"]

    def last_place(self, thread_id: str) -> FamilyPlace | None:
        """What the client of a stream has, where it says so.

        Args:
            thread_id: what the stream shows.

        Raises:
            InvalidInput: what it says is the id of no event.
        """
        if not (text := self.headers.get("last-event-id", "")):
            return None
        try:
            place = place_of_text(thread_id, text)
        except InvalidInput as error:
            raise InvalidInput(f"Last-Event-ID: {error.message}") from None
        return place if self.wants_children else FamilyPlace(thread_id, place.after)

    @property
    def key(self) -> str | None:
        """What the client calls the request, so that it can make it again.

        Raises:
            InvalidInput: it cannot be called that.
        """
        text = self.headers.get("idempotency-key")
        if text is not None and (len(text) > ID_CHARS or re.fullmatch(ID_PATTERN, text) is None):
            expected = f"at most {ID_CHARS} {PATTERN_WORDS[ID_PATTERN]}"
            raise InvalidInput(f"Idempotency-Key: got {rpc.show(text)}, expected {expected}")
        return text


def read(route: RestRoute, said: RequestParts, make_message_id: Callable[[], str]) -> Params:
    """What a request asks for.

    Args:
        route: where it came in.
        said: the request.
        make_message_id: names a message that came without a name.

    Raises:
        InvalidInput: a value is missing or wrong, or a field is unknown.
        TooLarge: a value is too long.
        Malformed: the body is not JSON.
    """
    values = _values(route, said)
    if route.streams:
        _ = said.last_place("")  # a wrong one is refused where it is not needed too
    if route.key is not None and (key := said.key) is not None:
        values.setdefault(route.key, key)
    if route.method.params is TurnSend and "message_id" not in values:
        values["message_id"] = make_message_id()
    return validated(route.name, {**values, **_in_path(route, said)})


def read_place(route: RestRoute, said: RequestParts) -> EventsSubscribe:
    """From where a stream of a thread's events goes on: ``Last-Event-ID`` is newer than ``after``, which stands in the
    address that a browser comes back to.

    Raises:
        InvalidInput: a value is wrong, or a field is unknown.
        Malformed: there is a body.
    """
    values = _values(route, said)
    for name in _ELSEWHERE.keys() & values.keys():
        raise InvalidInput(f"{name!r} in the query: {_ELSEWHERE[name]}")
    if (last := said.last_place("")) is not None:
        values["after"] = last.after
        if last.children:
            values["after_children"] = dict(last.children)
    values["children"] = said.wants_children
    return cast(EventsSubscribe, validated("events.subscribe", {**values, **_in_path(route, said)}))


def validated(method: str, values: JsonObject) -> Params:
    """The parameters of a method.

    Raises:
        InvalidInput: a value is missing or wrong, or a field is unknown.
        TooLarge: a value is too long.
    """
    found = rpc.read_params(rpc.Request(0, method, values), within="")
    if isinstance(found, rpc.Fault):
        raise (TooLarge if found.word == TooLarge.code else InvalidInput)(found.message)
    return found


def _in_path(route: RestRoute, said: RequestParts) -> JsonObject:
    return {name: said.path[name] for name in route.in_path}


def _values(route: RestRoute, said: RequestParts) -> JsonObject:
    """What is in the query or in the body; a field of the path is unknown there."""
    query = _query(route, said.query)
    if route.streams:
        _ = said.wants_children  # a wrong one is refused where it is not needed too
        query.pop(_CHILDREN, None)
    body = _body(said)
    if route.verb != "POST" and said.body:
        raise InvalidInput(f"a {route.verb} takes no body: put what it needs into the query")
    if route.verb != "GET" and query:
        raise InvalidInput(f"{next(iter(query))[:40]!r} in the query: a {route.verb} takes its values in the body")
    found = query if route.verb == "GET" else body
    if repeated := sorted(set(found) & set(route.in_path)):
        raise InvalidInput(f"{repeated[0]}: it stands in the path already")
    return found


def _query(route: RestRoute, pairs: Iterable[tuple[str, str]]) -> JsonObject:
    found: JsonObject = {}
    for name, value in pairs:
        if name in found:
            raise InvalidInput(f"{name[:40]!r} stands in the query twice")
        found[name] = _number(value) if name in route.numbers else value
    return found


def _number(text: str) -> int | str:
    """A number, if it is one; else whoever expects one will say so."""
    return int(text) if _NUMBER.fullmatch(text) else text


def _body(said: RequestParts) -> JsonObject:
    if not said.body:
        return {}
    kind = said.headers.get("content-type", "")
    if kind.partition(";")[0].strip().lower() != _JSON:
        message = f"got a body of type {rpc.show(kind)}, expected {_JSON}: send the header 'Content-Type: {_JSON}'"
        raise Malformed(415, "unsupported_media_type", message)
    try:
        value: Json = orjson.loads(said.body)
    except orjson.JSONDecodeError as error:
        raise Malformed(400, "invalid_json", f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise InvalidInput(f"got {rpc.show(value)}, expected an object")
    return value
