"""A message and its parts: the neutral form between people, models, tools and the store."""

from __future__ import annotations

from typing import Literal, assert_never, get_args

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord
from sulla.core.ids import CallId, MessageId
from sulla.core.jsontypes import FrozenJson, Json, JsonObject

Role = Literal["user", "assistant", "tool"]
Origin = Literal["operator", "user", "tool", "web", "file", "memory", "agent", "beat", "parent", "child", "playbook"]
"""Who a text comes from; what may follow from it depends on that (design §9). A `parent` or a `child` is a run of this
daemon: whether its words can be trusted is known, and said beside them."""

UNTRUSTED: frozenset[Origin] = frozenset({"web", "agent"})
"""Where a text comes from that may want to steer whoever reads it: pages, mail and servers; other agents."""


@dataclass(frozen=True, slots=True)
class Text:
    """Plain text."""

    text: str
    origin: Origin = "user"
    whose: str = ""
    """The agent whose memory it is: no other one is told of it. Empty for what everybody may be told."""


@dataclass(frozen=True, slots=True)
class Reasoning:
    """A model's reasoning. `raw` is the provider's own block, replayed to it verbatim (signatures included)."""

    text: str
    raw: FrozenJson | None = None
    quoted: bool = False
    """Whether it is no thought, but what a tool that the service runs itself did or found: words from outside."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to use a tool; `args` is already parsed and complete."""

    id: CallId
    name: str
    args: FrozenJson


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool call came to."""

    call_id: CallId
    text: str
    is_error: bool = False
    origin: Origin = "tool"


Part = Text | Reasoning | ToolCall | ToolResult


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of a conversation; never changed after it was made."""

    id: MessageId
    role: Role
    parts: tuple[Part, ...]
    hidden: bool = False
    """A reminder of ours that people do not see."""

    @property
    def text(self) -> str:
        """All plain text, joined."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def paragraphs(self) -> str:
        """All plain text for a service that takes one text: what stands beside a person's words is set apart from them,
        while the pieces of a reply are one text."""
        between = "" if self.role == "assistant" else "\n\n"
        return between.join(part.text for part in self.parts if isinstance(part, Text) and part.text)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls, in the model's order."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))


def part_to_json(part: Part) -> JsonObject:
    """A part as JSON: the form in records."""
    match part:
        case Text():
            whose: JsonObject = {"whose": part.whose} if part.whose else {}
            return {"type": "text", "text": part.text, "origin": part.origin, **whose}
        case Reasoning():
            raw = dict(part.raw) if part.raw is not None else None
            return {"type": "reasoning", "text": part.text, "raw": raw, **({"quoted": True} if part.quoted else {})}
        case ToolCall():
            return {"type": "tool_call", "id": part.id, "name": part.name, "args": dict(part.args)}
        case ToolResult():
            return {
                "type": "tool_result",
                "call_id": part.call_id,
                "text": part.text,
                "is_error": part.is_error,
                "origin": part.origin,
            }
        case _:
            assert_never(part)


def part_from_json(value: Json) -> Part:
    """The inverse of `part_to_json`.

    Raises:
        CorruptRecord: `value` is not a part.
    """
    match value:
        case {"type": "text", "text": str(text), "origin": origin, **rest}:
            return Text(text, _origin(origin), str(rest.get("whose", "")))
        case {"type": "reasoning", "text": str(text), "raw": (dict() | None) as raw, **rest}:
            return Reasoning(text, raw, rest.get("quoted") is True)
        case {"type": "tool_call", "id": str(id_), "name": str(name), "args": dict(args)}:
            return ToolCall(CallId(id_), name, args)
        case {"type": "tool_result", "call_id": str(id_), "text": str(text), "is_error": bool(bad), "origin": origin}:
            return ToolResult(CallId(id_), text, bad, _origin(origin))
        case _:
            raise CorruptRecord(f"not a message part: {str(value)[:200]!r}")


_ORIGINS: dict[str, Origin] = {origin: origin for origin in get_args(Origin)}


def _origin(value: Json) -> Origin:
    if isinstance(value, str) and value in _ORIGINS:
        return _ORIGINS[value]
    raise CorruptRecord(f"not an origin: {value!r}; expected one of {', '.join(_ORIGINS)}")
