"""How much one answer of a service may be. Pure."""

from __future__ import annotations

from typing import Final

MOST_ANSWER_BYTES: Final = 16 * 1024 * 1024
"""Bytes of one answer: several times what a hundred messages of the longest texts take. Files are no answers: whoever
reads one stops when it is too much."""
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
"""None is followed: a service would have the daemon ask whatever there is in its owner's network, and believe that."""
