"""What an answer to a suspended run, or none in time, is written down as. Pure."""

from __future__ import annotations

from sulla.agent.approvals.approvals import refusal
from sulla.threads.log.family import is_child_wait
from sulla.threads.log.open_run import OpenRun
from sulla.threads.log.records import Answer, Resumed, ToolCallResult

Written = Resumed | ToolCallResult


def answered(run: OpenRun, seq: int, answer: Answer, at_ms: int) -> tuple[Written, ...]:
    """What to note when somebody has answered.

    Args:
        run: it waits for this answer.
        seq: the answer's record.
        answer: the answer.
        at_ms: when it was given, UTC milliseconds.
    """
    wait = run.waits[answer.wait_id]
    late = bool(wait.expires_ms) and at_ms > wait.expires_ms
    resumed = Resumed("expired" if late else "answered", wait.wait_id, seq, run.course.crashes)
    if wait.digest:
        refused = refusal(wait, answer, at_ms)
        return (resumed,) if refused is None else (resumed, refused)
    if answer.verdict == "run_again" or is_child_wait(wait.wait_id):
        return (resumed,)  # the call is made again, and finds what it waited for
    if answer.verdict == "give_up":
        text = answer.text or "Given up by a person; nobody knows whether it took effect."
        return (resumed, ToolCallResult(wait.call_id, text, True, answer.origin))
    return (resumed, ToolCallResult(wait.call_id, answer.text, answer.is_error, answer.origin))


def overdue(run: OpenRun | None, now_ms: int, *, looks_itself: bool = False) -> tuple[Written, ...]:
    """What to note where a question was not answered in time: silence is a no.

    Args:
        run: the open run, if there is one.
        now_ms: UTC milliseconds.
        looks_itself: whether it looks by itself for what has come (`ThreadKind.waits_while_working`).
    """
    found: list[Written] = []
    if run is None:
        return ()
    if looks_itself:
        late = run.resting and any(wait.expires_ms and wait.expires_ms <= now_ms for wait in run.waits.values())
        return (Resumed("woken", crashes=run.course.crashes),) if late else ()
    for wait in run.waits.values():
        if not wait.expires_ms or wait.expires_ms > now_ms:
            continue
        found.append(Resumed("expired", wait.wait_id, crashes=run.course.crashes))
        if (refused := refusal(wait, None, now_ms)) is not None:
            found.append(refused)
    return tuple(found)
