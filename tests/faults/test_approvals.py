"""Calls that wait for a yes, over the death of the daemon: each approved one is made once, no other one ever."""

from __future__ import annotations

import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from sulla.agent.approvals.approvals import REJECTED, TOO_LATE
from sulla.core.errors import NotFound, SullaError
from sulla.core.ids import ThreadId
from sulla.core.stamp import stamp
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.threads.bounds import ThreadLimits
from sulla.threads.log.records import Answer
from sulla.threads.store import ThreadStore
from tests.faults.backend import CLOCK, Backend, sqlite
from tests.faults.harness import Daemon
from tests.faults.parked import (
    ASKING,
    PATIENCE_S,
    Parked,
    Sink,
    at,
    broken,
    park,
    questions,
    results,
    script_for,
    standing_in,
    try_to_answer,
    until,
    until_ended,
)
from tests.kits.in_turn import in_turn
from tests.kits.points import some
from tests.servers.anthropic_server import FakeAnthropic

pytestmark = in_turn(2)

LEASE = {"SULLA_STORE__LEASE_TTL_S": "2"}
SHORT_S = 5.0
"""How long a question waits that is to run out."""


def people(*names: str) -> list[Parked]:
    return [Parked(name) for name in names]


async def asked_exactly(daemon: Daemon, waiting: list[Parked]) -> None:
    """The same questions as before, to the letter, and no others."""
    async with at(daemon) as client:
        found = {question["id"]: question for question in await questions(client)}
    assert found == {one.question["id"]: one.question for one in waiting}


async def answered_beside(backend: Backend, one: Parked, url: str, home: Path) -> None:
    """A yes that gets into the log while the home's daemon is down: through another home's daemon, or into the file."""
    if backend.name == "redis":
        async with Daemon(home, url, {**backend.settings, **LEASE, **ASKING}) as other:
            await other.start()
            async with at(other) as client:
                await one.answer(client, "approve")
        return
    store = backend.make()
    await store.open()
    try:
        threads = ThreadStore(store, CLOCK, lambda prefix: prefix, "other:1", THREAD_SCHEMA, ThreadLimits())
        await threads.answer(ThreadId(one.thread_id), Answer(one.question["id"], "", "approve"))
    finally:
        await store.close()


async def settled(daemon: Daemon, backend: Backend, one: Parked, sink: Sink) -> None:
    """See a run to its end whose daemon died at about the time of the call: if nobody can know whether it was made, the
    person looks and says so.
    """
    first = one.question["id"]
    async with CLOCK.timeout(PATIENCE_S), at(daemon) as client:
        while not one.ended(await backend.read_log(one.thread_id)):
            for question in await questions(client):
                if question["thread_id"] == one.thread_id and question["id"] != first:
                    one.question = question
                    done = sink.times(one.name)
                    review = "result" if done else "run_again"
                    verdict = review if question["id"].startswith("review:") else "approve"
                    await one.answer(client, verdict, "It was made." if done else "")
            await CLOCK.sleep(0.05)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("kind", some(["sqlite", "redis"], 1, "approvals"))
async def test_ten_that_wait_over_kills_each_come_to_what_was_answered(
    tmp_path: Path, kind: str, backend_of: Callable[[str], Backend]
) -> None:
    backend = backend_of(kind)
    yes, twice, no = people("yes1", "yes2", "yes3"), people("twice1", "twice2"), people("no1", "no2")
    away, rushed, late = people("away", "rushed", "late")
    everybody = [*yes, *twice, *no, away, rushed, late]
    async with Sink() as sink:
        script = script_for({one.name: sink.command(one.name) for one in everybody})
        async with (
            FakeAnthropic(script, CLOCK) as fake,
            Daemon(tmp_path / "home", fake.url, {**backend.settings, **LEASE, **ASKING}) as daemon,
            Daemon(
                tmp_path / "home",
                fake.url,
                {**backend.settings, **LEASE, **ASKING, "SULLA_LIMITS__APPROVAL_S": str(SHORT_S)},
            ) as hasty,
        ):
            await daemon.start()
            await park(daemon, everybody[:-1])
            await daemon.kill()
            await hasty.start()  # the same home: what it asks runs out soon
            await park(hasty, [late])
            await asked_exactly(hasty, everybody)
            await try_to_answer(hasty, rushed, "approve")
            await hasty.kill()
            await answered_beside(backend, away, fake.url, tmp_path / "other")
            while stamp(round(CLOCK.now() * 1000)) <= late.question["expires_at"]:
                await CLOCK.sleep(0.1)

            await daemon.start()
            async with at(daemon) as client:
                for one in yes:
                    await one.answer(client, "approve")
                for one in twice:
                    first = await one.answer(client, "approve")
                    assert await one.answer(client, "approve") == first
                    with pytest.raises(SullaError):
                        await one.answer(client, "reject")
                for one in no:
                    await one.answer(client, "reject")
                with suppress(NotFound):  # it changes nothing; where the question is over by then, that is said
                    await late.answer(client, "approve")
            for one in (rushed, away):
                await settled(daemon, backend, one, sink)
            logs = {one.name: await until_ended(backend, one) for one in everybody}
            await asked_exactly(daemon, [])
    assert not [said for one in everybody for said in broken(one, logs[one.name])]
    made = {one.name: sink.times(one.name) for one in everybody}
    assert made == {one.name: 0 if one in (*no, late) else 1 for one in everybody}
    assert [results(logs[one.name]) for one in (*no, late)] == [[REJECTED], [REJECTED], [TOO_LATE]]


async def test_one_that_waits_over_an_ordinary_stop_is_asked_the_same_and_made_once(tmp_path: Path) -> None:
    backend = sqlite(tmp_path / "kept.db")
    (one,) = people("one")
    async with Sink() as sink:
        script = script_for({"one": sink.command("one")})
        async with (
            FakeAnthropic(script, CLOCK) as fake,
            Daemon(tmp_path / "home", fake.url, {**backend.settings, **ASKING}) as daemon,
        ):
            await daemon.start()
            await park(daemon, [one])
            daemon.send_signal(signal.SIGTERM)
            await daemon.gone()
            assert not one.ended(await backend.read_log(one.thread_id))
            await daemon.start()
            await asked_exactly(daemon, [one])
            async with at(daemon) as client:
                await one.answer(client, "approve")
            log = await until_ended(backend, one)
    assert not broken(one, log)
    assert sink.times("one") == 1
    assert [entry.kind for entry in log].count("TOOL_CALL_START") == 2, "its intent, and its permission used up"


BEFORE = ("RESUMED:1:before", "TOOL_CALL_START:1:before")
"""Deaths before the yes is used up: it is still good."""
AFTER = ("RESUMED:1:after", "TOOL_CALL_START:1:after", "TOOL_CALL_RESULT:1:before")
"""Deaths around the call, and right before it, as the yes is used up with one write: nobody knows whether the call was
made, so the person looks.
"""


@pytest.mark.parametrize("death", some([*BEFORE, *AFTER], 1, "a yes"))
async def test_a_death_between_the_yes_and_the_result_makes_no_second_call(tmp_path: Path, death: str) -> None:
    backend = sqlite(tmp_path / "kept.db")
    (one,) = people("one")
    async with Sink() as sink:
        script = script_for({"one": sink.command("one")})
        async with (
            FakeAnthropic(script, CLOCK) as fake,
            Daemon(tmp_path / "home", fake.url, {**backend.settings, **ASKING}) as daemon,
        ):
            await daemon.start()
            await park(daemon, [one])
            await daemon.kill()
            await daemon.start("--kill-at", death)
            await try_to_answer(daemon, one, "approve")
            await daemon.gone()
            made = sink.times("one")
            assert made == (death == "TOOL_CALL_RESULT:1:before")
            approval = one.question["id"]
            await daemon.start()
            if death in AFTER:
                async with at(daemon) as client:
                    review = await one.asked(client, before=approval)
                    assert review["id"].startswith("review:")
                    assert sink.times("one") == made, "it was made again and nobody had said so"
                    await one.answer(client, "result" if made else "run_again", "It arrived." if made else "")
                    if not made:  # the first yes was used up
                        again = await one.asked(client, before=review["id"])
                        assert again["id"] != approval
                        assert sink.times("one") == 0
                        await one.answer(client, "approve")
            log = await until_ended(backend, one)
    assert not broken(one, log)
    assert sink.times("one") == 1
    assert results(log)[0].startswith("It arrived." if made else "HTTP/1.1 200 OK")


async def test_a_death_during_an_approved_call_leaves_one_call_one_question_and_no_process(tmp_path: Path) -> None:
    backend = sqlite(tmp_path / "kept.db")
    (one,) = people("one")
    async with Sink() as sink:
        sink.silent.add("/one")
        script = script_for({"one": sink.command("one")})
        async with (
            FakeAnthropic(script, CLOCK) as fake,
            Daemon(tmp_path / "home", fake.url, {**backend.settings, **ASKING}) as daemon,
        ):
            await daemon.start()
            await park(daemon, [one])
            approval = one.question["id"]
            async with at(daemon) as client:
                await one.answer(client, "approve")
            await until(lambda: sink.times("one") == 1)
            assert standing_in(daemon.home / "workspace")
            await daemon.kill()
            await until(lambda: not standing_in(daemon.home / "workspace"))
            await daemon.start()
            async with at(daemon) as client:
                review = await one.asked(client, before=approval)
                assert review["id"].startswith("review:")
                await one.answer(client, "give_up")
            log = await until_ended(backend, one)
    assert not broken(one, log)
    assert sink.times("one") == 1
    assert results(log) == ["Given up by a person; nobody knows whether it took effect."]
