"""Calls of tools in playbooks' runs: allowed by people, cut off, too slow, and tried again."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sulla.core.errors import Conflict, InvalidInput, NotAvailable, NotFound, Refused, SettingsError, SullaError
from sulla.core.ids import ThreadId
from sulla.core.words import Author, Words, ours
from sulla.playbooks.catalog import PlaybookCatalog
from sulla.playbooks.file.check_known import KnownNames
from sulla.playbooks.stored_runs import StoredRuns
from sulla.testing.provider import ScriptedProvider
from sulla.testing.tools import EffectLedger
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from tests.doubles.play_world import PlayWorld
from tests.playbooks.run.runs import Make, at, effects, ended, later, ledger, make, question, questions, say
from tests.schedules.town import make_id

__all__ = ["ledger", "make"]

OUT = """
name: out
inputs: {to: {type: string, default: ann}}
outputs: {got: "${{ steps.send.output }}"}
steps:
  - {id: send, tool: send, with: {to: "${{ inputs.to }}"}}
  - {id: next, tool: note_safe, with: {what: after}}
"""


def sender(ledger: EffectLedger) -> Tool:
    async def send(context: ToolContext, *, to: str) -> Result:
        """Send something.

        Args:
            to: to whom.
        """
        ledger.write("send", f"sent {to}", context)
        return Done(ours(f"sent to {to}"))

    return define(send, effect="once", category="testing")


# ------------------------------------------------------------------------------------------------------- approvals


async def test_what_a_person_started_may_send(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), OUT, more=[sender(ledger)])
    run = await world.run_play("out")
    assert (await at(world, run)).status == "completed"
    assert effects(ledger) == ["sent ann", "after"]


async def unattended(world: PlayWorld, to: str = "ann") -> Any:
    return await world.run_play("out", {"to": to}, trigger="schedule", origin="playbook")


async def test_where_nobody_is_there_a_person_is_asked_before_anything_is_sent(
    make: Make, ledger: EffectLedger
) -> None:
    world = make(ScriptedProvider(), OUT, more=[sender(ledger)])
    run = await unattended(world)
    wait = await question(world, run)
    assert effects(ledger) == []
    assert "send" in wait.prompt
    assert wait.digest
    assert (await world.now(run)).suspended, "nothing is held meanwhile"


async def test_a_call_that_is_allowed_is_made_once_and_the_run_goes_on(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), OUT, more=[sender(ledger)])
    run = await unattended(world)
    await say(world, run, "approve")
    assert effects(ledger) == ["sent ann", "after"]
    assert (await ended(world, run)).outputs == {"got": "sent to ann"}


async def test_a_call_that_is_allowed_after_a_restart_is_made_once(make: Make, ledger: EffectLedger) -> None:
    run = await unattended(make(ScriptedProvider(), OUT, more=[sender(ledger)]))
    world = make(ScriptedProvider(), OUT, more=[sender(ledger)], boot=2)
    await say(world, run, "approve")
    assert effects(ledger) == ["sent ann", "after"]
    assert (await at(world, run)).status == "completed"


@pytest.mark.parametrize("where", ["step", "defaults"])
async def test_a_call_that_is_asked_about_has_its_time_for_itself(make: Make, ledger: EffectLedger, where: str) -> None:
    text = OUT.replace('inputs.to }}"}}', 'inputs.to }}"}, timeout: 10s}')
    if where == "defaults":
        text = OUT.replace("steps:", "defaults: {timeout: 10s}\nsteps:")
    world = make(ScriptedProvider(), text, more=[sender(ledger)])
    run = await unattended(world)
    asked = await question(world, run)
    await later(world, 3600)
    assert (await question(world, run)).wait_id == asked.wait_id, "the very question, of the same attempt"
    await say(world, run, "approve")
    assert effects(ledger) == ["sent ann", "after"]
    assert (await at(world, run)).status == "completed"


async def test_a_question_that_outlived_a_restart_still_takes_no_time(make: Make, ledger: EffectLedger) -> None:
    text = OUT.replace('inputs.to }}"}}', 'inputs.to }}"}, timeout: 10s}')
    run = await unattended(make(ScriptedProvider(), text, more=[sender(ledger)]))
    world = make(ScriptedProvider(), text, more=[sender(ledger)], boot=2)
    await later(world, 3600)
    await say(world, run, "approve")
    assert (await at(world, run)).status == "completed"


async def test_what_bounds_a_question_is_its_own_limit(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), OUT.replace('to }}"}}', 'to }}"}, timeout: 10s}'), more=[sender(ledger)])
    run = await unattended(world)
    asked = await question(world, run)
    await later(world, asked.expires_ms / 1000 - world.clock.now() + 1)
    assert (await at(world, run)).status == "failed"
    assert effects(ledger) == []


async def test_a_call_that_is_refused_is_not_made_and_not_tried_again(make: Make, ledger: EffectLedger) -> None:
    text = OUT.replace('inputs.to }}"}}', 'inputs.to }}"}, retry: {tries: 3}}')
    world = make(ScriptedProvider(), text, more=[sender(ledger)])
    run = await unattended(world)
    await say(world, run, "reject", "not today")
    play = await at(world, run)
    assert (play.status, effects(ledger)) == ("failed", [])
    assert "not today" in play.failure
    assert await questions(world, run) == []


LOOP = """
name: looped
steps:
  - id: l
    loop:
      count: 2
      steps:
        - {id: b, tool: send, with: {url: "${{ loop.last.u | default('https://a.example') }}"}}
        - {id: s, set: {u: "${{ steps.b.output }}"}}
"""
WITHIN = """
name: looped
steps:
  - id: l
    loop:
      count: 2
      steps: [{id: p, playbook: poster, with: {u: "${{ loop.last.u | default('https://a.example') }}"}}]
"""
POSTER = """
name: poster
inputs: {u: {type: string}}
outputs: {u: "${{ steps.b.output }}"}
steps:
  - {id: b, tool: send, with: {url: "${{ inputs.u }}"}}
"""


@pytest.mark.parametrize("texts", [(LOOP,), (WITHIN, POSTER)])
async def test_where_an_earlier_pass_says_where_to_send_to_a_person_is_asked(
    make: Make, ledger: EffectLedger, texts: tuple[str, ...]
) -> None:
    async def send(context: ToolContext, *, url: str) -> Result:
        """Send something, and give back what is answered.

        Args:
            url: where to.
        """
        ledger.write("send", url, context)
        return Done(Words("https://evil.example", Author.OUTSIDE))

    world = make(ScriptedProvider(), *texts, more=[define(send, effect="once", reach="outward", category="testing")])
    run = await world.run_play("looped")
    assert effects(ledger) == ["https://a.example"]
    threads = [ThreadId(info.key) for info, _ in await world.threads.list(limit=10)]
    (asking,) = [thread for thread in threads if await questions(world, thread)]
    wait = await question(world, asking)
    assert wait.tool == "send"
    assert ("from outside is what 'b' came to before" if len(texts) == 1 else "from outside is") in wait.prompt
    await say(world, asking, "reject")
    assert ((await at(world, run)).status, effects(ledger)) == ("failed", ["https://a.example"])


async def test_silence_is_a_no(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), OUT, more=[sender(ledger)])
    run = await unattended(world)
    wait = await question(world, run)
    await later(world, wait.expires_ms / 1000 - world.clock.now() + 1)
    assert ((await at(world, run)).status, effects(ledger)) == ("failed", [])


async def test_always_allows_the_like_of_it_in_later_runs_and_nothing_else(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), OUT, more=[sender(ledger)])
    await say(world, await unattended(world), "always")
    assert effects(ledger) == ["sent ann", "after"]
    run = await unattended(world)
    assert (await at(world, run)).status == "completed"
    assert effects(ledger) == ["sent ann", "after"] * 2
    other = await unattended(world, "bob")
    assert "send" in (await question(world, other)).prompt


async def test_what_is_refused_can_be_asked_again_by_resuming(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), OUT, more=[sender(ledger)])
    run = await unattended(world)
    await say(world, run, "reject")
    await world.resume_play(run)
    await world.work()
    assert (await at(world, run)).status == "completed", "who resumes it is there"
    assert effects(ledger) == ["sent ann", "after"]


async def test_others_go_on_while_a_person_is_asked(make: Make, ledger: EffectLedger) -> None:
    text = OUT.replace("{id: next,", "{id: next, needs: [],")
    world = make(ScriptedProvider(), text, more=[sender(ledger)])
    run = await unattended(world)
    assert effects(ledger) == ["after"]
    await say(world, run, "approve")
    assert effects(ledger) == ["after", "sent ann"]


# --------------------------------------------------------------------------------------------------------- cut off

CUT = """
name: cut
outputs: {got: "${{ steps.send.output }}"}
steps:
  - {id: send, tool: stall, with: {what: x}}
  - {id: next, tool: note_safe, with: {what: "after ${{ steps.send.output }}"}}
"""


def stalling(ledger: EffectLedger, opened: asyncio.Event, effect: Any = "once", reached: Any = None) -> Tool:
    async def stall(context: ToolContext, *, what: str) -> Result:
        """Take effect, and stand still.

        Args:
            what: the effect.
        """
        ledger.write("stall", what, context)
        if reached is not None:
            reached.set()
        await opened.wait()
        return Done(ours(f"did {what}"))

    return define(stall, effect=effect, reach="inward", category="testing")


def desk_of(world: PlayWorld, folder: Path) -> StoredRuns:
    catalog = PlaybookCatalog([folder], KnownNames)
    return StoredRuns(world.threads, catalog, world.clock, make_id, lambda: ("sulla",), lambda _: None, lambda: 0)


async def cut_off(make: Make, ledger: EffectLedger, effect: Any = "once") -> Any:
    """A run whose tool was at work when its daemon died."""
    reached = asyncio.Event()
    world = make(ScriptedProvider(), CUT, more=[stalling(ledger, asyncio.Event(), effect, reached)])
    run = await world.play("cut")
    work = asyncio.create_task(world.work())
    await reached.wait()
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)
    opened = asyncio.Event()
    opened.set()
    world = make(ScriptedProvider(), CUT, more=[stalling(ledger, opened, effect)], boot=2)
    await later(world, 60)
    return world, run


async def test_a_call_that_was_cut_off_is_asked_about_and_not_made_again(make: Make, ledger: EffectLedger) -> None:
    world, run = await cut_off(make, ledger)
    wait = await question(world, run)
    assert wait.wait_id.startswith("review:")
    assert effects(ledger) == ["x"]


async def test_a_person_may_have_it_run_again(make: Make, ledger: EffectLedger) -> None:
    world, run = await cut_off(make, ledger)
    await say(world, run, "run_again")
    assert effects(ledger) == ["x", "x", "after did x"]
    assert (await ended(world, run)).outputs == {"got": "did x"}


async def test_a_person_may_say_what_it_came_to(make: Make, ledger: EffectLedger) -> None:
    world, run = await cut_off(make, ledger)
    await say(world, run, "result", "it was done")
    assert effects(ledger) == ["x", "after it was done"]
    assert (await ended(world, run)).outputs == {"got": "it was done"}


async def test_a_person_may_give_it_up(make: Make, ledger: EffectLedger) -> None:
    world, run = await cut_off(make, ledger)
    await say(world, run, "give_up", "leave it")
    play = await at(world, run)
    assert (play.status, effects(ledger)) == ("failed", ["x"])
    assert "leave it" in play.failure


async def test_a_run_is_not_copied_before_somebody_has_said_what_came_of_its_call(
    make: Make, ledger: EffectLedger, tmp_path: Path
) -> None:
    world, run = await cut_off(make, ledger)
    desk = desk_of(world, tmp_path)
    with pytest.raises(Conflict, match=r"cut off while it called 'stall'.*`sulla approvals answer review:call_"):
        await desk.fork(run, ["next"], None, "copy")
    await say(world, run, "result", "it was done")
    copy = ThreadId((await desk.fork(run, ["next"], None, "copy")).run)
    await world.work()
    assert (await ended(world, copy)).outputs == {"got": "it was done"}
    assert effects(ledger) == ["x", "after it was done", "after it was done"]


async def test_a_run_is_not_copied_while_it_makes_a_call_that_a_copy_would_make_again(
    make: Make, ledger: EffectLedger, tmp_path: Path
) -> None:
    reached, opened = asyncio.Event(), asyncio.Event()
    world = make(ScriptedProvider(), CUT, more=[stalling(ledger, opened, "once", reached)])
    desk = desk_of(world, tmp_path)
    run = await world.play("cut")
    work = asyncio.create_task(world.work())
    await reached.wait()
    with pytest.raises(Conflict, match="is making a call that takes effect each time"):
        await desk.fork(run, ["next"], None, "copy")
    opened.set()
    await work
    copy = ThreadId((await desk.fork(run, ["next"], None, "copy")).run)
    await world.work()
    assert (await at(world, copy)).status == "completed"
    assert effects(ledger).count("x") == 1


@pytest.mark.parametrize("effect", ["pure", "idempotent"])
async def test_a_call_that_does_no_harm_is_made_again_without_asking(
    make: Make, ledger: EffectLedger, effect: Any
) -> None:
    world, run = await cut_off(make, ledger, effect)
    assert (await at(world, run)).status == "completed"
    assert effects(ledger) == ["x", "x", "after did x"]
    first, second, _ = ledger.read()
    assert first["key"] == second["key"], "its tool can tell that it is the same"


# -------------------------------------------------------------------------------------------------------- too slow

SLOW = CUT.replace("with: {what: x}}", "with: {what: x}, timeout: 10s}")


async def test_a_tool_that_takes_too_long_is_stopped_and_the_step_has_failed(make: Make, ledger: EffectLedger) -> None:
    reached, opened = asyncio.Event(), asyncio.Event()
    world = make(ScriptedProvider(), SLOW, more=[stalling(ledger, opened, "idempotent", reached)])
    run = await world.play("cut")
    work = asyncio.create_task(world.work())
    await reached.wait()
    await later_only(world, 11)
    await work
    play = await at(world, run)
    assert (play.status, effects(ledger)) == ("failed", ["x"])
    assert "took longer than it may" in play.failure


async def test_a_tool_that_takes_too_long_is_tried_again_where_its_step_says_so(
    make: Make, ledger: EffectLedger
) -> None:
    text = SLOW.replace("timeout: 10s", "timeout: 10s, retry: {tries: 2, backoff: 5s}")
    reached, opened = asyncio.Event(), asyncio.Event()
    world = make(ScriptedProvider(), text, more=[stalling(ledger, opened, "idempotent", reached)])
    run = await world.play("cut")
    work = asyncio.create_task(world.work())
    await reached.wait()
    await later_only(world, 11)
    opened.set()
    await work
    await later(world, 5)
    assert (await at(world, run)).status == "completed"
    assert effects(ledger) == ["x", "x", "after did x"]


async def later_only(world: PlayWorld, seconds: float) -> None:
    await world.clock.advance(seconds)  # type: ignore[attr-defined]  # it is a ManualClock


# ---------------------------------------------------------------------------------------------------------- retries

SHAKY = """
name: shaky
outputs: {got: "${{ steps.a.output }}", tries: "${{ steps.a.tries }}"}
steps:
  - {id: a, tool: shaky, with: {what: x}, retry: {tries: 3, backoff: 10s, factor: 2}}
"""


def shaky(ledger: EffectLedger, failures: int, effect: Any = "idempotent") -> Tool:
    async def shaky(context: ToolContext, *, what: str) -> Result:
        """Fail some times, then work.

        Args:
            what: the effect.
        """
        ledger.write("shaky", what, context)
        if len(ledger.read()) <= failures:
            return Done(ours("not now"), is_error=True)
        return Done(ours("now"))

    return define(shaky, effect=effect, reach="inward", category="testing")


@pytest.mark.parametrize("boots", [False, True])
async def test_a_yes_to_a_call_holds_for_its_other_tries_and_for_no_other_pass(
    make: Make, ledger: EffectLedger, boots: bool
) -> None:
    tries = "retry: {tries: 3, backoff: 10s, factor: 1}"
    step = "{id: a, tool: shaky, with: {what: one}, " + tries + "}"
    text = f"name: shaky\nsteps:\n  - {{id: l, loop: {{count: 2, steps: [{step}]}}}}\n"
    tool = replace(shaky(ledger, 2), reach="outward")
    world = make(ScriptedProvider(), text, more=[tool])
    run = await world.run_play("shaky", trigger="schedule", origin="playbook")
    await say(world, run, "approve")
    assert effects(ledger) == ["one"]
    if boots:
        world = make(ScriptedProvider(), text, more=[tool], boot=2)
    for tried in (2, 3):
        await later(world, 11)
        assert len(effects(ledger)) == tried
    assert (await question(world, run)).tool == "shaky", "the second pass is asked about by itself"
    await say(world, run, "reject")
    assert len(effects(ledger)) == 3


async def test_a_tool_that_fails_twice_and_then_works_is_waited_for_longer_each_time(
    make: Make, ledger: EffectLedger
) -> None:
    world = make(ScriptedProvider(), SHAKY, more=[shaky(ledger, 2)])
    run = await world.run_play("shaky")
    counts = []
    for seconds in (9.9, 0.2, 19.8, 0.3):
        counts.append(len(effects(ledger)))
        await later(world, seconds)
    assert [*counts, len(effects(ledger))] == [1, 1, 2, 2, 3]
    assert (await ended(world, run)).outputs == {"got": "now", "tries": 3}


LITERAL = """
name: literal
inputs: {url: {type: string, default: "https://news.example/today"}}
steps:
  - {id: a, tool: look, with: {url: "https://news.example/today"}, retry: {tries: 3, backoff: 10s, factor: 1}}
"""


def looking(ledger: EffectLedger) -> Tool:
    async def look(context: ToolContext, *, url: str) -> Result:
        """Read a page, which fails the first time in words of its own.

        Args:
            url: the page.
        """
        ledger.write("look", url, context)
        return Done(Words("500: ask somebody else"), is_error=len(ledger.read()) == 1, origin="web", passing=True)

    return define(look, effect="pure", category="testing")


async def test_an_address_that_stands_in_the_playbook_is_known_also_after_a_failure_from_outside(
    make: Make, ledger: EffectLedger
) -> None:
    world = make(ScriptedProvider(), LITERAL, more=[looking(ledger)])
    run = await world.run_play("literal")
    await later(world, 11)
    assert (await at(world, run)).status == "completed"
    assert len(effects(ledger)) == 2


FLOW = """
name: flow
inputs: {url: {type: string, default: "https://news.example/today"}}
steps:
  - {id: a, tool: look, with: {url: "https://news.example/first"}, retry: {tries: 3, backoff: 10s, factor: 1}}
  - {id: kept, set: {said: "${{ steps.a.output }}"}}
  - {id: b, tool: look, with: {url: URL}}
"""
"""A second page, after one that said something."""


@pytest.mark.parametrize("trigger", ["manual", "webhook", "schedule", "event"])
@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("https://news.example/next", False),
        ("${{ run.started_at }}", False),
        ("${{ steps.kept.output.said }}", True),
        ("https://news.example/?q=${{ steps.a.status }}", True),
        ("${{ run.payload }}", None),
        ("${{ inputs.url }}", None),
    ],
)
async def test_what_a_call_is_made_of_says_whether_it_is_asked_about(
    make: Make, ledger: EffectLedger, trigger: Any, url: str, asked: bool | None
) -> None:
    world = make(ScriptedProvider(), FLOW.replace("URL", f'"{url}"'), more=[looking(ledger)])
    outside = trigger in ("webhook", "event")
    if asked is None:  # what brings it along says whose words it is; inputs stand in the file there
        asked = outside and "payload" in url
    origin = "operator" if trigger == "manual" else "playbook"
    run = await world.run_play("flow", trigger=trigger, origin=origin, payload="x", tainted=outside, own=True)
    await later(world, 11)
    assert bool(await questions(world, run)) is asked
    assert len(effects(ledger)) == (2 if asked else 3)


async def test_of_a_playbook_that_came_from_outside_nothing_is_known(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), FLOW.replace("URL", "https://news.example/next"), more=[looking(ledger)])
    run = await world.run_play("flow", tainted=True)
    assert "look" in (await question(world, run)).prompt
    assert effects(ledger) == []


async def test_each_attempt_is_a_call_of_its_own(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), SHAKY, more=[shaky(ledger, 1)])
    await world.run_play("shaky")
    await later(world, 11)
    assert len({line["key"] for line in ledger.read()}) == 2


async def test_a_tool_that_never_works_fails_after_so_many_tries(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), SHAKY, more=[shaky(ledger, 99)])
    run = await world.run_play("shaky")
    for _ in range(5):
        await later(world, 100)
    play = await at(world, run)
    assert (play.status, len(effects(ledger))) == ("failed", 3)
    assert "not now" in play.failure


async def test_a_retry_that_waits_over_a_restart_is_made_at_its_time(make: Make, ledger: EffectLedger) -> None:
    run = await make(ScriptedProvider(), SHAKY, more=[shaky(ledger, 1)]).run_play("shaky")
    world = make(ScriptedProvider(), SHAKY, more=[shaky(ledger, 1)], boot=2)
    await later(world, 9.9)
    assert len(effects(ledger)) == 1
    await later(world, 0.2)
    assert ((await at(world, run)).status, len(effects(ledger))) == ("completed", 2)


def refusing(ledger: EffectLedger, error: SullaError) -> Tool:
    async def refusing(context: ToolContext) -> Result:
        """Refuse."""
        ledger.write("refusing", "asked", context)
        raise error

    return define(refusing, effect="pure", reach="inward", category="testing")


@pytest.mark.parametrize(
    "error",
    [
        InvalidInput("port 22 is not for web pages"),
        NotFound("there is no 'notes.txt' in the workspace"),
        NotAvailable("no web search is set up on this machine"),
        SettingsError("the search engine refuses: its key is wrong"),
        Refused("people were told 200 things today, the most that may be: it stands in thr_1"),
    ],
)
async def test_what_time_does_not_mend_fails_at_once(make: Make, ledger: EffectLedger, error: SullaError) -> None:
    text = """
name: refused
outputs: {why: "${{ steps.a.error.message }}", word: "${{ steps.a.error.reason }}"}
steps:
  - {id: a, tool: refusing, with: {}, on_failure: go_on}
  - {id: b, tool: note_safe, with: {what: on it goes}}
"""
    world = make(ScriptedProvider(), text, more=[refusing(ledger, error)])
    before_s = world.clock.now()
    run = await world.run_play("refused")
    assert (await ended(world, run)).outputs == {"why": error.message, "word": "refused"}
    assert effects(ledger) == ["asked", "on it goes"]
    assert world.clock.now() - before_s < 1


async def test_what_is_to_be_done_once_is_not_tried_again_by_itself(make: Make, ledger: EffectLedger) -> None:
    text = SHAKY.replace(", retry: {tries: 3, backoff: 10s, factor: 2}", "")
    world = make(ScriptedProvider(), text, more=[shaky(ledger, 1, "once")])
    run = await world.run_play("shaky")
    await later(world, 1_000)
    assert ((await at(world, run)).status, len(effects(ledger))) == ("failed", 1)


async def test_a_failure_that_is_lived_with_leaves_null_and_says_why(make: Make, ledger: EffectLedger) -> None:
    text = """
name: lived
outputs: {got: "${{ steps.a.output }}", why: "${{ steps.a.error.message }}"}
steps:
  - {id: a, tool: shaky, with: {what: x}, on_failure: go_on, retry: {tries: 1}}
  - {id: b, tool: note_safe, with: {what: all the same}}
"""
    world = make(ScriptedProvider(), text, more=[shaky(ledger, 99)])
    run = await world.run_play("lived")
    assert (await ended(world, run)).outputs == {"got": None, "why": "not now"}
    assert effects(ledger) == ["x", "all the same"]


REFUNDS = """
name: refunds
steps:
  - id: all
    loop:
      for_each: [one, two]
      at_once: 2
      steps:
        - {id: pay, tool: pay, with: {what: "${{ item }}"}, retry: {tries: 3, backoff: 5s}}
"""


@pytest.mark.parametrize("boots", [1, 2])
async def test_another_try_is_not_asked_about_for_what_came_to_another_pass_meanwhile(make: Make, boots: int) -> None:
    tried: list[str] = []

    async def pay(context: ToolContext, *, what: str) -> Result:
        """Pay.

        Args:
            what: which.
        """
        tried.append(what)
        if tried.count(what) == 1:
            return Done(Words("busy"), is_error=True, passing=True)
        return Done(Words("paid"))

    tool = define(pay, effect="idempotent", category="testing")
    world = make(ScriptedProvider(), REFUNDS, more=[tool])
    run = await world.run_play("refunds")
    if boots == 2:
        world = make(ScriptedProvider(), REFUNDS, more=[tool], boot=2)
    await later(world, 5)
    assert await questions(world, run) == []
    assert (await at(world, run)).status == "completed"
    assert sorted(tried) == ["one", "one", "two", "two"]
