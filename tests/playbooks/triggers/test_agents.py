"""What agents are told of playbooks, and what they are given to start them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from sulla.core.errors import NotAvailable
from sulla.core.ids import RunId, ThreadId
from sulla.core.run import Run
from sulla.playbooks.catalog import PlaybookCatalog
from sulla.playbooks.service import TriggerKind
from sulla.playbooks.triggers.agents import PlayHands
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.testing.world import World
from sulla.threads import ThreadState, Transcript
from sulla.tools import Toolbox
from tests.doubles.playbooks import MemoryPlaybooks
from tests.schedules.town import make_id


async def nobody(question: str, choices: Mapping[str, str], call_id: str, run: Run) -> str:
    raise AssertionError("nothing is to be chosen")


async def opened(folder: Path, *playbooks: tuple[str, str]) -> PlayHands:
    catalog = PlaybookCatalog([folder], lambda: catalog.known)
    for name, on in playbooks:
        text = f"name: {name}\ndescription: Does {name}.\non: {on}\nsteps: [{{id: s, respond: hi}}]\n"
        (folder / f"{name}.yaml").write_text(text)
    await catalog.look()
    hands = PlayHands()
    world = World(MemoryStore(ManualClock(), make_id), ScriptedProvider())
    hands.open(MemoryPlaybooks(), catalog, world.threads, nobody)
    return hands


async def test_a_model_is_told_of_the_playbooks_that_messages_are_for(tmp_path: Path) -> None:
    hands = await opened(
        tmp_path, ("triage", "{chat: a new lead}"), ("rounds", "heartbeat"), ("by_hand", "manual"), ("bad", "never")
    )
    (section,) = hands.sections(Toolbox(hands.tools))
    assert section.text.endswith("\n- triage: Does triage. For messages about: a new lead.")
    assert hands.beat_lines(Toolbox(hands.tools)) == "- rounds: Does rounds."


async def test_who_cannot_start_one_is_told_of_none(tmp_path: Path) -> None:
    hands = await opened(tmp_path, ("triage", "{chat: a new lead}"), ("rounds", "heartbeat"))
    assert hands.sections(Toolbox(())) == ()
    assert hands.beat_lines(Toolbox(())) == ""


async def test_a_home_without_such_playbooks_tells_nothing(tmp_path: Path) -> None:
    hands = await opened(tmp_path, ("by_hand", "manual"))
    assert hands.sections(Toolbox(hands.tools)) == ()
    assert hands.beat_lines(Toolbox(hands.tools)) == ""


async def test_the_inputs_of_the_trigger_that_fits_are_given(tmp_path: Path) -> None:
    text = (
        "name: p\ninputs: {of: string}\nsteps: [{id: s, respond: hi}]\n"
        "on: [{schedule: 30m, inputs: {of: clock}}, {heartbeat: true, inputs: {of: beat}}, {chat: a lead}]\n"
    )
    (tmp_path / "p.yaml").write_text(text)
    given = (await opened(tmp_path))().given
    beat: tuple[TriggerKind, ...] = ("heartbeat",)
    assert given("p", beat) == {"of": "beat"}
    assert given("p", ("manual", "chat")) == {}
    assert given("other", beat) == {}


async def test_before_a_daemon_runs_nothing_is_started(tmp_path: Path) -> None:
    hands = PlayHands()
    with pytest.raises(NotAvailable, match="no daemon runs"):
        hands()
    assert hands.sections(Toolbox(hands.tools)) == ()
    state = ThreadState(ThreadId("t"), Transcript(lambda message: 1))
    assert await hands.opening(state, _run()) == ""


def _run() -> Run:
    world = World(MemoryStore(ManualClock(), make_id), ScriptedProvider())
    return Run(RunId("r"), ThreadId("t"), "sulla", world.clock, None, None, None)  # type: ignore[arg-type]  # not used
