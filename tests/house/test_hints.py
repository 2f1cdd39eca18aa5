"""What commands print to be typed names the program as it can be called from where a person stands."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.house.source import ROOT, syntax

TEMPLATES = {"sulla/playbooks/cli/create.py", "sulla/mcp/cli/commands.py"}
"""They write files, and explanations of options, which others read elsewhere."""

_CALLED = re.compile(r"(?:`|\n *|  )sulla [a-z]")
"""A command within a text, on a line of its own, or set apart."""


def fixed_hints(tree: ast.Module) -> Iterator[int]:
    """The lines in which a text names a command by ```sulla`` alone. Errors are put right where they are printed, and
    explanations of the command line stand in the documentation, too.
    """
    left_out = {id(inner) for node in ast.walk(tree) if _is_put_right(node) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in left_out else ""
        if isinstance(text, str) and _CALLED.search(text):
            yield getattr(node, "lineno", 0)


def _is_put_right(node: ast.AST) -> bool:
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    explained = isinstance(node, ast.keyword) and node.arg in ("help", "epilog", "description")
    given = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "hint"
    return docstring or explained or given or isinstance(node, ast.Raise)


def _commands() -> Iterator[Path]:
    for folder in (ROOT / "sulla" / "cli", *(ROOT / "sulla").glob("*/cli")):
        yield from sorted(folder.rglob("*.py"))


def test_no_command_prints_a_hint_that_may_not_work_here() -> None:
    found = {
        f"{name}:{line}"
        for path in _commands()
        for name in [path.relative_to(ROOT).as_posix()]
        if name not in TEMPLATES
        for line in fixed_hints(syntax(path))
    }
    assert found == set()


def test_a_planted_one_is_found() -> None:
    planted = 'print("try `sulla up`")\nprint(hint("try `sulla up`"))\nraise ValueError("try `sulla up`")\n'
    apart = 'print("\\nsulla up")\nprint("then:  sulla up")\n'
    assert list(fixed_hints(ast.parse(planted + apart))) == [1, 4, 5]
