"""What an agent's step comes to, held against what its `output` asks for. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from sulla.core.jsontypes import FrozenJson, Json, JsonObject
from sulla.core.named import name_in
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
    words = words_of(does.output)
    if word := name_in(str(result), words):
        return word
    try:
        value: Json = json.loads(_unfenced(str(result)))
    except ValueError as wrong:
        how = (
            f"expected {_listed(words)}, with its double quotes" if words else f"{wrong}; texts stand in double quotes"
        )
        return Failure("llm_error", "output", f"the result is not JSON ({how}): {str(result)[:200]!r}")
    schema: JsonObject = {"type": "object", "properties": {"result": dict(does.output)}, "required": ["result"]}
    problems = [*validate({"result": value}, schema)]
    if not problems and does.output.get(JUDGE) == PLAN:
        problems = [*faults_of(value)]
    if problems:
        said = f"the result is not what was asked for: {'; '.join(problems)}"
        return Failure("llm_error", "output", said[:FAULT_CHARS])
    return value


def asked_for(output: FrozenJson) -> str:
    """What an agent is told of a step's `output`.

    Args:
        output: its JSON Schema.
    """
    words = words_of(output)
    if words:
        return f"Give as the result one of these words alone, in double quotes: {_listed(words)}"
    text = ", in double quotes," if output.get("type") == "string" else ""
    return f"Give the result as JSON alone{text} which fits this schema: {json.dumps(dict(output))}"


def words_of(output: FrozenJson) -> tuple[str, ...]:
    """The texts of which an output has to be one; none where its schema asks for anything else."""
    words = output.get("enum")
    if not isinstance(words, list | tuple) or not set(output) <= {"enum", "type", "title", "description"}:
        return ()
    return tuple(map(str, words)) if all(isinstance(word, str) for word in words) else ()


def _listed(words: Sequence[str]) -> str:
    return " or ".join(json.dumps(word, ensure_ascii=False) for word in words)


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
