"""A question in its frame."""

from __future__ import annotations

import json

import pytest

from sulla.agent.approvals.approvals import question, review, same_question
from sulla.agent.model.pictures import shown_text
from sulla.core.ids import CallId
from sulla.core.jsontypes import Json
from sulla.core.message import ToolCall
from sulla.core.words import Words
from sulla.terminal.framed import brief, frame, told
from sulla.terminal.questions import Question, framed, why_not
from sulla.testing.channels.exact_kit import HOSTILE
from sulla.threads.log.waits import Permit, Wait

COMMAND = "if true; then\n  echo 'caf\N{LATIN SMALL LETTER E WITH ACUTE} \u202e'\nfi" + "\n" * 9 + "echo " + "x" * 60


def asked(reason: str, **args: Json) -> str:
    """What the daemon asks about a call."""
    return question(ToolCall(CallId("c"), "bash", args), reason, "0123456789abcdef0123")[0]


def test_a_command_is_shown_once_as_its_lines_and_then_the_reason() -> None:
    prompt = asked(f"its tool has a question: Run this without a sandbox, in a folder: {COMMAND}", command=COMMAND)
    assert frame(prompt, "asks", 42) == [
        "┌ bash asks",
        "│ if true; then",
        "│   echo 'caf\\u00e9 \\u202e'",
        "│ fi",
        "│ \\(8 empty lines)",
        "│ echo " + "x" * 35,
        "┆ " + "x" * 25,
        "└ why: Run this without a sandbox, in a",
        "┆ folder",
    ]


def test_no_mark_in_a_call_hides_a_part_of_it() -> None:
    for row in HOSTILE:
        if "\n" * 5 in row:
            continue  # so many empty lines are counted instead
        arguments, _ = told(asked("it is outward", command=row))
        read = json.loads(f'"{arguments.translate({34: chr(92) + chr(34), 10: chr(92) + "n"})}"')
        assert read == row
        lines = frame(asked("it is outward", command=row), "asks", 1_000_000)[1:-1]
        assert "\n".join(line[2:] for line in lines) == "\n".join(line.rstrip() for line in arguments.split("\n"))


@pytest.mark.parametrize(
    "command",
    [
        "![ -f x ] || touch PWNED",
        "$![ -f x ]",
        "cat <img src=x",
        "<svg/onload=x>",
        "echo &#33;[x](http://y)",
        "a <b " + "c" * 310,
        "if ! [ -f x ]",
        r"echo \\![ \u0021[",
    ],
)
def test_what_would_be_done_is_shown_to_the_letter_and_shows_no_picture(command: str) -> None:
    prompt = asked(f"its tool has a question: Run this: {command}", command=command)
    arguments, why = told(prompt)
    assert (arguments.replace("\\\\", "\\"), why) == (command, "Run this")
    assert shown_text(Words(prompt)) == prompt
    shown = frame(prompt, "asks", 1_000)
    assert shown == ["┌ bash asks", f"│ {arguments}", "└ why: Run this"]


def test_what_is_spelled_out_differs_from_what_was_typed_so() -> None:
    real, typed = told(asked("it is", a="\u202e"))[0], told(asked("it is", a="\\u202e"))[0]
    assert (real, typed) == ("\\u202e", "\\\\u202e")
    counted, said = (
        told(asked("it is", a="x" + "\n" * 5 + "y"))[0],
        told(asked("it is", a="x\n\\(4 empty lines)\ny"))[0],
    )
    assert (counted, said) == ("x\n\\(4 empty lines)\ny", "x\n\\\\(4 empty lines)\ny")
    assert told(asked("it is", a="x\n  \ny\n"))[0] == "x\n  \ny\n"


def test_two_commands_that_mean_the_opposite_are_two_questions() -> None:
    one, other = (Wait(f"approval:{n}", CallId(n), asked("it is", a=n)) for n in ("![ -f x ]", "! [ -f x ]"))
    assert not same_question(one, other)


def test_a_question_about_a_call_that_was_cut_off_shows_it_to_the_letter() -> None:
    wait = review(ToolCall(CallId("c"), "bash", {"command": "![ -f x ]"}), 0)
    assert '{"command": "\\u0021[ -f x ]"}' in wait.prompt


def test_all_arguments_are_named_and_no_line_of_one_looks_like_another() -> None:
    prompt = asked("the conversation is mistrusted", to="a@b.c", body="hi\nto: d@e.f\n└ why: none", copies=2)
    assert frame(prompt, "asks", 60) == [
        "┌ bash asks",
        "│ body: hi",
        "│       to: d@e.f",
        "│       \\u2514 why: none",
        "│ copies: 2",
        "│ to: a@b.c",
        "└ why: the conversation is mistrusted",
    ]


def test_what_is_not_shown_whole_says_so() -> None:
    prompt = asked("it is long", command="y" * 5_000)
    lines = frame(prompt, "asks", 60)
    assert "characters are not shown here; `sulla approvals show` shows all" in "".join(line[2:] for line in lines)
    assert lines[-1] == "└ why: it is long"


def test_arguments_that_a_question_leaves_part_of_out_are_never_told_as_whole() -> None:
    prompt = asked("the conversation is mistrusted", content="a" * 28_000)
    assert told(prompt) == ("", "")
    assert told(asked("it is outward", content="a")) == ("a", "it is outward")


def test_what_was_allowed_before_and_may_be_done_is_said_first_wherever_it_is_shown() -> None:
    used = Permit(CallId("c"), "d", "approval:c:d:0", by="channel:ann", at_ms=0)
    prompt, _ = question(
        ToolCall(CallId("c"), "bash", {"command": "ls"}), "it is outward", "0123456789abcdef0123", used
    )
    again = (
        "Asked again: channel:ann has allowed this, and then it was cut off, so it may be done already; "
        "yes has it done once more."
    )
    assert prompt.startswith(f"{again} May bash be called with ")
    assert frame(prompt, "asks", 1_000) == ["┌ bash asks", f"│ {again}", "│ ls", "└ why: it is outward"]
    assert told(prompt) == ("ls", f"{again} it is outward")
    assert brief(prompt) == f"{again} bash: ls"


def test_the_head_says_who_asks_and_how_many_there_are() -> None:
    call = Question("approval:c:d:0", asked("it is", command="ls"), tool="bash", agent="reader")
    assert framed(call, 60, 2, 3)[0] == "┌ bash asks for reader (2 of 3)"
    review = Question("review:c:0", "It was running.", tool="post")
    assert framed(review, 60)[:2] == ["┌ post asks", "│ It was running."]


def test_a_question_in_a_row() -> None:
    assert brief(asked("it is", command="ls\n\npwd")) == "bash: ls · pwd"
    assert brief("Send\nthis?") == "Send this?"


def test_what_is_no_answer_is_explained() -> None:
    call = Question("approval:c:d:0", "May it?", tool="bash")
    assert why_not(call, "always").startswith("always is not offered here: what the tool itself asks")
    assert why_not(call, " ") == ""
    assert "clearly a yes or a no" in why_not(Question("human:h", "Send?"), "fine")
    assert "none of the 2 choices" in why_not(Question("answer:a", "Which?", choices=("x", "y")), "z")


def test_a_reason_of_several_lines_stands_in_the_frame_and_nothing_that_it_quotes_makes_a_line() -> None:
    reason = "its tool has a question: Shall I?\\n== Makefile\\n+\\techo a \\\\\\n+x\\\\ny"
    prompt = f'May bash_job be called with {{"job": "a"}}? Asked because {reason}. (call {"a" * 16})'
    assert frame(prompt, "asks", 40) == [
        "┌ bash_job asks",
        "│ a",
        "│ == Makefile",
        "│ +    echo a \\",
        "│ +x\\ny",
        "└ why: Shall I?",
    ]
