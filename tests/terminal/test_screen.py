"""What a person sees of a run."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.terminal.chat.view import View
from sulla.terminal.display import PlainDisplay
from sulla.terminal.exits import Exit
from sulla.terminal.screen import Screen
from sulla.terminal.table import harmless

Event = dict[str, Any]

_SHOWN = st.characters(exclude_categories=("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")).filter(
    lambda one: harmless(one) == one
)
TEXT = st.text(_SHOWN | st.just("\n"), max_size=20)
"""Of characters that can be seen by themselves: what happens to others has tests of its own."""


def _event(type_: str, **data: object) -> Event:
    return {"type": type_, "run_id": "run", "data": data}


def _delta(message_id: str, offset: int, delta: str) -> Event:
    return _event("TEXT_MESSAGE_CONTENT", message_id=message_id, offset=offset, delta=delta)


def _end(message_id: str, text: str, **more: object) -> Event:
    return _event("TEXT_MESSAGE_END", message_id=message_id, text=text, **more)


def _all(*events: Event, screen: Screen | None = None) -> str:
    """What is printed of the answer."""
    screen = screen or Screen("run")
    return "".join(screen.show(event)[0] for event in events)


def _with_line_end(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def test_changes_that_wait_for_a_person_are_told_also_where_a_sub_agents_command_made_them() -> None:
    line = "! u99nuwy7: what this command changed waits for your yes; `sulla changes` shows it\n"
    event = _event("TOOL_CALL_RESULT", text="[Nothing of it]", held="changes_u99nuwy7")
    assert Screen("run").show(event) == ("", line)
    assert Screen("other").show(event) == ("", line)


# ----------------------------------------------------------------------------------------------------------- text


def test_text_is_printed_as_it_comes_and_the_line_is_ended() -> None:
    screen = Screen("run")
    shown = [screen.show(event) for event in (_delta("m", 0, "Hel"), _delta("m", 3, "lo"), _end("m", "Hello"))]
    assert shown == [("Hel", ""), ("lo", ""), ("\n", "")]


def test_a_reply_that_was_never_streamed_is_printed_whole() -> None:
    assert _all(_end("m", "Hello")) == "Hello\n"


def test_a_text_that_ends_its_own_line_gets_no_empty_one() -> None:
    assert _all(_delta("m", 0, "Hello\n"), _end("m", "Hello\n"), _end("n", "Bye")) == "Hello\nBye\n"


def test_the_next_message_begins_on_a_new_line() -> None:
    assert _all(_delta("m", 0, "one"), _delta("n", 0, "two")) == "one\ntwo"


def test_after_a_gap_nothing_is_printed_until_the_whole_text_is_there() -> None:
    assert _all(_delta("m", 0, "ab"), _delta("m", 4, "ef")) == "ab"
    assert _all(_delta("m", 0, "ab"), _delta("m", 4, "ef"), _end("m", "abcdef")) == "abcdef\n"


@st.composite
def _streams(draw: st.DrawFn) -> tuple[str, list[Event]]:
    """A text, and pieces of it in any order, overlapping, doubled or missing."""
    text = draw(TEXT)
    place = st.integers(0, len(text))
    cuts = draw(st.lists(st.tuples(place, place), max_size=8))
    return text, [_delta("m", min(cut), text[min(cut) : max(cut)]) for cut in cuts]


@given(_streams())
def test_however_deltas_come_each_character_of_the_text_is_printed_once(stream: tuple[str, list[Event]]) -> None:
    text, deltas = stream
    assert _all(*deltas, _end("m", text)) == _with_line_end(text)


@given(_streams(), TEXT, st.integers(0, 9))
def test_what_comes_after_the_end_of_a_message_prints_nothing_more(
    stream: tuple[str, list[Event]], other: str, at: int
) -> None:
    text, late = stream
    half = len(other) // 2
    rest = [_delta("n", 0, other[:half]), *late[:at], _end("m", text), *late[at:], _end("n", other)]
    assert _all(_end("m", text), *rest) == _with_line_end(text) + _with_line_end(other)


def test_offsets_count_code_points() -> None:
    text = "a\N{FIRE}e\N{COMBINING ACUTE ACCENT}z"
    assert _all(_delta("m", 0, text[:2]), _delta("m", 1, text[1:4]), _end("m", text)) == f"{text}\n"


def test_an_abandoned_reply_is_void_and_begins_anew() -> None:
    screen = Screen("run")
    screen.show(_delta("m", 0, "Hel"))
    void = screen.show(_event("MODEL_ABANDONED", message_id="m", reason="crashed"))
    assert void == ("\n", "[that answer broke off (crashed); it begins anew]\n")
    assert _all(_delta("m", 3, "lo"), _delta("n", 0, "Hello"), _end("n", "Hello"), screen=screen) == "Hello\n"


@pytest.mark.parametrize(("retry_in_s", "anew"), [(None, ""), (0.0, "; it begins anew"), (10.0, "; it begins anew")])
def test_an_abandoned_reply_begins_anew_only_where_another_attempt_follows(retry_in_s: float | None, anew: str) -> None:
    screen = Screen("run")
    screen.show(_delta("m", 0, "Hel"))
    void = screen.show(_event("MODEL_ABANDONED", message_id="m", reason="provider_protocol", retry_in_s=retry_in_s))
    assert void == ("\n", f"[that answer broke off (provider_protocol){anew}]\n")


def test_words_that_are_taken_back_are_told_as_such() -> None:
    screen = Screen("run")
    screen.show(_delta("m", 0, "Hel"))
    assert screen.show(_end("m", "")) == ("\n", "[that does not count: the answer begins anew]\n")
    assert screen.show(_end("n", "")) == ("", "")


def _printed(capsys: pytest.CaptureFixture[str], *events: dict[str, Any]) -> str:
    display = PlainDisplay()
    display.begin("run")
    for event in events:
        display.show(event, own=True)
    return capsys.readouterr().out


def test_for_a_pipe_a_reply_of_a_turn_with_a_route_is_printed_once_it_is_whole(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    routed = _event("ROUTE_TAKEN", plan={})
    assert _printed(capsys, routed, _delta("m", 0, "It costs $777."), _end("m", "")) == ""
    assert _printed(capsys, routed, _delta("m", 0, "It costs")) == ""
    assert _printed(capsys, routed, _delta("m", 0, "It costs"), _end("m", "It costs $5.")) == "It costs $5.\n"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert _printed(capsys, routed, _delta("m", 0, "It costs")) == "It costs"


def test_for_a_pipe_a_reply_without_a_route_is_printed_as_it_comes(capsys: pytest.CaptureFixture[str]) -> None:
    assert _printed(capsys, _delta("m", 0, "Hel")) == "Hel"
    assert _printed(capsys, {**_event("ROUTE_TAKEN", plan={}), "run_id": "other"}, _delta("m", 0, "Hel")) == "Hel"


def test_an_abandoned_reply_of_which_nothing_was_shown_is_no_news() -> None:
    assert Screen("run").show(_event("MODEL_ABANDONED", message_id="m", reason="crashed")) == ("", "")


def test_what_a_run_waits_for_before_another_attempt_is_told_with_how_to_stop() -> None:
    told = Screen("run").show(_event("RUN_WAITING", reason="provider_transient", wait_s=10.0))
    assert told == ("", "[the model's service is overloaded or broke off; again in 10 s; Ctrl-C stops]\n")
    said = "Ollama failed for the model 'm' with 500: out of memory"
    told = Screen("run").show(_event("RUN_WAITING", reason="provider_transient", wait_s=1.2, said=said))
    assert told == ("", f"[{said}; again in 1 s; Ctrl-C stops]\n")


def test_a_hidden_reply_is_not_shown() -> None:
    assert _all(_end("m", "<done>", hidden=True)) == ""


def test_a_reply_that_ended_at_its_limit_says_so_below_it() -> None:
    cut = _end("m1", "cut off he", stop="max_tokens")
    assert Screen("run").show(cut) == ("cut off he\n", "[cut off at the reply's limit]\n")


def test_control_characters_do_not_reach_the_terminal() -> None:
    text = "a\x1b[2J\x07\x9b1mb\r\tc\x7f\n"
    assert _all(_delta("m", 0, text), _end("m", text)) == "a[2J1mb\tc\n"
    assert Screen("run").show(_event("RUN_ERROR", code="x", message="\x1b]52;c;aa\x07"))[1] == "failed (x): ]52;c;aa\n"


def test_what_cannot_be_seen_does_not_either_and_orders_to_turn_the_line_are_shown() -> None:
    text = "abc\u202egnp.exe\u202c a\u200bb \U000e0068\U000e0069\u2066x\u2069\n"
    assert _all(_delta("m", 0, text), _end("m", text)) == "abc\\u202egnp.exe\\u202c ab \\u2066x\\u2069\n"
    beside = Screen("run").show(_event("RUN_ERROR", code="x", message="a\u202eb\u200fc"))[1]
    assert beside == "failed (x): a\\u202ebc\n"


SEQUENCES = (
    "👩\u200d❤\ufe0f\u200d👩 1\ufe0f\u20e3 می\u200cروم क्\u200dष "
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f!"
)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_emoji_and_scripts_that_join_stay_whole_however_they_are_cut_into_pieces(size: int) -> None:
    pieces = [_delta("m", at, SEQUENCES[at : at + size]) for at in range(0, len(SEQUENCES), size)]
    assert _all(*pieces, _end("m", SEQUENCES)) == f"{SEQUENCES}\n"


def test_a_joiner_that_joins_nothing_to_the_next_piece_is_left_out() -> None:
    assert _all(_delta("m", 0, "a\u200d"), _delta("m", 2, "b\u200b"), _end("m", "a\u200db\u200b")) == "ab\n"


# ---------------------------------------------------------------------------------------------------- beside the text


def test_another_runs_events_are_not_ours() -> None:
    screen = Screen("run")
    end = _event("RUN_FINISHED", outcome={"status": "done"})
    assert screen.show({**end, "run_id": "other"}) == ("", "")
    assert screen.exit is None


def test_a_tool_call_is_told_beside_the_answer_on_its_own_line() -> None:
    screen = Screen("run")
    screen.show(_delta("m", 0, "I look."))
    called = screen.show(_event("TOOL_CALL_START", call_id="c", name="list_dir", args={"path": "."}))
    assert called == ("\n", '· list_dir {"path": "."}\n')


def test_a_tool_call_with_long_arguments_stays_short() -> None:
    refused = _event("TOOL_CALL_START", call_id="c", name="write", args={}, refused=True)
    assert Screen("run").show(refused) == ("", "")
    _, beside = Screen("run").show(_event("TOOL_CALL_START", call_id="c", name="write", args={"text": "x" * 999}))
    assert len(beside) < 140


@pytest.mark.parametrize(
    ("data", "code", "beside"),
    [
        ({"outcome": {"status": "done"}}, Exit.OK, ""),
        ({"outcome": {"status": "blocked", "blocker_reason": "no key"}}, Exit.BLOCKED, "blocked: no key\n"),
        (
            {"outcome": {"status": "blocked", "blocker_reason": "no key", "unblock_requirements": "the key"}},
            Exit.BLOCKED,
            "blocked: no key\nneeded: the key\n",
        ),
        ({"outcome": {"status": "blocked"}}, Exit.BLOCKED, "blocked: no reason given\n"),
        ({"outcome": {"status": "cancelled", "reason": "stopped"}}, Exit.CANCELLED, "[stopped]\n"),
        ({"outcome": {"status": "done"}, "joined": "r2"}, Exit.OK, "[taken along by the turn that was running]\n"),
    ],
)
def test_an_end_has_an_exit_code_and_says_what_people_need(data: dict[str, object], code: Exit, beside: str) -> None:
    screen = Screen("run")
    screen.show(_delta("m", 0, "so"))
    assert screen.show(_event("RUN_FINISHED", **data)) == ("\n", beside)
    assert screen.exit == code


def test_a_reason_that_the_reply_itself_told_is_not_told_twice() -> None:
    screen, view = Screen("run"), View()
    told = _event("TEXT_MESSAGE_END", message_id="m", text="no key\n\nthe key")
    outcome = {"status": "blocked", "blocker_reason": "no key", "unblock_requirements": "the key"}
    ended = _event("RUN_FINISHED", outcome=outcome)
    screen.show(told)
    assert screen.show(ended) == ("", "[blocked]\n")
    view.take(told, 0.0)
    assert [piece.text for piece in view.take(ended, 0.0) if "key" in piece.text] == []


def test_a_failure_is_told_with_its_code() -> None:
    screen = Screen("run")
    assert screen.show(_event("RUN_ERROR", code="no_outcome", message="what happened")) == (
        "",
        "failed (no_outcome): what happened\n",
    )
    assert screen.exit == Exit.FAILED


def test_what_a_newer_daemon_may_say_is_passed_over() -> None:
    screen = Screen("run")
    assert screen.show(_event("SOMETHING_NEW", surprise=1)) == ("", "")
    assert screen.exit is None


def test_a_note_to_people_is_shown_beside_the_answer_with_whose_it_is() -> None:
    screen = Screen("run")
    screen.show(_delta("msg", 0, "Half a line"))
    note = _event("NOTICE", text="Tea is \x1b[31mready.", urgency="high", agent="cook", tainted=True)
    assert screen.show(note) == (
        "\n",
        "! note from cook, high urgency, perhaps with words from outside: Tea is [31mready.\n",
    )
    assert screen.show(_event("NOTICE", text="Tea.\n! mine")) == ("", "! note from the agent: Tea.\n  ! mine\n")


def test_a_question_is_shown_and_its_words_move_no_cursor() -> None:
    screen = Screen("run")
    wait = {"wait_id": "approval:tool_1:ab:0", "prompt": "May \x1b[2Jpost be called?"}
    assert screen.show(_event("SUSPENDED", waits=[wait])) == ("", "┌ a question\n│ May [2Jpost be called?\n└\n")
    assert screen.exit is None


def test_a_question_of_many_lines_is_shown_as_its_lines() -> None:
    reason = "its tool has a question: Keep this?\\n== Makefile\\n+evil:"
    prompt = f'May bash_job be called with {{"job": "a"}}? Asked because {reason}. (call {"a" * 16})'
    shown = Screen("run").show(_event("SUSPENDED", waits=[{"wait_id": "approval:c:ab:0", "prompt": prompt}]))[1]
    assert shown.splitlines() == ["┌ bash_job asks", "│ a", "│ == Makefile", "│ +evil:", "└ why: Keep this?"]


def test_what_a_sub_agent_has_to_tell_is_no_question_to_people() -> None:
    waits = [{"wait_id": "child:thr_2", "prompt": "the sub-agent"}]
    assert Screen("run").show(_event("SUSPENDED", waits=waits)) == ("", "")


def test_notes_and_questions_of_other_runs_of_the_thread_are_shown_and_nothing_else_of_them() -> None:
    screen = Screen("mine")
    assert screen.show(_event("NOTICE", text="Tea.")) == ("", "! note from the agent: Tea.\n")
    assert screen.show(_event("SUSPENDED", waits=[{"wait_id": "w", "prompt": "May I?"}])) == (
        "",
        "┌ a question\n│ May I?\n└\n",
    )
    assert screen.show(_delta("m", 0, "theirs")) == ("", "")
    screen.show(_event("RUN_FINISHED", outcome={"status": "done"}))
    assert screen.exit is None


def test_of_a_message_to_a_heartbeat_the_last_word_of_its_cycle_is_printed_and_nobody_elses() -> None:
    def answer(child: str, text: str) -> Event:
        return _event("ANSWER", wait_id=f"child:{child}", text=text) | {"run_id": None}

    screen = Screen("run")
    begun = _event("CYCLE_STARTED", number=1, child="cyc_1")
    assert _all(answer("sub_1", "No."), begun, answer("sub_1", "No."), screen=screen) == ""
    assert _all(answer("cyc_1", "The roof is dry."), screen=screen) == "The roof is dry.\n"


def test_a_heartbeat_that_takes_no_message_now_says_why() -> None:
    skipped = _event("BEAT_SKIPPED", reason="limit_day_tokens", text="5 of 5 tokens are used")
    assert Screen("run").show(skipped) == ("", "[no beat (limit_day_tokens): 5 of 5 tokens are used]\n")


def test_that_another_agent_speaks_is_told_with_why() -> None:
    routed = _event("AGENT_ROUTED", agent="sulla", by="help", before="cook")
    assert Screen("run").show(routed) == (
        "",
        "[cook asks for help: sulla has the conversation from here on]\n",
    )


@pytest.mark.parametrize(
    ("before", "ended", "told"),
    [
        ((), {"outcome": {"status": "done"}}, "[the agent has said nothing]\n"),
        ((_end("m", ""),), {"outcome": {"status": "done"}}, "[the agent has said nothing]\n"),
        ((_end("m", "It is."),), {"outcome": {"status": "done"}}, ""),
        ((), {"outcome": {"status": "done"}, "joined": "run_2"}, "[taken along by the turn that was running]\n"),
        ((), {"outcome": {"status": "cancelled"}}, "[cancelled]\n"),
    ],
)
def test_an_agent_that_has_said_nothing_is_told(before: tuple[Event, ...], ended: Event, told: str) -> None:
    screen = Screen("run")
    for event in before:
        screen.show(event)
    assert screen.show(_event("RUN_FINISHED", **ended)) == ("", told)
