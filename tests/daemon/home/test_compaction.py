"""What was deleted is gone from every byte of the home, and nothing else is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sulla.host.chat_history import keep_history, read_history
from sulla.terminal.exits import Exit
from tests.daemon.running import Place, Service, service
from tests.servers.script import Reply, Rule, Script, ToolUse

SECRETS = (b"zebrafish", b"quaggas", b"kudus", b"okapis")
"""Words of the deleted conversation: of its message, its notice, its sub-agent, its answer."""
KEPT = b"otters"
SPOKEN_OF = "tool_0123456789abcdef01234567.txt"
SWIM = Reply(f"The otters swim; see .sulla/outputs/{SPOKEN_OF}<AGENT_DONE/>")
RULES = (
    Rule(SWIM, text="What of the"),
    Rule(
        Reply(
            tools=(
                ToolUse("notify_user", {"text": "The quaggas are in."}),
                ToolUse("spawn_sub_agent", {"task": "Count the kudus."}),
            )
        ),
        text="zebrafish",
        results=0,
    ),
    Rule(Reply("Eleven kudus.<AGENT_DONE/>"), text="kudus"),
    Rule(Reply("All okapis are asleep.<AGENT_DONE/>"), text="zebrafish"),
    Rule(SWIM),
)


@pytest.fixture(scope="module")
def model() -> Iterator[Service]:
    with service(Script(RULES)) as made:
        yield made


def asked(place: Place, text: str) -> str:
    code, said, complaint = place.run("ask", text, "--json")
    assert code == Exit.OK, complaint
    return str(json.loads(said.splitlines()[0])["thread_id"])


def holds(home: Path, word: bytes) -> list[str]:
    """The files of a home in which a word stands, in whatever form."""
    files = (path for path in home.rglob("*") if path.is_file())
    return sorted(str(path.relative_to(home)) for path in files if word in path.read_bytes())


def test_no_byte_of_the_home_has_a_word_of_a_deleted_thread(tmp_path: Path, model: Service) -> None:
    place = Place(tmp_path / "home", **model.environ, SULLA_JOURNAL__TRAINING="true")
    outputs = place.home / "workspace" / ".sulla" / "outputs"
    with place.up():
        first, gone = asked(place, "And the otters?"), asked(place, "Where are the zebrafish?")
        kept = asked(place, "What of the otters?")
        assert "zebrafish" in place.run("thread", "show", kept, "--json")[1], "a later one is told of it"
        assert place.run("thread", "show", first)[0] == Exit.OK
        assert place.run("thread", "rename", gone, "About zebrafish")[0] == Exit.OK
        assert place.run("thread", "delete", gone, "--yes")[0] == Exit.OK
        busy = place.run("doctor", "--compact")
        assert (busy[0], busy[1]) == (Exit.SETTINGS, "")
        assert "stop the daemon" in busy[2]
    for text in ("Where are the zebrafish?", "/threads okapis", "What of the otters?", "/new"):
        keep_history(place.home, text)
    outputs.mkdir(parents=True, exist_ok=True)
    (outputs / "tool_00000000aaaaaaaa11111111.txt").write_text("the rest about okapis")
    (outputs / SPOKEN_OF).write_text("the rest about otters")
    assert all(holds(place.home, word) for word in SECRETS), "else nothing is proved"
    code, said, complaint = place.run("doctor", "--compact")
    assert code == Exit.OK, complaint
    assert {word: holds(place.home, word) for word in SECRETS} == {word: [] for word in SECRETS}
    assert (outputs / SPOKEN_OF).exists()
    assert read_history(place.home) == ["What of the otters?", "/new"]
    assert "store" in said
    again = place.run("doctor", "--compact", "--json")
    assert [json.loads(line)["compacted"] for line in again[1].splitlines()][-1] == "store"
    with place.up():
        assert KEPT.decode() in place.run("thread", "show", kept)[1]
        assert kept in place.run("thread", "search", "otters")[1]
        assert place.run("doctor")[0] in (Exit.OK, Exit.FAILED)
        assert "okapis" not in place.run("memory", "list")[1]
        assert place.run("notices", "--all")[1].strip() == "no notices"
