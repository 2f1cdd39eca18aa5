"""What the thread of a playbook's run is like. Pure."""

from __future__ import annotations

from typing import Final

from sulla.threads import PLAYBOOK, ThreadKind, ThreadState

NO_MESSAGES: Final = "this thread is a run of a playbook and takes no messages: write to another one"

PLAYBOOK_THREAD: Final[ThreadKind[ThreadState]] = ThreadKind(
    "playbook",
    graph=PLAYBOOK,
    group="play",
    recall="nothing",  # whoever walks it reads it by itself, as a whole
    refusal=NO_MESSAGES,
    waits_while_working=True,
    max_children=1_100,  # each of its steps is one at the most, and it begins no more than it may at once
)
"""A run of a playbook: its steps are children, calls and questions, several at once."""
