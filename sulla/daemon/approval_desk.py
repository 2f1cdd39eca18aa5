"""Questions of suspended runs, and what is allowed until further notice, in the gateway's words."""

from __future__ import annotations

from collections.abc import Sequence

from sulla.agent import Permissions
from sulla.core.errors import InvalidInput
from sulla.gateway import Question, RuleInfo, Verdict
from sulla.threads import ThreadState, is_child_wait

_VERDICTS: dict[str, tuple[Verdict, ...]] = {
    "approval": ("approve", "reject", "always"),
    "review": ("result", "run_again", "give_up"),
}
_OTHER: tuple[Verdict, ...] = ("result", "give_up")


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
    kind = question.partition(":")[0]
    fitting = _VERDICTS.get(kind, _OTHER)
    if verdict not in fitting:
        raise InvalidInput(f"verdict: got {verdict!r}, and {question!r} is answered with {' or '.join(fitting)}")


def questions_of(thread_id: str, state: ThreadState) -> tuple[Question, ...]:
    """What the thread's run waits to be told."""
    run = state.run
    if run is None:
        return ()
    return tuple(
        Question(thread_id, run.id, wait.wait_id, wait.prompt, wait.expires_ms or None, wait.tool, wait.target)
        for wait in run.waits.values()
        if not is_child_wait(wait.wait_id)  # a sub-agent answers that
    )


async def list_rules(rules: Permissions) -> Sequence[RuleInfo]:
    """What is allowed until further notice."""
    return [
        RuleInfo(rule.id, rule.agent, rule.tool, rule.target, rule.at_ms, rule.expires_ms)
        for rule in await rules.list()
    ]
