"""Files and functions stay small enough to be read in one go; each exception says why."""

from __future__ import annotations

import ast

from tests.house.source import ROOT, python_files, syntax

MAX_FILE_LINES = 300
MAX_FUNCTION_LINES = 50

LONGER_FILES: dict[str, str] = {}
"""File and reason. The list may only shrink."""


def _length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from ``def`` to the end, without the docstring."""
    docstring = function.body[0] if ast.get_docstring(function, clean=False) is not None else None
    documented = 0 if docstring is None else (docstring.end_lineno or 0) - docstring.lineno + 1
    return (function.end_lineno or 0) - function.lineno + 1 - documented


def test_files_are_short_or_say_why_not() -> None:
    lines = {path.relative_to(ROOT).as_posix(): len(path.read_text().splitlines()) for path in python_files("sulla")}
    assert {name: count for name, count in lines.items() if count > MAX_FILE_LINES and name not in LONGER_FILES} == {}
    assert {name for name in LONGER_FILES if lines.get(name, 0) <= MAX_FILE_LINES} == set(), "take these off the list"


def test_functions_are_short() -> None:
    long = {
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name} ({_length(node)} lines)"
        for path in python_files("sulla")
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _length(node) > MAX_FUNCTION_LINES
    }
    assert long == set()
