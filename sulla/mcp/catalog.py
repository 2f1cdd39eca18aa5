"""What a server offers: read with bounds, and compared with what it offered before. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from hashlib import sha256
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import FrozenJson
from sulla.definitions.agent_file import allows, unknown
from sulla.mcp.tool_schema import tidy
from sulla.mcp.words import plain
from sulla.tools.nearest import did_you_mean

MAX_TOOLS: Final = 128
"""Tools of one server. Models begin to choose badly long before."""
MAX_DESCRIPTION: Final = 1024
"""Characters of a description; what is longer is cut. Each one is paid for at every call of a model."""
MAX_SCHEMA_BYTES: Final = 16 * 1024
"""Bytes of a schema; a tool with a longer one is left out."""
MAX_TOOL_NAME: Final = 128
"""Characters of what a server calls a tool."""
MAX_NOTES: Final = 20
"""What is told of tools that cannot be used."""
MAX_COMPARED: Final = 500
"""Names that a mistaken one is compared with; that takes its time."""


@dataclass(frozen=True, slots=True)
class McpTool:
    """A tool as its server describes it. Nothing of this is to be believed: it is a stranger's text."""

    name: str
    description: str
    schema: FrozenJson
    read_only: bool = False
    idempotent: bool = False
    output: FrozenJson = field(default_factory=dict)
    """Schema of its structured content; empty where it does not say. Nobody goes by it who allows a call."""

    @property
    def digest(self) -> str:
        """Changes with anything that a model, or a person who allowed a call, has gone by."""
        text = json.dumps([self.name, self.description, self.schema, self.read_only, self.idempotent], sort_keys=True)
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class McpCatalog:
    """The tools of one server that can be used, and notes about those that cannot."""

    tools: tuple[McpTool, ...] = ()
    """By name."""
    notes: tuple[str, ...] = ()
    """What was left out, and why."""

    def get(self, name: str) -> McpTool | None:
        """The tool of that name, or None."""
        return next((tool for tool in self.tools if tool.name == name), None)


def read_catalog(offered: Iterable[McpTool], allowed: Sequence[str] | None, direct: Sequence[str] = ()) -> McpCatalog:
    """Take what can be used.

    Args:
        offered: all that the server listed.
        allowed: the owner's list; None for all.
        direct: the owner's list of those whose results are shown as they stand.
    """
    chosen: dict[str, McpTool] = {}
    notes: list[str] = []
    left_out = 0
    listed = list(offered)
    names = {tool.name for tool in listed}
    for tool in listed:
        if allowed is not None and tool.name not in allowed:
            continue
        if wrong := _wrong(tool, chosen):
            notes.append(wrong)
        elif len(chosen) == MAX_TOOLS:
            left_out += 1
        else:
            try:
                chosen[tool.name] = replace(
                    tool, description=_short(tool.description), schema=tidy(tool.schema), output=_tidied(tool.output)
                )
            except InvalidInput as error:
                notes.append(f"{tool.name!r} is left out: {error.message}")
    if left_out:
        notes.append(f"{left_out} tools over the {MAX_TOOLS} that are taken; name those you need in `tools`")
    missing = [name for name in allowed or () if name not in names]
    known = sorted(names)[:MAX_COMPARED]
    notes += [f"it offers no tool {name!r}.{did_you_mean(name, known)}" for name in missing[:MAX_NOTES]]
    strange = [one for one in direct if not any(allows((one,), name) for name in names)]
    notes += unknown("direct", strange[:MAX_NOTES], known)
    if len(notes) > MAX_NOTES:
        notes[MAX_NOTES:] = [f"and {len(notes) - MAX_NOTES} more"]
    return McpCatalog(tuple(sorted(chosen.values(), key=lambda tool: tool.name)), tuple(notes))


def changes(before: McpCatalog, now: McpCatalog) -> Iterator[str]:
    """What is different, one phrase for each tool."""
    old, new = _by_name(before), _by_name(now)
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            yield f"{name} is gone"
        elif name not in old:
            yield f"{name} is new"
        elif old[name].digest != new[name].digest:
            yield f"{name} has another {_difference(old[name], new[name])}"


def _difference(old: McpTool, new: McpTool) -> str:
    if old.schema != new.schema:
        return "schema"
    return "description" if old.description != new.description else "hint of what a repeat does"


def _by_name(catalog: McpCatalog) -> Mapping[str, McpTool]:
    return {tool.name: tool for tool in catalog.tools}


def _wrong(tool: McpTool, known: Mapping[str, McpTool]) -> str:
    """Why a tool cannot be used; empty if it can."""
    shown = repr(plain(tool.name)[:MAX_TOOL_NAME])
    if not tool.name or len(tool.name) > MAX_TOOL_NAME or plain(tool.name) != tool.name:
        return f"{shown} is left out: its name is empty, too long or has invisible characters"
    if tool.name in known:
        return f"{shown} is listed twice; the first counts"
    if tool.schema.get("type") != "object":
        return f"{shown} is left out: its schema is not one of an object"
    size = len(json.dumps(tool.schema))
    if size > MAX_SCHEMA_BYTES:
        return f"{shown} is left out: its schema has {size} bytes, at most {MAX_SCHEMA_BYTES} are taken"
    return ""


def _tidied(schema: FrozenJson) -> FrozenJson:
    """A schema of what comes back, as far as it is of use."""
    if len(json.dumps(schema)) > MAX_SCHEMA_BYTES:
        return {}
    try:
        return tidy(schema)
    except InvalidInput:
        return {}  # the tool can be used all the same: nothing is then known of what it gives


def _short(text: str) -> str:
    text = plain(text).strip()
    return text if len(text) <= MAX_DESCRIPTION else f"{text[: MAX_DESCRIPTION - 1]}…"
