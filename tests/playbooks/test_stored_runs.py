"""What is asked about playbooks' runs is done once, and what cannot be is refused before anything is begun."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from sulla.agent.turn.actor import Actor, actor_key
from sulla.core.errors import Conflict, Forbidden, InvalidInput, MessageIdReused, NotFound, QueueFull
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import Json
from sulla.core.stamp import stamp
from sulla.core.words import Author, agent
from sulla.playbooks.catalog import PlaybookCatalog
from sulla.playbooks.file.check import Checked
from sulla.playbooks.rpc import only
from sulla.playbooks.run.late_node import create_playbook_graph
from sulla.playbooks.run.node import PlaybookNode
from sulla.playbooks.service import Begin
from sulla.playbooks.stored_runs import MOST_FAULTS, MOST_HANDED_OVER, StoredRuns
from sulla.playbooks.triggers.webhooks import PlaybookHooks
from sulla.playbooks.webhook_message import HookMessage
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.threads.log.plays import PLAYBOOK
from sulla.threads.log.records import ThreadCreated
from tests.doubles.play_world import PlayWorld
from tests.schedules.town import make_id

SAY = "name: say\noutputs: {said: '${{ run.payload }}'}\nsteps: [{id: s, respond: hi}]\n"
OVER = "name: over\nsteps: [{id: s, respond: hi}, {id: t, transfer: say}]\n"
RING = "name: ring\nsteps: [{id: t, transfer: ring}]\n"
NAP = "name: nap\nsteps: [{id: s, wait: 1h}, {id: t, respond: hi}]\n"


class Home:
    """Playbooks in files, and who works on their runs."""

    def __init__(self, folder: Path, store: MemoryStore, clock: ManualClock) -> None:
        self.folder = folder
        for text in (SAY, NAP, OVER, RING):
            (folder / f"{text.split()[1]}.yaml").write_text(text)
        self.catalog = PlaybookCatalog([folder], lambda: self.catalog.known)
        self.provider = ScriptedProvider()
        self.world = PlayWorld(store, self.provider, {}, clock=clock)
        self.desk = StoredRuns(
            self.world.threads, self.catalog, clock, make_id, lambda: ("sulla",), lambda _: None, lambda: 0
        )
        effects = replace(self.world.effects, successors=self.desk)
        actor = self.world.actors[actor_key("sulla", graph=PLAYBOOK)]
        graph = create_playbook_graph(PlaybookNode(effects, self.world.lanes))
        self.world.actors[actor_key("sulla", graph=PLAYBOOK)] = Actor(actor.spec, "", graph)

    async def begin(self, playbook: str, key: str = "k", payload: Json = None, thread: str = "") -> ThreadId:
        begun = await self.desk.start(Begin(playbook, payload=payload, thread=ThreadId(thread), by=Author.PERSON), key)
        return ThreadId(begun.run)

    async def status(self, run: str) -> str:
        return (await self.desk.status(run)).about.status


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    clock = ManualClock()
    store = MemoryStore(clock, make_id)
    await store.open()
    yield Home(tmp_path, store, clock)
    await store.close()


async def test_only_conversations_hear_of_runs(home: Home) -> None:
    other = await home.begin("nap", "other")
    beats = await home.world.threads.create(ThreadCreated("sulla", "beats", graph="heartbeat"))
    for thread in (other, beats):
        with pytest.raises(InvalidInput, match=f"{thread} is no conversation"):
            await home.begin("say", f"for {thread}", thread=thread)
    assert [row.run for row in await home.desk.runs()] == [other]
    talk = await home.world.threads.create(ThreadCreated("sulla", "talk"))
    assert (await home.desk.status(await home.begin("say", thread=talk))).about.thread_id == talk


@pytest.mark.parametrize("payload", ["", 0, False, [], {}, None, "hi"])
async def test_what_comes_again_with_the_same_begins_no_other_run(home: Home, payload: Json) -> None:
    run = await home.begin("say", payload=payload)
    await home.world.work()
    assert await home.begin("say", payload=payload) == run
    assert (await home.desk.status(run)).outputs == {"said": payload}


async def test_a_run_that_waits_for_its_turn_is_ended_for_good(home: Home) -> None:
    run = await home.begin("say")
    assert await home.status(run) == "queued"
    await home.desk.cancel(run, "no")
    await home.world.work()
    assert await home.status(run) == "cancelled"


async def test_so_many_runs_wait_and_no_more(home: Home) -> None:
    home.desk = replace(home.desk, most_waiting=2)
    first = await home.begin("nap", "1")
    await home.begin("nap", "2")
    await home.world.work()
    with pytest.raises(QueueFull, match="2 runs of playbooks wait already"):
        await home.begin("nap", "3")
    assert await home.begin("nap", "1") == first
    await home.desk.cancel(first)
    await home.world.work()
    await home.begin("nap", "3")


async def test_who_resumes_what_is_not_paused_is_told_so(home: Home) -> None:
    run = await home.begin("nap")
    await home.world.work()
    with pytest.raises(Conflict, match="is waiting, not paused"):
        await home.desk.resume(run)
    with pytest.raises(Conflict, match="only one that has ended"):
        await home.desk.resume(run, ["s"])


async def test_a_run_that_waits_for_its_turn_is_paused_before_its_first_step(home: Home) -> None:
    run = await home.begin("say")
    await home.desk.pause(run, "look")
    await home.world.work()
    assert await home.status(run) == "paused"
    assert home.world.said == []
    await home.desk.resume(run)
    await home.world.work()
    assert await home.status(run) == "completed"


async def test_a_conversation_hears_of_a_run_that_could_not_hand_over(home: Home) -> None:
    talk = await home.world.threads.create(ThreadCreated("sulla", "talk"))
    run = await home.begin("over", thread=talk)
    (home.folder / "say.yaml").unlink()
    home.provider.add("It failed. <AGENT_DONE>told</AGENT_DONE>")
    await home.world.work()
    row = (await home.desk.status(run)).about
    assert (row.status, row.failure) == ("failed", "there is no playbook 'say'.")
    (_, state) = await home.world.threads.get(talk)
    assert state is not None
    assert state.links.active_work is not None
    assert not state.links.active_work.running
    assert "[The playbook over has failed" in str([entry.fact for entry in await home.world.log(talk)])


async def test_playbooks_hand_over_to_each_other_so_often_and_no_more(home: Home) -> None:
    run: str = await home.begin("ring")
    await home.world.work()
    rows = await home.desk.runs()
    chain = []
    while run:
        chain.append(run)
        run = (await home.desk.status(run)).successor
    assert sorted(chain) == sorted(row.run for row in rows), "each names the one that took over from it"
    assert sorted(row.status for row in rows) == ["failed"] + MOST_HANDED_OVER * ["transferred"]
    (failed,) = [row for row in rows if row.status == "failed"]
    assert failed.failure == f"playbooks have handed over {MOST_HANDED_OVER} times since something started the first"


async def test_a_long_text_keeps_nobody_waiting_and_is_answered_shortly(home: Home) -> None:
    check, threads = home.catalog.check, set[int]()

    def beside(text: str) -> Checked:
        threads.add(threading.get_ident())
        return check(text)

    home.catalog.check = beside  # type: ignore[method-assign]  # it is looked at, and done
    text = "name: x\nsteps:\n- id: s\n  respond: hi\n" + "".join(f"  k{number}: 1\n" for number in range(2_000))
    faults = await home.desk.check(text, "x.yaml")
    assert len(faults) == MOST_FAULTS + 1
    assert faults[-1] == f"x.yaml: and {2_000 - MOST_FAULTS} more"
    with pytest.raises(InvalidInput, match="cannot be run"):
        await home.desk.start(Begin("", source=text, by=Author.PERSON), "source")
    assert threads
    assert threading.get_ident() not in threads


async def test_a_step_that_waits_says_for_what_until_it_is_over(home: Home) -> None:
    (home.folder / "both.yaml").write_text(
        "name: both\nsteps: [{id: s, wait: 1h}, {id: t, needs: [], human: Is it good?, expires: 2h}]\n"
    )
    run = await home.begin("both")
    await home.world.work()
    rows = {row.at: (row.status, row.note) for row in (await home.desk.status(run)).steps}
    until = stamp(round(home.world.clock.now() * 1000) + 3_600_000)
    assert rows == {"s": ("waiting", f"until {until}"), "t": ("waiting", "a person: Is it good?")}
    await home.desk.cancel(run)
    await home.world.work()
    assert [(row.status, row.note) for row in (await home.desk.status(run)).steps] == 2 * [("cancelled", "")]


async def test_a_message_that_comes_again_is_known_whatever_its_file_says_by_now(home: Home) -> None:
    text = "name: brew\non: {webhook: kettle, inputs: {leaf: mate}}\nsecrets: [kettle]\ninputs: {leaf: string}\n"
    file = home.folder / "brew.yaml"
    hooks = PlaybookHooks(home.desk, home.catalog, {"kettle": "whistle whistle whistle"}.get)
    file.write_text(text + "steps: [{id: s, respond: hi}]\n")
    await home.catalog.look()
    first = await hooks.begin("brew", HookMessage("m-1", {"a": 1}, {}, {}))
    file.write_text(text.replace("mate", "oolong") + "steps: [{id: s, respond: hi}]\n")
    await home.catalog.look()
    again = await hooks.begin("brew", HookMessage("m-1", {"a": 1}, {}, {}))
    assert (again.run, again.first) == (first.run, False)
    with pytest.raises(MessageIdReused):
        await hooks.begin("brew", HookMessage("m-1", {"a": 2}, {}, {}))
    file.write_text("name: brew\nsteps: [{id: s, respond: hi}]\n")
    await home.catalog.look()
    with pytest.raises(NotFound, match="takes no webhooks"):
        await hooks.begin("brew", HookMessage("m-2", None, {}, {}))


@pytest.mark.parametrize("tainted", [True, False])
async def test_a_run_is_trusted_as_little_as_the_one_that_its_inputs_were_made_by(home: Home, tainted: bool) -> None:
    made = await home.desk.start(Begin("say", trigger="webhook", payload="a page", by=agent(tainted=tainted)), "first")
    await home.world.work()
    begun = await home.desk.start(
        Begin("say", payload="a page", made_by=ThreadId(made.run), by=Author.PERSON), "second"
    )
    await home.world.work()
    assert (await home.desk.status(begun.run)).about.tainted is tainted


async def test_a_run_that_was_made_by_none_is_not_begun(home: Home) -> None:
    with pytest.raises(NotFound, match="there is no run 'thr_none'"):
        await home.desk.start(Begin("say", made_by=ThreadId("thr_none"), by=Author.PERSON), "k")
    assert await home.desk.runs() == []


async def test_a_fork_has_what_the_trigger_brought_along(home: Home) -> None:
    run = await home.begin("say", payload={"who": "Ann"})
    await home.world.work()
    for key in ("f", "again"):
        run = ThreadId((await home.desk.fork(run, ["s"], None, key)).run)
        await home.world.work()
        assert (await home.desk.status(run)).outputs == {"said": {"who": "Ann"}}


async def test_a_run_that_waits_for_its_turn_is_neither_paused_nor_stepped(home: Home) -> None:
    alone = "name: alone\nconcurrency: {limit: 1}\nsteps: [{id: s, wait: 1h}]\n"
    (home.folder / "alone.yaml").write_text(alone)
    first = await home.begin("alone", "a")
    await home.world.work()
    second = await home.begin("alone", "b")
    await home.world.work()
    assert await home.status(second) == "queued"
    for wish in (home.desk.pause, home.desk.step):
        with pytest.raises(Conflict, match=f"it waits for its turn, behind {first}"):
            await wish(second)
    await home.desk.cancel(second)
    await home.world.work()
    assert await home.status(second) == "cancelled"


@pytest.mark.parametrize(
    ("step", "goes_on"),
    [
        ("human: Really?", r"it goes on when what it asks is answered \(`sulla flow show thr_"),
        ("wait: 1h", "it goes on by itself"),
    ],
)
async def test_who_resumes_a_run_that_waits_is_told_what_it_waits_for(home: Home, step: str, goes_on: str) -> None:
    (home.folder / "held.yaml").write_text(f"name: held\nsteps: [{{id: s, {step}}}]\n")
    run = await home.begin("held")
    await home.world.work()
    with pytest.raises(Conflict, match=f"the run {run} is waiting, not paused: {goes_on}"):
        await home.desk.resume(run)


TWO = """
name: two
outputs: {said: "${{ steps.c.output }}"}
steps:
  - {id: a, tool: nowhere, with: {}}
  - {id: b, set: {it: "${{ steps.a.result.text }}!"}}
  - {id: c, respond: "${{ steps.b.output.it }}"}
finally: [{id: d, respond: bye}]
"""


async def test_one_step_alone_is_done_with_what_others_are_said_to_have_come_to(home: Home) -> None:
    (home.folder / "two.yaml").write_text(TWO)
    begin = Begin("two", step="b", by=Author.PERSON)
    with pytest.raises(InvalidInput, match="reads what 'a' came to: say it"):
        await home.desk.start(begin, "k")
    run = (await home.desk.start(replace(begin, outputs={"a": "hello"}), "k")).run
    await home.world.work()
    detail = await home.desk.status(run)
    assert (detail.about.status, detail.outputs) == ("completed", {"b": {"it": "hello!"}})
    assert home.world.said == []
    with pytest.raises(Conflict, match="this run did the step 'b' alone"):
        await home.desk.resume(run, ["b"])


async def test_a_run_goes_on_from_no_pass_that_it_never_began(home: Home) -> None:
    loop = "loop: {count: 2, steps: [{id: p, set: {v: 1}}, {id: q, fail: no}]}"
    (home.folder / "rounds.yaml").write_text(f"name: rounds\nsteps: [{{id: all, {loop}}}]\n")
    run = await home.begin("rounds")
    await home.world.work()
    said = r"'p\[7\]': the loop 'all' began one pass in this run, 0"
    with pytest.raises(NotFound, match=said):
        await home.desk.resume(run, ["p[7]"])
    with pytest.raises(NotFound, match=said):
        await home.desk.fork(run, ["p[7]"], None, "again")
    assert await home.status(run) == "failed"


async def test_a_failed_run_goes_on_behind_what_was_done_by_hand(home: Home) -> None:
    (home.folder / "two.yaml").write_text(TWO)
    run = await home.begin("two")
    await home.world.work()
    assert await home.status(run) == "failed"
    with pytest.raises(InvalidInput, match="'a' is to be done again, and what it comes to is said already"):
        await home.desk.resume(run, ["a"], {"a": "by hand"})
    await home.desk.resume(run, (), {"a": "by hand"})
    await home.world.work()
    detail = await home.desk.status(run)
    assert (detail.about.status, detail.outputs) == ("completed", {"said": "by hand!"})


LOOKED = """
name: looked
secrets: [key]
steps:
  - {id: a, tool: nowhere, with: {key: "${{ secrets.key }}", n: "${{ 1 + 1 }}"}, on_failure: go_on}
  - {id: each, loop: {for_each: [x, y], steps: [{id: one, respond: "It is ${{ item }}"}]}}
"""


async def test_a_step_is_told_in_full_where_it_is_named_and_in_short_among_all(home: Home) -> None:
    (home.folder / "looked.yaml").write_text(LOOKED)
    run = await home.begin("looked")
    await home.world.work()
    detail = await home.desk.status(run)
    (row,) = only(detail, "a").steps
    assert row.given == {"args": {"key": "[secret key]", "n": 2}}
    assert [(row.at, row.given) for row in only(detail, "one").steps] == [
        ("one@0", {"text": "It is x"}),
        ("one@1", {"text": "It is y"}),
    ]
    assert [row.at for row in only(detail, "one[1]").steps] == ["one@1"]
    assert {row.given for row in only(detail, "").steps} == {None}
    with pytest.raises(NotFound, match=r"no step 'on' of this run has begun. Did you mean 'one'"):
        only(detail, "on")


GATE = "name: gate\nsteps: [{id: ask, human: Send it?}, {id: post, respond: posted}]\n"


async def test_only_who_may_answer_says_what_a_person_answered(home: Home) -> None:
    (home.folder / "gate.yaml").write_text(GATE)
    begin = Begin("gate", by=Author.PERSON)
    for one in (replace(begin, outputs={"ask": True}), replace(begin, step="post")):
        with pytest.raises(Forbidden, match="scope 'approve': the playbook 'gate' asks a person at the step 'ask'"):
            await home.desk.start(one, "refused")
    run = (await home.desk.start(begin, "k")).run
    await home.world.work()
    await home.desk.cancel(run)
    await home.world.work()
    for steps, outputs in (([], {"ask": True}), (["post"], {"ask": True}), (["post"], {})):
        with pytest.raises(Forbidden, match="going on"):
            await home.desk.resume(run, steps, outputs)
    with pytest.raises(Forbidden, match="a copy of a run"):
        await home.desk.fork(run, ["post"], None, "again")
    assert home.world.said == []
    await home.desk.resume(run, (), {"ask": True}, may_answer=True)
    await home.world.work()
    assert (await home.status(run), len(home.world.said)) == ("completed", 1)


LINE = """
name: line
steps:
  - {id: a, set: {x: 1}}
  - {id: b, tool: nowhere, with: {}, needs: [a]}
  - {id: c, set: {x: 1}, needs: [b]}
  - {id: d, loop: {count: 3, steps: [{id: e, set: {x: 1}}]}, needs: [c]}
"""


async def test_steps_are_told_apart_by_what_they_came_to_and_are_never_more_than_there_are(home: Home) -> None:
    (home.folder / "line.yaml").write_text(LINE)
    run = await home.begin("line")

    async def told() -> dict[str, int]:
        await home.world.work()
        row = (await home.desk.status(run)).about
        names = ("steps", "done", "failed", "skipped", "cancelled", "not_begun")
        return {name: getattr(row, name) for name in names if getattr(row, name)}

    assert await told() == {"steps": 5, "done": 1, "failed": 1, "not_begun": 3}
    await home.desk.resume(run)
    assert await told() == {"steps": 5, "done": 1, "failed": 1, "not_begun": 3}
    await home.desk.resume(run, (), {"b": {"output": "well"}}, may_answer=True)
    assert await told() == {"steps": 5, "done": 5}
