"""The content blocks of a reply of Anthropic's, growing as they stream. Pure.

A value of the wrong type ends in ``TypeError``, a missing one in ``KeyError``: `anthropic_reply` turns both into the
same failure of the whole reply. `begin` and `add` give what people may see, and empty text for nothing; whether that is
text at all is looked at where it is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Final, TypedDict, cast

import orjson

from sulla.core.ids import CallId
from sulla.core.jsontypes import FrozenJson
from sulla.core.message import Part, Reasoning, Text, ToolCall
from sulla.models.base import ReasoningDelta, TextDelta
from sulla.models.wire.json import string


class BlockStart(TypedDict, total=False):
    """A block as it begins; what is not promised to be there is looked for with `get`."""

    type: str
    text: str
    thinking: str
    signature: str
    id: str
    name: str
    input: FrozenJson


class BlockDelta(TypedDict, total=False):
    """More of a block, as it streams."""

    type: str
    text: str
    thinking: str
    signature: str
    partial_json: str


class TextBlock:
    """What the model says."""

    __slots__ = ("_pieces",)
    shown_as = TextDelta

    def __init__(self, content: BlockStart) -> None:
        self._pieces = [string(content.get("text") or "")]

    def begin(self) -> str:
        """What was there from the start."""
        return self._pieces[0]

    def add(self, piece: BlockDelta) -> str:
        """Take a piece; the first case is what most of every reply consists of."""
        kind = piece["type"]
        if kind == "text_delta":
            self._pieces.append(piece["text"])
            return piece["text"]
        if kind == "citations_delta":
            return ""
        raise TypeError(f"a text block cannot take a {kind!r}")

    def part(self) -> Part | None:
        """The whole text."""
        text = "".join(self._pieces)
        return Text(text, "agent") if text else None


class ThinkingBlock:
    """What the model thinks, under the service's signature: it has to go back untouched."""

    __slots__ = ("_content", "_pieces", "_signature")
    shown_as = ReasoningDelta

    def __init__(self, content: BlockStart) -> None:
        self._content = content
        self._pieces = [string(content.get("thinking") or "")]
        self._signature = string(content.get("signature") or "")

    def begin(self) -> str:
        """What was there from the start."""
        return self._pieces[0]

    def add(self, piece: BlockDelta) -> str:
        """Take more of the reasoning, or its signature."""
        kind = piece["type"]
        if kind == "thinking_delta":
            self._pieces.append(piece["thinking"])
            return piece["thinking"]
        if kind == "signature_delta":
            self._signature += string(piece["signature"])
            return ""
        raise TypeError(f"a thinking block cannot take a {kind!r}")

    def part(self) -> Part | None:
        """The reasoning; without a signature it has no `raw`, because the service does not take it back."""
        text = "".join(self._pieces)
        if self._signature:
            return Reasoning(text, cast(FrozenJson, {**self._content, "thinking": text, "signature": self._signature}))
        return Reasoning(text) if text else None


class RedactedBlock:
    """What the model thinks and nobody may read; it has to go back untouched."""

    __slots__ = ("_content",)
    shown_as = ReasoningDelta

    def __init__(self, content: BlockStart) -> None:
        self._content = content

    def begin(self) -> str:
        """Nothing to show."""
        return ""

    def add(self, piece: BlockDelta) -> str:
        """It comes whole."""
        raise TypeError(f"a redacted block cannot take a {piece['type']!r}")

    def part(self) -> Part | None:
        """The block as it came."""
        return Reasoning("", cast(FrozenJson, self._content))


class CallBlock:
    """A tool call. Its arguments come as pieces of JSON text that mean nothing before the last one."""

    __slots__ = ("_args", "_given", "_id", "_pieces", "name")
    shown_as = TextDelta

    def __init__(self, content: BlockStart) -> None:
        self._id = string(content["id"])
        self.name = string(content["name"])
        if not self._id or not self.name:
            raise TypeError("a tool call without an id or a name")
        self._given: object = content.get("input") or {}
        self._pieces: list[str] = []
        self._args: FrozenJson = {}

    def begin(self) -> str:
        """Nothing to show."""
        return ""

    def add(self, piece: BlockDelta) -> str:
        """Take more of the arguments."""
        if piece["type"] != "input_json_delta":
            raise TypeError(f"a tool call cannot take a {piece['type']!r}")
        self._pieces.append(string(piece["partial_json"]))
        return ""

    def whole(self, cut: bool) -> bool:
        """Whether the arguments are a complete JSON object; looked at once, when the reply is over.

        Args:
            cut: the reply was cut off, so that no arguments at all may also mean that they never came.
        """
        raw = "".join(self._pieces)
        if raw:
            try:
                args = orjson.loads(raw)
            except orjson.JSONDecodeError:
                return False
        elif cut:
            return False
        else:
            args = self._given
        if not isinstance(args, dict):
            return False
        self._args = args
        return True

    def part(self) -> Part | None:
        """The call; only after `whole` has said yes."""
        return ToolCall(CallId(self._id), self.name, self._args)


class ServerCallBlock(CallBlock):
    """A call of a tool that the service runs itself; it has to go back untouched, together with its result."""

    __slots__ = ("_content",)

    def __init__(self, content: BlockStart) -> None:
        super().__init__(content)
        self._content = content

    def part(self) -> Part | None:
        """The block with the whole of its arguments; only after `whole` has said yes."""
        return Reasoning("", cast(FrozenJson, {**self._content, "input": self._args}), quoted=True)


class ServerResultBlock(RedactedBlock):
    """What such a call came to: it comes whole, in many forms, and goes back untouched."""

    __slots__ = ()

    def part(self) -> Part | None:
        """The block as it came."""
        return Reasoning("", cast(FrozenJson, self._content), quoted=True)


Block = TextBlock | ThinkingBlock | RedactedBlock | CallBlock

BLOCKS: Final[dict[str, Callable[[BlockStart], Block]]] = {
    "text": TextBlock,
    "thinking": ThinkingBlock,
    "redacted_thinking": RedactedBlock,
    "tool_use": CallBlock,
    "server_tool_use": ServerCallBlock,
    "mcp_tool_use": ServerCallBlock,
}
"""Every kind of block that can come but for results of tools that the service runs itself: each has one of its own."""

_RESULT: Final = "_tool_result"


def block_of(kind: str) -> Callable[[BlockStart], Block] | None:
    """What reads a kind of block; None for one that is not known."""
    return BLOCKS.get(kind) or (ServerResultBlock if kind.endswith(_RESULT) else None)


def goes_back(kind: object) -> bool:
    """Whether a block that was kept as it came is one of this service's, and wanted back: reasoning that it has signed,
    and what its own tools did.

    Args:
        kind: the block's `type`; another service's are not for this one.
    """
    kept = ("thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use")
    return isinstance(kind, str) and (kind in kept or kind.endswith(_RESULT))


def paired(parts: Iterable[Part]) -> tuple[Part, ...]:
    """A reply without calls of the service's own tools that have no result, and without results of no call: the service
    takes neither back.
    """
    found = [*parts]
    raws = [part.raw for part in found if isinstance(part, Reasoning) and part.quoted and part.raw is not None]
    whole = {raw.get("id") for raw in raws} & {raw.get("tool_use_id") for raw in raws} - {None}
    return tuple(part for part in found if not _is_odd(part, whole))


def _is_odd(part: Part, whole: Collection[object]) -> bool:
    if not (isinstance(part, Reasoning) and part.quoted and part.raw is not None):
        return False
    return part.raw.get("tool_use_id", part.raw.get("id")) not in whole
