"""What an agent is told of a procedure for one turn. Pure.

The agent speaks in words of its own; the briefing says what they are to do. What a person has named in it is quoted,
and the whole has a bound.
"""

from __future__ import annotations

from typing import Final, Literal

from sulla.core.dataclass import dataclass
from sulla.procedures.definition import Procedure, ProcedureStep
from sulla.procedures.slice import ProcedureState

BRIEFING_CHARS: Final = 12_000
"""Code points of a briefing at the most: those of the longest definition, and `_SHOWN_CHARS`."""
MOST_STUCK: Final = 3
"""From so many times on, the agent offers to leave it."""
_SHOWN_CHARS: Final = 4_500
"""Code points of what was collected: one full step, or several of the newest."""
_RULES: Final = (
    "Do this one step in this reply, in your own words, briefly and warmly, and then wait for the person. Do not go "
    "ahead to later steps. If the person asks or says something else in between, answer it briefly and then lead back "
    "to this step. The person may stop at any time; never press."
)

Told = Literal["started", "completed", "held", "stuck", "side_question", "resumed", "restated", "changed", "gone"]


@dataclass(frozen=True, slots=True)
class StepBriefing:
    """What the agent is told."""

    procedure: str
    step: str
    """The step's id; empty where none is done in this turn."""
    text: str


def brief_step(procedure: Procedure, state: ProcedureState, told: Told) -> StepBriefing:
    """What is told for the step at which a procedure stands.

    Args:
        procedure: the procedure.
        state: where it stands; the step is one of the procedure's.
        told: what has just happened.
    """
    at = procedure.place(state.step)
    step = procedure.steps[at]
    lines = [
        f"You are leading the person through the procedure {procedure.title!r}: {procedure.description}",
        f"This is step {at + 1} of {len(procedure.steps)}, {step.title!r}.",
        *([f"What this procedure is not: {procedure.is_not}"] if procedure.is_not else []),
        _happened(procedure, state, step, told),
        f"What to do in this step: {step.instructions}",
        *_asked_for(step, state),
        *_collected(state),
        *_help(step, state, told),
        _RULES,
    ]
    return _told(procedure.name, step.id, lines)


def brief_end(procedure: Procedure, state: ProcedureState) -> StepBriefing:
    """What is told when the last step is done.

    Args:
        procedure: the procedure.
        state: how it stands now.
    """
    closing = procedure.closing or "Say that it is done, thank the person, and ask how they are with it."
    lines = [
        f"The person has done all {len(procedure.steps)} steps of the procedure {procedure.title!r}. It is over.",
        *([f"What this procedure is not: {procedure.is_not}"] if procedure.is_not else []),
        *_collected(state),
        f"What to do now: {closing}",
    ]
    return _told(procedure.name, "", lines)


def brief_left(title: str, name: str) -> StepBriefing:
    """What is told when the person has stopped.

    Args:
        title: what the procedure is called.
        name: its name.
    """
    text = (
        f"The person has stopped the procedure {title!r}. It is over. Say in one or two sentences that this is fine, "
        "do not try to change their mind, and go on with whatever they want."
    )
    return StepBriefing(name, "", text)


def brief_lost(name: str, *, gone: bool) -> StepBriefing:
    """What is told where an open procedure cannot go on.

    Args:
        name: its name.
        gone: whether there is no such procedure any more; else it has no such step any more.
    """
    what = (
        "is not there any more" if gone else "was changed, and the step at which the person was is not in it any more"
    )
    offer = "to stop it here" if gone else "to begin it anew, or to stop it here"
    text = (
        f"The person is in the middle of the procedure {name!r}, which {what}. Nothing that they said is lost. Say so "
        f"plainly, and offer {offer}. Do not make up steps."
    )
    return StepBriefing(name, "", text)


def _happened(procedure: Procedure, state: ProcedureState, step: ProcedureStep, told: Told) -> str:
    match told:
        case "started":
            return "It begins now: say in one sentence what it is and that the person can stop at any time."
        case "completed":
            return "The person has done the step before this one: say so in a few words, then go on to this one."
        case "held":
            return "The person's last reply does not complete this step, or it is not clear: stay with it."
        case "stuck":
            return "The person is stuck in this step: make it easier, and do not repeat what you said before."
        case "side_question":
            return (
                "The person has asked or said something else: answer that briefly first, then lead back to this step."
            )
        case "resumed":
            return "The person comes back to it after a pause: say in one or two sentences where they were, then go on."
        case _:
            return "The person is in the middle of it: stay with this step."


def _asked_for(step: ProcedureStep, state: ProcedureState) -> list[str]:
    done = step.done_when
    if done.how == "items":
        has = len(state.items_of(step.id))
        more = f"{has} so far, {max(0, done.count - has)} to go"
        return [f"This step is done when the person has named {done.count} {done.items}: {more}."]
    if done.how == "phrases":
        said = ", ".join(repr(one) for one in done.phrases[:3])
        return [f"This step is done when the person says so, for example {said}: tell them that."]
    return []


def _collected(state: ProcedureState) -> list[str]:
    """What the person has named, the newest of it if it is much."""
    found: list[str] = []
    left = _SHOWN_CHARS
    for one in reversed(state.items):
        line = f"- {one.step}: {'; '.join(map(repr, one.items))}"
        if len(line) > left:
            found.append("- (Earlier ones are left out.)")
            break
        found.append(line)
        left -= len(line)
    return ["The person's own words so far, step by step:", *reversed(found)] if found else []


def _help(step: ProcedureStep, state: ProcedureState, told: Told) -> list[str]:
    if not state.stuck_count:
        return []
    hint = [f"What helps here: {step.hint}"] if step.hint and told == "stuck" else []
    if state.stuck_count < MOST_STUCK:
        return hint
    return [*hint, f"They were stuck {state.stuck_count} times in this step: offer to leave it for today or to stop."]


def _told(name: str, step: str, lines: list[str]) -> StepBriefing:
    return StepBriefing(name, step, "\n".join(lines))
