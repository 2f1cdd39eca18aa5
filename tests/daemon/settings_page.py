"""Writes the tables of docs/settings.md from the models: ``python -m tests.daemon.settings_page``."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from sulla.daemon import config
from sulla.daemon.config import sections
from sulla.daemon.sources import FOREIGN_NAMES, SHORT_NAMES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "settings.md"
_SOURCES = re.compile(r" \((?:seed|design) [^)]*\)")
"""Where a figure comes from is of interest to whoever changes it, not to whoever sets it."""

BEGIN = "<!-- From here on the page is written by tests/daemon/settings_page.py. -->\n"


def tables() -> str:
    """Every section with its settings, as Markdown."""
    return "".join(_section(name, kind) for name, kind in sections().items())


def wanted(page: str) -> str:
    """The page as it has to be: what people wrote, and the tables."""
    written, _, _ = page.partition(BEGIN)
    return written + BEGIN + tables()


def _section(name: str, kind: type[BaseModel]) -> str:
    meaning = dict(_docstrings(kind))
    rows = [f"| `{key}` | {_default(field)} | {meaning[key]} {_names(name, key)} |" for key, field in _fields(kind)]
    about = _SOURCES.sub("", inspect.getdoc(kind) or "")
    head = f"\n## [{name}]\n\n{about}\n\n| setting | default | meaning |\n| --- | --- | --- |\n"
    return head + "\n".join(row.replace("  ", " ") for row in rows) + "\n"


def _fields(kind: type[BaseModel]) -> list[tuple[str, FieldInfo]]:
    return list(kind.model_fields.items())


def _default(field: FieldInfo) -> str:
    value = field.default
    if isinstance(value, SecretStr):
        return ""
    if isinstance(value, tuple):
        return "`[]`"
    return f"`{json.dumps(value)}`" if value != "" else ""


def _names(section: str, key: str) -> str:
    """Other variables than the setting's own."""
    others = [name for name, target in (SHORT_NAMES | FOREIGN_NAMES).items() if target == (section, key)]
    return f"Also `{'`, `'.join(others)}`." if others else ""


def _docstrings(kind: type[BaseModel]) -> Iterator[tuple[str, str]]:
    """The text below each field, which Python itself does not keep."""
    (body,) = (
        node.body
        for node in ast.parse(inspect.getsource(config)).body
        if isinstance(node, ast.ClassDef) and node.name == kind.__name__
    )
    for field, text in pairwise(body):
        match field, text:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(said))),
            ):
                yield name, _SOURCES.sub("", " ".join(said.split()))


if __name__ == "__main__":
    PAGE.write_text(wanted(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
