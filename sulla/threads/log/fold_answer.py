"""What a run that a playbook asked owes it: the answer, or why there is none. Pure."""

from __future__ import annotations

import orjson

from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.threads.log.facts import Outcome, TextMessageEnd
from sulla.threads.log.open_run import OpenRun
from sulla.threads.log.plays import OwedAnswer
from sulla.threads.log.state import ThreadState

NO_ANSWER = "the run ended without an answer"


def note_answer(run: OpenRun, fact: TextMessageEnd) -> None:
    """Remember what a reply answers to a playbook's question, until its call has a result.

    Args:
        run: changed in place.
        fact: the reply.
    """
    if run.question is None:
        return
    for part in fact.parts:
        if isinstance(part, ToolCall) and part.name == run.question.tool:
            run.answering = (part.id, orjson.dumps(dict(part.args)).decode())
            return


def note_answered(run: OpenRun, call_id: CallId, *, is_error: bool) -> None:
    """Take it for the answer if its call was good.

    Args:
        run: changed in place.
        call_id: the call that has a result.
        is_error: whether that says that it was not good.
    """
    if run.answering is not None and run.answering[0] == call_id and not is_error:
        run.answer = run.answering[1]


def owe_answer(state: ThreadState, run: OpenRun, outcome: Outcome) -> None:
    """The run is over: whoever asked is to be told the answer, or that there is none.

    Args:
        state: changed in place.
        run: the run.
        outcome: how it ended.
    """
    asked = run.question
    if asked is None:
        return
    why = outcome.status_report or outcome.reason or NO_ANSWER
    state.owes[asked.wait_id] = OwedAnswer(
        asked.thread_id,
        asked.wait_id,
        why if run.answer is None else run.answer,
        run.answer is None,
        run.tokens,
        run.cost_micro,
        state.tainted,
    )
