from __future__ import annotations

import pytest

from sulla.core.errors import Conflict, InvalidInput, NotFound
from sulla.core.jsontypes import FrozenJson
from sulla.core.words import ours
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.registry import Toolbox


async def _run(args: FrozenJson, context: ToolContext) -> Result:
    return Done(ours(f"{args}{context}"))


def tool(name: str) -> Tool:
    return Tool(name, "Does something.", {"type": "object"}, _run)


def test_tools_come_in_the_order_of_their_names() -> None:
    box = Toolbox([tool("b"), tool("c"), tool("a")])
    assert box.names == tuple(each.name for each in box) == ("a", "b", "c")
    assert len(box) == 3
    assert "b" in box
    assert "d" not in box


def test_a_tool_is_found_by_its_exact_name() -> None:
    box = Toolbox([tool("a")])
    found = box.get("a")
    assert found is not None
    assert found.name == "a"
    assert box.get("A") is None


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(Conflict, match="'a'"):
        Toolbox([tool("a"), tool("a")])


@pytest.mark.parametrize("name", ["", "a b", "a.b", "1a", "-a", "é", "a" * 65, "a\n"])
def test_a_name_that_services_do_not_accept_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be called"):
        Toolbox([tool(name)])


def test_a_selection_holds_only_what_was_named() -> None:
    box = Toolbox([tool("a"), tool("b"), tool("c")])
    assert box.select(["c", "a", "c"]).names == ("a", "c")
    assert box.select([]).names == ()
    assert box.names == ("a", "b", "c")


def test_selecting_what_is_not_there_names_the_nearest() -> None:
    with pytest.raises(NotFound, match=r"'read_fil'\. Did you mean 'read_file'"):
        Toolbox([tool("read_file")]).select(["read_fil"])
