from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from sulla.core.errors import Aborted, NotFound, StaleLease
from sulla.core.ids import CallId
from sulla.core.jsontypes import FrozenJson, JsonObject
from sulla.core.message import ToolCall
from sulla.core.words import Author, Words, ours
from sulla.testing.clock import ManualClock
from sulla.tools.base import Done, Reach, Result, Tool, ToolContext, Waiting
from sulla.tools.call import MAX_RESULT_BYTES, run_call
from sulla.tools.registry import Toolbox
from tests.tools.contexts import context_in

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"x": {"type": "integer", "description": "A number."}},
    "required": ["x"],
    "additionalProperties": False,
}


def box(work: Callable[[ToolContext], Awaitable[Result]], *, timeout_s: float = 5.0, rest: str = "") -> Toolbox:
    async def run(args: FrozenJson, context: ToolContext) -> Result:
        assert args == {"x": 1}
        return await work(context)

    return Toolbox([Tool("worker", "Works.", SCHEMA, run, timeout_s=timeout_s, rest=rest)])


@pytest.mark.parametrize(("reach", "by"), [("inward", Author.AGENT), ("outward", Author.OUTSIDE)])
async def test_a_bare_text_of_a_tool_that_reaches_out_is_from_outside(tmp_path: Path, reach: Reach, by: Author) -> None:
    bare = Done("hi")  # type: ignore[arg-type]  # of a package that nobody has checked
    toolbox = Toolbox(replace(tool, reach=reach) for tool in box(answering(bare)))
    assert await outcome(toolbox, tmp_path) == Done(Words("hi", by))


async def test_a_failure_within_the_workspace_quotes_nobody_else(tmp_path: Path) -> None:
    toolbox = Toolbox(replace(tool, reach="inward") for tool in box(raising(ValueError("no good"))))
    assert await outcome(toolbox, tmp_path) == Done(Words("ValueError: no good", Author.AGENT), is_error=True)


def call(name: str = "worker", **args: int) -> ToolCall:
    return ToolCall(CallId("call_1"), name, dict(args) or {"x": 1})


def raising(error: BaseException) -> Callable[[ToolContext], Awaitable[Result]]:
    async def work(context: ToolContext) -> Result:
        del context
        raise error

    return work


def answering(result: Result) -> Callable[[ToolContext], Awaitable[Result]]:
    async def work(context: ToolContext) -> Result:
        del context
        return result

    return work


async def outcome(toolbox: Toolbox, tmp_path: Path, one: ToolCall | None = None) -> Done:
    result = await run_call(toolbox, one or call(), context_in(tmp_path))
    assert isinstance(result, Done)
    return result


@pytest.mark.parametrize("result", [Done(Words("fine", Author.AGENT), origin="file"), Waiting("approval:1", "May I?")])
async def test_a_result_is_passed_on(tmp_path: Path, result: Result) -> None:
    assert await run_call(box(answering(result)), call(), context_in(tmp_path)) == result


async def test_an_unknown_tool_names_the_nearest(tmp_path: Path) -> None:
    result = await outcome(box(answering(Done(ours("x")))), tmp_path, call("worke"))
    assert result == Done(ours("There is no tool 'worke'. The nearest: worker."), is_error=True, refused=True)


async def test_an_unknown_tool_that_is_like_none_names_those_there_are(tmp_path: Path) -> None:
    result = await outcome(box(answering(Done(ours("x")))), tmp_path, call("qqqqq"))
    assert result == Done(ours("There is no tool 'qqqqq'. There are: worker."), is_error=True, refused=True)


async def test_without_tools_it_says_so(tmp_path: Path) -> None:
    assert (await outcome(Toolbox(), tmp_path)).text == "There is no tool 'worker'; there are no tools at all."


async def test_wrong_arguments_do_not_reach_the_tool(tmp_path: Path) -> None:
    result = await outcome(box(raising(AssertionError("it ran"))), tmp_path, call(y=2))
    assert result == Done(
        ours(
            "worker was not run, because its arguments are wrong:\n"
            "- x: missing; expected integer: A number.\n"
            "- y: no such field. Known: x."
        ),
        is_error=True,
        refused=True,
        nothing_read=True,
    )


async def test_a_refusal_of_ours_is_told_in_its_own_words(tmp_path: Path) -> None:
    assert await outcome(box(raising(NotFound("there is no 'x'"))), tmp_path) == Done(
        ours("there is no 'x'"), is_error=True, refused=True
    )


async def test_any_other_failure_is_told_by_its_kind_and_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "sulla"):
        result = await outcome(box(raising(ValueError("no good"))), tmp_path)
        silent = await outcome(box(raising(KeyError())), tmp_path)
    # Its words may be the other side's, and it reaches out.
    assert result == Done(Words("ValueError: no good"), is_error=True)
    assert silent == Done(Words("KeyError"), is_error=True)
    assert [record.__dict__["tool"] for record in caplog.records] == ["worker", "worker"]
    assert all(record.exc_info for record in caplog.records)


@pytest.mark.parametrize("error", [Aborted("stopped"), StaleLease("held by another")])
async def test_what_ends_the_run_is_no_result(tmp_path: Path, error: Exception) -> None:
    for raised in (error, ExceptionGroup("tasks", [ValueError("x"), ExceptionGroup("more", [error])])):
        with pytest.raises(type(error)):
            await run_call(box(raising(raised)), call(), context_in(tmp_path))


async def test_other_failures_in_a_group_are_a_result(tmp_path: Path) -> None:
    result = await outcome(box(raising(ExceptionGroup("tasks", [ValueError("x")]))), tmp_path)
    assert result.is_error
    assert result.text.startswith("ExceptionGroup: tasks")


async def test_cancellation_is_passed_on(tmp_path: Path) -> None:
    begun = asyncio.Event()

    async def work(context: ToolContext) -> Result:
        begun.set()
        await context.clock.sleep(3600)
        return Done(ours("too late"))

    running = asyncio.create_task(run_call(box(work), call(), context_in(tmp_path)))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def own_cancel(context: ToolContext) -> Result:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await context.clock.sleep(1)
    return Done(ours("not reached"))


@pytest.mark.parametrize("work", [raising(asyncio.CancelledError()), own_cancel])
async def test_a_cancellation_that_nobody_asked_for_is_a_failure_of_the_tool(
    tmp_path: Path, work: Callable[[ToolContext], Awaitable[Result]]
) -> None:
    assert await outcome(box(work), tmp_path) == Done(Words("CancelledError"), is_error=True)


async def test_a_tool_that_takes_too_long_is_stopped_and_says_so(tmp_path: Path) -> None:
    clock = ManualClock()
    ended = False

    async def work(context: ToolContext) -> Result:
        nonlocal ended
        try:
            await context.clock.sleep(3600)
        finally:
            ended = True
        return Done(ours("too late"))

    async with asyncio.TaskGroup() as group:
        running = group.create_task(run_call(box(work, timeout_s=2.5), call(), context_in(tmp_path, clock)))
        await clock.advance(2.4)
        assert not running.done()
        await clock.advance(0.2)
        assert running.done()
    assert ended
    assert running.result() == Done(
        ours("worker was stopped after 2.5 s, its time limit. What it had done by then stays done."), is_error=True
    )


async def test_a_time_out_within_the_tool_is_not_taken_for_its_time_limit(tmp_path: Path) -> None:
    assert (await outcome(box(raising(TimeoutError("the server"))), tmp_path)).text == "TimeoutError: the server"


async def test_a_tool_that_returns_nothing_useful_is_called_broken(tmp_path: Path) -> None:
    result = await outcome(box(answering(cast("Result", "just text"))), tmp_path)
    assert result == Done(ours("worker is broken: it returned str instead of a result."), is_error=True)


@pytest.mark.parametrize("unit", ["x", "é", "日", "😀"])
async def test_a_long_result_is_cut_between_characters_and_says_how_to_go_on(tmp_path: Path, unit: str) -> None:
    whole = unit * (2 * MAX_RESULT_BYTES)
    result = await outcome(box(answering(Done(Words(whole), origin="web")), rest="Ask for page 2."), tmp_path)
    text, _, note = result.text.rpartition("\n\n")
    assert len(result.text.encode()) <= MAX_RESULT_BYTES
    assert whole.startswith(text)
    assert f"first {len(text.encode())} of {len(whole.encode())} bytes are shown. Ask for page 2.]" in note
    assert result.origin == "web"


async def test_a_result_that_just_fits_is_whole(tmp_path: Path) -> None:
    assert (await outcome(box(answering(Done(ours("x" * MAX_RESULT_BYTES)))), tmp_path)).text == "x" * MAX_RESULT_BYTES


async def test_an_error_is_cut_too(tmp_path: Path) -> None:
    result = await outcome(box(raising(ValueError("x" * 1_000_000))), tmp_path)
    assert result.is_error
    assert len(result.text) <= MAX_RESULT_BYTES


async def test_a_result_can_always_be_stored(tmp_path: Path) -> None:
    result = await outcome(box(answering(Done(ours("half \ud83d of a pair")))), tmp_path)
    assert result.text == "half ? of a pair"
