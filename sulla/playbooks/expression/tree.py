"""What may stand within ``${{ }}``, as a tree. Pure.

There are no calls, no loops, no assignments and no powers: whatever can be written ends, after as many steps as it has
parts, and what each step may cost is bounded where it is taken (`expression_values`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, Union

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import Json

Tree = Union[
    "Const", "Name", "Field", "SliceOf", "Compare", "Logic", "Not", "Sign", "Binary", "Concat", "Conditional", "Items",
    "Pairs", "Apply", "Is",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Const:
    """A value that is written out."""

    value: Json


@dataclass(frozen=True, slots=True)
class Name:
    """One of the names that there are: ``inputs``, ``steps``, …"""

    name: str


@dataclass(frozen=True, slots=True)
class Field:
    """``a.b``, ``a['b']`` or ``a[0]``: always what a value holds, never something of Python's."""

    of: Tree
    key: Tree


@dataclass(frozen=True, slots=True)
class SliceOf:
    """``a[1:3]``."""

    of: Tree
    start: Tree | None
    stop: Tree | None
    step: Tree | None


@dataclass(frozen=True, slots=True)
class Compare:
    """``a < b <= c``, ``a in b``."""

    first: Tree
    others: tuple[tuple[str, Tree], ...]


@dataclass(frozen=True, slots=True)
class Logic:
    """``a and b``, ``a or b``: gives one of the two, as in Python."""

    how: Literal["and", "or"]
    left: Tree
    right: Tree


@dataclass(frozen=True, slots=True)
class Not:
    """``not a``."""

    of: Tree


@dataclass(frozen=True, slots=True)
class Sign:
    """``-a``, ``+a``."""

    how: Literal["-", "+"]
    of: Tree


@dataclass(frozen=True, slots=True)
class Binary:
    """``+ - * / // %``."""

    how: str
    left: Tree
    right: Tree


@dataclass(frozen=True, slots=True)
class Concat:
    """``a ~ b``: both as text."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Conditional:
    """``a if test else b``; without an else it is null."""

    test: Tree
    yes: Tree
    no: Tree | None


@dataclass(frozen=True, slots=True)
class Items:
    """``[a, b]``."""

    items: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Pairs:
    """``{'a': b}``."""

    items: tuple[tuple[Tree, Tree], ...]


@dataclass(frozen=True, slots=True)
class Apply:
    """``a | name(arguments)``."""

    name: str
    of: Tree
    args: tuple[Tree, ...]
    named: tuple[tuple[str, Tree], ...]


@dataclass(frozen=True, slots=True)
class Is:
    """``a is name``."""

    name: str
    of: Tree


def parts_of(tree: Tree) -> tuple[Tree, ...]:
    """What a tree is made of, one level down."""
    match tree:
        case SliceOf(of, start, stop, step):
            return (of, *(end for end in (start, stop, step) if end is not None))
        case Compare(first, others):
            return (first, *(other for _, other in others))
        case Field(left, right) | Logic(_, left, right) | Binary(_, left, right):
            return left, right
        case Not(of) | Sign(_, of) | Is(_, of):
            return (of,)
        case Concat(parts) | Items(parts):
            return parts
        case Conditional(test, yes, no):
            return (test, yes) if no is None else (test, yes, no)
        case Pairs(pairs):
            return tuple(part for pair in pairs for part in pair)
        case Apply(_, of, args, named):
            return (of, *args, *(value for _, value in named))
        case _:
            return ()


@dataclass(frozen=True, slots=True)
class Path:
    """A value that an expression looks up, as far as it is written out: ``steps.a.output[loop.index]`` is
    ``("steps", "a", "output")`` and, besides, ``("loop", "index")``."""

    words: tuple[str | int, ...]
    optional: bool = False
    """Whether it may be missing: it stands before ``default`` or ``is defined``."""

    def __str__(self) -> str:
        return ".".join(str(word) for word in self.words)


def paths_of(tree: Tree, *, optional: bool = False) -> Iterator[Path]:
    """Everything that an expression looks up."""
    words: list[str | int] = []
    at = tree
    while isinstance(at, Field):
        if isinstance(at.key, Const) and isinstance(at.key.value, str | int):
            words.append(at.key.value)
        else:
            words.clear()
            yield from paths_of(at.key, optional=optional)
        at = at.of
    if isinstance(at, Name):
        yield Path((at.name, *reversed(words)), optional)
        return
    lenient = (isinstance(at, Apply) and at.name == "default") or (
        isinstance(at, Is) and at.name in ("defined", "undefined")
    )
    for number, part in enumerate(parts_of(at)):
        yield from paths_of(part, optional=optional or (lenient and number == 0))
