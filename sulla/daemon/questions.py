"""Questions of suspended runs, in the gateway's words."""

from __future__ import annotations

from typing import Final

from sulla.core.errors import InvalidInput
from sulla.core.ids import ThreadId
from sulla.finding.title import title_of
from sulla.gateway.commands import Verdict, WaitingThread
from sulla.gateway.wire import QuestionRow
from sulla.playbooks.slice import PLAYBOOK_RUN
from sulla.store.values import LogInfo
from sulla.threads.log.family import is_child_wait
from sulla.threads.log.plays import ANSWER, is_own_wait
from sulla.threads.log.records import Answer
from sulla.threads.log.state import ThreadState
from sulla.threads.store import ThreadStore
from sulla.tools.schema import problems_of_answer

_VERDICTS: dict[str, tuple[Verdict, ...]] = {
    "approval": ("approve", "reject", "always"),
    "review": ("result", "run_again", "give_up"),
    "human": ("approve", "reject", "give_up"),
}
_OTHER: tuple[Verdict, ...] = ("result", "give_up")
_PAGE: Final = 200


def check_verdict(question: str, verdict: Verdict) -> None:
    """See whether a question can be answered so.

    Args:
        question: its id; what stands before the first colon says what kind it is.
        verdict: the answer.

    Raises:
        InvalidInput: it cannot.
    """
    if is_child_wait(question):
        raise InvalidInput(f"{question!r} is answered by the sub-agent that is waited for: stop its thread to end it")
    if is_own_wait(question):
        raise InvalidInput(f"{question!r} is answered by no person: a conversation's agent does it, or time")
    kind = question.partition(":")[0]
    fitting = _VERDICTS.get(kind, _OTHER)
    if verdict not in fitting:
        raise InvalidInput(f"got {verdict!r}, and {question!r} is answered with {' or '.join(fitting)}")


async def check_choice(threads: ThreadStore, thread_id: ThreadId, question: str, text: str) -> None:
    """See whether an answer is one of those that can be chosen, and meets its schema: the first one wins, so a wrong
    one must not be kept.

    Args:
        threads: where the question is.
        thread_id: its thread.
        question: its id.
        text: the answer.

    Raises:
        InvalidInput: it is none of them, or does not meet it.
        NotFound: there is no such thread.
        StoreUnavailable: the store does not answer.
    """
    if not question.startswith(ANSWER):
        return
    _, state = await threads.get(thread_id)
    run = state.run if state is not None else None
    wait = run.waits.get(question) if run is not None else None
    if wait is not None and wait.choices and text not in wait.choices:
        raise InvalidInput(f"text: got {text[:80]!r}, and {question!r} is answered with {' or '.join(wait.choices)}")
    if wait is not None and wait.form and (problems := problems_of_answer(text, wait.form)):
        raise InvalidInput(f"the answer does not fit: {'; '.join(problems)}")


async def waiting(threads: ThreadStore, after: str, limit: int) -> list[WaitingThread]:
    """Threads with a run that waits for an answer, by id: suspended ones, and playbooks of which other steps are at
    work.

    Args:
        threads: where they are.
        after: only those whose id sorts behind it.
        limit: how many at the most.

    Raises:
        StoreUnavailable: the store does not answer.
    """
    page = await threads.list(after=after, limit=limit, status="suspended")
    found = {info.key: await asked_now(threads, info, state) for info, state in page if state is not None}
    found = {key: asked for key, asked in found.items() if asked}
    last = page[-1][0].key if len(page) == limit else ""
    busy = 0
    while busy < limit and (not last or after < last):
        page = await threads.list(after=after, limit=_PAGE, status="open")
        for info, state in page:
            # One that is listed as suspended too came to rest, or went on, in between.
            if state is None or PLAYBOOK_RUN.of(state) is None:
                continue
            if asked := await asked_now(threads, info, state):
                found[info.key] = asked
                busy += 1
        if len(page) < _PAGE:
            break
        after = page[-1][0].key
    return [WaitingThread(key, found[key]) for key in sorted(found)[:limit]]


async def asked_now(threads: ThreadStore, info: LogInfo, state: ThreadState) -> tuple[QuestionRow, ...]:
    """What a thread's run waits to be told, without what was answered and waits to be taken up: after a start that
    may be a while.

    Args:
        threads: where it is.
        info: its head.
        state: what the head says, which knows nothing of answers that came since.

    Raises:
        StoreUnavailable: the store does not answer.
    """
    asked = questions_of(info.key, state)
    if asked and info.ready and (newer := await threads.with_inbox(info)) is not None:
        return questions_of(info.key, newer)
    return asked


def questions_of(thread_id: str, state: ThreadState) -> tuple[QuestionRow, ...]:
    """What the thread's run waits to be told, and nobody has answered."""
    run = state.run
    if run is None:
        return ()
    from sulla.terminal.framed import told

    answered = {one.fact.wait_id for one in state.inbox.controls.values() if isinstance(one.fact, Answer)}
    return tuple(
        QuestionRow(
            thread_id,
            run.id,
            wait.wait_id,
            wait.prompt,
            wait.expires_ms or None,
            wait.tool,
            wait.target,
            wait.choices,
            run.agent or state.identity.agent,
            title_of(state)[0],
            run.course.touched_ms if run.resting else None,
            *told(wait.prompt),
        )
        for wait in run.waits.values()
        if wait.is_for_people and wait.wait_id not in answered
    )
