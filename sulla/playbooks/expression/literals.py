"""What is wrong with values that are written out in an expression, told without any other value. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from sulla.core.errors import InvalidInput, TooLarge
from sulla.playbooks.expression.filters import FILTERS
from sulla.playbooks.expression.tree import Apply, Const, Tree, parts_of, paths_of
from sulla.playbooks.expression.values import HEAVY_WORK, CostMeter
from sulla.playbooks.expression.walk import work_out


def wrong_literals(tree: Tree) -> Iterator[tuple[str, str]]:
    """What can have no value, whatever the values are that the expression looks up.

    Args:
        tree: an expression, or a part of one.

    Returns:
        What is wrong, and the word in the expression that it is wrong with; that is empty where there is none.
    """
    if isinstance(tree, Const):
        return
    if _is_written_out(tree):
        try:
            work_out(tree, {}, CostMeter(HEAVY_WORK))
        except TooLarge:  # a real run may do more: it says how that ends
            return
        except InvalidInput as error:
            yield error.message, tree.name if isinstance(tree, Apply) else ""
        return
    if isinstance(tree, Apply):
        yield from _arguments(tree)
    for part in parts_of(tree):
        yield from wrong_literals(part)


def _arguments(tree: Apply) -> Iterator[tuple[str, str]]:
    """What a filter takes in no case of what it is given."""
    how = FILTERS[tree.name]
    for name, given in (*zip(how.takes, tree.args, strict=False), *tree.named):
        if name not in how.checks or not _is_written_out(given):
            continue
        try:
            value = work_out(given, {}, CostMeter(HEAVY_WORK))
        except InvalidInput:  # it is told where it stands, as a part of the whole
            continue
        try:
            how.checks[name](value)
        except InvalidInput as error:
            at = str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else tree.name
            said = error.message.removeprefix(f"{tree.name}: ")
            yield f"'{tree.name}', {name}: {said}", at


def _is_written_out(tree: Tree) -> bool:
    return next(paths_of(tree), None) is None
