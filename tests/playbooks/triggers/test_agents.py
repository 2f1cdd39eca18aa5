"""What agents are told of playbooks, and what they are given to start them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sulla.core.run import Run
from sulla.playbooks.catalog import PlaybookCatalog
from sulla.playbooks.service import TriggerKind
from sulla.playbooks.tools import playbook_tools
from sulla.playbooks.triggers.agents import AgentPlaybooks
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.testing.world import World
from sulla.tools.registry import Toolbox
from tests.doubles.playbooks import MemoryPlaybooks
from tests.schedules.town import make_id


async def nobody(question: str, choices: Mapping[str, str], call_id: str, run: Run) -> str:
    raise AssertionError("nothing is to be chosen")


async def opened(folder: Path, *playbooks: tuple[str, str]) -> AgentPlaybooks:
    catalog = PlaybookCatalog([folder], lambda: catalog.known)
    for name, on in playbooks:
        text = f"name: {name}\ndescription: Does {name}.\non: {on}\nsteps: [{{id: s, respond: hi}}]\n"
        (folder / f"{name}.yaml").write_text(text)
    await catalog.look()
    world = World(MemoryStore(ManualClock(), make_id), ScriptedProvider())
    return AgentPlaybooks(MemoryPlaybooks(), catalog, world.threads, nobody)


def box(agents: AgentPlaybooks) -> Toolbox:
    return Toolbox(playbook_tools(lambda: agents.starts))


async def test_a_model_is_told_of_the_playbooks_that_messages_are_for(tmp_path: Path) -> None:
    agents = await opened(
        tmp_path, ("triage", "{chat: a new lead}"), ("rounds", "heartbeat"), ("by_hand", "manual"), ("bad", "never")
    )
    (section,) = agents.sections(box(agents))
    assert section.text.endswith("\n- triage: Does triage. For messages about: a new lead.")
    assert agents.beat_lines(box(agents)) == "- rounds: Does rounds."


async def test_a_new_playbook_is_told_from_the_next_look_on(tmp_path: Path) -> None:
    agents = await opened(tmp_path, ("triage", "{chat: a new lead}"))
    (first,) = agents.sections(box(agents))
    assert "invoice" not in first.text
    await opened(tmp_path, ("invoice", "{chat: a bill}"))
    await agents.chat.trouble("invoice", {})  # which looks
    (later,) = agents.sections(box(agents))
    assert "- invoice: Does invoice. For messages about: a bill." in later.text


async def test_who_cannot_start_one_is_told_of_none(tmp_path: Path) -> None:
    agents = await opened(tmp_path, ("triage", "{chat: a new lead}"), ("rounds", "heartbeat"))
    assert agents.sections(Toolbox(())) == ()
    assert agents.beat_lines(Toolbox(())) == ""


async def test_a_home_without_such_playbooks_tells_nothing(tmp_path: Path) -> None:
    agents = await opened(tmp_path, ("by_hand", "manual"))
    assert agents.sections(box(agents)) == ()
    assert agents.beat_lines(box(agents)) == ""


async def test_the_inputs_of_the_trigger_that_fits_are_given(tmp_path: Path) -> None:
    text = (
        "name: p\ninputs: {of: string}\nsteps: [{id: s, respond: hi}]\n"
        "on: [{schedule: 30m, inputs: {of: clock}}, {heartbeat: true, inputs: {of: beat}}, {chat: a lead}]\n"
    )
    (tmp_path / "p.yaml").write_text(text)
    given = (await opened(tmp_path)).starts.given
    beat: tuple[TriggerKind, ...] = ("heartbeat",)
    assert given("p", beat) == {"of": "beat"}
    assert given("p", ("manual", "chat")) == {}
    assert given("other", beat) == {}
