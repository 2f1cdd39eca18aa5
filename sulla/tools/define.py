"""Making a tool of a typed function."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from copy import deepcopy
from dataclasses import replace

from sulla.core.jsontypes import FrozenJson, JsonObject
from sulla.tools.base import Effect, FilesOf, FileUse, Reach, ReachOf, Result, Tool, ToolContext
from sulla.tools.schema import describe


def define(
    function: Callable[..., Awaitable[Result]],
    *,
    effect: Effect = "once",
    category: str = "general",
    timeout_s: float = 60.0,
    parallel: bool = True,
    rest: str = "",
    reach: Reach | ReachOf = "outward",
    files: FileUse | FilesOf = "none",
) -> Tool:
    """A tool from a function: its name, docstring and annotations say the rest (see `schema.describe`).

    Args:
        function: ``async def name(context: ToolContext, *, …) -> Result``.
        effect: what a repeat of a call would do.
        category: what it belongs to, for people and for browsing.
        timeout_s: how long one call may take, in seconds.
        parallel: whether it may run beside other calls of the same reply.
        rest: how to get at the rest of a result that had to be cut.
        reach: where a call can take effect.
        files: which files of the workspace it touches.

    Raises:
        InvalidInput: the function is not described well enough.
    """
    described = describe(function)

    async def run(args: FrozenJson, context: ToolContext) -> Result:
        # A copy, so that a tool that changes its arguments does not change the conversation.
        return await function(context, **deepcopy(dict(args)))

    return Tool(
        function.__name__,
        described.description,
        described.schema,
        run,
        effect,
        category,
        timeout_s,
        parallel,
        rest,
        reach,
        files=files,
    )


def giving(tool: Tool, **values: JsonObject) -> Tool:
    """The tool, which says what values its results have beside their text.

    Args:
        tool: the tool.
        values: by name, as `value` and `rows` make them.
    """
    return replace(tool, gives=values)


def value(kind: str, about: str, **more: JsonObject) -> JsonObject:
    """One of the values that a tool gives, as JSON Schema.

    Args:
        kind: its type, in JSON Schema's words.
        about: what it is, for people.
        more: further keywords, such as `items`.
    """
    return {"type": kind, "description": about, **more}


def rows(about: str, **fields: str) -> JsonObject:
    """A list of objects that a tool gives, as JSON Schema.

    Args:
        about: what the list is of, for people.
        fields: the type of each field of an entry, in JSON Schema's words.
    """
    properties: JsonObject = {name: {"type": kind} for name, kind in fields.items()}
    return value("array", about, items={"type": "object", "properties": properties})
