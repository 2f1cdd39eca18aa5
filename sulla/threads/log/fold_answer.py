"""What a run that a playbook asked owes it: the answer, or why there is none. Pure."""

from __future__ import annotations

import orjson

from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.threads.log.open_run import OpenRun, RunQuestion
from sulla.threads.log.plays import OwedAnswer
from sulla.threads.log.records import Outcome, TextMessageEnd
from sulla.threads.log.state import ThreadState

NO_ANSWER = "the run ended without an answer"


def note_answer(asked: RunQuestion, fact: TextMessageEnd) -> None:
    """Remember what a reply answers to a playbook's question, until its call has a result.

    Args:
        asked: the run's; changed in place.
        fact: the reply.
    """
    if asked.question is None:
        return
    for part in fact.parts:
        if isinstance(part, ToolCall) and part.name == asked.question.tool:
            asked.answering = (part.id, orjson.dumps(dict(part.args)).decode())
            return


def note_answered(asked: RunQuestion, call_id: CallId, *, is_error: bool) -> None:
    """Take it for the answer if its call was good.

    Args:
        asked: the run's; changed in place.
        call_id: the call that has a result.
        is_error: whether that says that it was not good.
    """
    if asked.answering is not None and asked.answering[0] == call_id and not is_error:
        asked.answer = asked.answering[1]


def owe_answer(state: ThreadState, run: OpenRun, outcome: Outcome) -> None:
    """The run is over: whoever asked is to be told the answer, or that there is none.

    Args:
        state: changed in place.
        run: the run.
        outcome: how it ended.
    """
    asked, answer = run.asked.question, run.asked.answer
    if asked is None or not asked.thread_id:  # what a part of a flow is asked its own turn wants to know
        return
    why = outcome.status_report or outcome.reason or NO_ANSWER
    state.links.owes[asked.wait_id] = OwedAnswer(
        asked.thread_id,
        asked.wait_id,
        why if answer is None else answer,
        answer is None,
        run.spent.tokens,
        run.spent.cost_micro,
        state.context.tainted,
    )
