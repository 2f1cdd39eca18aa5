"""What a thread that is about to be removed has to say to others first. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from sulla.core.ids import ThreadId
from sulla.threads.facts import Answer, StopAsked
from sulla.threads.family import Report, wait_of
from sulla.threads.state import ThreadState

DELETED = "deleted"
"""Why a child came to nothing whose thread was removed."""


def last_words(state: ThreadState) -> Iterator[tuple[ThreadId, Answer | StopAsked, str]]:
    """What is offered to other threads, so that none of them waits or works for nobody: to which, what, and under which
    id.

    Args:
        state: the thread.
    """
    birth = state.birth
    if birth is not None and not state.reported:
        used = (state.spent_tokens, state.spent_micro or None)
        report = Report("cancelled", DELETED, "", "", "", *used, tainted=state.tainted, agent=state.agent)
        text = "Its thread was removed before it had an end."
        yield birth.parent, Answer(wait_of(birth.id), text, origin="child", report=report), ""
    for child in state.children.values():
        yield child.thread_id, StopAsked(), f"cancel:{child.id}"
