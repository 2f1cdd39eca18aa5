"""What a server offers: taken with bounds, and every change of it seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sulla.core.jsontypes import FrozenJson
from sulla.mcp.catalog import MAX_DESCRIPTION, MAX_NOTES, MAX_TOOLS, McpCatalog, McpTool, changes, read_catalog

OBJECT: FrozenJson = {"type": "object"}


def tool(name: str, description: str = "Do it.", schema: FrozenJson = OBJECT) -> McpTool:
    """A tool as a server lists it."""
    return McpTool(name, description, schema)


def test_tools_are_taken_in_the_order_of_their_names() -> None:
    assert [one.name for one in read_catalog([tool("b"), tool("a")], None).tools] == ["a", "b"]


def test_the_owners_list_decides_and_its_slips_are_told() -> None:
    catalog = read_catalog([tool("list"), tool("send")], ("list", "sned"))
    assert [one.name for one in catalog.tools] == ["list"]
    assert catalog.notes == ("it offers no tool 'sned'. Did you mean 'send'?",)


def test_a_slip_in_the_list_of_direct_tools_is_told() -> None:
    catalog = read_catalog([tool("list"), tool("send")], ("list",), ("li*", "send", "lsit"))
    assert catalog.notes == ("direct names 'lsit', and there is nothing of that name. Did you mean 'list'?",)


def test_too_many_tools_are_left_out_and_counted() -> None:
    catalog = read_catalog([tool(f"t{number}") for number in range(MAX_TOOLS + 3)], None)
    assert len(catalog.tools) == MAX_TOOLS
    assert catalog.notes == (f"3 tools over the {MAX_TOOLS} that are taken; name those you need in `tools`",)


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (tool(""), "its name is empty"),
        (tool("a\u200b"), "invisible characters"),
        (tool("x" * 200), "too long"),
        (tool("a", schema={"type": "string"}), "not one of an object"),
        (tool("a", schema={"type": "object", "description": "x" * 20_000}), "bytes"),
        (tool("a", schema={"type": "object", "properties": 1}), "`properties` are no object"),
    ],
)
def test_a_tool_that_cannot_be_used_is_left_out_and_told(bad: McpTool, why: str) -> None:
    catalog = read_catalog([bad, tool("good")], None)
    assert [one.name for one in catalog.tools] == ["good"]
    assert why in catalog.notes[0]


def test_a_long_description_is_cut() -> None:
    (one,) = read_catalog([tool("a", "x" * 5_000)], None).tools
    assert len(one.description) == MAX_DESCRIPTION


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (tool("a", "Do it to others."), "a has another description"),
        (tool("a", schema={"type": "object", "required": []}), "a has another schema"),
        (replace(tool("a"), read_only=True), "a has another hint of what a repeat does"),
    ],
)
def test_every_change_is_seen(other: McpTool, said: str) -> None:
    assert list(changes(McpCatalog((tool("a"),)), McpCatalog((other,)))) == [said]
    assert tool("a").digest != other.digest


def test_what_comes_and_goes_is_seen() -> None:
    assert list(changes(McpCatalog((tool("a"), tool("b"))), McpCatalog((tool("b"), tool("c"))))) == [
        "a is gone",
        "c is new",
    ]


def test_however_many_mistakes_there_are_few_are_told() -> None:
    strange = [McpTool(f"t{number}\u200b", "x", {"type": "object"}) for number in range(10_000)]
    notes = read_catalog(strange, None).notes
    assert (len(notes), notes[-1]) == (MAX_NOTES + 1, f"and {10_000 - MAX_NOTES} more")
    notes = read_catalog(strange, tuple(f"wanted{number}" for number in range(100))).notes
    assert len(notes) == MAX_NOTES
