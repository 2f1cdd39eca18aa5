"""Runs of a playbook that says how many go on at a time: who waits, who is told when it is their turn, and who ends."""

from __future__ import annotations

from sulla.core.ids import ThreadId
from sulla.playbooks.machine.records import StepFailed, StepStarted
from sulla.playbooks.records import PlaybookAsked
from sulla.playbooks.run.lanes import LOOK_S
from sulla.playbooks.run_rows import row_of
from sulla.testing.provider import ScriptedProvider
from sulla.testing.tools import EffectLedger
from tests.doubles.play_world import PlayWorld
from tests.playbooks.run.runs import Make, at, effects, ended, later, ledger, make, question, questions, say

__all__ = ["ledger", "make"]


def text(concurrency: str) -> str:
    return f"""
name: guarded
inputs: {{what: {{type: string, default: x}}}}
concurrency: {concurrency}
steps:
  - {{id: ask, human: "Shall ${{{{ inputs.what }}}}?"}}
  - {{id: note, tool: note_once, with: {{what: "${{{{ inputs.what }}}}"}}}}
"""


async def shown(world: PlayWorld, run: ThreadId) -> tuple[str, tuple[str, ...]]:
    row = row_of(await world.now(run))
    assert row is not None
    return row.status, row.behind


async def test_a_run_waits_for_its_turn_and_is_told_of_it(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), text("{}"))
    first, second, third = [await world.run_play("guarded", {"what": what}) for what in "abc"]
    assert await shown(world, second) == ("queued", (first,))
    assert await shown(world, third) == ("queued", (first, second))
    await say(world, first, "approve")
    assert await shown(world, second) == ("waiting", ())
    await say(world, second, "approve")
    await say(world, third, "approve")
    assert effects(ledger) == ["a", "b", "c"]


async def test_time_that_it_waits_is_none_of_its_own(make: Make) -> None:
    world = make(ScriptedProvider(), text("{}").replace("steps:", "budget: {time: 1h}\nsteps:"))
    first, second = [await world.run_play("guarded", {"what": what}) for what in "ab"]
    await later(world, 50 * 60)
    await say(world, first, "approve")
    await later(world, 50 * 60)
    await say(world, second, "approve")
    assert (await ended(world, second)).status == "completed"


async def test_runs_with_other_keys_go_on_side_by_side(make: Make) -> None:
    world = make(ScriptedProvider(), text('{key: "${{ inputs.what }}", limit: 1}'))
    first, other, second = [await world.run_play("guarded", {"what": what}) for what in "aba"]
    assert [(await shown(world, run))[0] for run in (first, other, second)] == ["waiting", "waiting", "queued"]


async def test_where_there_is_no_place_a_run_is_skipped_and_says_beside_whom(make: Make) -> None:
    world = make(ScriptedProvider(), text("{when_full: skip}"))
    first, second = [await world.run_play("guarded") for _ in range(2)]
    play = await at(world, second)
    assert (play.status, play.failure) == ("cancelled", f"skipped: {first} went on, and 1 may at a time")
    assert not [fact for fact in (await world.record(second)).facts if isinstance(fact, StepStarted)]
    await say(world, first, "approve")
    assert (await shown(world, await world.run_play("guarded")))[0] == "waiting"


async def test_a_step_whose_playbook_was_skipped_says_so(make: Make) -> None:
    outer = (
        "name: outer\nsteps:\n  - {id: a, needs: [], playbook: guarded}\n  - {id: b, needs: [], playbook: guarded}\n"
    )
    world = make(ScriptedProvider(), outer, text("{when_full: skip}"))
    run = await world.run_play("outer")
    (failed,) = [fact for fact in (await world.record(run)).facts if isinstance(fact, StepFailed)]
    assert failed.failure.message.startswith("the playbook 'guarded' failed: skipped: thr_")
    assert failed.failure.message.endswith(" went on, and 1 may at a time")
    threads = [ThreadId(info.key) for info, _ in await world.threads.list(limit=9)]
    (other,) = [thread for thread in threads if await questions(world, thread)]
    await say(world, other, "approve")


LOCKED = """
finally:
  - {id: unlock, tool: note_once, with: {what: "unlock ${{ inputs.what }}"}}
on_error:
  - {id: alarm, tool: note_once, with: {what: "alarm ${{ inputs.what }}"}}
"""
SLOW_END = LOCKED.replace("finally:\n", 'finally:\n  - {id: sure, human: "Unlock ${{ inputs.what }}?"}\n')


async def test_a_run_that_never_began_cleans_nothing_up(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), text("{when_full: skip}") + LOCKED)
    first, second = [await world.run_play("guarded", {"what": what}) for what in "ab"]
    assert ((await at(world, second)).status, effects(ledger)) == ("cancelled", [])
    await say(world, first, "approve")
    assert effects(ledger) == ["a", "unlock a"]


async def test_a_run_that_is_cancelled_while_it_waits_for_its_turn_cleans_nothing_up(
    make: Make, ledger: EffectLedger
) -> None:
    world = make(ScriptedProvider(), text("{when_full: queue}") + LOCKED)
    first, second = [await world.run_play("guarded", {"what": what}) for what in "ab"]
    await world.want(second, PlaybookAsked("cancel", "no need"))
    await world.work()
    play = await at(world, second)
    assert (play.status, play.failure, effects(ledger)) == ("cancelled", "no need", [])
    await world.resume_play(second)
    await world.work()
    await world.want(second, PlaybookAsked("cancel", "again"))
    await world.work()
    assert ((await at(world, second)).status, effects(ledger)) == ("cancelled", [])
    await say(world, first, "approve")
    assert effects(ledger) == ["a", "unlock a"]


async def test_one_that_a_newer_run_sends_out_of_the_queue_cleans_nothing_up(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), text("{when_full: cancel_old}") + SLOW_END)
    first, second, third = [await world.run_play("guarded", {"what": what}) for what in "abc"]
    await say(world, first, "approve")
    assert ((await at(world, second)).status, effects(ledger)) == ("cancelled", ["unlock a"])
    assert (await question(world, third)).prompt == "Shall c?"


async def test_a_finally_at_work_is_cut_by_no_newer_run_and_the_last_one_begins_behind_it(
    make: Make, ledger: EffectLedger
) -> None:
    world = make(ScriptedProvider(), text("{when_full: cancel_old}") + SLOW_END)
    runs = [await world.run_play("guarded", {"what": what}) for what in "abc"]
    assert (await question(world, runs[0])).prompt == "Unlock a?"
    assert await shown(world, runs[2]) == ("queued", (runs[0],))
    await say(world, runs[0], "approve")
    assert effects(ledger) == ["unlock a"]
    assert [(await shown(world, run))[0] for run in runs] == ["cancelled", "cancelled", "waiting"]


async def test_a_person_may_cut_the_finally_of_a_run_that_was_to_make_way(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), text("{when_full: cancel_old}") + SLOW_END)
    first, second = [await world.run_play("guarded", {"what": what}) for what in "ab"]
    await world.want(first, PlaybookAsked("cancel", "at once"))
    await world.work()
    assert ((await at(world, first)).status, effects(ledger)) == ("cancelled", [])
    assert (await shown(world, second))[0] == "waiting"


async def test_a_run_whose_key_has_no_value_raises_its_alarm_and_cleans_nothing_up(
    make: Make, ledger: EffectLedger
) -> None:
    world = make(ScriptedProvider(), text('{key: "${{ inputs.what | fromjson }}"}') + LOCKED)
    await world.run_play("guarded", {"what": "a"})
    assert effects(ledger) == ["alarm a"]


async def test_a_new_run_ends_the_old_one_and_begins_behind_its_end(make: Make) -> None:
    world = make(ScriptedProvider(), text("{when_full: cancel_old}"))
    first, second, third = [await world.run_play("guarded") for _ in range(3)]
    assert [(await shown(world, run))[0] for run in (first, second, third)] == ["cancelled", "cancelled", "waiting"]
    assert (await at(world, first)).failure == "a newer run of this playbook took its place"


async def test_one_that_waits_can_be_cancelled_and_nobody_waits_for_it(make: Make) -> None:
    world = make(ScriptedProvider(), text("{}"))
    first, second, third = [await world.run_play("guarded") for _ in range(3)]
    await world.want(second, PlaybookAsked("cancel", "no need"))
    await world.work()
    assert (await at(world, second)).status == "cancelled"
    await say(world, first, "approve")
    assert (await shown(world, third))[0] == "waiting"


async def test_other_wishes_leave_one_that_waits_where_it_is(make: Make) -> None:
    world = make(ScriptedProvider(), text("{}"))
    first, second = [await world.run_play("guarded") for _ in range(2)]
    await world.want(second, PlaybookAsked("pause"))
    await world.work()
    assert (await shown(world, second))[0] == "queued"
    await say(world, first, "approve")
    assert (await shown(world, second))[0] == "waiting"


async def test_a_run_that_was_ended_from_outside_is_in_nobodys_way_for_long(make: Make) -> None:
    world = make(ScriptedProvider(), text("{}"))
    first, second = [await world.run_play("guarded") for _ in range(2)]
    await world.threads.stop(first, "stop")
    await world.work()
    await later(world, LOOK_S)
    assert (await shown(world, second))[0] == "waiting"


async def test_a_run_that_fails_before_its_end_leaves_at_once(make: Make) -> None:
    world = make(ScriptedProvider(), text("{key: '${{ run.payload.repo }}'}"))
    first = await world.run_play("guarded", payload={})
    assert (await ended(world, first)).status == "failed"
    failure = (await ended(world, first)).failure
    assert failure is not None
    assert failure.message.startswith("concurrency: ")


async def test_one_that_goes_on_after_its_end_waits_as_others_do(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), text("{when_full: skip}"))
    first = await world.run_play("guarded", {"what": "a"})
    await say(world, first, "reject")
    second = await world.run_play("guarded", {"what": "b"})
    await world.resume_play(first, "ask")
    await world.work()
    assert await shown(world, first) == ("queued", (second,))
    await say(world, second, "approve")
    await say(world, first, "approve")
    assert effects(ledger) == ["b", "a"]
