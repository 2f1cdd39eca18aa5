"""Connections break in mid-segment, to the daemon and to the recognizer: no word is doubled, and none lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from sulla.core.jsontypes import JsonObject
from sulla.speech.late_detector import LateDetector, english_detector
from sulla.speech.recognizer.frames import Recognizer, Turns
from sulla.speech.recognizer.moves import Flush, Say, Wrong
from sulla.speech.turn_taking.buffer import SpeechBuffer
from sulla.speech.turn_taking.events import Cancelled, End
from sulla.speech.turn_taking.profile import ADAPTIVE
from sulla.speech.turn_taking.stored import returned
from tests.gateway.recognizers import partial, result, results, turn_info

ENGLISH = LateDetector(english_detector)
AGAIN = "6f1c8b1e-0000-4000-8000-0000000000ff"
"""Another stream of the recognizer than the one of `results` and `turn_info`."""


@dataclass
class Call:
    """Somebody who speaks in a thread, over one connection after the other."""

    turns: Turns = "auto"
    buffer: SpeechBuffer = field(default_factory=lambda: SpeechBuffer(ADAPTIVE, ENGLISH))
    now_ms: int = 0
    connections: int = 0
    ended: list[str] = field(default_factory=list)
    recognizer: Recognizer = field(init=False)

    def __post_init__(self) -> None:
        self.connect()

    def connect(self) -> Call:
        """The client connects anew to the daemon."""
        self.connections += 1
        self.recognizer = Recognizer(f"ses_{self.connections}", self.turns)
        return self

    def restart(self, away_ms: int = 2_000) -> Call:
        """The daemon was killed, and is back; the client connects to it."""
        stored = self.buffer.stored()
        self.now_ms += away_ms
        self.buffer = SpeechBuffer.restored(returned(stored, self.now_ms), ADAPTIVE, ENGLISH)
        return self.connect()

    def hear(self, *frames: JsonObject, each_ms: int = 100) -> Call:
        for frame in frames:
            for move in self.recognizer.hear(frame):
                match move:
                    case Say(chunk):
                        self._note(self.buffer.feed(chunk, self.now_ms))
                    case Flush():
                        self._note(self.buffer.flush(self.now_ms))
                    case Wrong(message):
                        raise AssertionError(message)
            self.wait(each_ms)
        return self

    def wait(self, by_ms: int) -> Call:
        self.now_ms += by_ms
        self._note(self.buffer.tick(self.now_ms))
        return self

    def over(self) -> list[str]:
        """Nobody speaks any more: all turns."""
        self.wait(60_000)
        return self.ended

    def _note(self, events: Sequence[Any]) -> None:
        self.ended += [event.text for event in events if isinstance(event, End)]
        assert not any(isinstance(event, Cancelled) for event in events), events


def reconnected(call: Call) -> Call:
    return call.wait(500).connect()


def restarted(call: Call) -> Call:
    return call.restart()


BREAKS = [reconnected, restarted]
Break = Callable[[Call], Call]


# ------------------------------------------------------------------------------------- the recognizer goes on counting


@pytest.mark.parametrize("broken", BREAKS)
def test_a_segment_of_deepgram_that_goes_on_over_another_connection_is_heard_once(broken: Break) -> None:
    call = Call().hear(results("turn on", 0.0, 0.8), results("turn on the lies", 0.0, 1.3))
    broken(call).hear(
        results("turn on the lights in", 0.0, 1.8),
        results("Turn on the lights in the hall.", 0.0, 2.4, final=True, pause=True),
    )
    assert call.over() == ["Turn on the lights in the hall."]


@pytest.mark.parametrize("broken", BREAKS)
def test_segments_before_the_broken_one_stay(broken: Break) -> None:
    call = Call().hear(results("please turn on", 0.0, 2.0, final=True), results("the lie", 2.0, 0.5))
    broken(call).hear(
        results("the lights", 2.0, 1.0, final=True), results("in the hall", 3.0, 1.0, final=True, pause=True)
    )
    assert call.over() == ["please turn on the lights in the hall"]


@pytest.mark.parametrize("broken", BREAKS)
def test_what_was_in_a_turn_before_the_break_is_in_no_other(broken: Break) -> None:
    call = Call().hear(results("turn on the lights", 0.0, 1.8)).wait(3_000)
    assert call.ended == ["turn on the lights"]
    broken(call).hear(results("turn on the lights in the hall", 0.0, 2.4, final=True, pause=True))
    assert call.over() == ["turn on the lights", "in the hall"]


@pytest.mark.parametrize("broken", BREAKS)
def test_frames_that_are_sent_again_say_nothing_twice(broken: Break) -> None:
    sent = [
        results("please turn on", 0.0, 2.0, final=True),
        results("the lights", 2.0, 1.0, final=True),
        results("in", 3.0, 0.3),
    ]
    call = broken(Call().hear(*sent)).hear(*sent, results("in the hall", 3.0, 1.0, final=True, pause=True))
    assert call.over() == ["please turn on the lights in the hall"]


@pytest.mark.parametrize("broken", BREAKS)
def test_a_turn_that_the_recognizer_has_ended_is_not_said_again(broken: Break) -> None:
    whole = results("turn on the lights", 0.0, 1.8, final=True, pause=True)
    call = broken(Call("recognizer").hear(whole))
    call.hear(whole, results("and the fan", 3.0, 0.8, final=True, pause=True))
    assert call.over() == ["turn on the lights", "and the fan"]


@pytest.mark.parametrize("broken", BREAKS)
def test_a_turn_of_flux_that_goes_on_over_another_connection_is_heard_once(broken: Break) -> None:
    call = Call().hear(turn_info("Update", 0, "what is"), turn_info("Update", 0, "what is the wetter"))
    broken(call).hear(
        turn_info("Update", 0, "what is the weather in"), turn_info("EndOfTurn", 0, "What is the weather in Rome?")
    )
    broken(call).hear(turn_info("EndOfTurn", 0, "What is the weather in Rome?"), turn_info("EndOfTurn", 1, "Thanks."))
    assert call.over() == ["What is the weather in Rome?", "Thanks."]


def test_an_old_connection_that_is_late_says_nothing_twice() -> None:
    call = Call().hear(results("turn on", 0.0, 0.8))
    before = call.recognizer
    now = call.connect().hear(results("turn on the lights", 0.0, 1.8)).recognizer
    call.recognizer = before
    call.hear(results("turn on the", 0.0, 1.0))
    call.recognizer = now
    call.hear(results("turn on the lights please", 0.0, 2.2, final=True, pause=True))
    assert call.over() == ["turn on the lights please"]


def test_channels_are_not_taken_for_each_other() -> None:
    call = Call().hear(results("yes", 0.0, 0.5, channel=0), results("yes", 0.0, 0.5, channel=1))
    assert call.over() == ["yes yes"]


def test_two_clients_who_say_the_same_at_once_are_both_heard() -> None:
    call = Call().hear(partial("i think"))
    first = call.recognizer
    second = call.connect().hear(partial("i think")).recognizer
    call.recognizer = first
    call.hear(partial("i think so"), result("i think so"))
    call.recognizer = second
    call.hear(partial("i think not"), result("i think not"))
    assert sorted(" ".join(call.over()).split()) == sorted("i think so i think not".split())


# -------------------------------------------------------------------------------------- the recognizer does not count


@pytest.mark.parametrize("broken", BREAKS)
def test_a_partial_of_vosk_that_goes_on_over_another_connection_is_heard_once(broken: Break) -> None:
    call = Call().hear(partial("turn on"), partial("turn on the lies"))
    broken(call).hear(partial("turn on the lights in"), result("turn on the lights in the hall"))
    assert call.over() == ["turn on the lights in the hall"]


@pytest.mark.parametrize("broken", BREAKS)
def test_another_sentence_over_another_connection_loses_nothing(broken: Break) -> None:
    call = Call().hear(partial("turn on the lights"))
    broken(call).hear(partial("in"), partial("in the hall"), result("in the hall"))
    assert call.over() == ["turn on the lights in the hall"]


# --------------------------------------------------------------------------------- the recognizer is connected to anew


def test_audio_that_is_sent_to_a_new_recognizer_again_is_heard_once() -> None:
    call = Call().hear(results("please", 0.0, 2.0, final=True), results("turn on the lie", 2.0, 0.9))
    call.hear(
        results("turn", 0.0, 0.4, request=AGAIN),
        results("turn on the", 0.0, 0.8, request=AGAIN),
        results("turn on the lights", 0.0, 1.2, request=AGAIN, final=True, pause=True),
    )
    assert call.over() == ["please turn on the lights"]


def test_audio_that_is_not_sent_again_loses_nothing() -> None:
    call = Call().hear(results("please", 0.0, 2.0, final=True), results("turn on", 2.0, 0.9))
    call.hear(
        results("the", 0.0, 0.4, request=AGAIN), results("the lights", 0.0, 0.9, request=AGAIN, final=True, pause=True)
    )
    assert call.over() == ["please turn on the lights"]


def test_a_flux_that_is_connected_to_anew_hears_the_same_turn_once() -> None:
    call = Call().hear(turn_info("Update", 4, "what is the"))
    call.hear(turn_info("Update", 0, "what", AGAIN), turn_info("EndOfTurn", 0, "What is the weather?", AGAIN))
    assert call.over() == ["What is the weather?"]


@pytest.mark.parametrize("broken", BREAKS)
def test_both_connections_at_once(broken: Break) -> None:
    call = Call().hear(results("turn on the", 0.0, 0.9))
    broken(call).hear(
        results("turn", 0.0, 0.4, request=AGAIN),
        results("turn on the lights", 0.0, 1.2, request=AGAIN, final=True, pause=True),
    )
    assert call.over() == ["turn on the lights"]


# ---------------------------------------------------------------------------------------------------------- at random


def deepgram_talk(chance: Random, words: list[str]) -> list[JsonObject]:
    """Words as Deepgram hears them; the last one of an interim may be another at first (x for w)."""
    frames, at = list[JsonObject](), 0
    while at < len(words):
        size = chance.randint(1, 7)
        segment = words[at : at + size]
        for heard in range(1, len(segment) + 1):
            if chance.random() < 0.6:
                shown = segment[:heard]
                if chance.random() < 0.3:
                    shown = [*shown[:-1], shown[-1].replace("w", "x")]
                frames.append(results(" ".join(shown), at / 2, heard / 2))
        frames.append(results(" ".join(segment), at / 2, len(segment) / 2, final=True, pause=chance.random() < 0.3))
        at += size
    return frames


def flux_talk(chance: Random, words: list[str]) -> list[JsonObject]:
    frames, at, turn = list[JsonObject](), 0, 0
    while at < len(words):
        size = chance.randint(1, 9)
        segment = words[at : at + size]
        frames += [
            turn_info("Update", turn, " ".join(segment[:heard]))
            for heard in range(1, len(segment))
            if chance.random() < 0.6
        ]
        frames.append(turn_info("EndOfTurn", turn, " ".join(segment)))
        at, turn = at + size, turn + 1
    return frames


def vosk_talk(chance: Random, words: list[str]) -> list[JsonObject]:
    frames, at = list[JsonObject](), 0
    while at < len(words):
        size = chance.randint(1, 7)
        segment = words[at : at + size]
        frames += [partial(" ".join(segment[:heard])) for heard in range(1, len(segment) + 1) if chance.random() < 0.6]
        frames.append(result(" ".join(segment)))
        at += size
    return frames


Talk = Callable[[Random, list[str]], list[JsonObject]]
LONGEST_MS = (100, 1_000)
"""Between two frames: in the second case turns end by their timers in the midst of segments, too."""
MOST_CONNECTIONS = 6
"""Of a recognizer that does not count: each of them may leave an utterance open, and a turn has eight at most."""
SEEDS = 40


@pytest.mark.parametrize("turns", ["auto", "sulla", "recognizer"])
@pytest.mark.parametrize("talk", [deepgram_talk, flux_talk, vosk_talk])
def test_whatever_breaks_each_word_is_in_one_turn(talk: Talk, turns: Turns) -> None:
    for seed in range(SEEDS):
        chance = Random(seed)
        words = [f"w{number}" for number in range(chance.randint(5, 40))]
        counts = talk is not vosk_talk
        call, sent = Call(turns), list[JsonObject]()
        longest_ms = chance.choice(LONGEST_MS) if counts else LONGEST_MS[0]
        for frame in talk(chance, words):
            if chance.random() < 0.2 and (counts or call.connections < MOST_CONNECTIONS):
                chance.choice(BREAKS)(call)
                if counts:  # what may have been lost is sent again
                    call.hear(*sent[len(sent) - min(len(sent), chance.choice((0, 1, 3, 30))) :])
            call.hear(frame, each_ms=chance.randint(10, longest_ms))
            sent.append(frame)
        heard = " ".join(call.over()).replace("x", "w").split()
        assert heard == words, (seed, call.ended)
