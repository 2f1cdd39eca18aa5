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


def left_on(on: list[Json], switch: Json, notes: list[str]) -> list[Json]:
    """The triggers of a workflow; of one that was switched off `manual` alone, and a note says what to add.

    Args:
        on: all that it has, `manual` first.
        switch: what it says of itself; false for off.
        notes: what people are told.
    """
    if switch is not False or len(on) < 2:
        return on
    kept = ", ".join(json.dumps(one, ensure_ascii=False) for one in on[1:])
    notes.append(f"it was switched off, so nothing but `manual` starts it; to switch it on add to `on`: {kept}")
    return on[:1]


def brought_together(
    step: str, label: str, needs: list[str], made: JsonObject, notes: list[str]
) -> tuple[list[JsonObject], list[str]]:
    """What a step needs where several ways lead to it: a merge of these, unless it is one itself.

    Args:
        step: its id.
        label: what people call it.
        needs: the ways.
        made: what it does.
        notes: what people are told.

    Returns:
        The merge to put before it, if it takes one, and what it needs then.
    """
    if "merge" in made and len(needs) < 2:
        notes.append(f"the merge {label!r} brings fewer than two ways together: give it its needs")
    if "merge" in made or len(needs) < 2:
        return [], needs
    return [{"id": f"{step}_ways", "needs": [*needs], "merge": "all"}], [f"{step}_ways"]


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
