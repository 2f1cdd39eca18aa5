"""One daemon for all tests of the command line, with a model that does what it is told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.daemon.running import Place, service
from tests.servers.script import Failure, Reply, Rule, Script, ToolUse

BLOCKED = (
    "I stop here.<AGENT_BLOCKED><BLOCKER_REASON>no key</BLOCKER_REASON>"
    "<UNBLOCK_REQUIREMENTS>the key</UNBLOCK_REQUIREMENTS></AGENT_BLOCKED>"
)
SCRIPT = Script(
    [
        Rule(Reply(BLOCKED), text="blocked"),
        Rule(Failure(400, message="no such thing"), text="fail"),
        Rule(Reply("This takes a very long time.<AGENT_DONE/>", pieces=6, hold="never", hold_after=3), text="slow"),
        Rule(
            Reply(
                "The first sentence is whole. The second one never comes to its end.<AGENT_DONE/>",
                pieces=8,
                hold="never",
                hold_after=4,
            ),
            text="ramble",
        ),
        Rule(Reply("I look.", tools=(ToolUse("list_dir", {"path": "."}),)), text="look", results=0),
        Rule(Reply("Nothing there.<AGENT_DONE/>"), text="look", results=1),
        Rule(Reply("A first line\nand \N{SNOWMAN}.<AGENT_DONE/>"), text="snow"),
        Rule(Reply("\x1b]52;c;c3RvbGVu\x07Clean.\x9b2J<AGENT_DONE/>"), text="escape"),
        Rule(Reply("word " * 20_000 + "<AGENT_DONE/>", pieces=400), text="flood"),
        Rule(Reply("Hello.<AGENT_DONE/>")),
    ]
)


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """The home of a daemon that runs."""
    with service(SCRIPT) as model:
        # One home for all: what one test said must not be what the next one remembers.
        forgetful = model.environ | {"SULLA_MEMORY__ENABLED": "false"}
        place = Place(tmp_path_factory.mktemp("cli") / "home", **forgetful)
        with place.up():
            yield place


@pytest.fixture
def here(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Commands that run inside the test's own process find it."""
    monkeypatch.setenv("SULLA_HOME", str(place.home))
    return place
