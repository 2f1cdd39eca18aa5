"""What a conversation learns of its commands in the background (tests/tools/builtin/test_shell.py: how they run)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from sulla.core.ids import CallId, ThreadId
from sulla.core.jsontypes import Json
from sulla.core.message import ToolCall
from sulla.core.words import Author, Words
from sulla.host.system import SystemClock
from sulla.tools.base import Done, ToolContext
from sulla.tools.builtin.shell import shell_tools
from sulla.tools.call import run_call
from sulla.tools.registry import Toolbox
from sulla.tools.shell.jobs import ShellJob, ShellJobs, with_news
from sulla.tools.shell.sandbox import Shell
from tests.soon import a_pause
from tests.tools.contexts import context_in, no_held_changes


class Bench:
    """A shell whose results tell of jobs, and a thread that uses it."""

    def __init__(self, workspace: Path) -> None:
        self.jobs = ShellJobs(SystemClock())
        self.plain = Toolbox(shell_tools(Shell(), self.jobs, no_held_changes))
        self.toolbox = Toolbox(with_news(tool, self.jobs) for tool in self.plain)
        self.context = context_in(workspace, SystemClock())

    async def use(self, name: str, context: ToolContext | None = None, /, **args: Json) -> str:
        """Call a tool; its text."""
        result = await run_call(self.toolbox, ToolCall(CallId("call_1"), name, args), context or self.context)
        assert isinstance(result, Done)
        return result.text

    async def ended(self, command: str) -> ShellJob:
        """A job that has run to its end."""
        await run_call(
            self.plain, ToolCall(CallId("call_1"), "bash", {"command": command, "background": True}), self.context
        )
        job = self.jobs.of(self.context.thread_id)[-1]
        await job.over.wait()
        return job


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    bench = Bench(tmp_path)
    running = asyncio.ensure_future(bench.jobs.run())
    await asyncio.sleep(0)
    yield bench
    running.cancel()
    await asyncio.wait((running,))


async def test_the_next_result_says_that_a_job_has_ended_and_the_one_after_it_does_not(bench: Bench) -> None:
    job = await bench.ended("echo secret words; exit 3")
    assert (await bench.use("bash", command="true")).endswith(f"\n\n[{job.id} ended with exit status 3]")
    assert job.id not in await bench.use("bash", command="true")


async def test_of_several_each_is_told_once_and_only_to_its_own_conversation(bench: Bench) -> None:
    first, second = await bench.ended("true"), await bench.ended("false")
    other = replace(bench.context, thread_id=ThreadId("thr_2"))
    assert "job_" not in await bench.use("bash", other, command="true")
    said = await bench.use("bash", command="true")
    assert said.endswith(f"[{first.id} ended with exit status 0; {second.id} ended with exit status 1]")


async def test_what_a_result_tells_by_itself_is_not_said_twice(bench: Bench) -> None:
    job = await bench.ended("true")
    said = await bench.use("bash_job", action="read", job=job.id)
    assert said.count(job.id) == 1
    assert bench.jobs.news(bench.context.thread_id) == ()


async def test_a_job_that_is_over_before_its_start_is_told_is_news_all_the_same(bench: Bench) -> None:
    started = await bench.use("bash", command="true", background=True)
    (job,) = bench.jobs.of(bench.context.thread_id)
    await job.over.wait()
    said = started + await bench.use("bash", command="true")
    assert said.count(f"{job.id} ended with exit status 0") == 1


async def test_a_job_that_goes_on_is_no_news_and_one_that_was_killed_is(bench: Bench) -> None:
    await bench.use("bash", command="sleep 100", background=True)
    (job,) = bench.jobs.of(bench.context.thread_id)
    assert bench.jobs.news(bench.context.thread_id) == ()
    await bench.jobs.kill(job)
    assert [one.end for one in bench.jobs.news(bench.context.thread_id)] == [f"{job.id} was killed"]


async def test_a_conversation_that_is_deleted_leaves_no_job_and_nothing_of_its_output(bench: Bench) -> None:
    other = replace(bench.context, thread_id=ThreadId("thr_2"))
    await bench.use("bash", command="yes zebrafish & sleep 100", background=True)
    await bench.use("bash", other, command="sleep 100", background=True)
    (job,), (others,) = bench.jobs.of(bench.context.thread_id), bench.jobs.of(other.thread_id)
    while not job.output.long:
        await a_pause()
    await bench.jobs.forget(bench.context.thread_id)
    assert job.over.is_set()
    assert bench.jobs.of(bench.context.thread_id) == ()
    assert bench.jobs.counts()["known"] == 1
    assert not others.over.is_set()
    assert not list(bench.context.workspace.rglob("*outputs/*"))


async def test_nothing_that_a_job_printed_or_was_is_in_the_news(bench: Bench) -> None:
    job = await bench.ended("echo obey me")
    assert job.end == f"{job.id} ended with exit status 0"


async def test_cancelled_it_kills_every_job_and_begun_anew_it_takes_new_ones(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    running = asyncio.ensure_future(bench.jobs.run())
    await asyncio.sleep(0)
    await bench.use("bash", command="sleep 100", background=True)
    (job,) = bench.jobs.of(bench.context.thread_id)
    running.cancel()
    await asyncio.wait((running,))
    assert job.end == f"{job.id} was killed"
    assert "no job can be started" in await bench.use("bash", command="true", background=True)
    again = asyncio.ensure_future(bench.jobs.run())
    await asyncio.sleep(0)
    assert (await bench.ended("true")).end == "job_3 ended with exit status 0"
    again.cancel()
    await asyncio.wait((again,))


async def test_files_that_programs_run_are_named_where_the_end_of_a_job_is_told(bench: Bench) -> None:
    """With its own author's mark: a name is whatever somebody chose."""

    async def over() -> str:
        return "it made '.envrc', sk-1"

    bench.context = replace(bench.context, over=over, redact=lambda text: text.replace("sk-1", "***"))
    job = await bench.ended("true")
    assert job.news == Words(f"{job.id} ended with exit status 0: it made '.envrc', ***", Author.OUTSIDE)
    said = await bench.use("bash_job", action="read", job=job.id)
    assert "[it made '.envrc', ***]" in said
    again = await bench.ended("true")
    assert (await bench.use("bash", command="true")).endswith(f"\n\n[{again.news.text}]")
