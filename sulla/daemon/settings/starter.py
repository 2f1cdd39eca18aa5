"""The first `sulla.toml` of a home, written from the settings' own classes: every setting, what it means, its default.

A default stands behind a ``#``, so the file says nothing that is not so anyway; only what was found out is live.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import get_args, get_origin

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from sulla.core.dataclass import dataclass
from sulla.daemon.settings.config import settings_model
from sulla.daemon.settings.meaning import about, meanings, other_names, preferred_name

SCHEMA_FILE = "sulla.schema.json"
"""The schema's name, beside the settings: the first line of the file tells editors."""

_WIDTH = 100
_NOTHING = "..."
"""Stands for the value of a setting that has none unless somebody gives it one."""

_HEAD = """\
The settings of one Sulla daemon, which reads them when it starts. A line that begins with "#" and no blank is a setting
with its default: take the "#" away to change it. Variables of the environment win over this file, so keys need not be
written down here. `sulla doctor` says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Inferred:
    """A setting that was found out, so that nobody need be asked."""

    section: str
    key: str
    value: str
    why: str
    """How it was found out, for people."""


def starter(inferred: Sequence[Inferred] = ()) -> str:
    """The text of the file.

    Args:
        inferred: what is to be live; everything else is behind a ``#``.
    """
    found = {(item.section, item.key): item for item in inferred}
    lines = [f"#:schema ./{SCHEMA_FILE}", "", *_prose(_HEAD)]
    for name, field in settings_model().model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            lines += ["", "", *_prose(about(kind)), f"[{name}]", *_settings(name, kind, found)]
        elif get_origin(kind) in (dict, Mapping):
            lines += ["", "", *_prose(meanings(settings_model())[name]), f"[{name}]", *_entry(name, get_args(kind)[1])]
    return "\n".join(lines) + "\n"


def _settings(section: str, kind: type[BaseModel], found: Mapping[tuple[str, str], Inferred]) -> Iterator[str]:
    meaning = meanings(kind)
    for key, field in kind.model_fields.items():
        yield ""
        yield from _prose(meaning[key])
        if _is_secret(field):
            yield from _prose(f"Better given as the variable {preferred_name(section, key)}.")
        elif others := other_names(section, key):
            yield from _prose(f"Also the variable {', '.join(others)}.")
        item = found.get((section, key))
        if item is None:
            yield f"#{key} = {literal(field.default)}"
        else:
            yield from _prose(f"Found out by `sulla init`: {item.why}.")
            yield f"{key} = {literal(item.value)}"


def _entry(section: str, kind: object) -> Iterator[str]:
    """What one entry of a table with free keys looks like."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        yield ""
        yield f'#[{section}."<name>"]'
        for key, field in kind.model_fields.items():
            yield from _prose(meanings(kind).get(key, ""))
            yield f"#{key} = {'...' if field.is_required() else literal(field.default)}"


def _is_secret(field: FieldInfo) -> bool:
    return field.annotation is SecretStr


def literal(value: object) -> str:
    """A default as TOML.

    Raises:
        TypeError: TOML has no form for it.
    """
    match value:
        case None:
            return _NOTHING
        case SecretStr():
            return '""'  # a default is no secret, but nothing that is kept in one is ever written
        case bool() | int() | float():
            return json.dumps(value)
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
        case tuple() | list():
            return f"[{', '.join(map(literal, value))}]"
        case dict() if not value:
            return "{}"
        case _:
            raise TypeError(f"a default of type {type(value).__name__} cannot be written as TOML")


def _prose(text: str) -> Iterator[str]:
    """Text as comments; a blank behind the ``#`` tells them from settings."""
    yield from (f"# {line}" for line in textwrap.wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False))
