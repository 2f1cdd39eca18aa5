"""What Slack takes for a message, and what people see of one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

MOST_BLOCKS_CHARS: Final = 13_000
MOST_TEXT_CHARS: Final = 40_000
_STYLES: Final = {"bold", "italic", "strike", "code"}
_HOLDERS: Final = {"rich_text_section", "rich_text_list", "rich_text_quote", "rich_text_preformatted"}
_CALLS: Final = ("<!", "<@", "<#")


def refusal(args: Mapping[str, Any]) -> str:
    """Why Slack refuses a message; empty where it takes it.

    Args:
        args: of `chat.postMessage`.
    """
    blocks = args.get("blocks") or []
    if not str(args.get("text") or "").strip():
        return "no_text"
    if len(str(args["text"])) > MOST_TEXT_CHARS:
        return "msg_too_long"
    if any(call in str(args["text"]) for call in _CALLS):
        return "somebody_would_be_called"  # Slack would do it; what the daemon says never may
    if len(json.dumps(blocks, ensure_ascii=False)) > MOST_BLOCKS_CHARS:
        return "msg_blocks_too_long"
    return "" if all(map(_is_block, blocks)) else "invalid_blocks"


def seen_text(message: Mapping[str, Any]) -> str:
    """What people read of a message."""
    found = [
        _shown(part)
        for block in message.get("blocks", [])
        if block["type"] == "rich_text"
        for part in block["elements"]
    ]
    return "\n".join(found) if found else str(message.get("text") or "")


def seen_blocks(message: Mapping[str, Any]) -> tuple[str, ...]:
    """What people read of a message in blocks of code, in which nothing is anything but text."""
    parts = [part for block in message.get("blocks", []) if block["type"] == "rich_text" for part in block["elements"]]
    blocks = [part["elements"] for part in parts if part["type"] == "rich_text_preformatted"]
    return tuple("".join(one["text"] for one in pieces) for pieces in blocks if _is_plain(pieces))


def _is_plain(pieces: Sequence[Mapping[str, Any]]) -> bool:
    return all(one["type"] == "text" and not one.get("style") for one in pieces)


def _is_block(block: Mapping[str, Any]) -> bool:
    match block.get("type"):
        case "rich_text":
            return bool(block["elements"]) and all(map(_is_part, block["elements"]))
        case "actions":
            several = block["elements"]
            alone = len({one["action_id"] for one in several}) == len(several)
            return 0 < len(several) <= 25 and alone and all(map(_is_button, several))
        case _:
            return False


def _is_part(part: Mapping[str, Any]) -> bool:
    kind, inner = part.get("type"), part.get("elements")
    if kind not in _HOLDERS or not isinstance(inner, Sequence) or not inner:
        return False
    if kind == "rich_text_list":
        levels = part.get("style") in ("bullet", "ordered") and 0 <= part.get("indent", 0) <= 8
        return levels and all(one.get("type") == "rich_text_section" and _is_part(one) for one in inner)
    return all(map(_is_piece, inner))


def _is_piece(piece: Mapping[str, Any]) -> bool:
    style = piece.get("style", {})
    if not set(style) <= _STYLES or not piece.get("text"):
        return False
    return piece.get("type") == "text" or (piece.get("type") == "link" and len(piece["url"]) <= 3_000)


def _is_button(button: Mapping[str, Any]) -> bool:
    text = button["text"]
    return text["type"] == "plain_text" and 0 < len(text["text"]) <= 75 and len(button["value"]) <= 2_000


def _shown(part: Mapping[str, Any]) -> str:
    if part["type"] == "rich_text_list":
        return "\n".join(f"{'  ' * part.get('indent', 0)}• {_shown(one)}" for one in part["elements"])
    return "".join(one["text"] for one in part["elements"]).rstrip("\n")
