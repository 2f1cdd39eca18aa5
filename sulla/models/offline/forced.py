"""A tool that has to be called, without a language model: its arguments are found in the question's own words. Pure.

It understands nothing. A question that says "urgent" is answered with the choice "urgent", whatever it says of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from sulla.core.jsontypes import FrozenJson, Json, JsonObject
from sulla.models.base import ToolSpec

TEXT_CHARS: Final = 500
"""How much of a line is taken for a text."""


def forced_args(tool: ToolSpec, said: str) -> JsonObject | None:
    """The arguments for a tool that has to be called.

    An argument with a fixed list of names gets the first of them that stands in the question as a word of its own, or
    whose explanation does: the lines ``name: explanation`` of the argument's description. Any other text gets the
    question's first line. Arguments that are not required are left out.

    Args:
        tool: the tool.
        said: the question.

    Returns:
        None if a required argument cannot be filled in: then no call is made.
    """
    known, required = tool.schema.get("properties"), tool.schema.get("required")
    found: JsonObject = {}
    for name in required if isinstance(required, Sequence) and not isinstance(required, str) else ():
        form = known.get(str(name)) if isinstance(known, Mapping) else None
        value = _value(form, said) if isinstance(form, Mapping) else None
        if value is None:
            return None
        found[str(name)] = value
    return found


def _value(form: FrozenJson, said: str) -> str | None:
    names = form.get("enum")
    if isinstance(names, Sequence) and not isinstance(names, str):
        explained = _explained(form.get("description"))
        return next((str(name) for name in names if _stands_in(str(name), explained, said)), None)
    return _first_line(said) if form.get("type") == "string" else None


def _stands_in(name: str, explained: Mapping[str, str], said: str) -> bool:
    texts = (name, explained.get(name, ""))
    return any(re.search(rf"(?<!\w){re.escape(text)}(?!\w)", said, re.IGNORECASE) for text in texts if text)


def _explained(description: Json) -> dict[str, str]:
    lines = description.splitlines() if isinstance(description, str) else []
    parts = (line.partition(": ") for line in lines)
    return {name: text.strip() for name, _, text in parts}


def _first_line(said: str) -> str | None:
    lines = [line for line in said.splitlines() if line.strip()]
    return lines[0].strip()[:TEXT_CHARS] if lines else None
