"""What is known of a spoken talk from its events."""

from __future__ import annotations

from typing import Any

from sulla.speech.cli.conversation import GO_ON_S, SpokenConversation
from sulla.speech.cli.player import HeardUpTo, Player
from sulla.terminal.exits import Exit


def _talk() -> SpokenConversation:
    return SpokenConversation(Player(10.0))


def _event(type_: str, run_id: str | None = None, seq: int | None = None, **data: Any) -> dict[str, Any]:
    return {"thread_id": "t", "seq": seq, "run_id": run_id, "type": type_, "data": data}


def _end(turn_id: str = "u", *, delivered: bool = True, message_id: str = "speech:u") -> dict[str, Any]:
    return _event(
        "SPEECH_END",
        turn_id=turn_id,
        text="the lamp",
        chars=8,
        reason="silence",
        score=0.2,
        detail="noun",
        waited_ms=1_500,
        message_id=message_id,
        delivered=delivered,
    )


def _speak(text: str, offset: int = 0, message_id: str = "m") -> dict[str, Any]:
    return _event("SPEAK", "r", message_id=message_id, index=0, offset=offset, end=offset + len(text), text=text)


def _answered(talk: SpokenConversation, now: float = 0.0) -> None:
    talk.take(_event("INPUT", "r", 2, message_id="speech:u", text="the lamp"), now)
    talk.take(_event("RUN_FINISHED", "r", 3, outcome={"status": "done"}), now)


def test_decisions_are_told_with_their_reasons() -> None:
    talk = _talk()
    told = [
        *talk.take(_event("SPEECH_STARTED", turn_id="u"), 0),
        *talk.take(_event("SPEECH_PARTIAL", turn_id="u", text="the", chars=3), 0),
        *talk.take(_event("SPEECH_EAGER_END", turn_id="u", text="the", chars=3, score=0.81), 0),
        *talk.take(_event("SPEECH_RESUMED", turn_id="u"), 0),
        *talk.take(_end(), 0),
    ]
    assert told == [
        "turn u begins",
        '  "the"',
        "  seems to be over (0.81)",
        "  it was not over",
        'turn u ends: "the lamp"',
        "  silence: 1.5 s of silence were enough, because it reads 0.20 complete (noun)",
    ]
    assert talk.take(_event("SPEECH_CANCELLED", turn_id="v"), 0) == ["turn v is dropped"]
    assert talk.take(_end(delivered=False), 0)[1].endswith("; no message, the person only listens")
    assert talk.take(_event("SPEECH_OF_A_NEWER_DAEMON", turn_id="u"), 0) == []


def test_a_talk_is_over_when_its_turns_are_answered_and_the_answer_was_heard() -> None:
    talk = _talk()
    assert talk.is_over(0), "nothing was said"
    talk.take(_event("SPEECH_STARTED", turn_id="u"), 0)
    assert not talk.is_over(0), "somebody speaks"
    talk.take(_end(), 0)
    assert not talk.is_over(0), "the message has not come yet"
    talk.take(_event("INPUT", "r", 2, message_id="speech:u", text="the lamp"), 0)
    assert not talk.is_over(0), "the run is at work"
    talk.take(_speak("0123456789"), 0)
    talk.take(_event("TEXT_MESSAGE_END", "r", 3, message_id="m", text="0123456789"), 0)
    talk.take(_event("RUN_FINISHED", "r", 4, outcome={"status": "done"}), 0)
    assert not talk.is_over(0), "it is not spoken to its end"
    talk.player.advance(1.5)
    assert talk.is_over(1.5)
    assert (talk.seen, talk.turns, talk.exit) == (4, 1, Exit.OK)


def test_a_message_that_comes_before_its_announcement_is_not_waited_for() -> None:
    talk = _talk()
    _answered(talk)
    talk.take(_end(), 0)
    assert talk.is_over(0)


def test_what_others_do_in_the_thread_is_not_waited_for() -> None:
    talk = _talk()
    talk.take(_event("INPUT", "other", 1, message_id="m-1", text="typed"), 0)
    assert talk.is_over(0)


def test_the_last_run_says_how_it_ended_and_what_was_done_is_told() -> None:
    talk = _talk()
    _answered(talk)
    talk.take(_event("INPUT", "r2", 4, message_id="go-on:u", text=""), 0)
    assert talk.take(_event("TOOL_CALL_START", "r2", 5, call_id="c", name="bash", args={}), 0) == ["· bash {}"]
    told = talk.take(_event("RUN_ERROR", "r2", 6, code="limit_reached", message="too much"), 0)
    assert told == ["failed (limit_reached): too much"]
    assert talk.exit == Exit.FAILED
    assert talk.is_over(0)


def test_a_turn_that_waits_for_a_person_is_not_waited_for() -> None:
    talk = _talk()
    talk.take(_event("INPUT", "r", 2, message_id="speech:u", text="the lamp"), 0)
    wait = {"wait_id": "approval:c", "prompt": "May bash be called?"}
    assert talk.take(_event("SUSPENDED", "r", 3, waits=[wait]), 0) == ["┌ a question", "│ May bash be called?", "└"]
    assert talk.is_over(0)
    assert list(talk.asked) == ["approval:c"]
    talk.take(_event("RESUMED", "r", 4, wait_id="approval:c"), 0)
    assert not talk.is_over(0)


def test_speech_over_the_answer_silences_it_and_it_goes_on_if_that_was_nothing() -> None:
    talk = _talk()
    _answered(talk)
    talk.take(_speak("0123456789"), 0)
    talk.player.advance(0.4)
    talk.take(_event("SPEECH_STARTED", turn_id="v"), 0.4)
    barge = _event("SPEECH_BARGE_IN", turn_id="v", message_id="m", played_chars=4)
    assert talk.take(barge, 0.4) == ["the assistant is silent: 4 characters of it were heard"]
    assert not talk.player.is_speaking
    assert talk.player.place(0.4) == HeardUpTo("m", 4)
    talk.take(_event("SPEECH_CANCELLED", turn_id="v"), 1.0)
    assert not talk.is_over(1.0), "it may be told to go on"
    assert talk.is_over(1.0 + GO_ON_S), "but not for ever"
    told = talk.take(_event("SPEECH_GO_ON", turn_id="v", message_id="m", from_chars=4), 3.0)
    assert told == ["it was nothing: the assistant goes on, from character 4"]
    assert [piece.text for piece in talk.player.advance(3.0)] == ["456789"]


def test_speech_that_became_a_message_leaves_the_answer_silent() -> None:
    talk = _talk()
    _answered(talk)
    talk.take(_speak("0123456789"), 0)
    talk.take(_event("SPEECH_BARGE_IN", turn_id="v", message_id="m", played_chars=0), 0)
    talk.take(_end("v", message_id="speech:v"), 1)
    talk.take(_event("INPUT", "r2", 7, message_id="speech:v", text="the lamp"), 1)
    talk.take(_event("RUN_FINISHED", "r2", 8, outcome={"status": "done"}), 1)
    assert talk.is_over(1)
    assert talk.player.advance(100) == []


def test_what_a_model_says_cannot_move_the_cursor() -> None:
    talk = _talk()
    talk.take(_speak("\x1b[2Jhi"), 0)
    [piece] = talk.player.advance(0)
    assert piece.text == "[2Jhi"
    assert "\x1b" not in talk.take(_event("SPEECH_PARTIAL", turn_id="u\x1b", text="\x1b[2J", chars=3), 0)[0]
