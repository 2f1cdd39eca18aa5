"""What is charged to a thread: to its open run, and to its day. Pure."""

from __future__ import annotations

from sulla.threads.log.codec import Origin
from sulla.threads.log.inputs import ControlInput
from sulla.threads.log.open_run import OpenRun
from sulla.threads.log.records import Answer, ModelStarted
from sulla.threads.log.state import ThreadState
from sulla.threads.log.usage import Usage


def charge_report(state: ThreadState, answer: ControlInput | None, origin: Origin) -> None:
    """Tell the thread's kind what its child reported, and charge it to the thread that asked too: to its open run, or
    to its day if none is open. Otherwise a run could have others spend for it.

    Args:
        state: the thread that asked; changed in place.
        answer: what the child reported; anything else costs nothing.
        origin: when.
    """
    report = answer.fact.report if answer is not None and isinstance(answer.fact, Answer) else None
    if report is None:
        return
    state.kind.on_report(state, report, origin.at_ms)
    if state.run is not None:
        state.run.spent.usage += report.usage or Usage()
        charge(state, state.run, report.tokens, report.cost_micro, origin)
    else:
        state.spending.usage += report.usage or Usage()
        _charge_thread(state, report.tokens, report.cost_micro, origin)


def written_off(call: ModelStarted) -> Usage:
    """What a call counts with that came to nothing and may have been answered all the same: with all that was set
    aside for it. Its record says so, so that whoever adds up what was used comes to what limits go by.

    Args:
        call: it.
    """
    sent = max(0, call.reserved_tokens - call.reply_tokens)
    return Usage(sent, call.reserved_tokens - sent, cost_micro=call.reserved_micro)


def charge(state: ThreadState, run: OpenRun, tokens: int, cost_micro: int | None, origin: Origin) -> None:
    """Charge something to the open run.

    Args:
        state: changed in place.
        run: its open run.
        tokens: how many.
        cost_micro: the same in money, in millionths of the currency's unit.
        origin: when.
    """
    run.spent.tokens += tokens
    run.spent.cost_micro += cost_micro or 0
    _charge_thread(state, tokens, cost_micro, origin)


def _charge_thread(state: ThreadState, tokens: int, cost_micro: int | None, origin: Origin) -> None:
    state.spending.cost_micro += cost_micro or 0
    state.spending.charge(tokens, origin.at_ms)
