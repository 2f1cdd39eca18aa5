"""Files, folders and functions stay small enough to be read in one go; each exception says why."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from tests.house.source import ROOT, python_files, seamed_files, syntax

MOST_FILE_LINES = 300
MOST = 0.9
"""So many of the files stay under `MOST_FILE_LINES` (design §1)."""

MAX_FILE_LINES = 400
LONGER_FILES: dict[str, str] = {}
"""Files over `MAX_FILE_LINES` and their reasons. The list may only shrink."""

MAX_FUNCTION_LINES = 50
MAX_FOLDER_FILES = 25


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
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _length(node) > MAX_FUNCTION_LINES
    }
    assert long == set()


def _crowded(files: Iterable[Path]) -> dict[str, int]:
    """Folders with more than `MAX_FOLDER_FILES` modules, and how many they have; their doors do not count."""
    counted = Counter(path.parent.relative_to(ROOT).as_posix() for path in files if path.name != "__init__.py")
    return {folder: count for folder, count in counted.items() if count > MAX_FOLDER_FILES}


def test_a_folder_can_be_taken_in_at_once() -> None:
    assert _crowded(python_files("sulla", "tests")) == {}


def test_a_crowded_folder_is_noticed() -> None:
    full = [ROOT / "sulla" / "many" / f"m{number}.py" for number in range(MAX_FOLDER_FILES)]
    assert _crowded([*full, full[0].with_name("__init__.py")]) == {}
    assert _crowded([*full, full[0].with_name("one_more.py")]) == {"sulla/many": MAX_FOLDER_FILES + 1}
