"""Works out an expression's tree over values of JSON. Pure.

Nothing of Python's can be reached: a field is a key of an object or a place in a list, and there is no third way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json
from sulla.playbooks.expression.compare import holds
from sulla.playbooks.expression.filters import FILTERS, TESTS
from sulla.playbooks.expression.reckon import reckon
from sulla.playbooks.expression.tree import (
    Apply,
    Binary,
    Compare,
    Concat,
    Conditional,
    Const,
    Field,
    Is,
    Items,
    Logic,
    Name,
    Not,
    Pairs,
    Sign,
    SliceOf,
    Tree,
    paths_of,
)
from sulla.playbooks.expression.values import (
    ENTRY_WORK,
    CostMeter,
    Missing,
    check_text,
    kind_of,
    shown,
    text_of,
)
from sulla.tools.nearest import did_you_mean

_MOST_LISTED: Final = 12


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One evaluation."""

    scope: Mapping[str, object]
    """What each name stands for."""
    meter: CostMeter

    def value(self, tree: Tree) -> object:
        """What a tree comes to.

        Raises:
            Missing: something that it looks up is not there.
            InvalidInput: it cannot be worked out, or grows too big.
        """
        self.meter.spend(1)
        return _HOW[type(tree)](self, tree)


def _name(walk: Evaluation, tree: Name) -> object:
    if tree.name not in walk.scope:
        raise Missing(f"there is no {tree.name!r}.{_known(tree.name, walk.scope)}")
    return walk.scope[tree.name]


def _known(name: object, known: object) -> str:
    """Which one was probably meant, else what there is."""
    names = [str(key) for key in known] if isinstance(known, Mapping) else []
    if not names:
        return " It is empty."
    meant = did_you_mean(str(name), names)
    more = ", …" if len(names) > _MOST_LISTED else ""
    return meant or f" Known: {', '.join(names[:_MOST_LISTED])}{more}."


def _field(walk: Evaluation, tree: Field) -> object:
    of, key = walk.value(tree.of), walk.value(tree.key)
    if isinstance(of, Mapping):
        if isinstance(key, str) and key in of:
            return of[key]
        raise Missing(f"{_label(tree.of)} has no {key!r}.{_known(key, of)}")
    if isinstance(of, Sequence) and isinstance(key, int) and not isinstance(key, bool):
        if -len(of) <= key < len(of):
            return of[key]
        raise Missing(f"{_label(tree.of)} has {len(of)} entries, none at [{key}]")
    raise Missing(f"{_label(tree.of)} is {kind_of(of)}, so it has no {key!r}")


def _label(tree: Tree) -> str:
    first = next(paths_of(tree), None)
    if first is None:
        return "the value"
    return str(first) if isinstance(tree, Field | Name) else f"what is made of {first}"


def _cut(walk: Evaluation, tree: SliceOf) -> object:
    of = walk.value(tree.of)
    ends = [None if end is None else walk.value(end) for end in (tree.start, tree.stop, tree.step)]
    start, stop, step = (end if type(end) is int else None for end in ends)
    if not isinstance(of, Sequence) or ends != [start, stop, step] or step == 0:
        raise InvalidInput(
            f"a slice takes a part of a list or a text by whole numbers; {_label(tree.of)} is {kind_of(of)}"
        )
    walk.meter.spend(len(of))
    found = of[slice(start, stop, step)]
    return found if isinstance(found, str) else list(found)


def _compare(walk: Evaluation, tree: Compare) -> object:
    left = walk.value(tree.first)
    for how, other in tree.others:
        right = walk.value(other)
        if not holds(how, left, right, walk.meter):
            return False
        left = right
    return True


def _logic(walk: Evaluation, tree: Logic) -> object:
    left = walk.value(tree.left)
    return walk.value(tree.right) if bool(left) == (tree.how == "and") else left


def _sign(walk: Evaluation, tree: Sign) -> object:
    value = walk.value(tree.of)
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise InvalidInput(f"'{tree.how}' takes a number, got {shown(value)}")
    return -value if tree.how == "-" else value


def _binary(walk: Evaluation, tree: Binary) -> object:
    left, right = walk.value(tree.left), walk.value(tree.right)
    return reckon(walk.meter, left, tree.how, right)


def _concat(walk: Evaluation, tree: Concat) -> object:
    parts = [text_of(walk.value(part), walk.meter) for part in tree.parts]
    check_text(sum(map(len, parts)))
    return "".join(parts)


def _choose(walk: Evaluation, tree: Conditional) -> object:
    if walk.value(tree.test):
        return walk.value(tree.yes)
    return None if tree.no is None else walk.value(tree.no)


def _pairs(walk: Evaluation, tree: Pairs) -> object:
    found: dict[str, object] = {}
    for key, value in tree.items:
        name = walk.value(key)
        if not isinstance(name, str):
            raise InvalidInput(f"a field's name is a text, got {shown(name)}")
        found[name] = walk.value(value)
    return found


def _apply(walk: Evaluation, tree: Apply) -> object:
    how = FILTERS[tree.name]
    if tree.name == "default":
        try:
            value = walk.value(tree.of)
        except Missing:
            value = None
        if value is not None:
            return value  # what to take instead may be missing itself
    else:
        value = walk.value(tree.of)
    args = [walk.value(arg) for arg in tree.args]
    named = {name: walk.value(arg) for name, arg in tree.named}
    if isinstance(value, str | Sequence | Mapping):
        walk.meter.spend(len(value) if isinstance(value, str) else ENTRY_WORK * len(value))
    try:
        return how.does(walk.meter, value, *args, **named)
    except Missing as error:
        raise Missing(f"{tree.name}: {error.message}") from None


def _is(walk: Evaluation, tree: Is) -> object:
    if tree.name not in ("defined", "undefined"):
        return TESTS[tree.name](walk.value(tree.of))
    try:
        walk.value(tree.of)
    except Missing:
        return tree.name == "undefined"
    return tree.name == "defined"


_HOW: Final[Mapping[type, Callable[..., object]]] = {
    Const: lambda walk, tree: tree.value,
    Name: _name,
    Field: _field,
    SliceOf: _cut,
    Compare: _compare,
    Logic: _logic,
    Not: lambda walk, tree: not walk.value(tree.of),
    Sign: _sign,
    Binary: _binary,
    Concat: _concat,
    Conditional: _choose,
    Items: lambda walk, tree: [walk.value(item) for item in tree.items],
    Pairs: _pairs,
    Apply: _apply,
    Is: _is,
}
"""Each is called with its own type alone."""


def work_out(tree: Tree, scope: Mapping[str, object], meter: CostMeter) -> Json:
    """The value of an expression.

    Args:
        tree: the expression.
        scope: what each name stands for: JSON, or mappings of it.
        meter: what it may cost.

    Raises:
        InvalidInput: there is no value; the message says why.
    """
    try:
        found = Evaluation(scope, meter).value(tree)
    except Missing as missing:
        raise InvalidInput(missing.message) from None
    except RecursionError:
        raise InvalidInput("a value in it is nested too deep") from None
    return found  # type: ignore[return-value]  # all that a scope holds and all that is made here is JSON
