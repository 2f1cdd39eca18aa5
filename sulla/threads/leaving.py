"""What a thread that is about to be removed has to say to others first. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from sulla.core.event import Fact
from sulla.core.ids import ThreadId
from sulla.threads.log.family import Report, wait_of
from sulla.threads.log.plays import OwedAnswer
from sulla.threads.log.records import Answer, StopAsked
from sulla.threads.log.state import ThreadState

DELETED = "deleted"
"""Why a child came to nothing whose thread was removed."""


def last_words(state: ThreadState) -> Iterator[tuple[ThreadId, Fact, str]]:
    """What is offered to other threads, so that none of them waits or works for nobody: to which, what, and under which
    id.

    Args:
        state: the thread.
    """
    birth = state.identity.birth
    if birth is not None and not state.links.reported:
        used = (state.spending.tokens, state.spending.cost_micro or None)
        report = Report(
            "cancelled", DELETED, "", "", "", *used, tainted=state.context.tainted, agent=state.identity.agent
        )
        text = "Its thread was removed before it had an end."
        yield birth.parent, Answer(wait_of(birth.id), text, origin="child", report=report), ""
    for child in state.links.children.values():
        yield child.thread_id, StopAsked(), f"cancel:{child.id}"
    if (news := state.kind.end_news.removed(state)) is not None:
        yield news
    for owed in _unanswered(state):
        status = "failed" if owed.is_error else "done"
        told = Report(status, tokens=owed.tokens, cost_micro=owed.cost_micro or None, tainted=owed.tainted)
        yield owed.thread_id, Answer(owed.wait_id, owed.text, is_error=owed.is_error, origin="agent", report=told), ""


def _unanswered(state: ThreadState) -> Iterator[OwedAnswer]:
    yield from state.links.owes.values()
    asked = [item.question for item in state.inbox.waiting.values()] + [state.run.asked.question if state.run else None]
    for question in asked:
        if question is not None:
            yield OwedAnswer(question.thread_id, question.wait_id, DELETED, is_error=True)
