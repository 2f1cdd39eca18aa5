"""The error tree that core/errors.py draws is the tree of its classes."""

from __future__ import annotations

import ast
import inspect
import re
from collections import Counter

import pytest

from sulla.core import errors
from sulla.core.errors import SullaError
from tests.house.source import module_name, nodes, seamed_files

_LINE = re.compile(
    r"^ {4}(?P<indent>(?:\|   |    )*)(?P<branch>\+-- )?(?P<name>\w+) +(?P<code>\w+) +(?P<fault>caller|ours|theirs)$"
)

Row = tuple[str, str | None, str, str]
"""Name, parent's name, code, fault."""


def _drawn() -> list[Row]:
    rows: list[Row] = []
    above: list[str] = []
    for line in inspect.cleandoc(errors.__doc__ or "").splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        depth = len(match["indent"]) // 4 + (match["branch"] is not None)
        del above[depth:]
        rows.append((match["name"], above[-1] if above else None, match["code"], match["fault"]))
        above.append(match["name"])
    return rows


def _classes() -> list[type[SullaError]]:
    return [thing for thing in vars(errors).values() if isinstance(thing, type) and issubclass(thing, SullaError)]


def _real() -> list[Row]:
    """Depth first, in the order of the file."""

    def below(cls: type[SullaError], parent: str | None) -> list[Row]:
        rows: list[Row] = [(cls.__name__, parent, cls.code, cls.fault)]
        for child in (other for other in _classes() if other.__bases__ == (cls,)):
            rows += below(child, cls.__name__)
        return rows

    return below(SullaError, None)


def test_the_drawing_equals_the_classes() -> None:
    assert _drawn() == _real()


def test_no_class_is_outside_the_tree() -> None:
    assert {name for name, *_ in _real()} == {cls.__name__ for cls in _classes()}


def test_codes_are_unique() -> None:
    assert [code for code, count in Counter(cls.code for cls in _classes()).items() if count > 1] == []


@pytest.mark.parametrize("cls", _classes())
def test_each_class_says_its_code_itself(cls: type[SullaError]) -> None:
    assert "code" in vars(cls), "an inherited code would make two errors look alike to a client"
    assert cls.__doc__


def test_the_drawing_is_read_line_by_line() -> None:
    assert len(_drawn()) == len(_classes()) > 10


def test_no_error_of_ours_is_defined_elsewhere() -> None:
    ours = {cls.__name__ for cls in _classes()}
    strays = {
        f"{module_name(path)}.{node.name}"
        for path in seamed_files()
        if path.name != "errors.py"
        for node in nodes(path)
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base).split(".")[-1] in ours for base in node.bases)
    }
    assert strays == set(), "the tree in core/errors.py is the whole tree"
