from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sulla.core.errors import InvalidInput
from sulla.core.ids import CallId, RunId
from sulla.core.jsontypes import FrozenJson, Json
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.call import run_call
from sulla.tools.registry import Toolbox
from sulla.tools.wrapping import MAX_RUNS, approved, budgeted, filtered, prefixed
from tests.tools.contexts import context_in


class Bell:
    """A tool that counts how often it rang."""

    def __init__(self) -> None:
        self.rang: list[Json] = []
        self.tool = Tool("ring", "Rings.", {"type": "object"}, self._ring, effect="idempotent", category="bells")

    async def _ring(self, args: FrozenJson, context: ToolContext) -> Result:
        self.rang.append(args.get("how"))
        return Done(ours("ring"))


async def use(tool: Tool, context: ToolContext, **args: Json) -> Done:
    result = await run_call(Toolbox([tool]), ToolCall(CallId("c"), tool.name, args), context)
    assert isinstance(result, Done)
    return result


async def test_a_filtered_call_is_not_made_and_says_why(tmp_path: Path) -> None:
    bell = Bell()
    quiet = filtered(bell.tool, lambda args, _: "it is late" if args["how"] == "loud" else "")
    assert (await use(quiet, context_in(tmp_path), how="loud")) == Done(
        ours("ring was not run: it is late"), is_error=True
    )
    assert (await use(quiet, context_in(tmp_path), how="low")).text == "ring"
    assert bell.rang == ["low"]


async def test_a_prefix_changes_the_name_alone(tmp_path: Path) -> None:
    bell = Bell()
    tool = prefixed(bell.tool, "church__")
    assert tool == replace(bell.tool, name="church__ring")
    assert (await use(tool, context_in(tmp_path))).text == "ring"
    with pytest.raises(InvalidInput, match="that is 65 characters, and 64 are allowed"):
        prefixed(bell.tool, "x" * 61)


def test_each_question_is_asked(tmp_path: Path) -> None:
    context, tool = context_in(tmp_path), Bell().tool
    once = approved(tool, lambda args, _: f"Ring {args['how']}?" if args["how"] else "")
    twice = approved(once, lambda args, _: "Really?")
    assert once.asks is not None
    assert twice.asks is not None
    assert (once.asks({"how": ""}, context), once.asks({"how": "low"}, context)) == ("", "Ring low?")
    assert twice.asks({"how": "low"}, context) == "Ring low?\nReally?"


async def test_a_budget_is_for_each_run(tmp_path: Path) -> None:
    bell = Bell()
    tool, context = budgeted(bell.tool, 2), context_in(tmp_path)
    said = [(await use(tool, context)).text for _ in range(3)]
    assert said == ["ring", "ring", "ring was not run: a run may call it 2 times. Go on with what you have."]
    assert (await use(tool, replace(context, run_id=RunId("run_2")))).text == "ring"
    assert len(bell.rang) == 3


async def test_the_runs_that_are_counted_are_bounded(tmp_path: Path) -> None:
    bell = Bell()
    tool, context = budgeted(bell.tool, 1), context_in(tmp_path)
    for number in range(MAX_RUNS + 1):
        await tool.run({}, replace(context, run_id=RunId(f"run_{number}")))
    again = await tool.run({}, replace(context, run_id=RunId("run_1")))
    assert isinstance(again, Done)
    assert again.is_error, "a run that goes on is still counted"
    assert len(bell.rang) == MAX_RUNS + 1
