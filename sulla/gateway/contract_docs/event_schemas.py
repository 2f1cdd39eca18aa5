"""What each type of event carries, as JSON Schemas made from the facts themselves. Pure.

The counterpart of ``sulla.threads.log.forms``, which makes the JSON: a field that still has its usual value is left out
there, so one with a usual value is optional here. Objects are open: fields may be added.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from inspect import getdoc
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from sulla.capabilities import capabilities
from sulla.core.event import Progress, ReasoningShown, TextShown
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.message import Part, Reasoning, Text, ToolCall, ToolResult
from sulla.gateway.contract_docs.speech_events import SPEECH
from sulla.gateway.feed.feed import PROGRESS, REASONING, TEXT
from sulla.gateway.feed.speaking import SPEAK, Speak
from sulla.host.collected import slices
from sulla.threads.log.records import ThreadFact

_PLAIN = {str: "string", int: "integer", bool: "boolean", float: "number"}
PARTS: dict[str, type] = {"text": Text, "reasoning": Reasoning, "tool_call": ToolCall, "tool_result": ToolResult}
"""The parts of a message by the word that tells them apart (``sulla.core.message.part_to_json``)."""
_LATER = ("quoted", "whose")
"""Their fields that came later: one with its usual value is left out."""
LIVE: dict[str, type] = {TEXT: TextShown, REASONING: ReasoningShown, PROGRESS: Progress, SPEAK: Speak, **SPEECH}
KEPT: dict[str, type] = {fact.kind: fact for fact in get_args(ThreadFact)}
KEPT |= {fact.kind: fact for one in slices(capabilities()) for fact in one.records}


class EventSchemas:
    """Makes the schemas; what several of them refer to is in `shared`.

    Args:
        prefix: what stands before the name of a shared schema where it is referred to.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self.shared: dict[str, JsonObject] = {}
        """Schemas by name."""

    def data(self, fact: type) -> JsonObject:
        """The schema of an event's ``data``.

        Args:
            fact: the dataclass that becomes it.

        Raises:
            TypeError: it has a field of a kind that this cannot describe.
        """
        hints = get_type_hints(fact, localns={"Json": object})
        found: JsonObject = {"type": "object"}
        found["properties"] = {field.name: self._schema(hints[field.name]) for field in _fields(fact)}
        if needed := [field.name for field in _fields(fact) if not _has_default(field)]:
            found["required"] = [*needed]
        return found

    def _schema(self, hint: object) -> JsonObject:
        if hint == Json or hint is object:
            return {}
        if hint == Part:
            return self._refer("Part", lambda: {"oneOf": [self._part(*part) for part in PARTS.items()]})
        origin, args = get_origin(hint), get_args(hint)
        if origin is tuple and len(args) == 2 and args[1] is Ellipsis:
            return {"type": "array", "items": self._schema(args[0])}
        if origin is Literal:
            return {"type": "string", "enum": list(args)}
        if origin in (Union, UnionType) and type(None) in args and len(args) == 2:
            return {"anyOf": [self._schema(next(arg for arg in args if arg is not type(None))), {"type": "null"}]}
        if origin is dict or (isinstance(origin, type) and issubclass(origin, Mapping)):
            return {"type": "object"}
        if isinstance(hint, type) and is_dataclass(hint):
            return self._refer(hint.__name__, lambda: {"description": getdoc(hint), **self.data(hint)})
        base = getattr(hint, "__supertype__", hint)
        if isinstance(base, type) and base in _PLAIN:
            return {"type": _PLAIN[base]}
        raise TypeError(f"an event cannot hold a field of type {hint!r}")

    def _part(self, word: str, part: type) -> JsonObject:
        """Unlike facts, parts are written out whole, but for what came later."""
        hints = get_type_hints(part, localns={"Json": object})
        shapes: JsonObject = {name: self._schema(hint) for name, hint in hints.items()}
        needed: list[Json] = ["type", *(name for name in shapes if name not in _LATER)]
        return {"type": "object", "properties": {"type": {"const": word}, **shapes}, "required": needed}

    def _refer(self, name: str, make: Callable[[], JsonObject]) -> JsonObject:
        if name not in self.shared:
            self.shared[name] = {}  # so that one that holds itself ends
            self.shared[name] = make()
        return {"$ref": self._prefix + name}


def _fields(cls: type) -> tuple[Field[Any], ...]:
    return fields(cls)


def _has_default(field: Field[Any]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING
