"""Conditions that flows name: the seven of the seed, and those that packages bring (seed 002 §2.2). Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from inspect import iscoroutinefunction, signature
from itertools import zip_longest
from typing import Final, TypeVar, cast

from sulla.core.dataclass import dataclass
from sulla.core.errors import FlowError, SettingsError
from sulla.core.jsontypes import FrozenJson, Json, JsonObject

_MARK: Final = "__sulla_condition__"
_SHOWN: Final = 60
"""Characters of a value that an error shows."""


@dataclass(frozen=True, slots=True)
class SessionContext:
    """What a condition may look at: the turn as it is at that moment. It changes nothing by looking."""

    system_context: FrozenJson
    """What whoever sent the message has said beside it."""
    flags: FrozenJson = field(default_factory=dict)
    """How the turn is to be walked: `agent_mode`, `deep_thinking`, `plan`, `more_suggest`."""
    audit_status: FrozenJson = field(default_factory=dict)
    """What the parts of this turn have come to, by their keys: the newest of each that gives a value."""
    answered: bool = False
    """Whether the person has been told something since the last tool had a result."""
    thread_id: str = ""

    def variable(self, name: str) -> Json:
        """The value of a variable: what a part came to, what stands in `system_context`, or a flag of the turn.

        Args:
            name: the variable's.

        Raises:
            FlowError: there is none.
        """
        every = (self.audit_status, self.system_context, self.flags)
        first, *rest = name.split(".")
        for values in every:
            if first in values:
                return _inside(name, values[first], rest)
        known = ", ".join(dict.fromkeys(one for values in every for one in values)) or "none"
        raise FlowError(f"the flow's variable {name!r} has no value in this turn (it has: {known})")


def _inside(name: str, value: Json, rest: Sequence[str]) -> Json:
    """What a variable means whose name goes into a value, such as ``plan.status``."""
    whole, *_ = name.split(".")
    for key in rest:
        if not isinstance(value, Mapping) or key not in value:
            of = ", ".join(f"{whole}.{one}" for one in value) if isinstance(value, Mapping) else ""
            has = f"which has: {of}" if of else f"which is {json.dumps(value)[:_SHOWN]}"
            raise FlowError(f"the flow's variable {name!r} has no value in this turn: no {key!r} in {whole!r}, {has}")
        whole, value = f"{whole}.{key}", value[key]
    if isinstance(value, Mapping):
        within = ", ".join(f"{name}.{key}" for key in value)
        if len(value) < 2:
            said = f"has its value under another name: write {within}" if value else "has no value in this turn"
            raise FlowError(f"the flow's variable {name!r} {said}")
        raise FlowError(f"the flow's variable {name!r} has several values: name one of them ({within})")
    return value


Condition = Callable[..., bool]
"""Takes a `SessionContext`, and optionally `session`, which is always None here."""
F = TypeVar("F", bound=Condition)


class ConditionRegistry:
    """The conditions of a home, by name. Made once for a daemon, from functions that say their names themselves.

    Args:
        conditions: the functions, each marked by `register`.
        whose: whose each of them is, for the errors; empty where that is not known.

    Raises:
        SettingsError: two have the same name, or one has none, or cannot be called as conditions are.
    """

    def __init__(self, conditions: Iterable[object] = (), whose: Iterable[str] = ()) -> None:
        found: dict[str, Condition] = {}
        for one, said in (*((one, "") for one in _BUILT_IN), *zip_longest(conditions, whose, fillvalue="")):
            name = name_of(one, said)
            if name in found:
                of = f" ({said})" if said else ""
                raise SettingsError(f"two conditions are called {name!r}{of}: rename one, or uninstall its package")
            found[name] = cast("Condition", one)
        self._conditions: Mapping[str, Condition] = found

    @staticmethod
    def register(name: str) -> Callable[[F], F]:
        """Give a function the name by which flows know it. A package names the function in its capability.

        Args:
            name: that name.
        """

        def mark(function: F) -> F:
            setattr(function, _MARK, name)
            return function

        return mark

    @property
    def names(self) -> tuple[str, ...]:
        """All names, in alphabetical order."""
        return tuple(sorted(self._conditions))

    def holds(self, name: str, context: SessionContext) -> bool:
        """Whether a condition holds.

        Args:
            name: its name.
            context: what it looks at.

        Raises:
            FlowError: there is none of that name any more, it failed, or it said neither yes nor no.
        """
        condition = self._conditions.get(name)
        if condition is None:
            raise FlowError(f"the flow's condition {name!r} is not there any more: install its package again")
        try:
            found: object = condition(context)
        except Exception as error:
            raise FlowError(f"the flow's condition {name!r} failed: {type(error).__name__}: {error}") from error
        if not isinstance(found, bool):
            raise FlowError(f"the flow's condition {name!r} gave {type(found).__name__}; expected True or False")
        return found


def is_built_in(name: str) -> bool:
    """Whether a condition is one of the seven, which take no time.

    Args:
        name: its name.
    """
    return any(name_of(one) == name for one in _BUILT_IN)


def name_of(condition: object, whose: str = "") -> str:
    """The name of a condition.

    Args:
        condition: a function that `register` has marked.
        whose: whose it is, for the errors.

    Raises:
        SettingsError: it was not, or cannot be called with a `SessionContext`, or is async.
    """
    of = f"{whose}: " if whose else ""
    name = getattr(condition, _MARK, "")
    if not isinstance(name, str) or not name or not callable(condition):
        said = f"{of}{condition!r} is no condition of flows"
        raise SettingsError(f'{said}: mark the function with `@ConditionRegistry.register("its_name")`')
    if iscoroutinefunction(condition):
        raise SettingsError(f"{of}the condition {name!r} is async; expected a plain function that gives True or False")
    try:
        signature(condition).bind(SessionContext({}))
    except TypeError as error:
        said = "expected it to take `session_context`, and `session` only with a default"
        raise SettingsError(f"{of}the condition {name!r} cannot be called ({error}); {said}") from error
    return name


# ------------------------------------------------------------------------------------------------ the seven of the seed


def _flag(context: SessionContext, name: str) -> bool:
    return context.flags.get(name) is True


def _said(context: SessionContext, part: str) -> JsonObject:
    """What a part gave last; nothing before its first time."""
    value = context.audit_status.get(part)
    return value if isinstance(value, dict) else {}


@ConditionRegistry.register("is_deep_thinking")
def is_deep_thinking(context: SessionContext, session: object = None) -> bool:
    """The turn asks for an analysis beforehand."""
    return _flag(context, "deep_thinking")


@ConditionRegistry.register("enable_more_suggest")
def enable_more_suggest(context: SessionContext, session: object = None) -> bool:
    """The turn asks for what might be asked next."""
    return _flag(context, "more_suggest")


@ConditionRegistry.register("enable_plan")
def enable_plan(context: SessionContext, session: object = None) -> bool:
    """The turn asks for a plan."""
    return _flag(context, "plan")


@ConditionRegistry.register("plan_should_start_execution")
def plan_should_start_execution(context: SessionContext, session: object = None) -> bool:
    """The plan says that its work can begin, and is no question to the person."""
    return _said(context, "plan").get("status") == "start_execution"


@ConditionRegistry.register("task_not_completed")
def task_not_completed(context: SessionContext, session: object = None) -> bool:
    """Nobody has judged the task yet, or the judge says that it goes on."""
    return _said(context, "task_completion_judge").get("status", "in_progress") == "in_progress"


@ConditionRegistry.register("self_check_should_retry")
def self_check_should_retry(context: SessionContext, session: object = None) -> bool:
    """Nobody has checked the work yet, or the check was not passed; not while a plan waits for the person."""
    waits = _said(context, "plan").get("status") == "need_user_input"
    return _said(context, "self_check").get("passed") is not True and not waits


@ConditionRegistry.register("need_summary")
def need_summary(context: SessionContext, session: object = None) -> bool:
    """The person has been told nothing since the last tool had a result."""
    return not context.answered


_BUILT_IN: Final[tuple[Condition, ...]] = (
    is_deep_thinking,
    enable_more_suggest,
    enable_plan,
    plan_should_start_execution,
    task_not_completed,
    self_check_should_retry,
    need_summary,
)
