"""The model of the tests that draws entities from turns: deterministic, local, and no language model.

What is written with a capital letter inside a sentence is a name, and so is what begins a sentence and is such a name
elsewhere in the same turns. It shows that what was drawn leads from one note to another; how well a real model draws it
cannot show.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sulla.core.jsontypes import JsonObject
from sulla.memory.note import MemoryNote

_NAME = re.compile(r"(?<![\w'])[A-ZÄÖÜ]\w+(?: [A-ZÄÖÜ]\w+)*")
_DAYS = frozenset(
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August "
    "September October November December".split()
)
_FIRST = frozenset("The Our A An At In On For Is It He She They We Who What When Where Two Three".split())


def names(text: str) -> list[str]:
    """The names in a text, each once."""
    found: dict[str, None] = {}
    for match in _NAME.finditer(text):
        words = match[0].split()
        while words and (words[0] in _FIRST or words[0] in _DAYS):
            del words[0]
        name = " ".join(words)
        if name and name not in _DAYS:
            found[name] = None
    return list(found)


def answer(notes: Sequence[MemoryNote]) -> JsonObject:
    """What a model calls the tool with."""
    found = dict.fromkeys(name for note in notes for name in names(f"{note.asked}. {note.text}"))
    return {
        "entities": [{"name": name, "kind": "thing", "aliases": []} for name in found],
        "facts": [],
        "relations": [],
    }
