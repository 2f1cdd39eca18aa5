"""What a person or a model is told: passages word for word with where each stands, or that there are none. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from sulla.core.cut import cut
from sulla.knowledge.index import Passage

MOST_NAMED: Final = 20
"""Files that are named where nothing was found."""
_QUESTION_CHARS: Final = 200


def quoted(passages: Sequence[Passage]) -> str:
    """Passages as they stand, each below its citation.

    Args:
        passages: the best first.
    """
    return "\n\n".join(
        f"[{number}] {one.section.citation}:\n\n{one.section.cut.text}" for number, one in enumerate(passages, 1)
    )


def nothing_found(question: str, files: Collection[str], others: int, left_out: int) -> str:
    """That no passage answers a question, and what there is.

    Args:
        question: as it was asked.
        files: those that can be named.
        others: how many more were read.
        left_out: how many were not.
    """
    named = [*files][:MOST_NAMED]
    more = len(files) - len(named) + others
    there = ", ".join((*named, f"{more} more" if more and named else "")).removesuffix(", ")
    if not named:
        there = f"{more} files" if more else "no file that can be read"
    unread = f" {left_out} more could not be read: `sulla doctor` says why." if left_out else ""
    asked = cut(" ".join(question.split()), _QUESTION_CHARS)
    return (
        f"Nothing in the knowledge of this home answers {asked!r}. There is: {there}.{unread} Ask in the words that "
        "will stand there, or say that it is not known."
    )
