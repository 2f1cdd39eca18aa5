"""What is offered to another thread, made up from what its thread owes it. Pure."""

from __future__ import annotations

from sulla.agent.subagents.reports import report_of
from sulla.core.errors import CorruptRecord
from sulla.threads.log.delivery import Owed, RecordDelivery
from sulla.threads.log.family import ChildCancelled, ChildReported, Report, wait_of
from sulla.threads.log.plays import AnswerGiven
from sulla.threads.log.records import Answer, StopAsked
from sulla.threads.log.state import ThreadState


def delivery_of(state: ThreadState, owed: Owed) -> RecordDelivery:
    """The records for another thread, and the note of it.

    Args:
        state: the thread that owes it.
        owed: one of its `outbox`.

    Raises:
        CorruptRecord: the thread owes nothing like that.
    """
    birth = state.identity.birth
    match owed.what:
        case "report" if birth is not None:
            text, report = report_of(state)
            answer = Answer(wait_of(birth.id), text, origin="child", report=report)
            return RecordDelivery(((answer, ""),), lambda known: ChildReported(birth.id, known))
        case "answer" if owed.id in state.links.owes:
            given = state.links.owes[owed.id]
            status = "failed" if given.is_error else "done"
            report = Report(status, tokens=given.tokens, cost_micro=given.cost_micro or None, tainted=given.tainted)
            answer = Answer(given.wait_id, given.text, is_error=given.is_error, origin="agent", report=report)
            return RecordDelivery(((answer, ""),), lambda known: AnswerGiven(given.wait_id, known))
        case "end" if (news := state.kind.end_news.delivery(state)) is not None:
            return news
        case "cancel":
            # Asking again does no harm: it needs no write of its own before it.
            offers = ((StopAsked(), f"cancel:{owed.id}"),)
            return RecordDelivery(offers, lambda known: ChildCancelled(owed.id), kept_first=False)
        case _:
            raise CorruptRecord(f"{state.thread_id}: it owes {owed.to} no {owed.what} {owed.id!r}")
