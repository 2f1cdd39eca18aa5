"""A recognizer's frames become chunks: every word in one turn, whoever says when it is over."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.core.jsontypes import JsonObject
from sulla.speech.late_detector import LateDetector, english_detector
from sulla.speech.recognizer.fields import MAX_CHANNELS
from sulla.speech.recognizer.frames import _BARE, _TYPED, Recognizer, Turns
from sulla.speech.recognizer.moves import Drop, Flush, Leave, Passed, Played, Say, Wrong
from sulla.speech.turn_taking.buffer import SpeechBuffer
from sulla.speech.turn_taking.chunk import MAX_CHUNK_CHARS
from sulla.speech.turn_taking.events import Cancelled, End
from sulla.speech.turn_taking.profile import ADAPTIVE, CLASSIC, Profile
from tests.gateway.recognizers import (
    connected,
    metadata,
    partial,
    result,
    results,
    speech_started,
    turn_info,
    utterance_end,
)


class Room:
    """A recognizer, and the machine that it speaks to."""

    def __init__(self, turns: Turns = "auto", channel: int | None = None, profile: Profile = CLASSIC) -> None:
        self.recognizer = Recognizer("c", turns, channel)
        self.buffer = SpeechBuffer(profile, LateDetector(english_detector))
        self.now_ms = 0
        self.ended: list[tuple[str, str]] = []
        """Turns: their reason and text."""
        self.moves: list[object] = []

    def hear(self, *frames: JsonObject, each_ms: int = 100) -> Room:
        for frame in frames:
            for move in self.recognizer.hear(frame):
                self.moves.append(move)
                match move:
                    case Say(chunk):
                        self._note(self.buffer.feed(chunk, self.now_ms))
                    case Flush():
                        self._note(self.buffer.flush(self.now_ms))
                    case Drop():
                        self._note(self.buffer.cancel(self.now_ms))
                    case Wrong(message):
                        raise AssertionError(message)
            self.wait(each_ms)
        return self

    def wait(self, by_ms: int) -> Room:
        self.now_ms += by_ms
        self._note(self.buffer.tick(self.now_ms))
        return self

    @property
    def chunks(self) -> list[tuple[str, int, str, str]]:
        return [
            (move.chunk.utterance_id, move.chunk.seq, move.chunk.kind, move.chunk.text)
            for move in self.moves
            if isinstance(move, Say)
        ]

    def _note(self, events: list[Any]) -> None:
        for event in events:
            if isinstance(event, End):
                self.ended.append((event.reason, event.text))
            elif isinstance(event, Cancelled):
                self.ended.append(("cancelled", event.text))


# ------------------------------------------------------------------------------------------------------------ Deepgram

TALK = [
    speech_started(0.1),
    results("what is", 0.0, 1.0),
    results("what is the", 0.0, 1.5),
    results("What is the weather", 0.0, 2.0, final=True),
    results("in", 2.0, 0.5),
    results("in Rome?", 2.0, 1.0, final=True, pause=True),
    utterance_end(3.0),
]


def test_segments_of_deepgram_make_one_utterance() -> None:
    room = Room().hear(*TALK)
    assert room.chunks == [
        ("c.1", 0, "cumulative", "what is"),
        ("c.1", 1, "cumulative", "what is the"),
        ("c.1", 2, "cumulative", "What is the weather"),
        ("c.1", 3, "cumulative", "What is the weather in"),
        ("c.1", 4, "cumulative", "What is the weather in Rome?"),
    ]
    assert room.wait(3_000).ended == [("complete", "What is the weather in Rome?")]


def test_what_is_settled_is_stable() -> None:
    stable = [move.chunk.stable_chars for move in Room().hear(*TALK).moves if isinstance(move, Say)]
    assert stable == [0, 0, 19, 19, 28]


def test_a_pause_that_deepgram_hears_ends_no_turn_by_itself() -> None:
    room = Room(profile=ADAPTIVE).hear(results("send it to", 0.0, 1.0, final=True, pause=True), utterance_end(1.0))
    assert room.ended == []
    room.hear(results("my sister", 2.0, 1.0), results("my sister.", 2.0, 1.0, final=True, pause=True))
    assert room.wait(3_000).ended == [("complete", "send it to my sister.")]


def test_unless_the_client_wants_it_so() -> None:
    room = Room("recognizer").hear(results("send it to", 0.0, 1.0, final=True, pause=True))
    assert room.ended == [("final", "send it to")]
    room.hear(results("my sister", 2.0, 1.0, final=True), utterance_end(3.0))
    assert room.ended[1:] == [("final", "my sister")]


def test_many_pauses_in_one_turn_do_not_use_up_the_utterances_that_may_be_open() -> None:
    digits = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    room = Room()
    for number, word in enumerate(digits):
        room.hear(results(word, float(number), 1.0, final=True, pause=True), each_ms=900)
    assert room.wait(3_000).ended == [("silence", " ".join(digits))]


def test_an_end_of_an_utterance_does_not_cut_words_that_may_be_revised() -> None:
    for turns in ("sulla", "recognizer"):
        room = Room(turns).hear(results("tell me a", 0.0, 1.0), utterance_end(1.0))
        room.hear(results("Tell me a story.", 0.0, 1.5, final=True, pause=True))
        assert [text for _, text in room.wait(3_000).ended] == ["Tell me a story."], turns


def test_a_late_or_doubled_frame_says_nothing_twice() -> None:
    first = results("one two", 0.0, 1.0, final=True)
    room = Room().hear(first, first, results("one", 0.0, 0.5), results("three", 1.0, 1.0, final=True), first)
    assert room.wait(3_000).ended == [("silence", "one two three")]


def test_a_new_stream_counts_its_times_anew() -> None:
    room = Room().hear(results("one", 0.0, 5.0, final=True), results("two", 0.0, 1.0, final=True, request="other"))
    assert room.wait(3_000).ended == [("silence", "one two")]
    room = Room().hear(results("one", 0.0, 5.0, final=True), metadata(), results("two", 0.0, 1.0, final=True))
    assert room.wait(3_000).ended == [("silence", "one two")]


def test_a_segment_that_turns_out_to_be_noise_is_taken_back() -> None:
    room = Room().hear(results("uh", 0.0, 0.5), results("", 0.0, 1.0, final=True))
    assert room.wait(3_000).ended == [("cancelled", "")]


def test_silence_makes_no_utterances() -> None:
    quiet = [results("", float(at), 1.0, final=True, pause=True) for at in range(50)]
    assert Room().hear(*quiet, utterance_end(1.0), partial(""), result("")).moves == []


def test_a_finalized_result_ends_the_turn() -> None:
    room = Room().hear(results("call", 0.0, 1.0), results("Call a taxi", 0.0, 1.0, final=True, forced=True))
    assert room.ended == [("forced", "Call a taxi")]
    assert room.hear(results("please", 1.0, 1.0, final=True)).wait(3_000).ended[1:] == [("silence", "please")]


def test_each_channel_is_a_voice_of_its_own() -> None:
    room = Room().hear(results("left", 0.0, 1.0, channel=0), results("right", 0.0, 1.0, channel=1))
    assert [chunk[0] for chunk in room.chunks] == ["c.1", "c.2"]
    one = Room(channel=1).hear(
        results("left", 0.0, 1.0, channel=0), results("right", 0.0, 1.0, channel=1), utterance_end(1.0)
    )
    assert [chunk[3] for chunk in one.chunks] == ["right"]


def test_who_never_pauses_outgrows_no_chunk() -> None:
    said = [f"word{number}" for number in range(400)]
    room = Room()
    for number, word in enumerate(said):
        segment = (f"{word} {word}", float(number), 1.0)
        room.hear(results(word, *segment[1:]), results(*segment, final=True), each_ms=0)
    assert max(len(chunk[3]) for chunk in room.chunks) < 1_100
    room.wait(3_000)
    assert " ".join(text for _, text in room.ended).split() == [word for word in said for _ in range(2)]


# ---------------------------------------------------------------------------------------------------------------- Flux

FLUX = [
    connected(),
    turn_info("StartOfTurn", 0, "Book"),
    turn_info("Update", 0, "Book a table"),
    turn_info("Update", 0, "Book a table"),
    turn_info("EagerEndOfTurn", 0, "Book a table"),
    turn_info("TurnResumed", 0, "Book a table for"),
    turn_info("EndOfTurn", 0, "Book a table for two."),
]


def test_the_end_of_a_turn_is_flux_to_say() -> None:
    room = Room().hear(*FLUX)
    assert room.ended == [("final", "Book a table for two.")]
    assert [chunk[2:] for chunk in room.chunks] == [
        ("cumulative", "Book"),
        ("cumulative", "Book a table"),
        ("cumulative", "Book a table for"),
        ("cumulative", "Book a table for two."),
        ("final", "Book a table for two."),
    ]


def test_or_the_profile_decides_if_the_client_wants_it_so() -> None:
    room = Room("sulla").hear(*FLUX)
    assert room.ended == []
    assert room.hear(turn_info("StartOfTurn", 1, "At eight")).wait(3_000).ended == [
        ("silence", "Book a table for two. At eight")
    ]


def test_what_comes_of_a_turn_that_is_over_is_late() -> None:
    room = Room().hear(*FLUX, FLUX[-1], turn_info("Update", 0, "Book a"))
    assert len(room.ended) == 1
    assert room.hear(turn_info("Update", 1, "Yes"), FLUX[1]).wait(30_000).ended[1:] == [("silence", "Yes")]


def test_a_turn_whose_end_was_lost_ends_before_the_next() -> None:
    room = Room().hear(turn_info("Update", 0, "one"), turn_info("Update", 1, "two"), turn_info("EndOfTurn", 1, "two"))
    assert room.ended == [("final", "one"), ("final", "two")]


def test_flux_counts_anew_after_a_reconnect() -> None:
    room = Room().hear(*FLUX, turn_info("EndOfTurn", 0, "Thanks.", request="other"))
    assert room.ended[1:] == [("final", "Thanks.")]


def test_no_silence_ends_a_turn_of_flux_before_its_end() -> None:
    room = Room(profile=ADAPTIVE).hear(turn_info("Update", 0, "What time is it?")).wait(12_000)
    assert room.ended == []
    room.hear(turn_info("EndOfTurn", 0, "What time is it? In Rome?"))
    assert room.ended == [("final", "What time is it? In Rome?")]


# ---------------------------------------------------------------------------------------------------- who is silent


def _timed(text: str, ends_s: float, lasts_s: float, *, final: bool = False, pause: bool = False) -> JsonObject:
    frame = results(text, 0.0, lasts_s, final=final, pause=pause)
    match frame:
        case {"channel": {"alternatives": [{"words": [*_, dict(last)]}]}}:
            last["end"] = ends_s
    return frame


def test_a_segment_that_ends_in_mid_speech_is_no_silence() -> None:
    room = Room(profile=ADAPTIVE).hear(results("What time is it?", final=True)).wait(1_100)
    assert room.ended == []


def test_a_pause_that_deepgram_hears_is_one() -> None:
    room = Room(profile=ADAPTIVE).hear(results("What time is it?", final=True, pause=True)).wait(300)
    assert room.ended == [("complete", "What time is it?")]


def test_the_end_of_an_utterance_is_a_pause() -> None:
    room = Room(profile=ADAPTIVE).hear(results("What time is it?", final=True), utterance_end(0.9)).wait(100)
    assert room.ended == [("complete", "What time is it?")]


def test_the_times_of_words_say_how_long_somebody_has_been_silent() -> None:
    room = Room(profile=ADAPTIVE).hear(_timed("What time is it?", 0.8, 1.4, final=True), each_ms=1)
    assert room.ended == [("complete", "What time is it?")]


def test_a_frame_without_words_says_that_the_silence_goes_on() -> None:
    room = Room(profile=ADAPTIVE).hear(_timed("What time is it?", 0.8, 0.9, final=True), each_ms=500)
    assert room.ended == []
    room.hear(results("", 0.9, 0.6), each_ms=1)
    assert room.ended == [("complete", "What time is it?")]


def test_somebody_who_begins_to_speak_again_is_not_silent() -> None:
    frames = results("turn on the lights", final=True, pause=True), speech_started(1.1)
    assert Room(profile=ADAPTIVE).hear(*frames).wait(1_000).ended == []


@pytest.mark.parametrize("profile", [CLASSIC, ADAPTIVE])
def test_with_turns_by_the_recognizer_no_silence_ends_one_before_its_end(profile: Profile) -> None:
    room = Room("recognizer", profile=profile).hear(results("What time is it?", final=True)).wait(20_000)
    assert room.ended == []
    room.hear(results("In Rome.", 1.0, final=True, pause=True))
    assert room.ended == [("final", "What time is it? In Rome.")]


def test_an_end_that_comes_before_the_last_revision_ends_the_turn_with_it() -> None:
    room = Room("recognizer").hear(results("what time"), utterance_end(0.9)).wait(5_000)
    assert room.ended == []
    room.hear(results("What time is it?", final=True))
    assert room.ended == [("final", "What time is it?")]


# ---------------------------------------------------------------------------------------------------------------- Vosk


def test_partials_of_vosk_are_replaced_by_its_result() -> None:
    room = Room().hear(
        partial(""), partial("turn"), partial("turn of"), partial("turn off"), result("turn off the light")
    )
    assert [chunk[3] for chunk in room.chunks] == ["turn", "turn of", "turn off", "turn off the light"]
    room.hear(partial("in the"), result("in the kitchen"), result(""))
    assert room.wait(3_000).ended == [("silence", "turn off the light in the kitchen")]
    assert room.chunks[-1] == ("c.1", 5, "cumulative", "turn off the light in the kitchen")


def test_a_result_of_vosk_ends_the_turn_if_the_client_wants_it_so() -> None:
    assert Room("recognizer").hear(partial("stop"), result("stop")).ended == [("final", "stop")]


@pytest.mark.parametrize(
    "frame",
    [
        {"text": "good night"},
        {"result": [{"word": "good"}, {"word": "night"}]},
        {"alternatives": [{"confidence": 210.5, "text": "good night"}, {"confidence": 200.0, "text": "could night"}]},
    ],
)
def test_all_shapes_of_a_result_of_vosk_are_read(frame: JsonObject) -> None:
    assert Room().hear(frame).chunks == [("c.1", 0, "cumulative", "good night")]


# -------------------------------------------------------------------------------------------------------------- orders


@pytest.mark.parametrize("order", [{"type": "Finalize"}, {"type": "ForceEndTurn"}])
def test_a_turn_can_be_ended_and_later_words_of_its_segment_are_not_said_twice(order: JsonObject) -> None:
    room = Room().hear(results("lock the", 0.0, 1.0), order)
    assert room.ended == [("forced", "lock the")]
    room.hear(results("Lock the door.", 0.0, 1.5, final=True, pause=True))
    assert room.wait(3_000).ended[1:] == [("silence", "door.")]


def test_a_turn_can_be_dropped() -> None:
    room = Room().hear(results("oh never", 0.0, 1.0), {"type": "cancel"})
    room.hear(results("Oh never mind", 0.0, 1.2, final=True), results("hello", 2.0, 1.0, final=True))
    assert room.wait(3_000).ended == [("cancelled", "oh never"), ("silence", "mind hello")]


@pytest.mark.parametrize("order", [{"type": "CloseStream"}, {"eof": 1}])
def test_who_says_nothing_more_ends_the_turn_and_leaves_no_utterance_open(order: JsonObject) -> None:
    room = Room().hear(partial("bye for"), turn_info("Update", 0, "now"), order)
    assert room.ended == [("forced", "bye for now")]
    assert isinstance(room.moves[-1], Leave)
    assert room.buffer.stored().utterances == ()


def test_how_much_was_played_is_taken_from_the_frame() -> None:
    hear = Recognizer("c").hear
    assert hear({"type": "played", "message_id": "msg_1", "played_chars": 12}) == [Played("msg_1", 12)]
    assert hear({"type": "played", "message_id": None}) == hear({"type": "played"}) == [Played("", 0)]


@pytest.mark.parametrize(
    "frame",
    [speech_started(0.5), connected(), metadata(), {"type": "KeepAlive"}, {"type": "Error"}, {"config": {"words": 1}}],
)
def test_what_is_no_speech_does_nothing(frame: JsonObject) -> None:
    assert Recognizer("c").hear(frame) == []


def test_types_that_are_not_known_are_passed_over() -> None:
    assert Recognizer("c").hear({"type": "SpeakerChange", "speaker": 3}) == [Passed("SpeakerChange")]


# ------------------------------------------------------------------------------------------------------------ mistakes


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        ({}, "got the fields none, expected a frame of Deepgram or Vosk"),
        ({"foo": 1, "bar": 2}, "got the fields 'foo', 'bar', expected"),
        ({"type": 5}, "type: got 5, expected a string"),
        ({"type": "Results"}, "channel: got nothing, expected an object"),
        ({"type": "Results", "channel": {"alternatives": [5]}}, "channel.alternatives: expected a list of objects"),
        (
            {"type": "Results", "channel": {"alternatives": [{"transcript": 5}]}},
            "channel.alternatives.0.transcript: got 5, expected a string",
        ),
        (results("hi") | {"start": "now"}, "start: got 'now', expected seconds"),
        (results("hi") | {"duration": -1}, "duration: got -1, expected seconds"),
        (results("hi") | {"is_final": "yes"}, "is_final: got 'yes', expected true or false"),
        (results("hi") | {"channel_index": [32, 33]}, f"expected a list that begins with 0 to {MAX_CHANNELS - 1}"),
        (results("x" * (MAX_CHUNK_CHARS + 1)), f"got {MAX_CHUNK_CHARS + 1} characters, expected at most"),
        (turn_info("Update", 0, "hi") | {"turn_index": -1}, "turn_index: got -1, expected a whole number, 0 or more"),
        (turn_info("Update", 0, "hi") | {"event": None}, "event: got nothing, expected a string"),
        ({"partial": ["hi"]}, "partial: got a list, expected a string"),
        ({"result": [{"conf": 1}]}, "result: got a list, expected a list of words"),
        ({"type": "played", "message_id": "m", "played_chars": 1.5}, "played_chars: got 1.5, expected a whole number"),
    ],
)
def test_what_is_wrong_with_a_frame_is_named(frame: JsonObject, said: str) -> None:
    (move,) = Recognizer("c").hear(frame)
    assert isinstance(move, Wrong)
    assert said in move.message


def test_a_mistake_changes_nothing() -> None:
    room = Room().hear(partial("so far"))
    room.recognizer.hear({"partial": 5})
    assert room.hear(partial("so far so good")).wait(3_000).ended == [("silence", "so far so good")]


ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2**63) | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = sorted(
    {*_BARE, "channel", "channel_index", "start", "duration", "is_final", "speech_final", "from_finalize", "metadata"}
    | {"event", "turn_index", "transcript", "request_id", "message_id", "played_chars", "word", "last_word_end"}
)
GOOD = st.one_of(
    st.sampled_from([*TALK, *FLUX, metadata(), partial("so"), result("so be it"), {"eof": 1}, {"type": "Finalize"}]),
    st.builds(results, st.sampled_from(["", "a", "a b", "c"]), st.sampled_from([0.0, 1.0, 2.0]), final=st.booleans()),
    st.builds(
        turn_info,
        st.sampled_from(["Update", "EndOfTurn", "TurnResumed"]),
        st.integers(0, 3),
        st.sampled_from(["", "x y"]),
    ),
)
BAD = st.builds(
    lambda good, wrong: {**good, **wrong},
    GOOD | st.builds(lambda type_: {"type": type_}, st.sampled_from(sorted(_TYPED)) | ANY),
    st.dictionaries(st.sampled_from(FIELDS), ANY, max_size=3),
)


@settings(max_examples=600, deadline=None)
@given(frames=st.lists(GOOD | BAD, max_size=25), turns=st.sampled_from(["auto", "sulla", "recognizer"]))
def test_whatever_comes_it_never_raises_and_its_chunks_are_in_order(frames: list[Any], turns: Turns) -> None:
    recognizer, seqs = Recognizer("c", turns), dict[str, int]()
    closed = set[str]()
    for frame in frames:
        for move in recognizer.hear(json.loads(json.dumps(frame))):
            if isinstance(move, Say):
                id_ = move.chunk.utterance_id
                assert id_ not in closed
                assert move.chunk.seq == seqs.get(id_, -1) + 1
                seqs[id_] = move.chunk.seq
                if move.chunk.kind == "final":
                    closed.add(id_)
    assert len(seqs.keys() - closed) <= 2 * (MAX_CHANNELS + 2)
