"""Files, folders, classes and functions stay small enough to be read in one go; each exception says why."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from tests.house.source import ROOT, Nodes, nodes, parsed, python_files, seamed_files

MOST_FILE_LINES = 300
MOST = 0.9
"""So many of the files stay under `MOST_FILE_LINES` (design §1)."""

MAX_FILE_LINES = 400
LONGER_FILES: dict[str, str] = {}
"""Files over `MAX_FILE_LINES` and their reasons. The list may only shrink."""

MAX_FUNCTION_LINES = 50
MAX_FOLDER_FILES = 25
MAX_FIELDS = 12
MAX_ARGUMENTS = 8


def _length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from ``def`` to the end, without the docstring."""
    docstring = function.body[0] if ast.get_docstring(function, clean=False) is not None else None
    documented = 0 if docstring is None else (docstring.end_lineno or 0) - docstring.lineno + 1
    return (function.end_lineno or 0) - function.lineno + 1 - documented


def _lines() -> dict[str, int]:
    return {path.relative_to(ROOT).as_posix(): len(path.read_text().splitlines()) for path in seamed_files()}


def test_most_files_are_short() -> None:
    long = {name: count for name, count in _lines().items() if count > MOST_FILE_LINES}
    assert len(long) <= (1 - MOST) * len(_lines()), long


def test_a_long_file_says_why() -> None:
    assert {name for name, count in _lines().items() if count > MAX_FILE_LINES} == set(LONGER_FILES)


def test_functions_are_short() -> None:
    long = {
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name} ({_length(node)} lines)"
        for path in seamed_files()
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _length(node) > MAX_FUNCTION_LINES
    }
    assert long == set()


def _crowded(files: Iterable[Path]) -> dict[str, int]:
    """Folders with more than `MAX_FOLDER_FILES` modules, and how many they have."""
    counted = Counter(path.parent.relative_to(ROOT).as_posix() for path in files)
    return {folder: count for folder, count in counted.items() if count > MAX_FOLDER_FILES}


def test_a_folder_can_be_taken_in_at_once() -> None:
    assert _crowded(python_files("sulla", "tests")) == {}


def test_a_crowded_folder_is_noticed() -> None:
    full = [ROOT / "sulla" / "many" / f"m{number}.py" for number in range(MAX_FOLDER_FILES)]
    assert _crowded(full) == {}
    assert _crowded([*full, full[0].with_name("__init__.py")]) == {"sulla/many": MAX_FOLDER_FILES + 1}


# ------------------------------------------------------------------------------------------------------------- classes

ROWS = frozenset({"NamedTuple", "TypedDict", "Protocol", "BaseModel", "Section", "Params"})
"""Bases of values that cannot change, of promises, and of models of settings and messages."""

LARGER_CLASSES: dict[str, tuple[int, int]] = {
    "sulla/speech/english/state.py Clause": (14, 14),
    "sulla/speech/english/state.py Parse": (29, 29),
    "sulla/testing/world.py World": (14, 14),
}
"""Classes over the bounds: their fields and constructor arguments today. A number may only become smaller."""


def _sizes(found_in: Nodes) -> dict[str, tuple[int, int]]:
    """Of each class that is no frozen row: how many fields it has, and how many arguments its constructor takes."""
    found = {}
    for node in found_in:
        if not isinstance(node, ast.ClassDef):
            continue
        decorators = " ".join(ast.unparse(decorator) for decorator in node.decorator_list)
        bases = {ast.unparse(base).split("[")[0].split(".")[-1] for base in node.bases}
        if "frozen=True" not in decorators and not bases & ROWS:
            found[node.name] = _size(node, is_dataclass="dataclass" in decorators)
    return found


def _size(node: ast.ClassDef, *, is_dataclass: bool) -> tuple[int, int]:
    fields: set[str] = set()
    arguments = 0
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and is_dataclass and "ClassVar" not in ast.unparse(part.annotation):
            fields.add(ast.unparse(part.target))
            arguments += part.value is None or "init=False" not in ast.unparse(part.value)
        elif isinstance(part, ast.FunctionDef):
            fields |= _own(part)
            if part.name == "__init__":
                arguments = len((*part.args.posonlyargs, *part.args.args, *part.args.kwonlyargs)) - 1
    return len(fields), arguments


def _own(method: ast.FunctionDef) -> set[str]:
    """The attributes of its own object that a method sets."""
    return {
        node.attr
        for node in ast.walk(method)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }


def _over(size: tuple[int, int]) -> bool:
    fields, arguments = size
    return fields > MAX_FIELDS or arguments > MAX_ARGUMENTS


@cache
def _larger() -> dict[str, tuple[int, int]]:
    return {
        f"{path.relative_to(ROOT).as_posix()} {name}": size
        for path in python_files("sulla")
        for name, size in _sizes(nodes(path)).items()
        if _over(size)
    }


def test_a_class_keeps_few_things() -> None:
    grown = {
        name: size
        for name, size in _larger().items()
        if any(now > then for now, then in zip(size, LARGER_CLASSES.get(name, (0, 0)), strict=True))
    }
    assert grown == {}, "cut a value or a collaborator out of it that means something"


def test_a_class_that_has_become_small_is_off_the_list() -> None:
    assert LARGER_CLASSES.keys() - _larger().keys() == set()


FIELDS = "".join(f"    f{number}: int = 0\n" for number in range(MAX_FIELDS + 1))
ASSIGNED = "".join(f"        self.f{number} = state.f{number} = 0\n" for number in range(MAX_FIELDS + 1))
ARGUMENTS = ", ".join(f"a{number}" for number in range(MAX_ARGUMENTS + 1))


@pytest.mark.parametrize(
    ("source", "size"),
    [
        (f"@dataclass(slots=True)\nclass C:\n{FIELDS}", (13, 13)),
        (f"@dataclass\nclass C:\n{FIELDS.replace('= 0', '= field(init=False)')}", (13, 0)),
        (f"class C:\n    def __init__(self, state):\n{ASSIGNED}", (13, 1)),
        (f"class C:\n    def __init__(self, *, {ARGUMENTS}):\n        pass", (0, 9)),
    ],
)
def test_a_class_that_keeps_much_is_noticed(source: str, size: tuple[int, int]) -> None:
    assert _sizes(parsed(source)) == {"C": size}
    assert _over(size)


def test_a_frozen_row_may_have_as_many_fields_as_it_has() -> None:
    assert _sizes(parsed(f"@dataclass(frozen=True)\nclass C:\n{FIELDS}")) == {}
