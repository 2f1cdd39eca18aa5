"""What a model's or a person's answer is taken for, and what follows a failure. Nothing is ever guessed. Pure.

An answer counts if it is one of the names that were offered, in capitals or not, and if it stands in quotes, in a fence
or before a full stop. Nothing else does: not the nearest name, not the first one that stands somewhere in a sentence,
not what the rest of a sentence seems to mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sulla.agent.model.retry import Compress, FailureClass, GiveUp, next_try
from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import Json
from sulla.core.named import name_in
from sulla.playbooks.definition import ConditionStep, HumanStep, Kind, Retry, RouterStep

YES: Final = "yes"
NO: Final = "no"
SHOWN_CHARS: Final = 80

_NEVER_AGAIN: Final[frozenset[FailureClass]] = frozenset({"human_rejected"})
_MOST_BACKOFF_S: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class Chosen:
    """A valid answer."""

    route: str
    """The name that was chosen; empty for free text."""
    value: Json
    """The step's output."""


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """It was none of those allowed."""

    reason: str
    """What was expected and what came instead, for the one who is asked again."""


def choices_of(does: Kind) -> tuple[str, ...]:
    """The names that a step's answer may have; none for free text, and for steps that ask for no answer."""
    match does:
        case RouterStep():
            return tuple(does.routes)
        case ConditionStep(test=None):
            return (YES, NO)
        case HumanStep() if does.choices:
            return does.choices
        case HumanStep(input=None):
            return (YES, NO)
    return ()


def read_answer(does: Kind, answer: Json) -> Chosen | NoAnswer:
    """What an answer, as a forced tool call or a form gave it, is taken for.

    Args:
        does: the kind of the step that asked.
        answer: the value as it came. For yes or no also true and false, as JSON has them.
    """
    names = choices_of(does)
    if not names:
        return Chosen("", answer)
    if isinstance(answer, bool) and names == (YES, NO):
        return Chosen(YES if answer else NO, answer)
    name = name_in(answer, names) if isinstance(answer, str) else ""
    if name:
        return Chosen(name, name == YES if names == (YES, NO) else name)
    shown = repr(answer)
    shown = shown if len(shown) <= SHOWN_CHARS else f"{shown[:SHOWN_CHARS]}…"
    return NoAnswer(f"expected exactly one of {', '.join(map(repr, names))}; the answer was {shown}")


# ----------------------------------------------------------------------------------------------------------- failures


def pause_before_next_s(
    policy: Retry | None, failures: Sequence[FailureClass], *, repeatable: bool, asked_s: float = 0.0
) -> float | None:
    """How long to wait before a step is tried again.

    Args:
        policy: what the step says; None for what the class of a failure asks for (seed 001).
        failures: the classes of its failures, oldest first; not empty.
        repeatable: whether the step may be done again at all; who did it knows.
        asked_s: how long the other side wants to be left alone, in seconds (``Retry-After``): it waits no shorter.

    Returns:
        Seconds, a day at the most; None to try no more.
    """
    if not repeatable or failures[-1] in _NEVER_AGAIN:
        return None
    if policy is not None:
        tried = len(failures)
        pause_s = policy.backoff_s * policy.factor ** (tried - 1)
        return min(max(pause_s, asked_s), _MOST_BACKOFF_S) if tried < policy.tries else None
    following = next_try(failures, remaining_s=float("inf"), jitter=0.0, safe_to_repeat=True)
    if isinstance(following, GiveUp):
        return None
    return min(max(0.0 if isinstance(following, Compress) else following.seconds, asked_s), _MOST_BACKOFF_S)
