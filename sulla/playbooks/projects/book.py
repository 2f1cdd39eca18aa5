"""The playbooks of a project: one that plans it, and one that works on a plan. Pure.

Both are written out as a file would be, and run like any other.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.pattern import late_pattern
from sulla.playbooks.definition import OPENS
from sulla.playbooks.file.form import PLAYBOOK_NAME
from sulla.playbooks.plans.plan import PlanTask, ProjectPlan, in_order, plan_schema

_UNSAFE: Final = late_pattern("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""What YAML takes only where it is written as a number."""
_BRACES: Final = late_pattern(r"\$?\{\{")

PLANNING_MIN: Final = 30
"""Minutes after which a planning is given up; a planner that reads a project takes some of them."""

_PLANNING: Final = """\
Plan the project ${{ inputs.project }}: say which tasks lead to its goal, and which of them need the results of others.

Goal: ${{ inputs.goal }}

Agents that a task may name: ${{ inputs.agents | join(', ') if inputs.agents else 'none' }}.
Leave the agent out where any will do.

${{ 'To be thought of: ' ~ inputs.remarks if inputs.remarks else '' }}

If the project has a file, read it first, and do not plan what is done."""


@dataclass(frozen=True, slots=True)
class WorkLimits:
    """What a run of a plan may use."""

    time_min: int
    """Minutes, waiting for people left out."""
    tokens: int | None = None
    """Of models, in and out; None for no limit beside those of its agents."""

    @property
    def budget(self) -> JsonObject:
        """As a playbook says it."""
        found: JsonObject = {"time": f"{self.time_min}m"}
        return found if self.tokens is None else {**found, "tokens": self.tokens}


def playbook_name(kind: Literal["plan", "work"], project: str) -> str:
    """What the playbook of a project is called: ``work-garden``.

    Raises:
        InvalidInput: the project's name is none.
    """
    if not PLAYBOOK_NAME.fullmatch(project):
        raise InvalidInput(f"{project[:80]!r}: expected a project's name of 1 to 64 of a-z, 0-9, '_' and '-'")
    return f"{kind}-{project}"[:64]


def to_playbook(plan: ProjectPlan, project: str, limits: WorkLimits) -> str:
    """The playbook that works on a plan: a step for each task, with the task's own id.

    A task that fails fails what depends on it, and nothing else. What each task came to is an output of its name. The
    playbook takes three inputs: ``project``, its name, ``plan``, as `plan_json` writes it, and ``given``, whether that
    is from now on the project's plan, so that a run says itself what it is for.

    Args:
        plan: the plan.
        project: the project's name.
        limits: what all of it may use.

    Raises:
        InvalidInput: the project's name is none.
    """
    tasks = in_order(plan.tasks)
    head: JsonObject = {
        "name": playbook_name("work", project),
        "description": _plain(plan.goal),
        "inputs": {"project": "string", "plan": "object", "given": {"type": "boolean", "default": False}},
        "budget": limits.budget,
        "outputs": {task.id: f"${{{{ steps.{task.id}.output }}}}" for task in tasks},
    }
    if plan.execution_strategy == "sequential":
        head["at_once"] = 1
    return playbook_text(head, map(_step, tasks))


def planner_playbook(project: str, agent: str, agents: Sequence[str]) -> str:
    """The playbook that plans a project: one step, whose result is an output called ``plan``.

    Its inputs are ``project``, ``goal``, ``agents`` (the ids of those that tasks may name) and ``remarks``: what else
    is to be thought of.

    Args:
        project: the project's name.
        agent: who plans; empty for the home's own.
        agents: the ids of those that tasks may name.

    Raises:
        InvalidInput: the project's name is none.
    """
    head: JsonObject = {
        "name": playbook_name("plan", project),
        "description": f"Plans the project {project}.",
        "inputs": {
            "project": "string",
            "goal": "string",
            "agents": {"type": "list", "default": []},
            "remarks": {"type": "string", "default": ""},
        },
        "budget": {"time": f"{PLANNING_MIN}m"},
        "outputs": {"plan": "${{ steps.plan.output }}"},
    }
    step: JsonObject = {"id": "plan", "agent": agent or None, "prompt": _PLANNING, "output": plan_schema(agents)}
    return playbook_text(head, [step])


def playbook_text(head: JsonObject, steps: Iterable[JsonObject]) -> str:
    """A playbook's file: each key on a line of its own, its value written as JSON, which is YAML, too."""
    lines = [f"{key}: {_flow(value)}" for key, value in head.items()]
    for step in steps:
        lines += [f"{'  ' if at else '- '}{key}: {_flow(value)}" for at, (key, value) in enumerate(step.items())]
    lines.insert(len(head), "steps:")
    return "\n".join([*lines[: len(head) + 1], *(f"  {line}" for line in lines[len(head) + 1 :])]) + "\n"


def literal(text: str) -> str:
    """Text that says itself where expressions are worked out."""
    return _BRACES.sub(lambda found: f"{OPENS} '{found[0]}' }}}}", text)


def _plain(text: str) -> str:
    """Text for where no expressions are taken."""
    return text.replace(OPENS, "$ {{")


def _step(task: PlanTask) -> JsonObject:
    found: JsonObject = {
        "id": task.id,
        "title": _plain(task.title),
        "needs": list(task.depends_on),
        "agent": task.agent or None,
        "prompt": "\n\n".join(_prompt(task)),
    }
    if task.success:
        found["success"] = literal(task.success)
    if task.tools is not None:
        found["tools"] = list(task.tools)
    if task.tries is not None:
        found["retry"] = task.tries
    return found


def _prompt(task: PlanTask) -> Iterator[str]:
    yield "This is one task of the project ${{ inputs.project }}. Do it, and nothing of the other tasks."
    yield "Goal of the project: ${{ inputs.plan.goal }}"
    yield f"Your task: {literal(task.title)}"
    if task.description:
        yield literal(task.description)
    if task.depends_on:
        yield "What the tasks before it came to:"
    for before in task.depends_on:
        yield f'<task id="{before}">\n${{{{ steps.{before}.output }}}}\n</task>'
    yield "Answer with what it came to: who goes on from here sees your answer and nothing else of your work."


def _flow(value: Json) -> str:
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))
