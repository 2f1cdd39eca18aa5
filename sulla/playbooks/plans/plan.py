"""A project's goal as tasks that depend on each other (seed 001). Pure.

A plan is what the planner answers, as JSON. `project_read` judges it, and `project_book` makes a playbook of it, so
that nothing new carries it out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, get_args

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json, JsonObject

Strategy = Literal["sequential", "parallel", "dag"]
"""How tasks follow each other (seed 001). None begins before all that it depends on is completed.

`sequential`: one at a time. `parallel` and `dag`: all whose turn has come, at once. The seed tells these two apart, as
all independent tasks at once and as the order of the dependencies with concurrency where that allows it; where
dependencies always hold, both say the same of the same tasks.
"""

MAX_TASKS: Final = 50
"""Of one plan: as many as may be at work side by side."""
DEFAULT_STRATEGY: Final[Strategy] = "dag"
GOAL_CHARS: Final = 4_000
TITLE_CHARS: Final = 200
"""Less than a line of a project's file takes, with what else stands in it."""
TEXT_CHARS: Final = 20_000
PLAN_CHARS: Final = 60_000
"""Of all texts of a plan; its playbook stays below what one may have, whatever is in them."""
MAX_TOOLS: Final = 100
MAX_TRIES: Final = 20


@dataclass(frozen=True, slots=True)
class PlanTask:
    """A part of the work that one agent does at one go."""

    id: str
    """Small letters, digits and ``_``: also that of its step."""
    title: str
    description: str = ""
    """All that the agent has to know: it sees this, the goal, and what the tasks came to that this one depends on."""
    agent: str = ""
    """Empty for the home's own."""
    depends_on: tuple[str, ...] = ()
    success: str = ""
    """What counts as done."""
    tries: int | None = None
    """Attempts in all; None for what the class of a failure asks for (seed 001)."""
    tools: tuple[str, ...] | None = None
    """The tools that it may use; None for all of its agent's."""


@dataclass(frozen=True, slots=True)
class ProjectPlan:
    """What is to be reached, and by which tasks."""

    goal: str
    tasks: tuple[PlanTask, ...]
    """None depends on itself, however far around."""
    execution_strategy: Strategy = DEFAULT_STRATEGY


def plan_json(plan: ProjectPlan) -> JsonObject:
    """A plan as JSON, such that `read_plan` makes the same of it."""
    return {
        "goal": plan.goal,
        "execution_strategy": plan.execution_strategy,
        "tasks": [_task_json(task) for task in plan.tasks],
    }


def in_order(tasks: Sequence[PlanTask]) -> list[PlanTask]:
    """The tasks so that each comes after those that it depends on; those that could change places stay as they are.

    Raises:
        InvalidInput: they depend on each other in a ring.
    """
    left, found, done = list(tasks), list[PlanTask](), set[str]()
    while left:
        ready = next((task for task in left if done.issuperset(task.depends_on)), None)
        if ready is None:
            raise InvalidInput(f"these tasks wait for each other: {', '.join(task.id for task in left)}")
        left.remove(ready)
        found.append(ready)
        done.add(ready.id)
    return found


def _task_json(task: PlanTask) -> JsonObject:
    found: JsonObject = {"id": task.id, "title": task.title}
    for key, value in (("description", task.description), ("agent", task.agent), ("success", task.success)):
        if value:
            found[key] = value
    if task.depends_on:
        found["depends_on"] = list(task.depends_on)
    if task.tries is not None:
        found["tries"] = task.tries
    if task.tools is not None:
        found["tools"] = list(task.tools)
    return found


_TASK_SHAPES: Final[JsonObject] = {
    "id": {"type": "string", "description": "Short, of letters, digits and _; the only one of its name."},
    "title": {"type": "string", "description": "What is done, in one line that begins with a verb."},
    "description": {"type": "string", "description": "All that has to be known to do it; nothing else is told."},
    "agent": {"type": "string", "description": "The id of the agent that does it; leave it out for the usual one."},
    "depends_on": {
        "type": "array",
        "items": {"type": "string"},
        "description": "The ids of the tasks whose results it needs; leave it out for none.",
    },
    "success": {"type": "string", "description": "How one can see that it is done."},
    "tries": {
        "type": "integer",
        "minimum": 1,
        "maximum": MAX_TRIES,
        "description": "How often it is tried; leave it out unless it must not be, or has to be, tried again.",
    },
    "tools": {
        "type": "array",
        "items": {"type": "string"},
        "description": "The only tools that it may use; leave it out for all.",
    },
}

JUDGE: Final = "x-judge"
"""The keyword of an output's schema that names who looks at the answer, beyond what a schema can say."""
PLAN: Final = "project-plan"
"""Its value for a plan: `read.faults_of` looks at it."""

PLAN_SCHEMA: Final[JsonObject] = {
    "type": "object",
    JUDGE: PLAN,
    "additionalProperties": False,
    "required": ["tasks"],
    "properties": {
        "goal": {"type": "string", "description": "What is to be reached, in one sentence."},
        "execution_strategy": {
            "type": "string",
            "enum": list(get_args(Strategy)),
            "description": "sequential: one task at a time. parallel, dag: all that wait for nothing, at once.",
        },
        "tasks": {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_TASKS,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["id", "title"],
                "properties": _TASK_SHAPES,
            },
        },
    },
}
"""What a planner answers, as JSON Schema; what a schema cannot say, `read_plan` does."""
PLAN_KEYS: Final = ("goal", "execution_strategy", "tasks")
TASK_KEYS: Final = tuple(_TASK_SHAPES)


def plan_schema(agents: Sequence[str]) -> JsonObject:
    """`PLAN_SCHEMA`, with the agents that a task may name.

    Args:
        agents: their ids; none if nobody knows them here.
    """
    if not agents:
        return PLAN_SCHEMA
    names: list[Json] = [*agents]
    agent = {"type": "string", "enum": names, "description": "Who does it; leave it out for the usual one."}
    tasks: Any = PLAN_SCHEMA["properties"]
    shapes = {**_TASK_SHAPES, "agent": agent}
    rows = {**tasks["tasks"], "items": {**tasks["tasks"]["items"], "properties": shapes}}
    return {**PLAN_SCHEMA, "properties": {**tasks, "tasks": rows}}
