"""`sulla thread list`, `search`, `show`, `rename` and `delete` against a real daemon."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from sulla.cli.thread.pages import Pages, all_events, all_threads
from sulla.terminal.client import open_client
from sulla.terminal.exits import Exit
from sulla.terminal.place import door
from sulla.terminal.times import zone_word
from tests.cli.terminal import terminal
from tests.cli.typed import typed
from tests.daemon.running import PATIENCE_S, Place
from tests.kits.in_turn import in_turn
from tests.soon import until

pytestmark = in_turn(3)

Capsys = pytest.CaptureFixture[str]


def make(place: Place, **about: object) -> str:
    async def call() -> str:
        async with open_client(door(place.home)) as client:
            return str((await client.call("thread.create", **about))["thread_id"])

    return asyncio.run(call())


@pytest.fixture
def thread(here: Place, capsys: Capsys) -> str:
    """A thread with one turn."""
    thread_id = make(here, title="Trip to Rome")
    assert typed(capsys, "ask", "look", "--thread", thread_id).code == Exit.OK
    return thread_id


# ------------------------------------------------------------------------------------------------------------ list


def test_the_list_has_a_line_for_each_thread_under_its_heads(thread: str, capsys: Capsys) -> None:
    listed = typed(capsys, "thread", "list")
    head, *rows = listed.out.splitlines()
    assert (listed.code, listed.err) == (Exit.OK, "")
    assert head.split() == ["THREAD", "LAST", f"({zone_word()})", "STATUS", "AGENT", "TITLE"]
    assert rows[0].startswith(thread), "what something happened in last is on top"
    assert rows[0][head.index("TITLE") :] == "Trip to Rome · look"
    assert rows[0][head.index("STATUS") :].split()[0] == "idle"


def test_a_list_of_all_kinds_says_which(thread: str, capsys: Capsys) -> None:
    head, *rows = typed(capsys, "thread", "list", "--all").out.splitlines()
    (row,) = [row for row in rows if row.startswith(thread)]
    assert row[head.index("KIND") :].split()[:2] == ["chat", "idle"]


def test_as_json_each_thread_is_a_line(thread: str, capsys: Capsys) -> None:
    rows = [json.loads(line) for line in typed(capsys, "thread", "list", "--json").out.splitlines()]
    assert [row["title"] for row in rows if row["thread_id"] == thread] == ["Trip to Rome"]
    assert [row["active_at"] for row in rows] == sorted((row["active_at"] for row in rows), reverse=True)


def test_a_limit_is_kept(thread: str, here: Place, capsys: Capsys) -> None:
    make(here)
    assert len(typed(capsys, "thread", "list", "--limit", "1").out.splitlines()) == 2
    assert len(typed(capsys, "thread", "list", "--limit", "2", "--json").out.splitlines()) == 2
    assert len(typed(capsys, "thread", "show", thread, "--limit", "2", "--json").out.splitlines()) == 2


def test_a_home_without_threads_says_how_to_begin(tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    with place.up():
        none = "there are no threads yet: `sulla chat` begins one; `--all` lists what agents do by themselves, too\n"
        assert place.run("thread", "list") == (Exit.OK, "", none)
        assert place.run("thread", "list", "--json") == (Exit.OK, "", "")


def test_a_chat_without_a_title_is_called_by_its_first_words(here: Place, capsys: Capsys) -> None:
    thread_id = make(here)
    assert typed(capsys, "ask", "look. And then tell me more", "--thread", thread_id).code == Exit.OK
    (row,) = (json.loads(line) for line in typed(capsys, "thread", "list", "--json", "--limit", "1").out.splitlines())
    assert (row["thread_id"], row["title"], row["titled_by"]) == (thread_id, "look", "words")


def test_what_agents_do_by_themselves_is_listed_apart(thread: str, here: Place, capsys: Capsys) -> None:
    made = typed(capsys, "schedule", "add", "--every", "1d", "--message", "look", "--id", "morning")
    assert made.code == Exit.OK
    assert typed(capsys, "schedule", "run", "morning").code == Exit.OK

    def kinds(*options: str) -> set[str]:
        lines = typed(capsys, "thread", "list", "--json", *options).out.splitlines()
        return {json.loads(line)["kind"] for line in lines}

    until(lambda: kinds("--kind", "schedule") == {"schedule"}, "the schedule's thread is listed")
    assert kinds() == {"chat"}
    assert kinds("--all") >= {"chat", "schedule"}
    assert typed(capsys, "schedule", "remove", "morning").code == Exit.OK  # the daemon is everybody's


def test_a_name_stays_whatever_is_said_later(thread: str, capsys: Capsys) -> None:
    named = typed(capsys, "thread", "rename", thread[:-4], "Rome", "in", "spring")
    assert (named.code, named.out) == (Exit.OK, f"{thread} is called Rome in spring · look\n")
    assert typed(capsys, "ask", "look", "--thread", thread).code == Exit.OK
    assert f"{thread}  " in (shown := typed(capsys, "thread", "list", "--limit", "1").out)
    assert "Rome in spring" in shown
    assert "[named 'Rome in spring']" in typed(capsys, "thread", "show", thread).out


def test_a_conversation_is_found_by_its_words_and_its_name(here: Place, capsys: Capsys) -> None:
    thread_id = make(here)
    assert typed(capsys, "ask", "look for the otter's holt", "--thread", thread_id).code == Exit.OK
    until(lambda: thread_id in typed(capsys, "thread", "search", "otter", "holt").out, "it is found by its words")
    assert typed(capsys, "thread", "rename", thread_id, "Riverbank").code == Exit.OK
    found = [json.loads(line) for line in typed(capsys, "thread", "search", "riverbank", "--json").out.splitlines()]
    assert [one["thread_id"] for one in found] == [thread_id]
    none = typed(capsys, "thread", "search", "xylophone")
    assert (none.code, none.out) == (Exit.OK, "")
    assert "no conversation fits these words" in none.err


def test_the_beginning_of_an_id_is_enough_and_one_of_several_is_not(thread: str, here: Place, capsys: Capsys) -> None:
    make(here)
    assert typed(capsys, "thread", "show", thread[:-3]).out == typed(capsys, "thread", "show", thread).out
    several = typed(capsys, "thread", "show", "thr_")
    assert several.code == Exit.REFUSED
    assert "threads begin with 'thr_': thr_" in several.err


# ------------------------------------------------------------------------------------------------------------ show


def test_what_was_said_and_done_can_be_read(thread: str, capsys: Capsys) -> None:
    shown = typed(capsys, "thread", "show", thread)
    assert (shown.code, shown.err) == (Exit.OK, "")
    lines = [line.partition("  ")[2] if line.startswith("#") else line for line in shown.out.splitlines()]
    assert lines[:8] == [
        *("created for sulla", "    Trip to Rome"),
        *("you", "    look"),
        *("sulla", "    I look."),
        *('    · list_dir {"path": "."}', "    → [. is empty]"),
    ]
    assert lines[8:10] == ["sulla", "    Nothing there."]
    assert lines[10].startswith("    = done [tokens: ")


def test_as_json_each_record_is_a_line(thread: str, capsys: Capsys) -> None:
    events = [json.loads(line) for line in typed(capsys, "thread", "show", thread, "--json").out.splitlines()]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    later = typed(capsys, "thread", "show", thread, "--json", "--after", "3").out.splitlines()
    assert [json.loads(line) for line in later] == events[3:]


@pytest.mark.usefixtures("here")
def test_an_unknown_thread_is_named(capsys: Capsys) -> None:
    for words in (("show", "thr_none"), ("delete", "thr_none", "--yes"), ("export", "thr_none")):
        done = typed(capsys, "thread", *words)
        assert (done.code, done.out) == (Exit.REFUSED, "")
        assert done.err.startswith("sulla: no thread begins with 'thr_none'")


def test_a_title_cannot_steer_the_terminal(here: Place, capsys: Capsys) -> None:
    # The gateway takes no control characters in titles, but other ones that turn a line around.
    thread_id = make(here, title="fine\u202e\u2066enif\x85\x9b2J")
    listed = typed(capsys, "thread", "list").out
    assert "fineenif 2J" in listed
    assert "fineenif" in typed(capsys, "thread", "show", thread_id).out
    assert all(line.isprintable() for line in listed.splitlines())


def test_every_page_is_followed(here: Place, capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    thread_id = make(here, title="many pages")
    typed(capsys, "ask", "look", "--thread", thread_id)
    whole = typed(capsys, "thread", "show", thread_id, "--json").out
    every = typed(capsys, "thread", "list", "--json").out
    monkeypatch.setattr("sulla.cli.thread.pages._EVENTS", 2)
    monkeypatch.setattr("sulla.cli.thread.pages._THREADS", 1)
    assert typed(capsys, "thread", "show", thread_id, "--json").out == whole
    assert typed(capsys, "thread", "list", "--json").out == every
    first = typed(capsys, "thread", "show", thread_id, "--json", "--limit", "5").out
    assert first.splitlines() == whole.splitlines()[:5]


def test_a_connection_that_broke_between_two_pages_is_made_anew(here: Place, thread: str) -> None:
    with Pages(here.home) as pages:
        seen: list[dict[str, Any]] = []
        for event in all_events(pages, thread, 0, None):
            seen.append(event)
            if len(seen) == 1:
                client = pages._client  # the daemon does this to a reader that is away for long
                assert client is not None
                pages._runner.run(client._socket.close())
        assert [event["seq"] for event in seen] == list(range(1, len(seen) + 1))
        assert thread in {row["thread_id"] for row in all_threads(pages, "chat")}


# ---------------------------------------------------------------------------------------------------------- delete


def test_where_nobody_can_be_asked_nothing_is_deleted(thread: str, capsys: Capsys) -> None:
    done = typed(capsys, "thread", "delete", thread)
    assert (done.code, done.out) == (Exit.USAGE, "")
    assert "there is nobody to ask: say --yes to delete the thread" in done.err
    assert typed(capsys, "thread", "show", thread).code == Exit.OK


def test_who_says_yes_is_not_asked(here: Place, capsys: Capsys) -> None:
    one, other = make(here), make(here)
    assert typed(capsys, "thread", "delete", one, "--yes").out == f"deleted {one}\n"
    assert json.loads(typed(capsys, "thread", "delete", other, "--yes", "--json").out) == {"thread_id": other}
    assert typed(capsys, "thread", "show", one).code == Exit.REFUSED


@pytest.mark.parametrize(
    ("answer", "code", "left"),
    [("y\n", Exit.OK, False), ("n\n", Exit.CANCELLED, True), ("\n", Exit.CANCELLED, True), ("\x04", 4, True)],
)
def test_on_a_terminal_a_person_is_asked(
    place: Place, here: Place, capsys: Capsys, answer: str, code: Exit, left: bool
) -> None:
    thread_id = make(here, title="Trip to Rome")
    with terminal([sys.executable, "-m", "sulla", "thread", "delete", thread_id], place.environ) as keys:
        keys.until(f"delete thread {thread_id} (Trip to Rome) for good?\r\n")
        keys.until("[y/N]")
        keys.until("[y/N]")  # drawn again once an answer is taken
        keys.type(answer)
        assert keys.process.wait(PATIENCE_S) == code
    assert (typed(capsys, "thread", "show", thread_id).code == Exit.OK) is left


# ------------------------------------------------------------------------------------------------------- altogether


def test_every_command_explains_itself(capsys: Capsys) -> None:
    for name in ("list", "search", "show", "rename", "delete", "export", "import"):
        shown = typed(capsys, "thread", name, "--help")
        assert (shown.code, shown.err) == (0, "")
        assert "--home DIR" in shown.out
        assert "--json" in shown.out


@pytest.mark.parametrize("words", [("list",), ("show", "thr_1"), ("delete", "thr_1", "--yes")])
def test_without_a_daemon_it_says_how_to_start_one(capsys: Capsys, tmp_path: Path, words: tuple[str, ...]) -> None:
    for where in (("--home", str(tmp_path), "thread", *words), ("thread", *words, "--home", str(tmp_path))):
        done = typed(capsys, *where)
        assert (done.code, done.out) == (Exit.UNREACHABLE, "")
        assert f"no daemon runs on the home {tmp_path}: start one with `sulla up`" in done.err
