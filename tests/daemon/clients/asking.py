"""A daemon that asks before each command, and a model that knows a few words: for the clients of several protocols."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.daemon.running import Place, Service, service
from tests.servers.script import Reply, Rule, Script, ToolUse

ANSWER = "one two three four five six seven eight"
NOTE = "note.txt"


@contextmanager
def model_that_asks() -> Iterator[Service]:
    """It looks, writes once or twice, answers slowly, or breaks off."""
    done = "<AGENT_DONE/>"
    write = ToolUse("bash", {"command": f"echo written >> {NOTE}", "timeout_s": 30})
    more = ToolUse("bash", {"command": f"echo more >> {NOTE}", "timeout_s": 30})
    rules: list[tuple[str, int | None, Reply]] = [
        ("(look)", 0, Reply("Let me look.", tools=(ToolUse("list_dir", {"path": "."}),))),
        ("(look)", 1, Reply(f"It is empty.{done}")),
        ("(again)", 0, Reply(f"Still empty.{done}")),
        ("(write)", 0, Reply(tools=(write,))),
        ("(write)", 1, Reply(f"That is that.{done}")),
        ("(twice)", 0, Reply(tools=(write, more))),
        ("(twice)", 2, Reply(f"Both.{done}")),
        ("(slow)", None, Reply(ANSWER + done, pieces=8, hold="gate", hold_after=4)),
        ("(break)", None, Reply(ANSWER, pieces=8, broken="no line of this protocol\n")),
    ]
    with service(Script([Rule(reply, text=text, results=results) for text, results, reply in rules])) as found:
        yield found


def place_that_asks(folder: Path, model: Service) -> Place:
    """Its home."""
    asking = {"SULLA_SHELL__SANDBOX": "false", "SULLA_LIMITS__MESSAGE_INTERVAL_MS": "0"}
    return Place(folder / "home", **model.environ, **asking)


def written(place: Place) -> list[str]:
    """What its commands have written."""
    path = place.home / "workspace" / NOTE
    return path.read_text().splitlines() if path.exists() else []
