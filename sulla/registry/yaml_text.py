"""YAML as people write it in front matter and settings: 1.2, so that ``on`` is a word and ``12:30`` no number. Pure.

The one home of the library. It is loaded at first use, because most starts read no YAML.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

from sulla.core.errors import InvalidInput, TooLarge
from sulla.core.jsontypes import Json, JsonObject

MAX_YAML_BYTES: Final = 64 * 1024
MAX_YAML_DEPTH: Final = 12
"""Far deeper than anything that people write by hand."""


def read_map(text: str) -> JsonObject:
    """What a YAML text of keys and values says; dates and times come as text.

    Args:
        text: the document. An empty one says nothing.

    Raises:
        TooLarge: it is longer or deeper than anything written by hand.
        InvalidInput: it is not YAML, has no keys at its top, or uses anchors; the message begins with ``line N``.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    size = len(text.encode(errors="surrogatepass"))
    if size > MAX_YAML_BYTES:
        raise TooLarge(f"it is {size} bytes long; {MAX_YAML_BYTES} are allowed")
    reader = YAML(typ="safe", pure=True)
    try:
        _refuse_tricks(reader.parse(text))
        found = reader.load(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}: " if mark is not None else ""
        raise InvalidInput(f"{where}{error.problem or error.context or 'this is not YAML'}") from error
    except (YAMLError, ValueError) as error:
        raise InvalidInput(" ".join(str(error).split())[:200]) from error
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise InvalidInput("line 1: expected keys and values, such as `name: notes`")
    return {str(key): _plain(value) for key, value in found.items()}


def _refuse_tricks(events: object) -> None:
    """A few lines with aliases can stand for gigabytes, and deep nesting can exhaust the stack."""
    from ruamel.yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent

    depth = 0
    for event in events:  # type: ignore[attr-defined]  # the library says nothing of what it yields
        if isinstance(event, AliasEvent):
            raise InvalidInput(f"line {event.start_mark.line + 1}: anchors and aliases are not read; write it out")
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if depth > MAX_YAML_DEPTH:
            raise TooLarge(f"line {event.start_mark.line + 1}: nested deeper than {MAX_YAML_DEPTH} levels")


def _plain(value: object) -> Json:
    match value:
        case None | bool() | int() | float() | str():
            return value
        case date():
            return value.isoformat()
        case Mapping():
            return {str(key): _plain(inner) for key, inner in value.items()}
        case list() | tuple() | set():
            return [_plain(inner) for inner in value]
        case _:
            return str(value)
