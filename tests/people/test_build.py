"""Who is there and what they were told, with real daemons, real sockets and real deaths."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.cli.terminal import at_a_terminal
from tests.daemon.running import Place, Service, service
from tests.kits.in_turn import in_turn
from tests.servers.script import Reply, Rule, Script, ToolUse
from tests.soon import pause

pytestmark = in_turn(2)

DONE = "Told. <AGENT_DONE>told</AGENT_DONE>"
TELLS = ToolUse("notify_user", {"text": "The report is ready.", "urgency": "high"})
SCRIPT = Script([Rule(Reply("", tools=(TELLS,)), text="tell me", results=0), Rule(Reply(DONE))])
BEATS = Script([Rule(Reply("", tools=(TELLS,)), text="## Directive", results=0), Rule(Reply(DONE))])
TASKS = "---\ntitle: Garden\nstatus: active\n---\n## Tasks\n\n- [ ] dig\n- [ ] sow\n"


@contextmanager
def home(folder: Path, script: Script) -> Iterator[tuple[Place, Service]]:
    """A home whose model says what a script says."""
    with service(script) as model:
        yield Place(folder / "home", **model.environ), model


def rows(place: Place, *words: str) -> list[dict[str, Any]]:
    code, out, err = place.run("notices", *words, "--json")
    assert code == 0, err
    return [json.loads(line) for line in out.splitlines()]


def people(place: Place) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(place.run("status", "--json")[1])["people"]
    return found


def test_what_nobody_saw_waits_over_a_death_and_is_told_once(tmp_path: Path) -> None:
    with home(tmp_path, SCRIPT) as (place, _):
        with place.up() as daemon:
            assert place.ask("tell me")[0] == 0
            daemon.ended(signal.SIGKILL)
        with place.up():
            with place.begin("notices", "watch", "--json") as watching:
                watching.until("}\n")
                (told,) = [json.loads(line) for line in watching.said.splitlines()]
                assert (told["text"], told["urgency"], told["agent"]) == ("The report is ready.", "high", "sulla")
                while rows(place):  # it is marked right after it is printed
                    pause()
                    assert len(rows(place)) == 1
                assert place.ask("tell me")[0] == 0
                watching.until("}\n{")
                watching.until("}\n")
                assert watching.ended(signal.SIGINT) == 130
            assert rows(place) == []
            assert [[one["person"] for one in row["seen"]] for row in rows(place, "--all")] == [["owner"], ["owner"]]


def test_people_mark_what_they_have_seen_and_status_counts_the_rest(tmp_path: Path) -> None:
    with home(tmp_path, SCRIPT) as (place, _), place.up():
        assert place.run("notices")[1] == "nothing that you have not seen; `sulla notices --all` lists the rest\n"
        for _ in range(3):
            assert place.ask("tell me")[0] == 0
        assert "notices that you have not seen: 3 (sulla notices)" in place.run("status")[1]
        (first, *_) = rows(place)
        assert place.run("notices", "seen", first["id"])[1] == "1 marked as seen\n"
        assert place.run("notices", "seen")[1] == "2 marked as seen\n"
        code, _, err = place.run("notices", "seen", "ntc_no")
        assert (code, "no notice 'ntc_no'" in err) == (6, True)
        shown = place.run("notices", "--all")[1].splitlines()
        assert shown[0].startswith(first["id"])
        assert shown[0].endswith("note from sulla, high urgency (seen by owner)")
        assert shown[1] == "  The report is ready."


def test_what_was_read_at_a_terminal_is_seen_and_what_a_program_read_is_not(tmp_path: Path) -> None:
    with home(tmp_path, SCRIPT) as (place, _), place.up():
        assert place.ask("tell me")[0] == 0
        assert len(rows(place)) == 1
        command = [sys.executable, "-m", "sulla", "ask", "tell me"]
        code, shown = at_a_terminal(command, "", place.environ)
        assert (code, "The report is ready." in shown) == (0, True)
        assert (len(rows(place)), len(rows(place, "--all"))) == (1, 2)


def test_with_its_conversation_a_notice_goes(tmp_path: Path) -> None:
    with home(tmp_path, SCRIPT) as (place, _), place.up():
        assert place.ask("tell me")[0] == 0
        (told,) = rows(place)
        assert place.run("thread", "delete", told["thread_id"], "--yes")[0] == 0
        assert rows(place, "--all") == []


def test_an_open_client_is_no_activity_and_what_somebody_asks_is(tmp_path: Path) -> None:
    with home(tmp_path, SCRIPT) as (place, _), place.up(), place.begin("notices", "watch"):
        while not (found := people(place)) or "sulla-cli" not in found[0]["connected"]:
            pause()
            assert len(found) <= 1
        assert (found[0]["person"], found[0]["active_at"]) == ("owner", None)
        assert place.ask("hello")[0] == 0
        (owner,) = people(place)
        assert (owner["client"], owner["idle_s"] < 20) == ("sulla-cli", True)
        assert "person: owner, last active" in place.run("status")[1]


def test_a_beat_does_not_tell_again_what_nobody_has_seen(tmp_path: Path) -> None:
    with home(tmp_path, BEATS) as (place, model):
        projects = place.home / "projects" / "garden"
        projects.mkdir(parents=True)
        (projects / "PROJECT.md").write_text(TASKS)
        with place.up():
            assert place.ask("hello")[0] == 0
            assert place.run("beat", "now", "--watch")[0] == 0
            (told,) = rows(place)
            asked = model.shown_last
            assert any("## People" in text and "Your owner was last active" in text for text in asked)
            assert not any("Asked and not answered" in text for text in asked)
            assert place.run("beat", "now", "--watch")[0] == 0
            assert [row["id"] for row in rows(place, "--all")] == [told["id"]]
            said = "\n".join(model.shown_last)
            assert "and not seen yet: The report is ready." in said
            assert "Not told again: the same was said already at" in said
            assert place.run("notices", "seen")[0] == 0
            assert place.run("beat", "now", "--watch")[0] == 0
            agents = [row["agent"] for row in rows(place, "--all")]
            # The daemon has something to say of its own by now: three beats came to nothing.
            assert sorted(agents) == ["", "sulla", "sulla"]
