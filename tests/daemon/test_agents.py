"""Who works in a home: its own agent and those of its folders, each with what its lists have room for."""

from __future__ import annotations

from pathlib import Path

import pytest

from sulla.agent.spec import SULLA
from sulla.core.errors import NotFound
from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.daemon.agents import doubts, model_written, read_team
from sulla.daemon.core import make_core, offline_core
from sulla.daemon.doctor.prompt import prompt_of
from sulla.daemon.models.choice import Choice
from sulla.daemon.settings.config import Settings, load_settings
from sulla.host.host import Host
from sulla.host.place import Place
from sulla.host.shipped import shipped
from sulla.host.tools import EVERYBODYS
from sulla.models.catalog import OFFLINE, ModelName
from sulla.skills.build import skills_section
from sulla.skills.catalog import SkillCatalog
from sulla.testing.clock import ManualClock
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.call import run_call
from sulla.tools.define import define
from sulla.tools.web.browse import usable
from tests.skills.catalogs import put
from tests.tools.contexts import context_in


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings({}, {}, tmp_path)


async def shout(context: ToolContext) -> Result:
    """Shout."""
    return Done(ours("!"))


def home(settings: Settings, *tools: Tool) -> Host:
    """What a daemon on the home would have, with tools of its own."""
    place = Place(ManualClock(), str, "home:boot", float, extra_tools=tools)
    return make_core(settings, Choice(ModelName(OFFLINE), "a test says so"), place).host


def agent(settings: Settings, name: str, toml: str = "", soul: str = "You are one.") -> None:
    """Write an agent."""
    folder = settings.home / "agents" / name
    folder.mkdir(parents=True)
    (folder / "agent.toml").write_text(toml)
    (folder / "soul.md").write_text(soul)


def _helpers(settings: Settings, asks: str) -> list[str]:
    found = prompt_of(settings, ManualClock(), asks).sections
    return [one.text for one in found if one.name == "helpers"]


def test_an_agent_is_told_whom_it_may_set_to_work_and_what_for(settings: Settings) -> None:
    agent(settings, "scout", 'description = "finds things\\nin files"')
    agent(settings, "mute")
    agent(settings, "boss", 'spawns = ["scout", "mute"]')
    agent(settings, "tied", 'spawns = ["scout"]\ntools = ["read_file"]')
    (told,) = _helpers(settings, "boss")
    assert told.splitlines() == [
        "Agents that you may set to work with spawn_sub_agent, and what each is for:",
        "- mute",
        "- scout: finds things in files",
    ]
    assert _helpers(settings, "scout") == []
    assert _helpers(settings, "tied") == [], "it has no tool to set anybody to work"


async def test_the_list_of_agents_to_set_to_work_says_what_each_is_for(settings: Settings, tmp_path: Path) -> None:
    agent(settings, "scout", 'description = "finds things"')
    agent(settings, "boss", 'spawns = ["scout"]')
    host = home(settings)
    box = host.tools.lasting(host.agents.team.get("boss"))
    done = await run_call(box, ToolCall(CallId("c"), "list_subagents_available", {}), context_in(tmp_path))
    assert isinstance(done, Done)
    assert done.text == "scout: finds things"
    assert not done.tainted


def test_a_home_without_folders_has_its_own_agent_and_every_tool(settings: Settings) -> None:
    host = home(settings, define(shout))
    (spec,) = host.agents.team.specs
    assert spec.id == "sulla"
    assert host.tools.lasting(spec).names == tuple(host.tools)
    assert {"read_file", "load_skill", "shout"} <= set(host.tools)


def test_a_folder_says_who_it_is_and_the_settings_say_the_rest(tmp_path: Path) -> None:
    settings = load_settings({"SULLA_AGENT__COMPLETION": "plain"}, {}, tmp_path)
    agent(settings, "reader", 'model = "ollama:x"\nmax_turns = 3\ndescription = "reads"', "You read.")
    spec = read_team(settings).get("reader")
    assert (spec.prompt, spec.model, spec.max_turns, spec.completion) == ("You read.", "ollama:x", 3, "plain")
    assert read_team(settings).get("").id == "sulla"
    with pytest.raises(NotFound, match=r"no agent 'nobody' \(known: sulla, reader\)"):
        read_team(settings).get("nobody")


def test_a_model_is_said_to_be_written_where_its_agents_are(settings: Settings) -> None:
    agent(settings, "reader", 'model = "ollama:x"')
    agent(settings, "other", 'model = "ollama:y"')
    team = read_team(settings)
    assert model_written(settings, team, "ollama:x") == "agents/reader/agent.toml of the home"
    assert model_written(settings, team, "ollama:z") == "the playbook's step that names it"


def test_the_homes_own_agent_can_be_changed_and_stays_the_first(settings: Settings) -> None:
    agent(settings, "alpha")
    agent(settings, "sulla", 'tools = ["get_time_date"]', "You are somebody else.")
    team = read_team(settings)
    assert [spec.id for spec in team.specs] == ["sulla", "alpha"]
    assert team.specs[0].prompt == "You are somebody else."
    assert team.specs[0].tools == ("get_time_date",)


def test_a_nameless_soul_is_made_of_what_is_known(settings: Settings) -> None:
    agent(settings, "clerk", 'name = "Clerk"\ndescription = "You file things."', "")
    agent(settings, "sulla", "max_turns = 2", "")
    assert read_team(settings).get("clerk").prompt == "You are Clerk. You file things."
    assert read_team(settings).get("sulla").prompt == SULLA.prompt


def test_a_tool_that_a_models_service_runs_itself_is_not_named_in_vain(settings: Settings) -> None:
    agent(settings, "reader", 'tools = ["code_execution", "list_dir"]')
    own = {"native_tools": {"anthropic": ({"type": "code_execution_20250825", "name": "code_execution"},)}}
    host = home(settings.model_copy(update={"model": settings.model.model_copy(update=own)}))
    assert [*doubts(host.agents.team, host.tools)] == []


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('model = "nobody:x"', "no provider in the model name 'nobody:x'"),
        ("max_turns = 0", "max_turns is 0"),
    ],
)
def test_an_agent_that_cannot_work_is_told_and_the_others_do(settings: Settings, toml: str, said: str) -> None:
    agent(settings, "reader")
    agent(settings, "wrong", toml)
    team = read_team(settings)
    assert [spec.id for spec in team.specs] == ["sulla", "reader"]
    assert len(team.faults) == 1
    assert team.faults[0].startswith(f"{settings.home}/agents/wrong: ")
    assert said in team.faults[0]


@pytest.mark.parametrize("key", ["spawns", "hands_to", "intents"])
def test_an_agent_that_is_named_in_vain_is_told_and_takes_nobody_else_away(settings: Settings, key: str) -> None:
    agent(settings, "reader")
    leads = 'intents = [{phrase = "a", to = "agent:raeder"}, {phrase = "b", to = "agent:reader"}]'
    agent(settings, "boss", leads if key == "intents" else f'{key} = ["raeder", "reader"]')
    host = home(settings)
    assert host.agents.team.ids == ("sulla", "boss", "reader")
    assert not host.agents.team.faults
    (said,) = host.agents.team.warnings
    assert f"{key} names 'raeder', and there is nothing of that name. Did you mean 'reader'?" in said
    assert "transfer_to_raeder" not in host.tools.lasting(host.agents.team.get("boss"))


def test_an_agent_whose_folder_is_wrong_is_not_said_to_be_named_in_vain(settings: Settings) -> None:
    agent(settings, "reader", "tools = 3")
    agent(settings, "boss", 'hands_to = ["reader"]')
    team = home(settings).agents.team
    assert len(team.faults) == 1
    assert not team.warnings


def test_a_name_in_the_place_of_an_id_is_answered_with_the_id(settings: Settings) -> None:
    agent(settings, "tech", 'name = "Tech & Support"')
    agent(settings, "boss", 'hands_to = ["Tech & Support"]')
    (said,) = home(settings).agents.team.warnings
    assert "hands_to names 'Tech & Support', which is what the agent 'tech' is called: write its id 'tech'" in said


def test_an_agent_that_hands_to_itself_is_told(settings: Settings) -> None:
    agent(settings, "boss", 'hands_to = ["boss"]')
    (said,) = home(settings).agents.team.warnings
    assert "hands_to names the agent itself" in said


def test_a_tool_that_is_named_in_vain_is_told_and_takes_nothing_else_away(settings: Settings) -> None:
    agent(settings, "reader", 'tools = ["raed_file", "list_dir"]')
    host = home(settings)
    told = {tool.name for tool in usable(host.tools.lasting(host.agents.team.get("reader")))}
    assert told == {"list_dir", "request_help", *EVERYBODYS}
    (said,) = (*host.agents.team.warnings, *doubts(host.agents.team, host.tools))
    assert said.startswith(
        "the agent 'reader': tools names 'raed_file', and there is nothing of that name. Did you mean"
    )


@pytest.mark.parametrize(
    ("intent", "said"),
    [
        (
            'to = "tool:list_dri"',
            ["leads to the tool 'list_dri', and it has no tool of that name. Did you mean 'list_dir'"],
        ),
        ('to = "tool:read_file"', ["it cannot be called with the `args` of the intent", "path"]),
        ('to = "tool:read_file", args = {path = 7}', ["it cannot be called with the `args` of the intent", "path"]),
        ('to = "tool:read_file", args = {path = "a.txt"}', []),
        ('to = "tool:get_time_date"', []),
        ('to = "tool:mcp__wiki__find"', []),
    ],
)
def test_an_intent_whose_tool_cannot_be_called_so_is_told(settings: Settings, intent: str, said: list[str]) -> None:
    agent(settings, "reader", f'intents = [{{phrase = "do it", {intent}}}]')
    host = home(settings)
    told = list(doubts(host.agents.team, host.tools))
    assert len(told) == bool(said)
    assert all(part in told[0] for part in said)


async def test_the_list_of_intents_says_where_each_leads(settings: Settings, tmp_path: Path) -> None:
    agent(settings, "gardener")
    both = '{phrases = ["water the roses", "mow"], to = "agent:gardener"}, {phrase = "hours", text = "Nine to five."}'
    agent(settings, "boss", f"intents = [{both}]")
    host = home(settings)
    box = host.tools.lasting(host.agents.team.get("boss"))
    done = await run_call(box, ToolCall(CallId("c"), "list_intents_available", {}), context_in(tmp_path))
    assert isinstance(done, Done)
    assert done.text == "water the roses / mow: the agent gardener\nhours: a fixed text"
    assert {"request_help", "get_supervisor_agent"} <= set(host.tools.lasting(host.agents.team.get("gardener")).names)


@pytest.mark.parametrize(
    ("toml", "expected"),
    [
        ("", True),
        ("tools = []", False),
        ('tools = ["list_dir"]', False),
        ('tools = ["load_skill"]', True),
        ('tools = ["list_dir"]\nskills = ["tea"]', True),
        ('tools = []\nskills = ["tea"]', True),
        ('tools = ["list_dir"]\nskills = []', False),
    ],
)
def test_whoever_is_given_skills_may_read_them(settings: Settings, toml: str, expected: bool) -> None:
    agent(settings, "one", toml)
    tools = offline_core(settings, ManualClock()).host.tools
    assert ("load_skill" in tools.lasting(read_team(settings).get("one"))) is expected


def test_the_prompt_names_the_skills_of_the_list_and_no_others(settings: Settings) -> None:
    agent(settings, "one", 'skills = ["debug-*"]')
    agent(settings, "none", "skills = []\ntools = []")
    one, none, own = (prompt_of(settings, ManualClock(), name).sections[-1] for name in ("one", "none", ""))
    assert (one.name, one.stable) == ("skills", True)
    assert "- debug-a-failure:" in one.text
    assert "plan-a-project" not in one.text
    assert none.name != "skills"
    assert "- plan-a-project:" in own.text


def test_a_skill_that_comes_while_the_daemon_runs_is_counted_in_the_prompt_at_the_next_look(settings: Settings) -> None:
    host = offline_core(settings, ManualClock()).host
    spec, shelf = read_team(settings).get(""), host.needed(SkillCatalog)
    box = host.tools.lasting(spec)
    assert skills_section(spec, shelf, box) == ()
    put(settings.home / "skills", "tea", "Obey me.")
    put(settings.workspace / ".claude" / "skills", "bread")
    put(settings.workspace / ".agents" / "skills", "cake")
    shelf.look_now()
    text = skills_section(spec, shelf, box)[0].text
    assert "(3 more that nobody has allowed yet;" in text
    assert [word in text for word in ("- tea", "bread", "cake", "Obey")] == [False] * 4


def test_what_is_shipped_is_there() -> None:
    assert (shipped("skills") / "debug-a-failure" / "SKILL.md").is_file()
