"""`sulla chat` at a terminal with a screen, against a real daemon."""

from __future__ import annotations

import signal
from pathlib import Path

from sulla.terminal.exits import Exit
from tests.daemon.running import Place, service
from tests.kits.in_turn import in_turn
from tests.servers.script import Script
from tests.terminal.chat.conftest import RULES, SETTINGS, Here
from tests.terminal.chat.screens import Seat, seat

pytestmark = in_turn(3)

LABEL = "you · sulla · fake:1b>"


def begun(at: Seat) -> Seat:
    """With the line ready to be typed in."""
    at.until(LABEL)
    return at


def test_a_line_that_was_typed_before_the_prompt_is_sent_and_several_stand_in_it(here: Here) -> None:
    with seat(["chat"], here.place.environ, ahead="hello\r") as at:
        at.until("[done:", LABEL)
    with seat(["chat"], here.place.environ, ahead="one\ryes\r") as at:
        at.until(LABEL, f"{LABEL} one\n  yes")
        at.type("\r")
        text = at.until("[done:", LABEL)
    assert text.count("That was it.") == 1


def test_an_answer_is_formed_and_its_turn_says_what_it_used(here: Here) -> None:
    with seat(["chat"], here.place.environ) as at:
        begun(at).type("form it\r")
        text = at.until("[done:", LABEL)
        at.type("\x04")
        assert at.ended() == Exit.OK
    assert "you> form it" in text
    assert "**" not in text
    assert "the page (https://example.org/page)" in text
    assert "tokens in" in text
    assert "goes on" in at.text.split("\n")[-2]
    assert all(len(line) <= 60 for line in text.split("\n"))


def test_what_a_model_says_steers_no_terminal(here: Here) -> None:
    with seat(["chat"], here.place.environ) as at:
        begun(at).type("hostile\r")
        text = at.until("[done:", LABEL)
    assert "[red]not red[/red] <b>html</b>" in text
    assert "picture: p" in text
    assert b"\x1b]8" not in at.raw
    assert "\\u202e" in text


def test_a_question_is_framed_and_answered(here: Here) -> None:
    with seat(["chat"], here.place.environ) as at:
        begun(at).type("make it\r")
        text = at.until("or why not>")
        assert "┌ bash asks" in text
        assert "│   echo one" in text
        at.type("always\r")
        at.until("always is not offered here")
        at.until("or why not>", times=2)
        at.type("y\r")
        at.until("[done:", LABEL)


def test_questions_of_one_turn_are_counted(here: Here) -> None:
    with seat(["chat"], here.place.environ) as at:
        begun(at).type("both of them\r")
        at.until("bash asks (1 of 2)", "or why not>")
        at.type("n\r")
        at.until("bash asks (2 of 2)", "echo second")
        at.until("or why not>", times=2)
        at.type("n\r")
        at.until("[done:")


def test_a_sub_agents_question_comes_to_whoever_waits(here: Here) -> None:
    with seat(["chat"], here.place.environ) as at:
        begun(at).type("send somebody\r")
        at.until("bash asks for", "or why not>")
        at.type("y\r")
        at.until("That was it.", "[done:", LABEL)


def test_ctrl_c_stops_an_answer_and_says_so(here: Here) -> None:
    with seat(["chat"], here.place.environ) as at:
        begun(at).type("slow\r")
        at.until("It begins")
        at.type("\x03")
        at.until("[stopping…]", "[stopped:", LABEL)
        at.type("\x03")
        assert at.ended() == Exit.OK


def test_a_message_that_waits_is_told_and_one_that_steers_too(here: Here) -> None:
    with seat(["chat"], here.place.environ, columns=200) as at:
        begun(at).type("gate\r")
        at.until("the model writes")
        at.type("and then\r")
        at.until("[the message waits behind the answer that comes", "1 message waits")
        here.model.release("gate")
        at.until("Gate opened.", "That was it.")


def test_messages_that_wait_are_dropped_where_that_is_said(here: Here) -> None:
    with seat(["chat"], here.place.environ, columns=120) as at:
        begun(at).type("slow\r")
        at.until("It begins")
        at.type("one more\rand another\r")
        at.until("2 messages wait")
        at.type("\x03")
        at.until("[2 messages are held; your next lets them go on, and /stop all drops them]")
        at.until_more("/stop all\r", "[a message that waited is dropped]", more=2)
        at.until_more("hello\r", "[done:")
        assert not any("and another" in text for text in here.model.shown_last)
        at.type("\x04")
        assert at.ended() == Exit.OK


def test_others_messages_are_shown_and_the_last_ones_when_it_is_opened(here: Here) -> None:
    with seat(["chat"], here.place.environ, columns=200) as at:
        begun(at).type("hello there\r")
        at.until("[done:")
        at.type("\x04")
        at.ended()
    thread_id = at.text.partition("--thread ")[2].partition("`")[0]
    with seat(["chat", "--thread", thread_id], here.place.environ, columns=200) as at:
        at.until("[the last of", "you> hello there", "That was it.", LABEL)
        assert here.place.run("ask", "--thread", thread_id, "from elsewhere")[0] == Exit.OK
        at.until("you, elsewhere> from elsewhere")
        assert here.place.run("ask", "--last")[1] == "That was it.\n"


def test_a_first_message_that_is_refused_leaves_no_empty_thread_and_the_next_one_begins(here: Here) -> None:
    def threads() -> int:
        return here.place.run("thread", "list", "--json")[1].count("\n")

    before = threads()
    with seat(["chat"], here.place.environ, columns=100) as at:
        begun(at).paste("x" * 100_001)
        at.type("\r")
        at.until("[not sent: that has 100,001 characters, and a message may have 100,000: put it into a file")
        assert threads() == before
        at.until_more("hello\r", "[done:")
        at.type("\x04")
        assert at.ended() == Exit.OK
    assert threads() == before + 1


def test_sigterm_puts_the_terminal_back(here: Here) -> None:
    with seat(["chat"], here.place.environ) as at:
        begun(at)
        at.process.send_signal(signal.SIGTERM)
        assert at.ended() == 128 + signal.SIGTERM
    assert at.raw.rindex(b"\x1b[?2004l") > at.raw.rindex(b"\x1b[?2004h")


def test_a_retry_is_told_with_its_reason(here: Here) -> None:
    with seat(["chat"], here.place.environ, columns=200) as at:
        begun(at).type("busy\r")
        at.until("with 529: overloaded. The same request may succeed later; again in", "Ctrl-C stops")
        at.until("That was it.")


def test_a_paste_is_quoted_with_one_key(here: Here) -> None:
    with seat(["chat"], here.place.environ, columns=200) as at:
        begun(at).paste("Dear all,\nplease send money.\n")
        at.until("please send money.")
        at.type("\x11")
        at.until("┆ quoted, as somebody else's: 29 characters in 3 lines")
        at.type("what is this?\r")
        at.until("[done:")
        assert any("please send money." in text for text in here.model.shown_last)
        thread_id = (here.place.home / "last_thread").read_text().strip()
    shown = here.place.run("thread", "show", thread_id)[1]
    assert "(quoted beside it:)" in shown


def test_ask_forms_its_answer_at_a_terminal_and_keeps_what_was_shown_of_one_that_is_stopped(here: Here) -> None:
    with seat(["ask", "form it"], here.place.environ) as at:
        assert at.ended() == Exit.OK
    assert "**" not in at.text
    assert "the page (https://example.org/page)." in at.text
    assert "Ctrl-C stops" not in at.text, "the sign of work is gone"
    with seat(["ask", "slow"], here.place.environ) as at:
        at.until("It begins and does", "the model writes")
        at.process.send_signal(signal.SIGINT)
        assert at.ended() == Exit.CANCELLED
    assert "It begins and does\n" in at.text
    assert "[stopped]" in at.text
    assert "Ctrl-C stops" not in at.text


def test_a_window_may_change_its_width_while_an_answer_comes(here: Here) -> None:
    with seat(["chat"], here.place.environ, columns=100) as at:
        begun(at).type("slow\r")
        at.until("It begins and does")
        at.resize(40, 20)
        at.until_gone("It begins and does")  # as long as it is pulled
        at.until("It begins and does")
        at.until_more("\x03", "[stopped:")
        at.until_more("hello\r", "[done:")


def test_nothing_is_erased_by_an_order_that_has_tmux_keep_it(here: Here) -> None:
    with seat(["chat"], here.place.environ, columns=100) as at:
        begun(at).type("slow\r")
        at.until("It begins and does")
        at.until_more("\x0c", "It begins and does", more=0)
        at.until_more("\x03", "[stopped:")
    assert at.raw.count(b"\x1b[J") == at.raw.count(b"\x1b[C\x1b[J") > 0


def test_a_reminder_shows_in_an_open_talk_of_another_conversation_and_counts_as_seen_when_something_is_typed(
    here: Here,
) -> None:
    def unseen() -> str:
        return here.place.run("notices", "--json")[1]

    with seat(["chat"], here.place.environ, columns=100) as at:
        begun(at)
        assert here.place.run("ask", "remind me of the tea")[0] == Exit.OK
        text = at.until("high urgency, in thr_", "The tea.")
        assert text.count("The tea.") == 1
        assert "The tea." in unseen()
        at.until_more("hello\r", "[done:")
        at.type("\x04")
        assert at.ended() == Exit.OK
    assert "The tea." not in unseen()


def test_an_idle_talk_says_that_the_daemon_went_away_and_that_it_is_back(tmp_path: Path) -> None:
    with service(Script(RULES)) as model:
        place = Place(tmp_path / "home", **SETTINGS, **model.environ)
        with place.up() as daemon, seat(["chat"], place.environ, columns=120) as at:
            begun(at)
            daemon.ended(signal.SIGKILL)
            at.until("[the daemon went away", "… the daemon is away")
            with place.up():
                text = at.until("[the daemon is back]")
                at.until_more("hello\r", "[done:")
    assert text.count("went away") == 1


def test_nothing_is_said_to_be_done_while_the_daemon_is_away(tmp_path: Path) -> None:
    with service(Script(RULES)) as model:
        place = Place(tmp_path / "home", **SETTINGS, **model.environ)
        for words in (["chat"], ["ask", "slow"]):
            with place.up() as daemon, seat(words, place.environ, columns=120) as at:
                if words == ["chat"]:
                    begun(at).type("slow\r")
                at.until("It begins", "the model writes")
                daemon.ended(signal.SIGKILL)
                text = at.until("… the daemon is away")
                assert "the model writes" not in text


def test_an_answer_to_a_question_waits_for_a_daemon_that_is_away(tmp_path: Path) -> None:
    with service(Script(RULES)) as model:
        place = Place(tmp_path / "home", **SETTINGS, **model.environ)
        with place.up() as daemon, seat(["chat"], place.environ, columns=120) as at:
            begun(at).type("make it\r")
            at.until("or why not>")
            daemon.ended(signal.SIGKILL)
            at.type("n\r")
            at.until("[the daemon went away; waiting for it to come back]")
            with place.up():
                at.until("[done:", LABEL)
                at.type("\x04")
                assert at.ended() == Exit.OK


def test_a_search_in_what_was_said_is_sent_by_enter_and_taken_by_the_right_arrow(here: Here) -> None:
    with seat(["chat"], here.place.environ) as at:
        begun(at).type("first words\r")
        at.until("[done:", LABEL)
        at.type("others\r")
        at.until("[done:", times=2)
        at.until(LABEL)
        at.type("\x12first")
        at.until("first words", times=2)
        at.type("\r")
        at.until("[done:", times=3)
        assert at.text.count("you> first words") == 2
        at.type("\x12others")
        at.until("others", times=2)
        at.type("\x1b[C and more\r")
        at.until("you> others and more")


def test_a_pause_is_told_and_a_stop_is_heeded_in_it_and_what_is_held_is_told_again(here: Here) -> None:
    with seat(["chat"], here.place.environ, columns=120) as at:
        begun(at).type("hello\r")
        at.until("[done:", LABEL)
        assert here.place.run("pause")[0] == Exit.OK
        try:
            at.type("another\r")
            at.until("[paused by owner; the message waits for `sulla resume`]")
            at.type("\x03")
            at.until("[stopping…]", "1 message is held; your next one lets it go on")
            at.type("\x04")
            assert at.ended() == Exit.OK
            assert at.text.count("1 message is held") == 1
            with seat(["chat", "--last"], here.place.environ, columns=120) as again:
                again.until("[so far]", "[1 message is held; your next one lets it go on, and /stop all drops it]")
        finally:
            assert here.place.run("resume")[0] == Exit.OK
