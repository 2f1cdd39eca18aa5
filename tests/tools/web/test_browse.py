from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from sulla.agent.turn.offers import Offers, tool_tokens
from sulla.core.ids import CallId
from sulla.core.jsontypes import FrozenJson, Json
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.builtin.every import builtin_tools
from sulla.tools.call import run_call
from sulla.tools.registry import Toolbox
from sulla.tools.web.browse import (
    ALL_TOKENS,
    BROWSE,
    FIRST_TOKENS,
    MAX_FOUND,
    ToolCatalogue,
    catalogue_of,
    categories,
    search,
    told_schema,
)
from tests.tools.contexts import context_in


async def _run(args: FrozenJson, context: ToolContext) -> Result:
    return Done(ours("done"))


def tool(name: str, description: str = "", category: str = "misc") -> Tool:
    field: dict[str, Json] = {"type": "string", "description": "What it is about, in a few words that say it well."}
    schema: dict[str, Json] = {"type": "object", "properties": {"what": field}, "additionalProperties": False}
    return Tool(name, description or f"Does {name.replace('_', ' ')}, with care.", schema, _run, category=category)


def many() -> list[Tool]:
    """Two hundred tools as servers bring them along, beside our own."""
    verbs = ("list", "get", "create", "update", "delete", "search", "archive", "share", "export", "watch")
    nouns = ("issue", "calendar_event", "mail", "contact", "invoice", "page", "file", "message", "ticket", "pod")
    found = [
        tool(
            f"mcp__{server}__{verb}_{noun}", f"{verb.title()} one {noun} of {server}. " + "It says more. " * 20, server
        )
        for server in ("hub", "desk")
        for verb in verbs
        for noun in nouns
    ]
    return [*builtin_tools(), *found]


def call(name: str, **args: Json) -> ToolCall:
    return ToolCall(CallId("c"), name, args)


def names(tools: Iterable[Tool]) -> list[str]:
    return [one.name for one in tools]


def test_a_small_catalogue_is_told_whole() -> None:
    catalogue = catalogue_of(builtin_tools(), tool_tokens)
    assert BROWSE not in catalogue.toolbox
    assert names(catalogue.offered(())) == list(catalogue.toolbox.names)


def test_two_hundred_tools_cost_little_until_they_are_browsed() -> None:
    tools = many()
    assert len(tools) >= 200
    assert sum(map(tool_tokens, tools)) > ALL_TOKENS
    offers = Offers(catalogue_of(tools, tool_tokens))
    told = offers.catalogue.offered(())
    assert sum(map(tool_tokens, told)) <= FIRST_TOKENS == 1_500
    assert {"browse_tools", "read_file", "write_file"} <= set(names(told))
    assert offers(()) is offers(()), "the same tools are the same tuple"


def test_what_was_browsed_for_is_told_from_then_on_behind_the_rest() -> None:
    catalogue = catalogue_of(many(), tool_tokens)
    first = names(catalogue.offered(()))
    calls = [call(BROWSE, query="create an invoice"), call("read_file", path="x")]
    told = names(catalogue.offered(calls))
    assert told[: len(first)] == first
    assert "mcp__hub__create_invoice" in told[len(first) :]
    assert len(told) <= len(first) + MAX_FOUND
    more = names(catalogue.offered([*calls, call(BROWSE, category="desk", query="pod")]))
    assert more[: len(told)] == told, "what was loaded keeps its place: a prompt cache can hit"


def test_a_tool_that_was_called_is_told_of() -> None:
    catalogue = catalogue_of(many(), tool_tokens)
    assert names(catalogue.offered([call("mcp__desk__watch_pod")]))[-1] == "mcp__desk__watch_pod"
    assert names(catalogue.offered([call("no_such_tool")])) == names(catalogue.offered(()))


@pytest.mark.parametrize(
    ("args", "best"),
    [
        ({"query": "share calendar event"}, "mcp__desk__share_calendar_event"),
        ({"query": "DELETE mails", "category": "hub"}, "mcp__hub__delete_mail"),
        ({"query": "read a file"}, "read_file"),
        ({"query": "what time is it"}, "get_time_date"),
    ],
)
def test_a_search_finds_what_fits_best_first(args: dict[str, Json], best: str) -> None:
    assert names(search(Toolbox(many()), args))[0] == best


async def _said(catalogue: ToolCatalogue, tmp_path: Path, **args: Json) -> str:
    result = await run_call(catalogue.toolbox, call(BROWSE, **args), context_in(tmp_path))
    assert isinstance(result, Done)
    return result.text


async def test_the_answer_names_what_can_be_used_now(tmp_path: Path) -> None:
    text = await _said(catalogue_of(many(), tool_tokens), tmp_path, query="archive ticket", category="desk")
    assert text.startswith("You can use these now:\nmcp__desk__archive_ticket (desk): Archive one ticket of desk\n")


async def test_a_search_for_nothing_tells_the_categories(tmp_path: Path) -> None:
    catalogue = catalogue_of(many(), tool_tokens)
    assert "tools, by category: desk 100, files " in await _said(catalogue, tmp_path)
    wrong = await _said(catalogue, tmp_path, category="desks")
    assert wrong.startswith("Nothing fits 'desks'. The nearest category: desk. There are ")


def test_very_many_categories_are_counted() -> None:
    told = list(categories(tool(f"t{number}", category=f"c{number}") for number in range(50)))
    assert len(told) == 31
    assert told[-1] == "and 20 more"


def test_a_model_is_told_of_arguments_what_helps_to_give_them_right_and_no_more() -> None:
    schema: dict[str, Json] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Args",
        "type": "object",
        "properties": {
            "title": {"type": "string", "minLength": 1, "maxLength": 9, "title": "Title", "description": "Its title."},
            "tags": {"type": "array", "items": {"type": "string", "maxLength": 5}, "maxItems": 3},
            "more": {"type": "object", "additionalProperties": {"type": "integer", "title": "n", "minimum": 1}},
            "kind": {"anyOf": [{"type": "string", "enum": ["a"], "title": "k"}, {"type": "null"}], "default": None},
        },
        "required": ["title"],
        "additionalProperties": False,
    }
    assert told_schema(schema) == {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "Its title."},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
            "more": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}},
            "kind": {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}], "default": None},
        },
        "required": ["title"],
    }
    assert schema["additionalProperties"] is False, "the tool's own stays as it is: calls are checked against it"
