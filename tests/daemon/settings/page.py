"""Writes the tables of docs/settings.md, and docs/sulla.schema.json, from the models.

``python -m tests.daemon.settings.page``
"""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from sulla.daemon.settings.config import sections
from sulla.daemon.settings.meaning import about, meanings, other_names
from sulla.daemon.settings.schema import schema_text
from sulla.host.section import Section

PAGE = Path(__file__).resolve().parents[3] / "docs" / "settings.md"
SCHEMA = PAGE.with_name("sulla.schema.json")
BEGIN = "<!-- From here on the page is written by tests/daemon/settings/page.py. -->\n"


def tables() -> str:
    """Every section with its settings, as Markdown."""
    return "".join(_section(name, kind) for name, kind in sections().items())


def wanted(page: str) -> str:
    """The page as it has to be: what people wrote, and the tables."""
    written, _, _ = page.partition(BEGIN)
    return written + BEGIN + tables()


def _section(name: str, kind: type[BaseModel]) -> str:
    meaning = meanings(kind)
    rows = [
        f"| `{key}` | {_default(field)} | {meaning[key]} {_names(name, key)} {_live(kind, key)} |"
        for key, field in _fields(kind)
    ]
    head = f"\n## [{name}]\n\n{about(kind)}\n\n| setting | default | meaning |\n| --- | --- | --- |\n"
    return head + "\n".join(" ".join(row.split()) for row in rows) + "\n"


def _fields(kind: type[BaseModel]) -> list[tuple[str, FieldInfo]]:
    return list(kind.model_fields.items())


def _default(field: FieldInfo) -> str:
    value = field.default
    if isinstance(value, SecretStr) or value is None:
        return ""
    if isinstance(value, tuple):
        return f"`{json.dumps(value)}`"
    return f"`{json.dumps(value)}`" if value != "" else ""


def _live(kind: type[BaseModel], key: str) -> str:
    """Whether a running daemon takes it up."""
    return "`sulla reload` takes it up." if issubclass(kind, Section) and key in kind.live else ""


def _names(section: str, key: str) -> str:
    """Other variables than the setting's own."""
    others = other_names(section, key)
    return f"Also `{'`, `'.join(others)}`." if others else ""


if __name__ == "__main__":
    PAGE.write_text(wanted(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    SCHEMA.write_text(schema_text(), encoding="utf-8")
