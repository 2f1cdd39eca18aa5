"""A package's ``__init__.py`` says what the package is, and loads nothing."""

from __future__ import annotations

import ast

from tests.house.source import ROOT, syntax

FOLDERS = sorted({path.parent for path in (ROOT / "sulla").rglob("*.py")})


def test_every_package_says_what_it_is_and_brings_nothing_in() -> None:
    # A manifest is read for the help, and one value of a package is needed without its other modules.
    shape = {
        str(folder.relative_to(ROOT)): [type(node) for node in syntax(folder / "__init__.py").body]
        for folder in FOLDERS
    }
    allowed = {"sulla": [ast.Expr, ast.Assign]}  # its version
    assert {name: body for name, body in shape.items() if body != allowed.get(name, [ast.Expr])} == {}
