"""The text of a playbook that was made of something else. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import Json, JsonObject

NOTE: Final = "#"
"""The key of what stands above a step as a comment."""


@dataclass(frozen=True, slots=True)
class Imported:
    """A playbook that was made of a workflow."""

    text: str
    notes: tuple[str, ...]
    """What has no counterpart, or has to be looked at."""


def dicts(value: Json) -> list[JsonObject]:
    """Those entries of a list that are keys and values."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def playbook_text(value: JsonObject) -> str:
    """YAML with each key of a step on a line of its own; values are written as JSON, which is YAML, too."""
    lines = [f"{key}: {_flow(item)}" for key, item in value.items() if key != "steps"]
    return "\n".join([*lines, "steps:", *_lines(value["steps"], "  ")]) + "\n"


def _lines(steps: Json, indent: str) -> Iterable[str]:
    for step in dicts(steps):
        mark = "- "
        for key, item in step.items():
            inner = item.get("steps") if isinstance(item, dict) else None
            if key == NOTE:
                yield from (f"{indent}# {line}".rstrip() for line in str(item).splitlines())
                continue
            if key == "loop" and isinstance(item, dict) and inner:
                yield f"{indent}{mark}{key}:"
                yield from (f"{indent}    {name}: {_flow(one)}" for name, one in item.items() if name != "steps")
                yield f"{indent}    steps:"
                yield from _lines(inner, f"{indent}      ")
            else:
                yield f"{indent}{mark}{key}: {_flow(item)}"
            mark = "  "


def _flow(item: Json) -> str:
    return json.dumps(item, ensure_ascii=False)
