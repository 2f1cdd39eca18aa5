"""A big catalogue that costs few tokens: a model is told of some tools, and finds the others with `browse_tools`. Pure.

Which tools a conversation has loaded is read off its calls, so that nothing has to be kept beside the log: those that
it has called, and those that its searches have found. What is loaded comes behind what was there, in that order, so
that a provider's prompt cache keeps the beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Final

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import FrozenJson, Json, JsonObject
from sulla.core.message import ToolCall
from sulla.core.pattern import late_pattern
from sulla.core.words import ours
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from sulla.tools.nearest import nearest
from sulla.tools.registry import Toolbox
from sulla.tools.schema import Bounds

BROWSE: Final = "browse_tools"
ALL_TOKENS: Final = 6_000
"""Tools that take no more than this are all told at once: every round trip saved is worth more."""
FIRST_TOKENS: Final = 1_500
"""What the tools of a bigger catalogue take until one is browsed for, `browse_tools` itself among them."""
MAX_FOUND: Final = 10
"""The most tools that one search loads."""
MAX_CATEGORIES: Final = 30

FIRST: Final = (
    *("read_file", "write_file", "edit_file", "bash", "list_dir", "load_skill", "web_search", "recall"),
    *("search_files", "web_fetch", "remember", "notify_user", "get_time_date"),
)
"""What is told first of a bigger catalogue, as far as there is room: what most work is done with."""

_WORD = late_pattern(r"[a-z0-9]+")
_SENTENCE_END = late_pattern(r"\. (?=[A-Z])")
"""A full stop; what stands behind ``e.g.`` begins small."""

Weigh = Callable[[Tool], int]
"""How many tokens a tool takes in a request."""


@dataclass(frozen=True, slots=True)
class ToolCatalogue:
    """The tools of an agent, and which of them its model is told of."""

    toolbox: Toolbox
    """All of them; with `browse_tools`, if not all that can be used are told."""
    first: tuple[Tool, ...]
    """What is told in any case."""

    def offered(self, calls: Iterable[ToolCall]) -> tuple[Tool, ...]:
        """What a model is told of.

        Args:
            calls: those of the conversation, oldest first.
        """
        if BROWSE not in self.toolbox:
            return self.first
        loaded = {tool.name: tool for tool in self.first}
        for call in calls:
            found: Iterable[Tool] = (tool,) if (tool := self.toolbox.get(call.name)) is not None else ()
            if call.name == BROWSE:
                found = search(self.toolbox, call.args)
            for one in usable(found):
                loaded.setdefault(one.name, one)
        return tuple(loaded.values())


def catalogue_of(tools: Iterable[Tool], weigh: Weigh) -> ToolCatalogue:
    """Arrange tools.

    Args:
        tools: all of an agent's.
        weigh: measures one.
    """
    every = Toolbox(tools)
    if sum(map(weigh, usable(every))) <= ALL_TOKENS:
        return ToolCatalogue(every, usable(every))
    browse = _browse_tool(Toolbox(usable(every)))
    room, first = FIRST_TOKENS - weigh(browse), [browse]
    for name in FIRST:
        tool = every.get(name)
        if tool is not None and not tool.missing and weigh(tool) <= room:
            room -= weigh(tool)
            first.append(tool)
    return ToolCatalogue(Toolbox((*every, browse)), tuple(first))


def usable(tools: Iterable[Tool]) -> tuple[Tool, ...]:
    """The tools that models are told of: those that this home has all for that they need.

    Args:
        tools: any.
    """
    return tuple(tool for tool in tools if tool.told and not tool.missing)


def told_schema(schema: FrozenJson) -> JsonObject:
    """What a model is told of a tool's arguments: all but what is of use only for refusing them.

    How long a text may be, and that nothing else may be given, is said by the refusal; that what is left out is empty,
    or false, goes without saying. It is a tenth of all tokens.

    Args:
        schema: the tool's.
    """
    told: JsonObject = {}
    for word, value in schema.items():
        match word, value:
            case (("minLength" | "maxLength" | "title" | "$schema"), _):
                continue
            case "additionalProperties", bool():
                continue
            case "default", False | "":
                continue
            case "type", [str(kind), "null"]:
                told[word] = kind  # what may be null may as well be left out
            case (("properties" | "$defs" | "definitions"), Mapping()):
                told[word] = {name: _told(one) for name, one in value.items()}
            case (("items" | "additionalProperties"), Mapping()):
                told[word] = told_schema(value)
            case (("anyOf" | "allOf" | "oneOf"), list() | tuple()):
                told[word] = [_told(one) for one in value]
            case _:
                told[word] = value
    return told


def _told(schema: Json) -> Json:
    return told_schema(schema) if isinstance(schema, dict) else schema


def search(toolbox: Toolbox, args: FrozenJson) -> tuple[Tool, ...]:
    """What a search finds, the best first; the same for the same arguments.

    Args:
        toolbox: where.
        args: those of `browse_tools`.
    """
    query, category = str(args.get("query") or ""), str(args.get("category") or "").strip().casefold()
    words = set(_words(query))
    scored = [
        (-_score(tool, words), tool.name, tool)
        for tool in toolbox
        if tool.name != BROWSE and (not category or tool.category.casefold() == category)
    ]
    if words:
        scored = [entry for entry in scored if entry[0] < 0]
    elif not category:
        return ()  # asked for nothing in particular: the categories are told
    return tuple(tool for *_, tool in sorted(scored, key=lambda entry: entry[:2])[:MAX_FOUND])


def summary_of(tool: Tool) -> str:
    """A tool in one line."""
    return f"{tool.name} ({tool.category}): {first_sentence(tool)[:160]}"


def first_sentence(tool: Tool) -> str:
    """How a tool's description begins, without the full stop."""
    first = " ".join(tool.description.split("\n\n")[0].split())
    return _SENTENCE_END.split(first)[0].rstrip(".")


def categories(toolbox: Iterable[Tool]) -> Iterator[str]:
    """The categories with their numbers of tools, by name; of very many the rest as a number."""
    counts: dict[str, int] = {}
    for tool in toolbox:
        counts[tool.category] = counts.get(tool.category, 0) + 1
    ordered = sorted(counts.items())
    yield from (f"{name[:40]} {count}" for name, count in ordered[:MAX_CATEGORIES])
    if len(ordered) > MAX_CATEGORIES:
        yield f"and {len(ordered) - MAX_CATEGORIES} more"


def _browse_tool(every: Toolbox) -> Tool:
    async def browse_tools(
        context: ToolContext,
        *,
        query: Annotated[str, Bounds(None, 200)] = "",
        category: Annotated[str, Bounds(None, 100)] = "",
    ) -> Result:
        """Find more tools: only a few of those there are are listed here. What is found can be used from the next reply
        on.

        Args:
            query: What you want to do, in a few words.
            category: Only tools of this category; empty for all. Without a query too, the categories are listed.
        """
        found = search(every, {"query": query, "category": category})
        if found:
            return Done(ours("You can use these now:\n" + "\n".join(map(summary_of, found))))
        asked = query or category
        close = nearest(asked, {tool.category for tool in every}) if asked else ()
        hint = f" The nearest category: {', '.join(close)}." if close else ""
        nothing = f"Nothing fits {asked!r}.{hint} " if asked else ""
        return Done(ours(f"{nothing}There are {len(every)} tools, by category: {', '.join(categories(every))}."))

    return define(browse_tools, effect="pure", reach="inward", category="tools", timeout_s=5.0)


def _score(tool: Tool, words: set[str]) -> float:
    """How well a tool fits: a word in its name counts most, one in its description least."""
    name, category = set(_words(tool.name)), set(_words(tool.category))
    text = set(_words(tool.description))
    return sum(4 * _has(name, word) + 2 * _has(category, word) + (1 if word in text else 0) for word in words) + (
        10 if set(_words(tool.name)) == words else 0
    )


def _has(words: set[str], word: str) -> bool:
    return word in words or (len(word) > 3 and any(other.startswith(word[:-1]) for other in words))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
