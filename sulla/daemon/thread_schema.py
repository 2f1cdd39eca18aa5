"""What the threads of a home hold: the records of every capability, what they add up to, and their kinds. Pure."""

from __future__ import annotations

from typing import Final

from sulla.capabilities import capabilities
from sulla.host import collected
from sulla.models.tokens.estimate import estimate_tokens
from sulla.threads.log.schema import ThreadSchema
from sulla.threads.log.transcript import Measure


def thread_schema(measure: Measure) -> ThreadSchema:
    """What is handed to whatever reads or writes threads.

    Args:
        measure: the size of a message in tokens.
    """
    return collected.thread_schema(capabilities(), measure)


THREAD_SCHEMA: Final = thread_schema(estimate_tokens)
"""The daemon's."""
