"""A yes is good once, in time, and for exactly the call that was asked about; silence is a no."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Literal

import pytest

from sulla.agent.approvals.approvals import APPROVAL_S, KEY, REJECTED, TOO_LATE, WHOLE_CHARS, leaves_out
from sulla.agent.approvals.permissions import Permissions
from sulla.agent.calls.guard import CallGuard
from sulla.core.errors import AlreadyAnswered, NotFound
from sulla.core.ids import CallId, ThreadId
from sulla.core.message import ToolCall, ToolResult
from sulla.core.stamp import stamp
from sulla.core.words import Words, ours
from sulla.store.memory import MemoryStore
from sulla.store.values import Draft
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider
from sulla.testing.world import World
from sulla.threads.log.records import Answer
from sulla.threads.log.waits import Wait
from sulla.tools.base import Done, Effect, Result, Tool, ToolContext
from tests.doubles.attacks import Hooks

DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"
READS = Say("", (ToolCall(CallId("r"), "read_page", {"url": "https://a.example"}),))
POSTS = Say("", (ToolCall(CallId("p"), "post", {"url": "https://b.example/x", "body": "1"}),))
TO_HOST = Say("", (ToolCall(CallId("p"), "post", {"url": "https://b.example/x"}),))


class Desk:
    """A home whose model reads a page and then posts, however often it is asked."""

    def __init__(self, store: MemoryStore, *, posts: Say = POSTS, effect: Effect = "once") -> None:
        self.store = store
        self.clock = ManualClock()
        self.hooks = Hooks()
        self.provider = ScriptedProvider()
        self.posts = posts
        self.effect = effect
        self.boots = 0
        self.post = self.hooks.tool("post", "url", "body", effect=effect)

    def boot(self) -> World:
        self.boots += 1
        page = self.hooks.source("read_page", Done(Words("a page"), origin="web"), "url", reach="outward", quotes=True)
        tools = (page, self.post)
        return World(self.store, self.provider, tools=tools, clock=self.clock, boot=self.boots)

    async def asked(self, world: World) -> tuple[ThreadId, Wait]:
        """A thread whose run waits for a yes."""
        thread = await world.thread()
        self.provider.add(READS, self.posts)
        await world.ask(thread, "do it")
        return thread, await self.wait(world, thread)

    async def wait(self, world: World, thread: ThreadId) -> Wait:
        state = await world.threads.load(thread)
        assert state is not None
        assert state.run is not None
        (wait,) = state.run.waits.values()
        return wait

    async def say(self, world: World, thread: ThreadId, answer: Answer) -> None:
        await world.threads.answer(thread, answer)
        await world.turns.attend(thread)

    @property
    def posted(self) -> int:
        return sum(name == "post" for name, _ in self.hooks.done)

    def result(self) -> ToolResult:
        part = self.provider.requests[-1].messages[-1].parts[0]
        assert isinstance(part, ToolResult)
        return part


@pytest.fixture
def desk(store: MemoryStore) -> Desk:
    return Desk(store)


async def test_a_yes_has_the_call_made_once(desk: Desk) -> None:
    world = desk.boot()
    thread, wait = await desk.asked(world)
    assert desk.posted == 0
    assert '"body": "1"' in wait.prompt
    desk.provider.add(DONE)
    await desk.say(world, thread, Answer(wait.wait_id, "", "approve"))
    assert desk.posted == 1
    assert (await world.kinds(thread))[-1] == "RUN_FINISHED"
    desk.provider.assert_done()


async def test_nobody_is_asked_about_a_call_with_an_argument_that_its_tool_does_not_have(store: MemoryStore) -> None:
    args = {"url": "https://b.example/x", "body": "1", "colour_of_it": "red"}
    desk = Desk(store, posts=Say("", (ToolCall(CallId("p"), "post", args),)))
    world = desk.boot()
    thread = await world.thread()
    desk.provider.add(READS, desk.posts, DONE)
    await world.ask(thread, "do it")
    assert desk.posted == 0
    assert "colour_of_it: no such field" in desk.result().text
    assert "SUSPENDED" not in await world.kinds(thread)


async def test_a_no_is_told_to_the_model_and_never_tried_again(desk: Desk) -> None:
    world = desk.boot()
    thread, wait = await desk.asked(world)
    desk.provider.add(DONE)
    await desk.say(world, thread, Answer(wait.wait_id, "not to them", "reject"))
    assert desk.posted == 0
    assert desk.result().text == f"{REJECTED}: not to them"
    (kept,) = [e for e in await world.log(thread) if e.kind == "TOOL_CALL_RESULT" and e.data.get("failure")]
    assert kept.data["failure"] == "human_rejected"


async def test_no_answer_in_time_is_a_no_though_nobody_looks_meanwhile(desk: Desk) -> None:
    world = desk.boot()
    thread, wait = await desk.asked(world)
    (info,) = [info for info, _ in await world.threads.list()]
    assert info.head.due_ms == wait.expires_ms == round(desk.clock.now() * 1000 + APPROVAL_S * 1000)
    desk.clock.jump(APPROVAL_S - 1)
    await world.turns.attend(thread)
    assert (await world.threads.list())[0][0].head.status == "suspended"
    desk.clock.jump(2)
    now_ms = round(desk.clock.now() * 1000)
    assert [found.key for found in await desk.store.find(due_before_ms=now_ms)] == [thread]
    desk.provider.add(DONE)
    await world.turns.attend(thread)
    assert desk.posted == 0
    assert desk.result().text == TOO_LATE


async def test_a_yes_that_comes_too_late_is_a_no(desk: Desk) -> None:
    world = desk.boot()
    thread, wait = await desk.asked(world)
    desk.clock.jump(APPROVAL_S + 1)
    desk.provider.add(DONE)
    await desk.say(desk.boot(), thread, Answer(wait.wait_id, "", "approve"))
    assert desk.posted == 0
    assert desk.result().text == TOO_LATE


async def test_a_yes_in_time_counts_also_if_the_daemon_was_away_until_after(desk: Desk) -> None:
    world = desk.boot()
    thread, wait = await desk.asked(world)
    await world.threads.answer(thread, Answer(wait.wait_id, "", "approve"))
    desk.clock.jump(APPROVAL_S + 1)
    desk.provider.add(DONE)
    await desk.boot().turns.attend(thread)
    assert desk.posted == 1


async def test_the_same_answer_twice_makes_the_call_once_and_another_one_is_refused(desk: Desk) -> None:
    world = desk.boot()
    thread, wait = await desk.asked(world)
    desk.provider.add(DONE)
    for _ in range(2):
        await desk.say(world, thread, Answer(wait.wait_id, "", "approve"))
    with pytest.raises(AlreadyAnswered):
        await world.threads.answer(thread, Answer(wait.wait_id, "", "always"))
    assert desk.posted == 1


async def test_the_first_answer_counts(desk: Desk) -> None:
    world = desk.boot()
    thread, wait = await desk.asked(world)
    await world.threads.answer(thread, Answer(wait.wait_id, "", "reject"))
    with pytest.raises(AlreadyAnswered):
        await world.threads.answer(thread, Answer(wait.wait_id, "", "approve"))
    desk.provider.add(DONE)
    await world.turns.attend(thread)
    assert desk.posted == 0


async def test_a_yes_to_an_earlier_call_is_good_for_no_later_one(desk: Desk) -> None:
    world = desk.boot()
    thread, first = await desk.asked(world)
    desk.provider.add(desk.posts)
    await desk.say(world, thread, Answer(first.wait_id, "", "approve"))
    assert desk.posted == 1
    second = await desk.wait(world, thread)
    assert second.wait_id != first.wait_id
    assert second.digest != first.digest
    await desk.say(world, thread, Answer(first.wait_id, "", "approve"))
    assert desk.posted == 1


@pytest.mark.parametrize("part", range(4))
async def test_an_answer_with_one_byte_of_its_id_changed_fits_nothing(desk: Desk, part: int) -> None:
    world = desk.boot()
    thread, wait = await desk.asked(world)
    parts = wait.wait_id.split(":")
    parts[part] = parts[part][:-1] + ("1" if parts[part][-1] != "1" else "2")
    await desk.say(world, thread, Answer(":".join(parts), "", "approve"))
    assert desk.posted == 0
    assert await desk.wait(world, thread) == wait


@pytest.mark.parametrize("verdict", ["result", "run_again", "give_up"])
async def test_a_verdict_that_is_no_yes_makes_no_call(
    desk: Desk, verdict: Literal["result", "run_again", "give_up"]
) -> None:
    world = desk.boot()
    thread, wait = await desk.asked(world)
    desk.provider.add(DONE)
    await desk.say(world, thread, Answer(wait.wait_id, "", verdict))
    assert desk.posted == 0


async def test_a_tool_that_is_another_one_by_then_is_asked_about_anew(desk: Desk) -> None:
    world = desk.boot()
    thread, wait = await desk.asked(world)
    await world.threads.answer(thread, Answer(wait.wait_id, "", "approve"))
    desk.post = replace(desk.post, description="Does post, and tells others.")
    later = desk.boot()
    await later.turns.attend(thread)
    assert desk.posted == 0
    again = await desk.wait(later, thread)
    assert again.wait_id != wait.wait_id
    desk.provider.add(DONE)
    await desk.say(later, thread, Answer(again.wait_id, "", "approve"))
    assert desk.posted == 1


async def test_a_call_that_was_cut_off_after_a_yes_is_not_made_again_on_it(desk: Desk) -> None:
    world = desk.boot()
    thread, wait = await desk.asked(world)
    await world.threads.answer(thread, Answer(wait.wait_id, "", "approve"))

    gate = Gate()

    async def hangs(args: object, context: ToolContext) -> Result:
        desk.hooks.done.append(("post", {}))
        await gate.pass_through()
        return Done(ours("never"))

    desk.post = replace(desk.post, run=hangs)
    turn = asyncio.create_task(desk.boot().turns.attend(thread))
    await gate.reached()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert desk.posted == 1
    later = desk.boot()
    await later.turns.attend(thread)
    assert desk.posted == 1
    wait = await desk.wait(later, thread)
    assert wait.wait_id.startswith("review:")
    assert 'It was called with {"body": "1", "url": "https://b.example/x"}.' in wait.prompt


async def test_who_is_asked_again_about_what_was_allowed_and_cut_off_is_told_so_first(store: MemoryStore) -> None:
    desk = Desk(store, effect="idempotent")  # else what came of it is asked before
    world = desk.boot()
    thread, wait = await desk.asked(world)
    answered_ms = round(desk.clock.now() * 1000)
    await world.threads.answer(thread, Answer(wait.wait_id, "", "approve", by="channel:ann"))
    desk.clock.jump(60)
    gate, runs = Gate(), desk.post.run

    async def hangs(args: object, context: ToolContext) -> Result:
        await gate.pass_through()
        return Done(ours("never"))

    desk.post = replace(desk.post, run=hangs)
    turn = asyncio.create_task(desk.boot().turns.attend(thread))
    await gate.reached()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    desk.post = replace(desk.post, run=runs)
    later = desk.boot()
    await later.turns.attend(thread)
    again = await desk.wait(later, thread)
    assert again.wait_id != wait.wait_id  # that one is answered
    assert again.prompt.startswith(
        f"Asked again: channel:ann has allowed this at {stamp(answered_ms)}, and then it was cut off, "
        "so it may be done already; yes has it done once more. May post be called with "
    )
    desk.provider.add(DONE)
    await desk.say(later, thread, Answer(again.wait_id, "", "approve"))
    assert desk.posted == 1


async def test_ten_that_wait_over_a_restart_each_get_their_own_answer(desk: Desk) -> None:
    world = desk.boot()
    asked = [await desk.asked(world) for _ in range(10)]
    later = desk.boot()
    assert len(await later.threads.list(status="suspended")) == 10
    for number, (thread, wait) in enumerate(asked):
        desk.provider.add(DONE)
        await desk.say(later, thread, Answer(wait.wait_id, "", "approve" if number % 2 else "reject"))
        assert desk.posted == (number + 1) // 2
        assert (await later.kinds(thread))[-1] == "RUN_FINISHED"
    desk.provider.assert_done()


async def test_taint_survives_a_restart_and_a_new_run(desk: Desk) -> None:
    world = desk.boot()
    thread = await world.thread()
    desk.provider.add(READS, DONE)
    await world.ask(thread, "read it")
    desk.provider.add(desk.posts)
    await desk.boot().ask(thread, "now post")
    assert desk.posted == 0
    state = await desk.boot().threads.load(thread)
    assert state is not None
    assert state.context.tainted


async def test_without_anything_from_outside_nobody_is_asked(desk: Desk) -> None:
    world = desk.boot()
    thread = await world.thread()
    desk.provider.add(desk.posts, DONE)
    await world.ask(thread, "post it")
    assert desk.posted == 1


# ------------------------------------------------------------------------------------------------ until further notice


async def test_always_allows_the_same_tool_and_host_from_then_on_until_it_runs_out(store: MemoryStore) -> None:
    desk = Desk(store, posts=TO_HOST)
    world = desk.boot()
    thread, wait = await desk.asked(world)
    assert (wait.tool, wait.target) == ("post", "host:https://b.example")
    desk.provider.add(DONE)
    await desk.say(world, thread, Answer(wait.wait_id, "", "always"))
    later = desk.boot()
    other = await later.thread()
    desk.provider.add(READS, TO_HOST, DONE)
    await later.ask(other, "again")
    assert desk.posted == 2
    (rule,) = await later.permissions.list()
    desk.clock.jump((rule.expires_ms - rule.at_ms) / 1000)
    await desk.asked(later)
    assert desk.posted == 2


@pytest.mark.parametrize(
    "args",
    [
        {"url": "https://evil.example/x"},
        {"url": "http://b.example/x"},
        {"url": "https://b.example:8443/x"},
        {"url": "https://b.example@evil.example/x"},
        {"url": "https://b.example.evil.example/x"},
        {"url": "https://b.example\\@evil.example/x"},
        {"url": "https://b.example/x", "body": "more"},
    ],
    ids=str,
)
async def test_always_is_good_for_no_other_place_and_no_other_form(store: MemoryStore, args: dict[str, str]) -> None:
    desk = Desk(store, posts=TO_HOST)
    world = desk.boot()
    thread, wait = await desk.asked(world)
    desk.provider.add(DONE)
    await desk.say(world, thread, Answer(wait.wait_id, "", "always"))
    desk.posts = Say("", (ToolCall(CallId("p"), "post", dict(args)),))
    await desk.asked(world)
    assert desk.posted == 1


async def test_what_was_allowed_can_be_taken_back_and_only_what_there_is(store: MemoryStore) -> None:
    desk = Desk(store, posts=TO_HOST)
    world = desk.boot()
    thread, wait = await desk.asked(world)
    desk.provider.add(DONE)
    await desk.say(world, thread, Answer(wait.wait_id, "", "always"))
    (rule,) = await world.permissions.list()
    other = Permissions(store, desk.clock)  # another daemon on the same store
    await other.forget(rule.id)
    assert await world.permissions.list() == []
    with pytest.raises(NotFound, match="no rule"):
        await other.forget(rule.id)
    await desk.asked(world)
    assert desk.posted == 1


async def test_always_without_a_host_is_good_for_the_very_same_arguments_alone(desk: Desk) -> None:
    world = desk.boot()
    thread, wait = await desk.asked(world)
    assert wait.target.startswith("args:")
    desk.provider.add(DONE)
    await desk.say(world, thread, Answer(wait.wait_id, "", "always"))
    other = await world.thread()
    desk.provider.add(READS, POSTS, DONE)
    await world.ask(other, "again")
    assert desk.posted == 2
    desk.posts = Say("", (ToolCall(CallId("p"), "post", {"url": "https://b.example/x", "body": "2"}),))
    await desk.asked(world)
    assert desk.posted == 2


# ------------------------------------------------------------------------------------------------ a tool's own question


def curious(hooks: Hooks, seen: list[str]) -> Tool:
    async def run(args: object, context: ToolContext) -> Result:
        seen.append(context.approved)
        return Done(ours("loaded"))

    tool = hooks.tool("load", "name", effect="pure", reach="inward")
    return replace(tool, run=run, asks=lambda args, context: f"Use {args['name']}, digest 1?")


async def test_a_tools_own_question_is_asked_and_the_tool_is_told_what_was_said_yes_to(store: MemoryStore) -> None:
    hooks, seen = Hooks(), list[str]()
    provider = ScriptedProvider([Say("", (ToolCall(CallId("l"), "load", {"name": "x"}),)), DONE])
    world = World(store, provider, tools=(curious(hooks, seen),))
    thread = await world.thread()
    await world.ask(thread, "load it")
    assert seen == []
    state = await world.threads.load(thread)
    assert state is not None
    assert state.run is not None
    (wait,) = state.run.waits.values()
    assert "Use x, digest 1?" in wait.prompt
    assert wait.target == ""
    await world.threads.answer(thread, Answer(wait.wait_id, "", "always"))
    await world.turns.attend(thread)
    assert seen == ["Use x, digest 1?"]
    assert await world.permissions.list() == []


@pytest.mark.parametrize(
    "hidden",
    ["\x1b[2K\x1b[1A", "\r", "\n", "\b\b\b", "\u202e", "\u2066", "\u200b", "\u0430", "\x9b", "\U000e0041"],
    ids=ascii,
)
async def test_nothing_that_is_asked_can_hide_a_part_of_itself_or_pass_for_something_else(
    store: MemoryStore, hidden: str
) -> None:
    """Neither in what the call is given nor in what the tool makes of it for its own question."""
    provider = ScriptedProvider([Say("", (ToolCall(CallId("l"), "load", {"name": f"rm -rf x;{hidden}ls"}),))])
    world = World(store, provider, tools=(curious(Hooks(), []),))
    thread = await world.thread()
    await world.ask(thread, "load it")
    (wait,) = await waits_of(world, thread)
    assert wait.prompt.isascii()
    assert wait.prompt.isprintable()
    assert wait.prompt.count("rm -rf x;") == 2


async def test_what_is_too_long_to_be_asked_says_how_all_of_it_is_seen(store: MemoryStore) -> None:
    body = f"{'a' * 5_000} and curl evil.example {'b' * 5_000}"
    desk = Desk(store, posts=Say("", (ToolCall(CallId("p"), "post", {"body": body}),)))
    world = desk.boot()
    _, wait = await desk.asked(world)
    assert "evil" not in wait.prompt
    assert "characters are not shown here; `sulla approvals show` shows all" in wait.prompt
    assert len(wait.prompt) < 2_500
    assert json.dumps({"body": body})[1:-1] in wait.whole  # beside it, for whoever has to be shown all of it
    assert wait.whole.isascii()
    assert leaves_out(wait)


async def test_what_nothing_can_show_whole_is_kept_nowhere_in_a_question(store: MemoryStore) -> None:
    desk = Desk(store, posts=Say("", (ToolCall(CallId("p"), "post", {"body": "a" * WHOLE_CHARS}),)))
    _, wait = await desk.asked(desk.boot())
    assert (wait.whole, leaves_out(wait)) == ("", True)


async def waits_of(world: World, thread: ThreadId) -> tuple[Wait, ...]:
    state = await world.threads.load(thread)
    assert state is not None
    assert state.run is not None
    return tuple(state.run.waits.values())


async def test_a_rule_that_cannot_be_read_allows_nothing(store: MemoryStore, caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk(store, posts=TO_HOST)
    world = desk.boot()
    thread, wait = await desk.asked(world)
    desk.provider.add(DONE)
    await desk.say(world, thread, Answer(wait.wait_id, "", "always"))
    await store.offer(KEY, "broken", Draft("RULE_MADE", b"1 00000000 {}"), digest=b"x")
    await desk.asked(desk.boot())
    assert desk.posted == 1
    assert "cannot be read" in caplog.text


def test_a_guard_without_rules_allows_nothing_in_advance() -> None:
    assert type(CallGuard().rules).__name__ == "NoRules"


async def test_always_for_a_while_of_its_own_is_good_for_that_while(desk: Desk) -> None:
    desk.posts = TO_HOST
    world = desk.boot()
    thread, wait = await desk.asked(world)
    desk.provider.add(DONE)
    await desk.say(world, thread, Answer(wait.wait_id, "", "always", for_s=3600))
    (rule,) = await world.permissions.list()
    assert rule.expires_ms - rule.at_ms == 3_600_000
