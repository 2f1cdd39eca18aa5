"""A daemon for talks at a terminal, with a model that does what it is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.daemon.running import Place, Service, service
from tests.servers.script import Failure, Reply, Rule, Script, ToolUse

COMMAND = "if true; then\n  echo one\nfi"
MARKDOWN = """# A title

This **takes** a long time, in a paragraph that is long enough to go on in the next row of a narrow terminal.

- one
- two `code`

```python
print("hello")
```

See [the page](https://example.org/page)."""
HOSTILE = "[red]not red[/red] <b>html</b> \x1b[2J\x1b]8;;https://evil.example\x07here\x1b]8;;\x07 \u202eabc ![p](http://p/x.png)"
RULES = (
    Rule(Reply("I do.", tools=(ToolUse("bash", {"command": "touch unseen"}),)), text="leave a mark", results=0),
    Rule(Reply(MARKDOWN + "<AGENT_DONE/>", pieces=12), text="form"),
    Rule(Reply(HOSTILE + "<AGENT_DONE/>"), text="hostile"),
    Rule(Reply("It begins and does not end.<AGENT_DONE/>", pieces=6, hold="never", hold_after=3), text="slow"),
    Rule(Reply("Gate opened.<AGENT_DONE/>", pieces=4, hold="gate", hold_after=1), text="gate", results=0, times=1),
    Rule(Reply("I do.", tools=(ToolUse("bash", {"command": COMMAND}),)), text="make it", results=0),
    Rule(
        Reply(
            "Both.",
            tools=(ToolUse("bash", {"command": "echo first"}), ToolUse("bash", {"command": "echo second"})),
        ),
        text="both of them",
        results=0,
    ),
    Rule(
        Reply("I send one.", tools=(ToolUse("spawn_sub_agent", {"task": "make it so, child"}),)),
        text="send somebody",
        results=0,
    ),
    Rule(
        Reply("I do.", tools=(ToolUse("remind_user", {"text": "The tea.", "at": "in 8 seconds"}),)),
        text="remind me",
        results=0,
    ),
    Rule(Reply("I look.", tools=(ToolUse("list_dir", {"path": "."}),)), text="look", results=0),
    Rule(Failure(529, message="overloaded", retry_after="3"), text="busy", times=1),
    Rule(Failure(400, message="no such thing"), text="fail"),
    Rule(Reply("That was it.<AGENT_DONE/>")),
)


SETTINGS = {
    "SULLA_SHELL__SANDBOX": "false",
    "SULLA_MEMORY__ENABLED": "false",
    "SULLA_LIMITS__MESSAGE_BURST": "1000",
    "SULLA_LIMITS__TOKEN_BURST": "1000",
    "SULLA_LIMITS__MESSAGE_INTERVAL_MS": "0",
}


@dataclass(frozen=True, slots=True)
class Here:
    """A daemon, and its model."""

    place: Place
    model: Service


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    """The home of a daemon that runs; each test talks in threads of its own."""
    with service(Script(RULES)) as model:
        place = Place(tmp_path_factory.mktemp("chat") / "home", **SETTINGS, **model.environ)
        with place.up():
            yield Here(place, model)


@pytest.fixture
def home(here: Here) -> Path:
    """The daemon's home."""
    return here.place.home
