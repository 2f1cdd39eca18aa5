"""What each setting means, for people: read from the texts below the fields, which Python itself does not keep."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from pydantic import BaseModel

from sulla.daemon.settings.sources import FOREIGN_COUNTS, FOREIGN_NAMES, SHORT_NAMES, variable
from sulla.host.section import Section

_SOURCES = re.compile(r" \((?:seed|design) [^)]*\)")
"""Where a figure comes from is of interest to whoever changes it, not to whoever sets it."""


def about(kind: type[BaseModel]) -> str:
    """What a section is for."""
    return _plain(inspect.getdoc(kind) or "")


def meanings(kind: type[BaseModel]) -> dict[str, str]:
    """What each field of a section means, by its name, each on one line."""
    found: dict[str, str] = {}
    for one in reversed(kind.__mro__):
        if issubclass(one, Section) and one.__module__ != __name__:
            bodies = (
                node.body
                for node in _module(one.__module__).body
                if isinstance(node, ast.ClassDef) and node.name == one.__name__
            )
            for body in bodies:
                found |= dict(_described(body))
    return found


def other_names(section: str, key: str) -> list[str]:
    """The variables that set the same, beside the setting's own: short ones, and those of other programs."""
    return [name for name, target in (SHORT_NAMES | FOREIGN_NAMES | FOREIGN_COUNTS).items() if target == (section, key)]


def preferred_name(section: str, key: str) -> str:
    """The variable that people use for a setting."""
    return next(iter(other_names(section, key)), variable(section, key))


@cache
def _module(name: str) -> ast.Module:
    return ast.parse(inspect.getsource(sys.modules[name]))


def _described(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for field, text in pairwise(body):
        match field, text:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(said))),
            ):
                yield name, _plain(said)


def _plain(text: str) -> str:
    return _SOURCES.sub("", " ".join(text.split()))
