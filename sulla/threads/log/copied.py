"""What conversations are copies of: what a copy took over was said, and is remembered, in the first one. Pure."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.ids import ThreadId
from sulla.threads.log.forms import Fielded

FORKED: Final = "forked"
"""Why what was under way in a conversation does not go on in its copy: the reason of its end there."""
MOST_COPIES: Final = 16
"""Of a copy of a copy of a copy: so many are known, the newest."""


@dataclass(frozen=True, slots=True)
class CopyOf(Fielded):
    """A copy was made, and of what."""

    thread_id: ThreadId
    """The conversation that was copied."""
    records: int
    """So many of the copy's records are taken over, from the first on."""
    until_ms: int
    """When the last of them was written, UTC milliseconds."""
    made_ms: int
    """When the copy was made, UTC milliseconds."""


def standing_in(thread_id: ThreadId, copies: Sequence[CopyOf]) -> Mapping[str, int]:
    """Which threads' words stand in a conversation, and up to when they were said, UTC milliseconds.

    Args:
        thread_id: the conversation, which has all of its own.
        copies: what it is a copy of.
    """
    return {**{copy.thread_id: copy.until_ms for copy in copies}, thread_id: sys.maxsize}
