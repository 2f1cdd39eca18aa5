"""How a line of a talk is read, and completed."""

from __future__ import annotations

import pytest

from sulla.terminal.chat.orders import ORDERS, Known, Message, Misread, Order, completions, help_rows, read_line

KNOWN = Known(agents=(("sulla", "offline"), ("planner", "ollama:x")), threads=(("thr_1", "Rome"), ("thr_2", "Oslo")))


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("hello", Message("hello")),
        ("two\nlines ", Message("two\nlines ")),
        ("/help", Order("help")),
        (" /HELP cost ", Order("help", "cost")),
        ("/threads rome trip", Order("threads", "rome trip")),
        ("/thread x", Order("threads", "x")),
        ("/steer go\nleft", Order("steer", "go\nleft")),
        ("exit", Order("exit")),
        ("quit", Order("exit")),
        ("/quit", Order("exit")),
        ("exit the room", Message("exit the room")),
        ("//help", Message("/help")),
        ("/etc/hosts is what?", Message("/etc/hosts is what?")),
        ("/* a comment */", Message("/* a comment */")),
        ("/ 2", Message("/ 2")),
        ("1/2", Message("1/2")),
    ],
)
def test_a_line_is_a_message_or_a_command(line: str, read: Message | Order) -> None:
    assert read_line(line) == read


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("/hepl", "did you mean /help?"),
        ("/thr", "did you mean /threads?"),
        ("/bogus", "/help lists them, and //bogus sends it as a message"),
        ("/steer", "/steer wants something behind it: /steer TEXT"),
        ("/stop it", "/stop takes nothing behind it"),
    ],
)
def test_a_command_that_is_none_says_what_to_do(line: str, why: str) -> None:
    read = read_line(line)
    assert isinstance(read, Misread)
    assert why in read.why


@pytest.mark.parametrize(
    ("before", "ways"),
    [
        ("/m", ["/model ", "/mode "]),
        ("/ST", ["/stop ", "/steer "]),
        ("/agent ", ["sulla", "planner"]),
        ("/agent pl", ["planner"]),
        ("/threads thr_2", ["thr_2"]),
        ("/mode in", ["interrupt"]),
        ("/steer s", []),
        ("/bogus s", []),
        ("hello /m", []),
        ("/m\n", []),
        ("", []),
    ],
)
def test_commands_and_what_they_name_are_completed(before: str, ways: list[str]) -> None:
    found = list(completions(before, KNOWN))
    assert [one.text for one in found] == ways
    assert all(before[len(before) - one.back :].lower() == one.text[: one.back].lower() for one in found)


def test_the_help_names_every_command_or_the_one() -> None:
    names = [name.partition(" ")[0] for name, _ in help_rows()]
    assert [f"/{form.name}" for form in ORDERS] == names[: len(ORDERS)]
    assert [name for name, _ in help_rows("/cost")] == ["/cost"]
    assert help_rows("never") == []
