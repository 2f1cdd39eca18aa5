"""What of an expression nobody can know in a dry run, because a placeholder stands for it. Pure."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Final, cast

from sulla.core.jsontypes import Json
from sulla.playbooks.expression.tree import Path, Tree, paths_of
from sulla.playbooks.machine.scope import Scope

_MARKS: Final = ("<output of ", "<answer to ", "<entry of ", "<input ", "<text of ")
_INPUT_WORDS: Final = 2
"""``inputs`` and the input's name; what lies deeper is not in what stands for an input."""


def holds_guess(value: Json) -> bool:
    """Whether a placeholder stands anywhere in a value."""
    said = json.dumps(value, default=str)
    return any(mark in said for mark in _MARKS)


def is_guess(path: Path, scope: Scope, guessed: Collection[str]) -> bool:
    """Whether a placeholder stands for what is looked up, or lies in it.

    Args:
        path: what is looked up.
        scope: what each name stands for.
        guessed: the steps that came to a placeholder.
    """
    if path.words[:1] == ("steps",) and (len(path.words) < 3 or path.words[2] not in ("output", "result")):
        return False
    if _came_to_nothing(path, scope):
        return False
    if path.words[:1] == ("steps",) and path.words[1] in guessed:
        return True
    value: object = scope
    for word in path.words:
        if not isinstance(value, Mapping) or word not in value:
            break
        value = value[word]
    said = value if isinstance(value, str) else "" if value is scope else json.dumps(value, default=str)
    return any(mark in said for mark in _MARKS)


def is_settled(tree: Tree, scope: Scope, guessed: Collection[str], given: Collection[str]) -> bool:
    """Whether an expression looks at inputs that are given alone, or at a step that came to nothing and at nothing that
    is only known in a real run.

    Args:
        tree: the expression.
        scope: what each name stands for.
        guessed: the steps that came to a placeholder.
        given: the inputs that are no placeholders.
    """
    paths = list(paths_of(tree))
    if paths and all(_is_given(path, given) for path in paths):
        return True
    unknown = any(_is_made_up(path, given) or is_guess(path, scope, guessed) for path in paths)
    return not unknown and any(_came_to_nothing(path, scope) for path in paths)


def _is_given(path: Path, given: Collection[str]) -> bool:
    return path.words[:1] == ("inputs",) and len(path.words) > 1 and path.words[1] in given


def _came_to_nothing(path: Path, scope: Scope) -> bool:
    """Whether it looks at the output or the result of a step that was skipped or failed, or of a loop without a pass:
    null or empty in a real run, too."""
    if path.words[:1] != ("steps",) or len(path.words) < 3 or path.words[2] not in ("output", "result"):
        return False
    step = cast("Mapping[object, Mapping[str, Json]]", scope["steps"])[path.words[1]]
    return step["status"] in ("skipped", "failed") or (step["status"] == "completed" and step["output"] == [])


def _is_made_up(path: Path, given: Collection[str]) -> bool:
    """Whether it looks at what a dry run has instead of what a real run is told as it begins."""
    return path.words[:1] == ("run",) or (
        path.words[:1] == ("inputs",) and len(path.words) > _INPUT_WORDS and not _is_given(path, given)
    )
