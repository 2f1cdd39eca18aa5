from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from sulla.speech.turn_taking.buffer import MAX_TURN_CHARS, SpeechBuffer
from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.events import Cancelled, EagerEnd, End, Event, Partial, Resumed, TurnStarted
from sulla.speech.turn_taking.profile import ADAPTIVE, CLASSIC, Profile
from sulla.speech.turn_taking.stored import returned
from tests.kits.points import some
from tests.speech.streams import ENGLISH, Heard, disturbed, play, profile_of, said, sentence, utterance

each_seed = pytest.mark.parametrize("seed", some(range(10), 1, "speech streams"))
STREAMS_A_SEED = 1_000


def _delta(text: str, seq: int = 1, name: str = "u") -> Chunk:
    return Chunk(name, seq, "delta", text)


def _settled(text: str, seq: int = 1, silent_ms: int | None = None, name: str = "u") -> Chunk:
    return Chunk(name, seq, "cumulative", text, len(text), silent_ms)


def _ends(events: list[Event]) -> list[End]:
    return [event for event in events if isinstance(event, End)]


def _kinds(events: list[Event]) -> list[type[Event]]:
    return [type(event) for event in events]


# ------------------------------------------------------------------------------------------------------------ classic


def test_a_complete_thought_ends_after_a_pause_of_1500_ms_exactly() -> None:
    buffer = SpeechBuffer()
    buffer.feed(_delta("Could you check the boiler for me"), 1_000)
    assert buffer.due_ms == 2_500
    assert buffer.tick(2_499) == []
    assert buffer.tick(2_500) == [
        End("u", "Could you check the boiler for me", "complete", 1.0, "complete_thought", 1_500)
    ]
    assert buffer.due_ms is None


def test_anything_else_ends_after_silence_of_3000_ms_exactly() -> None:
    buffer = SpeechBuffer()
    buffer.feed(_delta("the boiler in the cellar is making"), 0)
    assert buffer.tick(2_999) == []
    [end] = _ends(buffer.tick(3_000))
    assert (end.reason, end.waited_ms) == ("silence", 3_000)


def test_fewer_than_20_characters_are_not_guessed_at_but_end_with_silence() -> None:
    buffer = SpeechBuffer()
    buffer.feed(_delta("What time is it?"), 0)
    assert buffer.tick(2_999) == []
    assert [end.reason for end in _ends(buffer.tick(3_000))] == ["silence"]


@pytest.mark.parametrize(
    ("text", "reason"), [("Please wake me now.", "silence"), ("Please wake me up now", "complete")]
)
def test_the_least_length_is_20_characters(text: str, reason: str) -> None:
    buffer = SpeechBuffer()
    buffer.feed(_delta(text), 0)
    assert [end.reason for end in _ends(buffer.tick(3_000))] == [reason]


def test_a_turn_ends_15_s_after_its_first_chunk_although_somebody_is_still_speaking() -> None:
    buffer = SpeechBuffer()
    events: list[Event] = []
    for number in range(149):
        events += buffer.feed(_delta(f"w{number}", number), 500 + 100 * number)
    assert _ends(events) == []
    assert buffer.due_ms == 15_500
    [end] = _ends(buffer.tick(15_500))
    assert (end.reason, end.text.split()[0], end.text.split()[-1]) == ("max_time", "w0", "w148")


def test_a_final_chunk_ends_a_turn_at_once_however_short() -> None:
    buffer = SpeechBuffer()
    events = buffer.feed(Chunk("u", 1, "final", "Yes."), 7)
    assert _kinds(events) == [TurnStarted, Partial, End]
    assert _ends(events)[0].reason == "final"


def test_speech_begins_the_pause_anew() -> None:
    buffer = SpeechBuffer()
    buffer.feed(_delta("Could you check the boiler"), 0)
    buffer.feed(_delta("for me", 2), 1_400)
    assert buffer.tick(2_899) == []
    assert [end.text for end in _ends(buffer.tick(2_900))] == ["Could you check the boiler for me"]


def test_a_partial_that_says_nothing_new_is_no_speech() -> None:
    buffer = SpeechBuffer()
    buffer.feed(Chunk("u", 1, "cumulative", "the boiler"), 0)
    assert buffer.feed(Chunk("u", 2, "cumulative", "the boiler"), 2_000) == []
    assert [end.waited_ms for end in _ends(buffer.tick(3_000))] == [3_000]


def test_a_late_tick_does_what_was_due_as_of_then() -> None:
    buffer = SpeechBuffer()
    buffer.feed(_delta("the boiler"), 0)
    events = buffer.feed(_delta("is cold", 2), 9_000)
    assert _kinds(events) == [End, TurnStarted, Partial]
    assert _ends(events)[0].waited_ms == 3_000
    assert buffer.status(9_000).text == "is cold"


# ----------------------------------------------------------------------------------------------------------- adaptive


def test_a_complete_text_is_announced_at_200_ms_and_ends_soon_after() -> None:
    buffer = SpeechBuffer(ADAPTIVE, ENGLISH)
    buffer.feed(_settled("turn on the lights in the hall"), 0)
    assert buffer.due_ms == 200
    assert buffer.tick(200) == [EagerEnd("u", "turn on the lights in the hall", 0.85)]
    due_ms = buffer.due_ms
    assert due_ms is not None
    assert 200 < due_ms <= 600
    assert [end.reason for end in _ends(buffer.tick(due_ms))] == ["complete"]


def test_somebody_who_goes_on_takes_the_announcement_back() -> None:
    buffer = SpeechBuffer(ADAPTIVE, ENGLISH)
    buffer.feed(_settled("turn on the lights in the hall"), 0)
    buffer.tick(200)
    assert buffer.status(210).state == "ending"
    assert _kinds(buffer.feed(_delta("and in the", 2), 220)) == [Resumed, Partial]
    assert buffer.status(220).state == "speaking"


@pytest.mark.parametrize("text", ["Yes.", "left", "What time is it?", "TURN ON THE LIGHTS", "thank you goodbye"])
def test_text_that_may_be_revised_waits_for_a_second_and_a_quarter_whatever_it_looks_like(text: str) -> None:
    buffer = SpeechBuffer(ADAPTIVE, ENGLISH)
    buffer.ask("Left or right?")
    buffer.feed(Chunk("u", 1, "cumulative", text), 0)
    assert buffer.tick(1_249) == []


def test_silence_is_known_once_the_text_is_settled() -> None:
    buffer = SpeechBuffer(ADAPTIVE, ENGLISH)
    buffer.feed(Chunk("u", 1, "cumulative", "turn on the lights in the hall"), 0)
    assert buffer.tick(900) == []
    buffer.feed(_settled("turn on the lights in the hall", 2), 900)
    assert [end.at_ms for end in _ends(buffer.tick(900))] == [900]


def test_silence_that_a_recognizer_has_heard_counts_from_the_last_word() -> None:
    buffer = SpeechBuffer(ADAPTIVE, ENGLISH)
    buffer.feed(_settled("turn on the lights in the hall", silent_ms=400), 1_000)
    assert _ends(buffer.tick(1_100)) == []
    assert [end.waited_ms for end in _ends(buffer.tick(1_200))] == [580]


def test_settled_text_without_a_pause_is_no_silence() -> None:
    buffer = SpeechBuffer(ADAPTIVE, ENGLISH)
    buffer.feed(_settled("What time is it?", silent_ms=0), 0)
    assert buffer.tick(1_249) == []
    assert len(_ends(buffer.tick(1_250))) == 1


def test_who_is_heard_to_speak_again_takes_the_announcement_back() -> None:
    buffer = SpeechBuffer(ADAPTIVE, ENGLISH)
    buffer.feed(_settled("turn on the lights in the hall"), 0)
    buffer.tick(200)
    assert _kinds(buffer.feed(_settled("turn on the lights in the hall", 2, 0), 220)) == [Resumed]
    assert buffer.tick(1_400) == []


@pytest.mark.parametrize("profile", [CLASSIC, ADAPTIVE])
def test_no_silence_ends_a_turn_whose_end_the_recognizer_tells(profile: Profile) -> None:
    buffer = SpeechBuffer(profile, ENGLISH)
    text = ""
    for seq in range(20):
        text += "And now? "
        assert _ends(buffer.feed(Chunk("u", seq, "cumulative", text, len(text), held=True), seq * 4_000)) == []
    assert buffer.tick(19 * 4_000 + 29_999) == []
    [end] = _ends(buffer.feed(Chunk("u", 20, "final", text, held=True), 19 * 4_000 + 29_999))
    assert (end.text, end.reason) == (text.strip(), "final")


def test_a_recognizer_that_is_gone_leaves_no_turn_open_for_ever() -> None:
    buffer = SpeechBuffer(ADAPTIVE, ENGLISH)
    buffer.feed(Chunk("u", 1, "cumulative", "the", held=True), 0)
    assert [end.reason for end in _ends(buffer.tick(30_000))] == ["silence"]


def test_what_was_stored_by_a_version_before_is_not_sure_of_a_silence() -> None:
    stored = SpeechBuffer(ADAPTIVE, ENGLISH)
    stored.feed(_settled("What time is it?"), 0)
    before = stored.stored()
    assert before.turn is not None
    before = replace(before, turn=replace(before.turn, silence=None))
    assert SpeechBuffer.restored(before, ADAPTIVE, ENGLISH).due_ms == 1_250


def test_time_in_which_nobody_could_be_heard_is_no_silence() -> None:
    before = SpeechBuffer(ADAPTIVE, ENGLISH)
    before.feed(_settled("What time is it?"), 0)
    buffer = SpeechBuffer.restored(returned(before.stored(), 60_000), ADAPTIVE, ENGLISH)
    assert buffer.tick(64_000) == []
    assert said(buffer.feed(_settled("What time is it? In Rome.", 2), 64_000)) == []
    assert said(buffer.tick(65_000)) == "What time is it? In Rome.".split()


def test_a_speaker_who_does_not_come_back_is_waited_for_some_seconds() -> None:
    before = SpeechBuffer()
    before.feed(_delta("the light"), 0)
    buffer = SpeechBuffer.restored(returned(before.stored(), 60_000))
    assert buffer.tick(64_999) == []
    assert said(buffer.tick(65_000)) == ["the", "light"]


def test_an_unfinished_text_is_waited_for_but_never_longer_than_3_s() -> None:
    buffer = SpeechBuffer(ADAPTIVE, ENGLISH)
    buffer.feed(_delta("turn on the"), 0)
    assert buffer.tick(1_999) == []
    [end] = _ends(buffer.tick(3_000))
    assert (end.reason, end.detail) == ("silence", "noun_is_missing")


def test_who_asks_for_time_gets_10_s() -> None:
    buffer = SpeechBuffer(ADAPTIVE, ENGLISH)
    buffer.feed(_delta("hold on let me check"), 0)
    assert buffer.tick(9_999) == []
    assert [end.reason for end in _ends(buffer.tick(10_000))] == ["silence"]


def test_the_same_words_end_sooner_as_the_answer_to_a_question() -> None:
    waits: list[int] = []
    for question in (None, "Which side hurts?"):
        buffer = SpeechBuffer(ADAPTIVE, ENGLISH)
        buffer.ask(question)
        buffer.feed(_settled("the left"), 0)
        while not (ends := _ends(buffer.tick(buffer.due_ms or 0))):
            pass
        waits.append(ends[0].waited_ms)
    assert waits[1] < 500 < waits[0]


def test_a_question_holds_for_one_turn() -> None:
    buffer = SpeechBuffer(ADAPTIVE, ENGLISH)
    buffer.ask("Which side hurts?")
    buffer.feed(Chunk("a", 1, "final", "left"), 0)
    buffer.feed(_delta("the left", name="b"), 100)
    assert _ends(buffer.tick(600)) == []
    assert len(_ends(buffer.tick(3_100))) == 1


def test_who_pauses_longer_is_waited_for_longer() -> None:
    def wait_after(pause_ms: int) -> int:
        buffer = SpeechBuffer(ADAPTIVE, ENGLISH)
        for seq in range(1, 12):
            buffer.feed(_settled("and the " * seq, seq), seq * pause_ms)
            if seq % 4 == 0:
                buffer.flush(seq * pause_ms)
        buffer.feed(_settled("and the " * 11 + "tea", 12), 12 * pause_ms)
        buffer.flush(12 * pause_ms)
        buffer.feed(_settled("could you", name="v"), 40_000)
        buffer.tick(40_200)
        return (buffer.due_ms or 0) - 40_000

    assert wait_after(1_200) > wait_after(310)


# ----------------------------------------------------------------------------------------------- flush, cancel, status


def test_a_flush_gives_what_is_there_once() -> None:
    buffer = SpeechBuffer()
    buffer.feed(_delta("the"), 0)
    assert [(end.text, end.reason) for end in _ends(buffer.flush(40))] == [("the", "forced")]
    assert buffer.flush(50) == []


def test_what_was_cancelled_comes_in_no_later_turn() -> None:
    buffer = SpeechBuffer()
    buffer.feed(_delta("delete the"), 0)
    assert buffer.cancel(10) == [Cancelled("u", "delete the")]
    assert said(buffer.feed(Chunk("u", 2, "final", "delete the photos"), 20)) == ["photos"]


def test_only_what_is_closed_is_late() -> None:
    buffer = SpeechBuffer()
    first, last = Chunk("u", 1, "cumulative", "the"), Chunk("u", 2, "final", "the light")
    assert not buffer.is_late(first)
    buffer.feed(first, 0)
    buffer.flush(10)
    assert not buffer.is_late(last), "its turn is over, but it is not"
    buffer.feed(last, 20)
    assert buffer.is_late(first)
    assert buffer.is_late(last)


def test_what_is_closed_is_late_although_the_turn_goes_on_with_another_utterance() -> None:
    buffer = SpeechBuffer()
    buffer.feed(_delta("the", name="one"), 0)
    buffer.feed(_delta("light", name="two"), 10)
    buffer.feed(Chunk("one", 2, "final", "the"), 20)
    again = _delta("lamp", 3, "one")
    assert buffer.is_late(again)
    assert (buffer.feed(again, 30), buffer.status(30).text) == ([], "the light")


def test_a_turn_whose_words_were_all_revised_away_is_dropped() -> None:
    buffer = SpeechBuffer()
    buffer.feed(Chunk("u", 1, "cumulative", "hm"), 0)
    assert _kinds(buffer.feed(Chunk("u", 2, "final", ""), 100)) == [Partial, Cancelled]


def test_the_status_says_how_things_stand() -> None:
    buffer = SpeechBuffer()
    assert not buffer.status(0).exists
    buffer.feed(_delta("the boiler"), 1_000)
    buffer.feed(_delta("is", 2), 1_500)
    status = buffer.status(1_700)
    assert (status.exists, status.text, status.age_ms, status.silent_ms, status.due_ms) == (
        True,
        "the boiler is",
        700,
        200,
        3_000,
    )


def test_time_that_runs_backwards_stands_still() -> None:
    buffer = SpeechBuffer()
    buffer.feed(_delta("the"), 1_000)
    buffer.feed(_delta("boiler", 2), 400)
    assert buffer.status(0).age_ms == 0
    assert buffer.due_ms == 2_500


# ------------------------------------------------------------------------------------------------------ random streams


def _check_announcements(events: list[Event]) -> None:
    announced: str | None = None
    for event in events:
        match event:
            case EagerEnd(text=text):
                assert announced is None, "announced twice without a resumption between"
                announced = text
            case Resumed():
                assert announced is not None
                announced = None
            case Partial() | TurnStarted():
                assert announced is None, "the text changed without a resumption"
            case End(text=text):
                assert announced in (None, text)
                announced = None
            case Cancelled():
                announced = None


@pytest.mark.thorough
@each_seed
def test_of_10000_random_streams_each_word_is_in_exactly_one_turn(seed: int) -> None:
    """A word that comes late, because a piece before it was missing when its turn ended, may stand behind its place."""
    chance = Random(seed)
    for _ in range(STREAMS_A_SEED):
        words = sentence(chance)
        straight = utterance(chance, "u", words, 0)
        for heard, is_in_order in ((straight, True), (disturbed(chance, straight), False)):
            events = play(SpeechBuffer(profile_of(chance), ENGLISH), heard)
            found = said(events)
            assert (found if is_in_order else sorted(found)) == (words if is_in_order else sorted(words))
            _check_announcements(events)
            turns = [end.turn_id for end in _ends(events)]
            assert len(set(turns)) == len(turns)


@pytest.mark.thorough
@each_seed
def test_when_somebody_looks_changes_no_turn(seed: int) -> None:
    chance = Random(seed)
    for _ in range(100):
        heard = disturbed(chance, utterance(chance, "u", sentence(chance), 0))
        profile = profile_of(chance)
        assert play(SpeechBuffer(profile, ENGLISH), heard) == play(SpeechBuffer(profile, ENGLISH), heard, on_time=False)


@pytest.mark.thorough
@each_seed
def test_any_order_and_doubling_of_chunks_within_a_turn_gives_the_same_text(seed: int) -> None:
    chance = Random(seed)
    patient = Profile(pause_ms=10**6, silence_ms=10**6, max_turn_ms=10**6)
    for _ in range(100):
        chunks = [one.chunk for one in utterance(chance, "u", sentence(chance), 0)][:-1]
        texts = set()
        for _ in range(4):
            mixed = chunks + chance.choices(chunks, k=3)
            chance.shuffle(mixed)
            buffer = SpeechBuffer(patient, ENGLISH)
            for chunk in mixed:
                buffer.feed(chunk, 0)
            texts.add(buffer.status(0).text)
        assert len(texts) == 1


@pytest.mark.thorough
@each_seed
def test_utterances_that_overlap_lose_and_double_nothing(seed: int) -> None:
    chance = Random(seed)
    for _ in range(100):
        heard: list[Heard] = []
        words: list[str] = []
        for number in range(3):
            mine = [f"{word}_{number}" for word in sentence(chance)]
            words += mine
            heard += disturbed(chance, utterance(chance, f"u{number}", mine, number * chance.choice((500, 5_000))))
        heard.sort(key=lambda one: one.at_ms)
        events = play(SpeechBuffer(profile_of(chance), ENGLISH), heard)
        assert sorted(said(events)) == sorted(words)
        _check_announcements(events)


@pytest.mark.thorough
@each_seed
def test_a_buffer_restored_at_any_moment_goes_on_as_if_nothing_had_happened(seed: int) -> None:
    chance = Random(seed)
    for _ in range(100):
        heard = [
            one
            for number in range(3)
            for one in disturbed(chance, utterance(chance, f"u{number}", sentence(chance), number * 4_000))
        ]
        heard.sort(key=lambda one: one.at_ms)
        profile = profile_of(chance)
        steady, events = SpeechBuffer(profile, ENGLISH), list[Event]()
        steady.ask("Which lights do you mean?")
        crashing = SpeechBuffer(profile, ENGLISH)
        crashing.ask("Which lights do you mean?")
        for one in heard:
            events += crashing.feed(one.chunk, one.at_ms)
            if chance.random() < 0.5:
                crashing = SpeechBuffer.restored(crashing.stored(), profile, ENGLISH)
        assert events + play(crashing, ()) == play(steady, heard)


# -------------------------------------------------------------------------------------------------------------- bounds


def test_a_turn_ends_at_its_greatest_length() -> None:
    buffer = SpeechBuffer()
    events = buffer.feed(_delta("x" * MAX_TURN_CHARS), 0)
    assert [end.reason for end in _ends(events)] == ["max_length"]


def test_utterances_that_never_end_take_no_more_room_and_lose_nothing() -> None:
    buffer = SpeechBuffer()
    events: list[Event] = []
    for number in range(100):
        events += buffer.feed(_delta(f"word{number}", name=f"u{number}"), number)
    events += buffer.flush(200)
    assert said(events) == [f"word{number}" for number in range(100)]
    assert len(buffer._utterances._open) <= 8


def test_utterances_of_turns_that_are_over_cut_no_later_turn() -> None:
    buffer = SpeechBuffer()
    for number in range(20):  # nobody closes them
        buffer.feed(_delta(f"turn {number}", name=f"old{number}"), number * 4_000)
    buffer.tick(80_000)
    events = buffer.feed(_delta("hello there", name="a"), 80_000) + buffer.feed(_delta("my friend", name="b"), 80_500)
    assert [(end.reason, end.text) for end in _ends(events + buffer.tick(84_000))] == [
        ("silence", "hello there my friend")
    ]
    assert len(buffer._utterances._open) <= 8


@pytest.mark.thorough
@pytest.mark.parametrize("minutes", [10, pytest.param(60, marks=pytest.mark.faults)])
def test_a_long_utterance_keeps_a_bounded_memory(minutes: int) -> None:
    buffer, words = SpeechBuffer(), minutes * 600
    events: list[Event] = []
    for number in range(words):
        events += buffer.feed(_delta(f"w{number}", number), number * 100)
    events += buffer.flush(minutes * 60_000)
    assert said(events) == [f"w{number}" for number in range(words)]
    [utterance_] = buffer._utterances._open.values()
    assert len(utterance_._deltas) <= 500
    assert len(utterance_._taken) <= 2_000
    assert len(repr(buffer.stored())) < 64_000
