"""What a step works with: its arguments with their expressions worked out. Pure.

How an expression is worked out is handed in (`Evaluate`); text without one is never looked at again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import FrozenJson, Json, JsonObject
from sulla.playbooks.definition import (
    AgentStep,
    ConditionStep,
    Given,
    HumanStep,
    Kind,
    PlaybookStep,
    PromptStep,
    RespondStep,
    RouterStep,
    Template,
    ToolStep,
    TransferStep,
)

Scope = Mapping[str, object]
"""The names that an expression may use: ``inputs``, ``steps``, ``run`` and whatever the driver adds; within a loop also
``loop`` and the name of its item."""

Evaluate = Callable[[Template, Scope], Json]
"""Works an expression out. It raises a `SullaError` that says what was wrong, and changes nothing."""

MARK: Final = "${{"
"""What an expression begins with."""

_TEMPLATES: Final[Mapping[type, tuple[str, ...]]] = {
    AgentStep: ("prompt", "before", "after", "success"),
    RouterStep: ("question",),
    ConditionStep: ("question",),
    HumanStep: ("question",),
    RespondStep: ("text",),
    PromptStep: ("text",),
    ToolStep: ("args",),
    PlaybookStep: ("args",),
    TransferStep: ("args",),
}
"""What is worked out of each kind before it begins."""


def given_of(does: Kind) -> FrozenJson | None:
    """What a step works with, where that is the same in every run; else None, and it is `rendered` anew each time."""
    if any(_has_expression(getattr(does, name)) for name in _TEMPLATES.get(type(does), ())):
        return None
    return rendered(does, _no_expression, {})


def rendered(does: Kind, evaluate: Evaluate, scope: Scope) -> FrozenJson:
    """What a step works with, by the names of its fields; those that are not set are left out.

    Args:
        does: the step's kind.
        evaluate: works expressions out.
        scope: the names that they may use.

    Raises:
        SullaError: one of them cannot be worked out.
    """
    found: JsonObject = {}
    for name in _TEMPLATES.get(type(does), ()):
        value = getattr(does, name)
        if isinstance(value, Template):
            found[name] = text(value, evaluate, scope)
        elif value is not None:
            found[name] = fill(value, evaluate, scope)
    return found


def fill(given: Given, evaluate: Evaluate, scope: Scope) -> Json:
    """An argument with its expressions worked out, however deep they stand in it; each keeps the type of its value."""
    if isinstance(given, Template):
        return evaluate(given, scope) if MARK in given.source else given.source
    if isinstance(given, Mapping):
        return {name: fill(cast("Given", item), evaluate, scope) for name, item in given.items()}
    if isinstance(given, tuple | list):
        return [fill(item, evaluate, scope) for item in given]
    return given


def text(template: Template, evaluate: Evaluate, scope: Scope) -> str:
    """A template as text; what is none by itself is written as JSON."""
    value = fill(template, evaluate, scope)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def holds(template: Template, evaluate: Evaluate, scope: Scope) -> bool:
    """Whether an expression holds.

    Raises:
        SullaError: it cannot be worked out.
        InvalidInput: it gives text. All text but the empty one would hold, ``"false"`` and ``"no"`` too, which nobody
            means.
    """
    value = fill(template, evaluate, scope)
    if isinstance(value, str):
        raise InvalidInput(
            f"{template.source:.200} gives the text {value[:60]!r} where yes or no was expected:"
            " compare it with something"
        )
    return bool(value)


def _has_expression(given: Any) -> bool:  # noqa: ANN401  - the field of any kind
    if isinstance(given, Template):
        return MARK in given.source
    if isinstance(given, Mapping):
        return any(_has_expression(item) for item in given.values())
    return isinstance(given, tuple | list) and any(_has_expression(item) for item in given)


def _no_expression(template: Template, scope: Scope) -> Json:
    raise InvalidInput(f"{template.source:.200} is an expression")
