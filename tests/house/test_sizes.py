"""Files and functions stay small enough to be read in one go; each exception says why."""

from __future__ import annotations

import ast

from tests.house.source import ROOT, seamed_files, syntax

MOST_FILE_LINES = 300
MOST = 0.9
"""So many of the files stay under `MOST_FILE_LINES` (design §1)."""

MAX_FILE_LINES = 400
LONGER_FILES: dict[str, str] = {}
"""Files over `MAX_FILE_LINES` and their reasons. The list may only shrink."""

MAX_FUNCTION_LINES = 50


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
