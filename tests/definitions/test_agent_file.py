"""An agent's folder, in our form and the original's; every mistake is told with its file and what was expected."""

from __future__ import annotations

import pytest

from sulla.core.errors import InvalidInput
from sulla.definitions.agent_file import allows, read_agent, unknown

TOML = """
name = "Reader"
description = "reads"
model = "ollama:qwen3:8b"
completion = "plain"
tools = ["read_file", "mcp__*"]
skills = []
spawns = ["sulla"]
max_turns = 20
"""

YAML = """
name: Reader
description: reads
type: worker
provider: ollama
model: qwen3
tools: [read_file]
integrations: []
excludeSoul: false
"""


def test_our_form_says_everything() -> None:
    agent = read_agent("reader", {"agent.toml": TOML, "soul.md": "You read.\n", "directives.md": " Obey. "})
    assert (agent.id, agent.name, agent.description) == ("reader", "Reader", "reads")
    assert (agent.model, agent.completion, agent.max_turns) == ("ollama:qwen3:8b", "plain", 20)
    assert (agent.tools, agent.skills, agent.spawns) == (("read_file", "mcp__*"), (), ("sulla",))
    assert (agent.prompt, agent.directives, agent.environment) == ("You read.", "Obey.", "")
    assert agent.warnings == ()


@pytest.mark.parametrize("file", ["config.yaml", "agent.yaml"])
def test_the_originals_form_is_read_and_what_means_nothing_here_is_told(file: str) -> None:
    agent = read_agent("reader", {file: YAML, "soul.md": "You read."})
    assert (agent.name, agent.model, agent.tools) == ("Reader", "ollama:qwen3", ("read_file",))
    assert agent.warnings == (f"{file}: type, integrations, excludeSoul of the original mean nothing here",)


def test_the_soul_comes_first_and_the_environment_apart() -> None:
    texts = {"zeal.md": "Z", "environment.md": "E", "art.md": "A", "soul.md": "S", "directives.md": "D"}
    agent = read_agent("reader", texts)
    assert (agent.prompt, agent.environment, agent.directives) == ("S\n\nA\n\nZ", "E", "D")


def test_what_is_left_out_is_no_limit() -> None:
    agent = read_agent("reader", {"soul.md": "You read."})
    assert (agent.name, agent.tools, agent.skills, agent.spawns) == ("reader", None, None, ())
    assert (agent.model, agent.completion, agent.max_turns) == ("", None, None)
    assert agent.warnings == ("there is no agent.toml: all is default",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = 3", "name is 3; expected a text"),
        ("tools = 'read_file'", "tools is 'read_file'; expected a list of names"),
        ("tools = ['']", "expected a list of names"),
        ("skills = [1]", "skills is"),
        ("max_turns = 0", "max_turns is 0; expected a whole number from 1 to 1000"),
        ("max_turns = true", "max_turns is True"),
        ("reply_tokens = 0", "reply_tokens is 0; expected a whole number from 1 to 1000000"),
        ("temperature = 2.1", "temperature is 2.1; expected a number from 0 to 2"),
        ("temperature = -1", "temperature is -1"),
        ("temperature = nan", "temperature is nan"),
        ("temperature = true", "temperature is True"),
        ('thinking = "high"', "thinking is 'high'; expected true or false"),
        ("completion = 'maybe'", "completion is 'maybe'; expected 'wrapper' or 'plain'"),
        ("tolls = []", r"there is no setting 'tolls'\. Did you mean 'tools'"),
        ("name =", "Invalid value"),
    ],
)
def test_a_mistake_is_told_with_its_place_and_what_was_expected(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=rf"^agent\.toml:1:\d+: .*{said}"):
        read_agent("reader", {"agent.toml": text})


def test_a_mistake_in_yaml_is_told_with_its_line() -> None:
    with pytest.raises(InvalidInput, match=r"^config\.yaml: line 2: "):
        read_agent("reader", {"config.yaml": "name: x\nmodel: b: c"})


@pytest.mark.parametrize("folder", ["", "Reader", "a b", "-a", "a--b", "a/b", "x" * 65])
def test_a_folder_that_cannot_be_an_agents_is_refused(folder: str) -> None:
    with pytest.raises(InvalidInput, match="an agent cannot be called"):
        read_agent(folder, {"soul.md": "x"})


@pytest.mark.parametrize(
    ("patterns", "name", "expected"),
    [
        (None, "bash", True),
        ((), "bash", False),
        (("bash",), "bash", True),
        (("bash",), "bash_job", False),
        (("mcp__git__*",), "mcp__git__log", True),
        (("mcp__git__*",), "mcp__web__get", False),
        (("BASH",), "bash", False),
    ],
)
def test_a_list_allows_what_it_names(patterns: tuple[str, ...] | None, name: str, expected: bool) -> None:
    assert allows(patterns, name) is expected


def test_what_a_list_names_in_vain_is_told() -> None:
    assert unknown("tools", ("bash", "raed_file", "mcp__*"), ("bash", "read_file")) == (
        "tools names 'raed_file', and there is nothing of that name. Did you mean 'read_file'?",
        "tools names 'mcp__*', and there is nothing of that name.",
    )
    assert unknown("tools", None, ()) == ()
