"""JSON on its way to a service and back, with errors that say what was wrong. Pure."""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json, JsonObject


def dumps(value: Json) -> bytes:
    """`value` as JSON.

    Raises:
        InvalidInput: it holds something that JSON cannot hold, such as half a surrogate pair.
    """
    try:
        return orjson.dumps(value, default=_plain)
    except TypeError as error:
        raise InvalidInput(f"not JSON: {error}") from error


def string(value: object) -> str:
    """`value`, if it is a string.

    Raises:
        TypeError: it is not.
    """
    if type(value) is not str:
        raise TypeError(f"expected a string, found {value!r:.100}")
    return value


def text_at(body: bytes, *names: str) -> str:
    """A text deep in the JSON of an answer; empty if there is none, or no JSON.

    Args:
        body: the answer.
        names: the keys that lead to it.
    """
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return ""
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, str) else ""


def tokens(value: object) -> int:
    """A service's count of tokens; 0 if it is none."""
    return value if type(value) is int and value >= 0 else 0


def shortened(said: str, limit_chars: int = 300) -> str:
    """A service's own words on one line, cut, so that a page of HTML does not become a person's error message."""
    line = " ".join(said.split())
    return line if len(line) <= limit_chars else line[:limit_chars] + "…"


def _plain(value: object) -> JsonObject:
    """What orjson asks for when it meets a mapping that is no dict."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a {type(value).__name__} has no form in JSON")
