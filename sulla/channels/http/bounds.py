"""How much one answer of a service may be, and how long it may take. Pure."""

from __future__ import annotations

from typing import Final

MOST_ANSWER_BYTES: Final = 16 * 1024 * 1024
"""Bytes of one answer: several times what a hundred messages of the longest texts take. Files are no answers: whoever
reads one stops when it is too much."""
WHOLE_S: Final = 120.0
"""How long an answer may take from the question to its last byte, in seconds, beside how long the service was asked to
wait with it: one that comes a byte at a time would keep its channel deaf for ever. `MOST_ANSWER_BYTES` come within it
over a line of 1.1 Mbit/s. Files are no answers here either: whoever reads one stops when it comes too slowly."""
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
"""None is followed: a service would have the daemon ask whatever there is in its owner's network, and believe that."""
