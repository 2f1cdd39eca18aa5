from __future__ import annotations

from pathlib import Path

from sulla.core.jsontypes import JsonObject
from sulla.core.words import ours
from sulla.tools.base import Done, Result, ToolContext
from sulla.tools.define import define
from tests.tools.contexts import context_in


async def collect(context: ToolContext, *, words: list[str], sep: str = "-") -> Result:
    """Join words.

    Args:
        words: What to join.
        sep: What goes between.
    """
    words.append(context.call_id)
    return Done(ours(sep.join(words)))


def test_undeclared_means_once() -> None:
    assert define(collect).effect == "once"


def test_what_is_declared_is_kept() -> None:
    tool = define(collect, effect="pure", category="text", timeout_s=2.0, parallel=False, rest="Ask again.")
    assert (tool.name, tool.description) == ("collect", "Join words.")
    assert (tool.effect, tool.category, tool.timeout_s, tool.parallel, tool.rest) == (
        "pure",
        "text",
        2.0,
        False,
        "Ask again.",
    )


async def test_arguments_are_passed_by_name_and_belong_to_the_call(tmp_path: Path) -> None:
    args: JsonObject = {"words": ["a", "b"]}
    assert await define(collect).run(args, context_in(tmp_path)) == Done(ours("a-b-call_1"))
    assert args == {"words": ["a", "b"]}
