"""Reads a plan, and collects what is wrong with it, said so that a model can mend it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Final, cast, get_args

from sulla.core.jsontypes import FrozenJson, Json
from sulla.playbooks.plans.plan import (
    DEFAULT_STRATEGY,
    GOAL_CHARS,
    MAX_TASKS,
    MAX_TOOLS,
    MAX_TRIES,
    PLAN_CHARS,
    PLAN_KEYS,
    TASK_KEYS,
    TEXT_CHARS,
    TITLE_CHARS,
    PlanTask,
    ProjectPlan,
    Strategy,
)
from sulla.tools.nearest import did_you_mean

_SHOWN: Final = 60
_ID: Final = re.compile(r"[a-z_][a-z0-9_]{0,63}")
"""What a step may be called, in small letters."""
_MOST_NAMED: Final = 12
_TAKEN: Final = frozenset({"true", "false", "none", "not", "in", "is", "and", "or", "if", "else"})
"""What cannot be named in an expression."""


def read_plan(answer: Json, *, goal: str = "", agents: Set[str] | None = None) -> ProjectPlan | tuple[str, ...]:
    """A plan, from what a planner answered.

    Args:
        answer: JSON as `PLAN_SCHEMA` describes it.
        goal: what is to be reached, where the answer does not say it.
        agents: the ids of those that there are; None if nobody knows here.

    Returns:
        The plan; or all that is wrong with it, each as a sentence that says what to do.
    """
    reader = _Reader()
    found = reader.object(answer, "the plan", PLAN_KEYS)
    said = reader.text(found, "goal", "the plan", GOAL_CHARS) or goal.strip()
    if not said:
        reader.faults.append("the plan has no goal: say in `goal` what is to be reached, in one sentence")
    strategy = reader.choice(found, "execution_strategy", "the plan", get_args(Strategy), DEFAULT_STRATEGY)
    rows = reader.list(found, "tasks", "the plan", MAX_TASKS)
    tasks = [_task(reader, row, number) for number, row in enumerate(rows, 1)]
    if not rows and not reader.faults:
        reader.faults.append("the plan has no tasks: name at least one in `tasks`")
    _judge(reader, tasks, agents)
    if (chars := sum(len(task.title) + len(task.description) + len(task.success) for task in tasks)) > PLAN_CHARS:
        reader.faults.append(
            f"the plan has {chars} characters, {PLAN_CHARS} at the most: say less, or plan a part of it"
        )
    if reader.faults:
        return tuple(dict.fromkeys(reader.faults))
    return ProjectPlan(said, tuple(tasks), cast("Strategy", strategy))


def faults_of(answer: Json) -> tuple[str, ...]:
    """What is wrong with a planner's answer beyond what its schema says; empty for nothing.

    Args:
        answer: JSON as `PLAN_SCHEMA` describes it.
    """
    found = read_plan(answer, goal="what was asked for")
    return found if isinstance(found, tuple) else ()


def _task(reader: _Reader, row: Json, number: int) -> PlanTask:
    found = reader.object(row, f"task {number}", TASK_KEYS)
    where = f"task {number}"
    title = " ".join(reader.text(found, "title", where, TITLE_CHARS).split())
    raw = reader.text(found, "id", where, TITLE_CHARS)
    if not title:
        reader.faults.append(f"{where} ({raw[:40] or 'without an id'}) has no title: say what is done, in one line")
    if not raw:
        reader.faults.append(f"{where} has no id: give it a short one, such as 'outline'")
    return PlanTask(
        safe_id(raw) if raw else f"t_{number}",
        title,
        reader.text(found, "description", where, TEXT_CHARS),
        reader.text(found, "agent", where, TITLE_CHARS),
        tuple(dict.fromkeys(map(safe_id, reader.names(found, "depends_on", where, MAX_TASKS) or ()))),
        reader.text(found, "success", where, TEXT_CHARS),
        reader.number(found, "tries", where, 1, MAX_TRIES),
        reader.names(found, "tools", where, MAX_TOOLS),
    )


def safe_id(text: str) -> str:
    """An id as a step may have it: ``Write docs`` becomes ``write_docs``, and ``2`` becomes ``t_2``."""
    word = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:48].rstrip("_")
    return word if _ID.fullmatch(word) and word not in _TAKEN else f"t_{word}".rstrip("_")


def _judge(reader: _Reader, tasks: Sequence[PlanTask], agents: Set[str] | None) -> None:
    """What is wrong between the tasks."""
    known = {task.id: task for task in tasks}
    seen: set[str] = set()
    for task in tasks:
        if task.id in seen:
            reader.faults.append(f"two tasks have the id {task.id!r}: give each its own")
        seen.add(task.id)
        if task.id in task.depends_on:
            reader.faults.append(f"task {task.id!r} depends on itself: take it out of its depends_on")
        for other in task.depends_on:
            if other not in known:
                hint = reader.nearest(other, known)
                reader.faults.append(f"task {task.id!r} depends on {other!r}, and there is no such task.{hint}")
        if agents is not None and task.agent and task.agent not in agents:
            hint = reader.nearest(task.agent, agents)
            reader.faults.append(f"task {task.id!r} is for the agent {task.agent!r}, and there is no such agent.{hint}")
    if ring := ring_of({task.id: task.depends_on for task in tasks}):
        around = " -> ".join(ring)
        reader.faults.append(f"tasks depend on each other in a ring: {around}; take one of these dependencies out")


def ring_of(needs: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The first ring of two or more that is found, its first member again at its end; empty for none."""
    done: set[str] = set()
    for start in needs:
        way, ahead = [start], [iter(needs[start])]
        while ahead:
            step = next(ahead[-1], None)
            if step is None:
                done.add(way.pop())
                ahead.pop()
            elif step in way and step != way[-1]:
                return (*way[way.index(step) :], step)
            elif step in needs and step not in done and step != way[-1]:
                way.append(step)
                ahead.append(iter(needs[step]))
    return ()


class _Reader:
    """One plan being read."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def object(self, value: Json, where: str, keys: Sequence[str]) -> FrozenJson:
        """Keys and values, all of which are known; empty for anything else."""
        if not isinstance(value, dict):
            self.faults.append(f"{where}: expected an object with {', '.join(keys)}, got {_got(value)}")
            return {}
        for key in value:
            if key not in keys:
                hint = did_you_mean(key, keys) or f" Known: {', '.join(keys)}."
                self.faults.append(f"{where} has no {key[:_SHOWN]!r}.{hint}")
        return value

    def text(self, found: FrozenJson, key: str, where: str, most: int) -> str:
        """Text without white space around it; empty where there is none."""
        value = found.get(key)
        if value is None:
            return ""
        if isinstance(value, int) and not isinstance(value, bool) and key == "id":
            return str(value)  # many number their tasks
        if not isinstance(value, str):
            self.faults.append(f"{where}: {key} takes text, got {_got(value)}")
            return ""
        if len(value) > most:
            self.faults.append(f"{where}: {key} has {len(value)} characters; {most} at the most")
            return ""
        if any((ord(char) < 32 and char not in "\n\t") or 0xD800 <= ord(char) <= 0xDFFF for char in value):
            self.faults.append(f"{where}: {key} has control characters in it; write plain text")
            return ""
        return value.strip()

    def choice(self, found: FrozenJson, key: str, where: str, known: Sequence[str], usual: str) -> str:
        """One of several words; the usual one where there is none."""
        word = self.text(found, key, where, _SHOWN) or usual
        if word not in known:
            self.faults.append(f"{where}: {key} is {word!r}; expected {', '.join(known[:-1])} or {known[-1]}")
            return usual
        return word

    def list(self, found: FrozenJson, key: str, where: str, most: int) -> Sequence[Json]:
        """A list; empty where there is none."""
        value = found.get(key)
        if value is None:
            return ()
        if not isinstance(value, list):
            self.faults.append(f"{where}: {key} takes a list, got {_got(value)}")
            return ()
        if len(value) > most:
            self.faults.append(f"{where}: {key} has {len(value)} entries, {most} at the most: put some together")
            return ()
        return value

    def names(self, found: FrozenJson, key: str, where: str, most: int) -> tuple[str, ...] | None:
        """A list of names; None where there is none."""
        if found.get(key) is None:
            return None
        entries = self.list(found, key, where, most)
        names = [self.text({"id": entry}, "id", f"{where}, {key}", 128) for entry in entries]
        if not all(names) and not self.faults:
            self.faults.append(f"{where}: {key} has an empty entry; take it out")
        return tuple(name for name in names if name)

    def number(self, found: FrozenJson, key: str, where: str, low: int, high: int) -> int | None:
        """A whole number; None where there is none."""
        value = found.get(key)
        if value is None or (isinstance(value, int) and not isinstance(value, bool) and low <= value <= high):
            return value
        self.faults.append(f"{where}: {key} takes a whole number from {low} to {high}, got {_got(value)}")
        return None

    def nearest(self, name: str, known: Iterable[str]) -> str:
        """The nearest names, or those that there are; with a space before it."""
        names = sorted(known)
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        return did_you_mean(name, names) or f" There are: {', '.join(names[:_MOST_NAMED]) or 'none'}{more}."


def _got(value: Json) -> str:
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list) else repr(value)[:_SHOWN]
