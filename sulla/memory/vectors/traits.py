"""What is known of embedding models: what they want to read before a text, and how near is near with them. Pure."""

from __future__ import annotations

from typing import Final

from sulla.core.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Traits:
    """How a model is used."""

    question: str = ""
    """What stands before a question: many were taught to tell it from what answers it."""
    note: str = ""
    """What stands before a note."""
    telling: float = 0.65
    """The cosine from which on a note is told unasked: models differ in how near texts are that have nothing in
    common."""


_RETRIEVAL: Final = "Represent this sentence for searching relevant passages: "

_KNOWN: Final = {
    "nomic-embed": Traits("search_query: ", "search_document: "),
    "mxbai-embed": Traits(_RETRIEVAL),
    "snowflake-arctic-embed": Traits(_RETRIEVAL, telling=0.45),
    "bge-m3": Traits(),
    "bge-": Traits(_RETRIEVAL),
    "e5-": Traits("query: ", "passage: ", 0.85),
    "text-embedding-3": Traits(telling=0.45),
}
"""By a part of the model's name. The words are those of the makers' model cards; the cosines are rough, nobody has
measured them here, and `memory.embed_telling` overrules them."""


def traits_of(model: str) -> Traits:
    """What is known of a model.

    Args:
        model: its name, as the settings have it.
    """
    name = model.casefold()
    return next((found for part, found in _KNOWN.items() if part in name), Traits())
