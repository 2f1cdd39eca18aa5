"""A server's answer as text for a model. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from sulla.core.jsontypes import FrozenJson, Json, JsonObject
from sulla.core.pattern import late_pattern

MAX_BLOCKS: Final = 256
"""Pieces of one answer that are looked at."""
MAX_TOLD: Final = 10
"""Pieces that are named which are left out."""
NOT_SHOWN: Final = "not shown]"
"""How what is said in the place of a piece ends that is no text."""

_UNSEEN = late_pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""Controls, and what a person would not see: text for models alone is what attackers write."""


def plain(text: str) -> str:
    """Without control characters and invisible ones; lines and tabs stay, and so do the joiners of emoji."""
    return _UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def answer_text(content: Sequence[FrozenJson], structured: Json) -> str:
    """The pieces of an answer, in order.

    Args:
        content: as the protocol has them: text, images, sound, resources.
        structured: the same as data; shown if there is no text.

    Returns:
        The text: as long as the transport lets an answer be; what is no text is named and left out.
    """
    pieces = [_piece(block) for block in content[:MAX_BLOCKS]]
    if len(content) > MAX_BLOCKS:
        pieces.append(f"[{len(content) - MAX_BLOCKS} more pieces are left out]")
    if structured is not None and not any(block.get("type") == "text" for block in content):
        pieces.append(json.dumps(structured, ensure_ascii=False))
    text = plain("\n\n".join(piece for piece in pieces if piece))
    return text or "(The server answered with nothing.)"


def answer_data(content: Sequence[FrozenJson], structured: Json) -> JsonObject:
    """An answer for whoever reckons with it: nothing of its text is changed.

    Args:
        content: as the protocol has them.
        structured: the same as data.
    """
    texts = (_text(block) for block in content[:MAX_BLOCKS])
    return {"text": "\n\n".join(text for text in texts if text is not None), "value": structured}


def left_out(content: Sequence[FrozenJson]) -> str:
    """What of an answer is no text and so was left out, as a sentence; empty for nothing."""
    others = [_piece(block) for block in content[:MAX_BLOCKS] if _text(block) is None]
    others = [piece for piece in others if piece.endswith(NOT_SHOWN)]
    if len(content) > MAX_BLOCKS:
        others.append(f"[{len(content) - MAX_BLOCKS} more pieces]")
    return f"the answer has pieces that are left out: {' '.join(map(plain, others[:MAX_TOLD]))}" if others else ""


def _text(block: FrozenJson) -> str | None:
    match block:
        case {"type": "text", "text": str(text)} | {"type": "resource", "resource": {"text": str(text)}}:
            return text
        case _:
            return None


def _piece(block: FrozenJson) -> str:
    match block:
        case {"type": "text", "text": str(text)}:
            return text
        case {"type": "image" | "audio" as kind, "data": str(data)}:
            return f"[{kind}, {_kind(block)}, about {len(data) * 3 // 4} bytes: {NOT_SHOWN}"
        case {"type": "resource", "resource": dict(resource)}:
            return "\n".join(_resource(resource))
        case {"type": "resource_link", "uri": str(uri)}:
            title = block.get("title") or block.get("name") or ""
            return f"[resource {str(title)[:200]!r} at {uri[:1000]}]"
        case _:
            return f"[a piece of the kind {str(block.get('type'))[:40]!r}: {NOT_SHOWN}"


def _resource(resource: Mapping[str, Json]) -> Iterator[str]:
    uri = str(resource.get("uri") or "")[:1000]
    match resource:
        case {"text": str(text)}:
            yield f"[resource {uri}]"
            yield text
        case {"blob": str(blob)}:
            yield f"[resource {uri}, {_kind(resource)}, about {len(blob) * 3 // 4} bytes: {NOT_SHOWN}"
        case _:
            yield f"[resource {uri}: empty]"


def _kind(block: Mapping[str, Json]) -> str:
    return str(block.get("mimeType") or "of no known kind")[:100]
