"""What is measured of the memory. Pure."""

from __future__ import annotations

from typing import Final

from sulla.telemetry.tally import Counter

PLACED: Final = Counter("sulla_memory_embedded_notes", "Notes that were given a vector.")
BY_WORDS_ALONE: Final = Counter(
    "sulla_memory_searches_by_words", "Searches that had to do without the embedding model."
)
