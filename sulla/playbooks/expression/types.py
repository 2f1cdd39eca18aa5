"""What type an expression will have, as far as that can be said before it is worked out. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.playbooks.expression.filter_form import Type
from sulla.playbooks.expression.filters import FILTERS
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
    Path,
    Sign,
    SliceOf,
    Tree,
    parts_of,
    paths_of,
)

ANY: Final = "any"
_NUMBERS: Final = frozenset({"number", "integer"})
TOLD: Final[Mapping[Type, str]] = {
    "string": "a text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "list": "a list",
    "object": "an object",
    "null": "null",
    "duration": "seconds or a time such as '2h'",
}
"""Types, for people."""


def fits(found: Type, wanted: Type) -> bool:
    """Whether a value of the one type can be one of the other."""
    known = {"number": ("integer",), "duration": ("number", "integer", "string")}
    return ANY in (found, wanted) or found == wanted or found in known.get(wanted, ())


@dataclass(slots=True)
class Typing:
    """Finds the types of one expression, and what does not go together in it."""

    lookup: Callable[[Path], Type]
    """The type of what is looked up."""
    problems: list[str] = field(default_factory=list)

    def type_of(self, tree: Tree) -> Type:
        """Its type; ``any`` where nobody knows."""
        return _HOW[type(tree)](self, tree)

    def parts(self, tree: Tree) -> list[Type]:
        """Of what it is made of."""
        return [self.type_of(part) for part in parts_of(tree)]


def _const(typing: Typing, tree: Const) -> Type:
    match tree.value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case _:
            return "string"


def _field(typing: Typing, tree: Field) -> Type:
    at: Tree = tree
    written = True
    while isinstance(at, Field):
        written = written and isinstance(at.key, Const)
        at = at.of
    if written and isinstance(at, Name):
        return typing.lookup(next(paths_of(tree)))
    typing.parts(tree)
    return ANY


def _logic(typing: Typing, tree: Logic) -> Type:
    left, right = typing.parts(tree)
    return left if left == right else ANY


def _compare(typing: Typing, tree: Compare) -> Type:
    left = typing.type_of(tree.first)
    for how, other in tree.others:
        right = typing.type_of(other)
        ordered = (left in _NUMBERS and right in _NUMBERS) or left == right == "string"
        if how in ("<", "<=", ">", ">=") and ANY not in (left, right) and not ordered:
            typing.problems.append(f"'{how}' compares two numbers or two texts, not {TOLD[left]} and {TOLD[right]}")
        if how in ("==", "!=") and "null" not in (left, right) and not (fits(left, right) or fits(right, left)):
            typing.problems.append(f"'{how}' compares {TOLD[left]} with {TOLD[right]}: they are never equal")
        left = right
    return "boolean"


def _sign(typing: Typing, tree: Sign) -> Type:
    found = typing.type_of(tree.of)
    if found != ANY and found not in _NUMBERS:
        typing.problems.append(f"'{tree.how}' takes a number, not {TOLD[found]}")
    return found if found in _NUMBERS else "number"


def _binary(typing: Typing, tree: Binary) -> Type:
    left, right = typing.parts(tree)
    both = {left, right}
    if both <= _NUMBERS:
        return "integer" if both == {"integer"} and tree.how != "/" else "number"
    if tree.how == "+" and len(both) == 1 and both <= {"string", "list"}:
        return left
    known = both - {ANY}
    joined = tree.how == "+" and known <= {"string", "list"} and len(known) <= 1
    if ANY in both and (known <= _NUMBERS or joined):
        return ANY if tree.how == "+" else "number"
    told = " and ".join(TOLD.get(kind, "any value") for kind in (left, right))
    more = "; '~' joins anything as text" if tree.how == "+" else ""
    typing.problems.append(f"'{tree.how}' does not take {told}{more}")
    return ANY


def _choose(typing: Typing, tree: Conditional) -> Type:
    typing.type_of(tree.test)
    yes = typing.type_of(tree.yes)
    no = ANY if tree.no is None else typing.type_of(tree.no)
    return yes if yes == no else ANY


def _apply(typing: Typing, tree: Apply) -> Type:
    how = FILTERS[tree.name]
    of, *args = typing.parts(tree)
    if how.of and of != ANY and of not in how.of:
        wanted = " or ".join(TOLD[kind] for kind in how.of)
        typing.problems.append(f"'{tree.name}' takes {wanted}, not {TOLD[of]}")
    if tree.name == "default":
        return of if args and of == args[0] else ANY
    if tree.name == "reverse" and of in ("string", "list"):
        return of
    return how.gives


def _always(kind: Type) -> Callable[[Typing, Tree], Type]:
    def found(typing: Typing, tree: Tree) -> Type:
        typing.parts(tree)
        return kind

    return found


_HOW: Final[Mapping[type, Callable[..., Type]]] = {
    Const: _const,
    Name: lambda typing, tree: typing.lookup(Path((tree.name,))),
    Field: _field,
    SliceOf: lambda typing, tree: found if (found := typing.parts(tree)[0]) in ("string", "list") else ANY,
    Compare: _compare,
    Logic: _logic,
    Not: _always("boolean"),
    Sign: _sign,
    Binary: _binary,
    Concat: _always("string"),
    Conditional: _choose,
    Items: _always("list"),
    Pairs: _always("object"),
    Apply: _apply,
    Is: _always("boolean"),
}
"""Each is called with its own type alone."""
