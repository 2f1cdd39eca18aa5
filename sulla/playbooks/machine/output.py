"""What an agent's step comes to, held against what its `output` asks for. Pure."""

from __future__ import annotations

import json
from typing import Final

from sulla.core.jsontypes import Json, JsonObject
from sulla.playbooks.definition import AgentStep
from sulla.playbooks.machine.records import Failure
from sulla.playbooks.plans.plan import JUDGE, PLAN
from sulla.playbooks.plans.read import faults_of
from sulla.tools.schema import validate

MAX_MISFITS: Final = 1
"""How often, in one attempt, an agent is told what was wrong with an answer that does not meet its `output`."""
MISFIT_CHARS: Final = 8_000
"""Of such an answer that it is shown again."""
FAULT_CHARS: Final = 2_000
"""Of all that is wrong with an answer."""


def result_of(does: AgentStep, result: Json) -> Json | Failure:
    """What a step comes to, or why its agent's answer is not that.

    Args:
        does: the step.
        result: what its agent said last.
    """
    if does.output is None:
        return result
    try:
        value: Json = json.loads(_unfenced(str(result)))
    except ValueError as wrong:
        return Failure("llm_error", "output", f"the result is not JSON ({wrong}): {str(result)[:200]!r}")
    schema: JsonObject = {"type": "object", "properties": {"result": dict(does.output)}, "required": ["result"]}
    problems = [*validate({"result": value}, schema)]
    if not problems and does.output.get(JUDGE) == PLAN:
        problems = [*faults_of(value)]
    if problems:
        said = f"the result is not what was asked for: {'; '.join(problems)}"
        return Failure("llm_error", "output", said[:FAULT_CHARS])
    return value


def misfit_of(does: AgentStep, result: Json) -> str:
    """Why an answer does not meet a step's `output`; empty if it does.

    Args:
        does: the step.
        result: what its agent said last.
    """
    found = result_of(does, result)
    return found.message if isinstance(found, Failure) else ""


def not_fitting(why: str, answer: str) -> str:
    """What an agent is told whose answer does not meet its step's `output`.

    Args:
        why: as `misfit_of` says it.
        answer: what it said.
    """
    shown = answer if len(answer) <= MISFIT_CHARS else f"{answer[:MISFIT_CHARS]} (cut)"
    return f"It was done before, and the answer cannot be used: {why}\nMend that. The answer was:\n{shown}"


def _unfenced(text: str) -> str:
    """What stands in a block of code, where the whole text is one."""
    text = text.strip()
    if text.startswith("```") and text.endswith("```") and "\n" in text:
        return text.partition("\n")[2].removesuffix("```")
    return text
