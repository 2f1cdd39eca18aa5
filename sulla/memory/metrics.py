"""What is measured of the memory. Pure."""

from __future__ import annotations

from typing import Final

from sulla.telemetry.tally import Counter

PLACED: Final = Counter("sulla_memory_embedded_notes", "Notes that were given a vector.")
BY_WORDS_ALONE: Final = Counter(
    "sulla_memory_searches_by_words", "Searches that had to do without the embedding model."
)
DRAWN: Final = Counter("sulla_memory_statements_drawn", "What was drawn from turns and kept.")
REFUSED: Final = Counter(
    "sulla_memory_statements_refused", "Parts of a model's answers that were not kept: they stand in no turn, or wrong."
)
PASSED_OVER: Final = Counter(
    "sulla_memory_turns_passed_over", "Turns from which nothing is drawn: the model answered in no usable form, twice."
)
ENTITIES: Final = (DRAWN, REFUSED, PASSED_OVER)
"""What is measured of entities."""
