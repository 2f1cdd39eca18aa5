"""What embedding models want to read before a text: many were taught to tell a question from what answers it. Pure."""

from __future__ import annotations

from typing import Final

from sulla.core.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What stands before a text."""

    question: str = ""
    note: str = ""


_RETRIEVAL: Final = "Represent this sentence for searching relevant passages: "

_KNOWN: Final = {
    "nomic-embed": Prefixes("search_query: ", "search_document: "),
    "mxbai-embed": Prefixes(_RETRIEVAL),
    "snowflake-arctic-embed": Prefixes(_RETRIEVAL),
    "bge-": Prefixes(_RETRIEVAL),
    "e5-": Prefixes("query: ", "passage: "),
}
"""By a part of the model's name, as its makers say it (their model cards); every other model reads the text alone."""


def prefixes_of(model: str) -> Prefixes:
    """What a model wants to read before a text.

    Args:
        model: its name, as the settings have it.
    """
    name = model.casefold()
    # bge-m3 is of another kind than the older ones of its family, and wants none.
    return next((found for part, found in _KNOWN.items() if part in name and "bge-m3" not in name), Prefixes())
