"""Runs of playbooks in real daemons: what they walk, the people who answer them, and what must hold at their end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sulla.core.errors import NotFound, SullaError
from sulla.playbooks.records import PlaybookEnded, Played
from sulla.playbooks.slice import PLAYBOOK_RUN
from sulla.threads.log.codec import Entry
from sulla.threads.log.records import Input
from sulla.threads.log.state import ThreadState
from sulla.threads.next_task import Idle, next_task
from tests.faults.backend import CLOCK
from tests.faults.beating import Onlooker
from tests.faults.harness import Daemon
from tests.faults.parked import ASKING, at, questions
from tests.servers.script import Reply, Rule, Script, ToolUse

EVERYTHING = """
name: everything
outputs: {kind: "${{ steps.kind.output }}", told: "${{ steps.ask.output }}"}
steps:
  - {id: a, tool: note_once, with: {what: a}}
  - id: kind
    router: (kind) What is it?
    routes: {other: anything else, sales: wants to buy}
  - {id: look, needs: [kind.other], agent: '', prompt: (look) Look}
  - {id: sub, playbook: inner, with: {what: "${{ steps.look.output }}"}}
  - id: both
    parallel:
      branches:
        left:
          - {id: l, tool: note_once, with: {what: left}}
        right:
          - {id: r, human: Right?}
          - {id: r2, tool: note_once, with: {what: right}}
  - id: each
    loop:
      for_each: [x, y]
      steps:
        - {id: ok, human: "Shall ${{ item }} be?"}
        - {id: n, tool: note_once, with: {what: "loop ${{ item }}"}}
  - {id: rest, wait: 1s}
  - {id: ask, prompt: (ask) What do you think?}
  - {id: b, tool: note_once, check: orchestrator, with: {what: checked}}
  - {id: tell, respond: All is done.}
"""
INNER = """
name: inner
inputs: {what: {type: string}}
steps:
  - {id: i1, human: Within?}
  - {id: i2, tool: note_once, with: {what: inner}}
"""
NOTES = ("a", "checked", "inner", "left", "loop x", "loop y", "right")
STEPS = ("a", "kind", "look", "sub", "both", "l", "r", "r2", "each", "rest", "ask", "b", "tell")
"""Those that have one address; in the loop each has another one in each pass."""
DONE = "It is blue. <AGENT_DONE>blue</AGENT_DONE>"
PATIENCE_S = 40.0
PLAYING: Final = {**ASKING, "SULLA_MEMORY__ENABLED": "false"}  # it would quote what earlier steps were asked


def script() -> Script:
    """The same however often it is asked."""
    return Script(
        [
            Rule(Reply(tools=(ToolUse("choose", {"choice": "other"}),)), text="(kind)"),
            Rule(Reply(DONE), text="(look)"),
            Rule(Reply(tools=(ToolUse("reply", {"reply": "fine"}),)), text="(ask)"),
            Rule(Reply(tools=(ToolUse("check_call", {"verdict": "confirm"}),)), text="about to call note_once"),
            Rule(Reply(DONE)),
        ]
    )


def write_playbooks(home: Path, texts: Mapping[str, str]) -> None:
    """Give a home its playbooks."""
    folder = home / "workflows"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")


@dataclass(slots=True)
class Director:
    """Begins runs, and answers what people are asked, over any number of daemons.

    Args:
        daemon: whose.
    """

    daemon: Daemon
    answers: bool = True
    """Whether people answer what playbooks ask; what was cut off they always look at."""
    reviews: int = 0
    _seen: set[str] = field(default_factory=set)

    async def begin(self, name: str, number: int = 1) -> tuple[str, str]:
        """Begin a run for a conversation, once under a number; the run, and the conversation."""
        async with CLOCK.timeout(PATIENCE_S):
            while True:
                try:
                    async with at(self.daemon) as client:
                        talk = (await client.call("thread.create", request_id=f"talk-{number}"))["thread_id"]
                        begun = await client.call(
                            "workflow.start", playbook=name, thread_id=talk, request_id=f"go-{number}"
                        )
                        return str(begun["run"]), str(talk)
                except SullaError:
                    await CLOCK.sleep(0.05)  # it dies, or is not there yet

    async def people(self) -> None:
        """Answer for ever."""
        while True:
            with suppress(SullaError):
                await self.answer()
            await CLOCK.sleep(0.05)

    async def answer(self) -> None:
        """Answer what is asked now."""
        async with at(self.daemon) as client:
            for question in await questions(client):
                review = question["id"].startswith("review:")
                if not review and not self.answers:
                    continue
                said = self._review(question["id"]) if review else ("approve", "")
                if question["id"] not in self._seen:
                    self._seen.add(question["id"])
                    self.reviews += review
                with suppress(NotFound):  # answered already, and it went on
                    await client.call(
                        "approval.answer",
                        thread_id=question["thread_id"],
                        id=question["id"],
                        verdict=said[0],
                        text=said[1] or None,
                    )

    def _review(self, wait_id: str) -> tuple[str, str]:
        call = wait_id.split(":")[1]
        done = [effect["what"] for effect in self.daemon.effects.read() if effect["key"].endswith(f":{call}")]
        return ("result", f"noted {done[0]}") if done else ("run_again", "")


async def plays(onlooker: Onlooker) -> list[ThreadState]:
    """The threads that walk playbooks."""
    return [state for state in await onlooker.states() if PLAYBOOK_RUN.of(state) is not None]


async def is_at_work(onlooker: Onlooker) -> bool:
    """Whether any of them does more than wait."""
    return any(state.run is not None and not state.suspended for state in await plays(onlooker))


async def completed(onlooker: Onlooker) -> set[tuple[str, str]]:
    """The steps that are done, each with its run."""
    return {
        (state.thread_id, entry.fact.at)
        for state in await plays(onlooker)
        for entry in await onlooker.log(state.thread_id)
        if isinstance(entry.fact, Played) and entry.fact.what == "STEP_COMPLETED"
    }


async def records(onlooker: Onlooker) -> int:
    """How much all runs of playbooks have written down."""
    return sum([len([e for e in await onlooker.log(s.thread_id) if _is_progress(e)]) for s in await plays(onlooker)])


def _is_progress(entry: Entry) -> bool:
    return entry.kind in ("PLAYBOOK", "SUSPENDED", "RESUMED")


async def resumed_s(onlooker: Onlooker, before: int, since: float) -> float:
    """How long it takes until a run that was cut off goes on, seconds since a moment."""
    async with CLOCK.timeout(PATIENCE_S):
        while await records(onlooker) == before:
            await CLOCK.sleep(0.01)
    return CLOCK.elapsed() - since


async def all_at_rest(onlooker: Onlooker) -> None:
    """Return when no thread works or waits, and every end was told."""
    async with CLOCK.timeout(PATIENCE_S):
        while not all(isinstance(next_task(state), Idle) for state in await onlooker.states()):
            await CLOCK.sleep(0.05)


async def faults_of(onlooker: Onlooker, daemon: Daemon, runs: Mapping[str, str], reviews: int, kills: int) -> list[str]:
    """What does not hold when runs of `everything` have ended.

    Args:
        onlooker: looks at the store.
        daemon: what worked on them.
        runs: each with its conversation.
        reviews: how many calls people had to look at.
        kills: how often the daemon was killed.
    """
    found = await onlooker.broken()
    states = {state.thread_id: state for state in await onlooker.states()}
    for run, talk in runs.items():
        play = PLAYBOOK_RUN.of(states[run]) if run in states else None  # type: ignore[index]  # a thread's id
        if play is None or play.status != "completed":
            found.append(f"{run}: {play.status if play else 'gone'}: {play.failure if play else ''}")
        done = Counter(
            entry.fact.at
            for entry in await onlooker.log(run)
            if isinstance(entry.fact, Played) and entry.fact.what == "STEP_COMPLETED"
        )
        found += [f"{run}: {at} completed {times} times" for at, times in done.items() if times > 1]
        found += [f"{run}: {at} not completed" for at in STEPS if at not in done]
        heard = [entry.fact for entry in await onlooker.log(talk)]
        ends = [fact for fact in heard if isinstance(fact, PlaybookEnded)]
        asked = [fact for fact in heard if isinstance(fact, Input) and fact.question is not None]
        if (len(ends), len(asked)) != (1, 2):
            found.append(f"{talk}: {len(ends)} ends told, {len(asked)} questions asked")
    effects = Counter((effect["what"], effect["key"]) for effect in daemon.effects.read())
    found += [f"{what} {times} times" for (what, _), times in effects.items() if times > 1]
    words = Counter(what for what, _ in effects)
    found += [f"{what}: {words[what]} notes for {len(runs)} runs" for what in NOTES if words[what] != len(runs)]
    subs = [
        state for state in states.values() if PLAYBOOK_RUN.of(state) is not None and state.identity.birth is not None
    ]
    if len(subs) != len(runs):
        found.append(f"{len(subs)} runs of the playbook within for {len(runs)}")
    if reviews > 2 * kills:  # two calls are side by side at the most
        found.append(f"{reviews} reviews after {kills} kills")
    return found
