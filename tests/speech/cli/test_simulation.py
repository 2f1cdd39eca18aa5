"""`sulla chat --voice-sim`: recorded speech against a real daemon, and its answer as if it were spoken."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from sulla.terminal.exits import Exit
from tests.cli.recordings import HESITATION, line, written
from tests.cli.typed import Typed, typed
from tests.daemon.running import Place, service
from tests.kits.in_turn import in_turn
from tests.servers.script import Reply, Rule, Script
from tests.soon import undisturbed

pytestmark = in_turn(3)

Capsys = pytest.CaptureFixture[str]


def _sim(capsys: Capsys, name: str, *words: str, speed: str = "20") -> Typed:
    """Slow is for those who speak into a sentence: it has to last until a busy machine has heard them."""
    return typed(capsys, "chat", "--voice-sim", name, "--speed", speed, *words)


def _events(shown: Typed) -> list[dict[str, Any]]:
    return [json.loads(one) for one in shown.out.splitlines()]


@pytest.mark.usefixtures("here")
def test_what_was_said_is_answered_and_decisions_are_told_beside_the_answer(capsys: Capsys, tmp_path: Path) -> None:
    name = written(tmp_path / "r", [line(0, "snow"), line(400, "snow, please.", 2, "final")])
    shown = _sim(capsys, name)
    assert (shown.code, shown.out) == (Exit.OK, "A first line\nand \N{SNOWMAN}.\n")
    told = [one[11:] for one in shown.err.splitlines()]
    assert told[1] == '  "snow"'
    assert told[-2].endswith(' ends: "snow, please."')
    assert told[-1] == "  final: the recognizer closed it"


@pytest.mark.usefixtures("here")
def test_pauses_are_kept_so_a_turn_ends_by_its_silence_before_the_recognizer_closes_it(
    capsys: Capsys, tmp_path: Path
) -> None:
    def ends_of(shown: Typed) -> list[dict[str, Any]]:
        return [event["data"] for event in _events(shown) if event["type"] == "SPEECH_END"]

    # A daemon that stands still through a pause hears none.
    shown = undisturbed(
        lambda _: typed(capsys, "chat", "--voice-sim", str(HESITATION), "--json"),
        lambda shown: [end["reason"] for end in ends_of(shown)] == ["complete"],
    )
    ends = ends_of(shown)
    assert [end["text"] for end in ends] == ["could you remind me to um call the dentist before five tomorrow"]
    assert [end["reason"] for end in ends] == ["complete"]
    spoken = [event["data"] for event in _events(shown) if event["type"] == "INPUT"]
    assert [item["text"] for item in spoken] == [end["text"] for end in ends]
    assert [item["message_id"] for item in spoken] == [end["message_id"] for end in ends]


@pytest.mark.usefixtures("here")
def test_who_speaks_over_an_answer_silences_it_and_is_answered(capsys: Capsys, tmp_path: Path) -> None:
    lines = [
        line(0, "ramble", 1, "final", "a"),
        {"at_ms": 0, "until": "speaking"},
        line(4_000, "no wait", 1, "cumulative", "b"),
        line(6_000, "No, wait, hello.", 2, "final", "b"),
    ]
    shown = _sim(capsys, written(tmp_path / "r", lines))
    assert (shown.code, shown.out) == (Exit.OK, "The first sentence is whole.\nHello.\n")
    [silent] = [one for one in shown.err.splitlines() if "the assistant is silent: " in one]
    assert " characters of it were heard" in silent


@pytest.mark.usefixtures("here")
def test_the_conversation_holds_what_was_heard_by_then(capsys: Capsys, tmp_path: Path) -> None:
    lines = [
        line(0, "ramble", 1, "final", "a"),
        {"at_ms": 0, "until": "speaking"},
        line(150, "no wait hello", 1, "final", "b"),
    ]
    events = _events(_sim(capsys, written(tmp_path / "r", lines), "--json", speed="0.5"))
    [barged] = [event["data"] for event in events if event["type"] == "SPEECH_BARGE_IN"]
    [_, second] = [event["data"] for event in events if event["type"] == "INPUT"]
    assert 0 < barged["played_chars"] < len("The first sentence is whole.")
    assert second["spoken"]["heard"] == {"message_id": barged["message_id"], "chars": barged["played_chars"]}


@pytest.mark.usefixtures("here")
def test_what_is_played_until_the_client_falls_silent_was_heard_too(capsys: Capsys, tmp_path: Path) -> None:
    lines = [
        line(0, "ramble", 1, "final", "a"),
        {"at_ms": 0, "until": "speaking"},
        line(150, "no wait hello", 1, "cumulative", "b"),
        line(200, "no wait hello", 2, "final", "b"),
    ]
    events = _events(_sim(capsys, written(tmp_path / "r", lines), "--json", speed="0.5"))
    [barged] = [event["data"] for event in events if event["type"] == "SPEECH_BARGE_IN"]
    [_, second] = [event["data"] for event in events if event["type"] == "INPUT"]
    heard = second["spoken"]["heard"]
    assert heard["message_id"] == barged["message_id"]
    assert 0 < barged["played_chars"] <= heard["chars"] <= len("The first sentence is whole.")


@pytest.mark.usefixtures("here")
def test_a_sound_of_assent_neither_silences_the_answer_nor_becomes_a_message(capsys: Capsys, tmp_path: Path) -> None:
    lines = [
        line(0, "snow", 1, "final", "a"),
        {"at_ms": 0, "until": "speaking"},
        line(100, "uh-huh", 1, "final", "b"),
    ]
    shown = _sim(capsys, written(tmp_path / "r", lines), speed="0.5")
    assert (shown.code, shown.out) == (Exit.OK, "A first line\nand \N{SNOWMAN}.\n")
    assert "the assistant is silent" not in shown.err
    assert "no message, the person only listens" in shown.err


@pytest.mark.usefixtures("here")
def test_an_answer_goes_on_if_what_was_said_over_it_came_to_nothing(capsys: Capsys, tmp_path: Path) -> None:
    lines = [
        line(0, "snow", 1, "final", "a"),
        {"at_ms": 0, "until": "speaking"},
        line(150, "no wait", 1, "cumulative", "b"),
        line(200, "", 2, "final", "b"),
    ]
    name = written(tmp_path / "r", lines)
    # Whoever stands still hears the first line to its end.
    shown = undisturbed(
        lambda turn: _sim(capsys, name, speed=["0.5", "0.2", "0.1"][min(turn, 2)]),
        lambda shown: shown.out.startswith("A first line\n") and not shown.out.startswith("A first line\nand"),
    )
    assert shown.code == Exit.OK
    first, *rest = shown.out.splitlines()
    assert first == "A first line"
    assert first.endswith(rest[0]), "it goes on from where it was silenced"
    assert rest[1:] == ["and \N{SNOWMAN}."]
    told = [one[11:] for one in shown.err.splitlines()]
    [silent] = [one for one in told if one.startswith("the assistant is silent: ")]
    heard = silent.split()[4]
    assert f"it was nothing: the assistant goes on, from character {heard}" in told


@pytest.mark.usefixtures("here")
def test_a_recording_does_not_stand_still_for_ever(
    capsys: Capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sulla.speech.cli.simulation.UNTIL_S", 1.0)
    lines = [
        line(0, "ramble", 1, "final", "a"),
        {"at_ms": 0, "until": "silent"},
        line(0, "no wait hello", 1, "final", "b"),
    ]
    shown = _sim(capsys, written(tmp_path / "r", lines))
    assert (shown.code, shown.out) == (Exit.OK, "The first sentence is whole.\nHello.\n")
    assert "the assistant was not silent after 1 s; the recording goes on" in shown.err


@pytest.mark.usefixtures("here")
def test_orders_of_the_recording_are_carried_out(capsys: Capsys, tmp_path: Path) -> None:
    lines = [
        line(0, "delete everything"),
        {"at_ms": 100, "do": "cancel"},
        line(200, "hello", 1, "delta", "b"),
        {"at_ms": 300, "do": "flush"},
    ]
    events = _events(_sim(capsys, written(tmp_path / "r", lines), "--json"))
    assert [event["data"]["text"] for event in events if event["type"] == "INPUT"] == ["hello"]
    [end] = [event["data"] for event in events if event["type"] == "SPEECH_END"]
    assert end["reason"] == "forced"


@pytest.mark.usefixtures("here")
def test_the_same_recording_played_again_in_a_thread_is_said_again(capsys: Capsys, tmp_path: Path) -> None:
    name = written(tmp_path / "r", [line(0, "hello", 1, "final")])
    first = _events(_sim(capsys, name, "--json"))
    again = _events(_sim(capsys, name, "--json", "--thread", first[0]["thread_id"]))
    for events in (first, again):
        assert [event["data"]["text"] for event in events if event["type"] == "INPUT"] == ["hello"]
    assert min(event["seq"] for event in again if event["seq"]) > max(event["seq"] for event in first if event["seq"])


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("said", "code"), [("be blocked", Exit.BLOCKED), ("fail", Exit.FAILED), ("hello", Exit.OK), ("...", Exit.OK)]
)
def test_the_exit_code_says_how_the_last_turn_ended(capsys: Capsys, tmp_path: Path, said: str, code: Exit) -> None:
    shown = _sim(capsys, written(tmp_path / "r", [line(0, said, 1, "final")]))
    assert shown.code == code
    assert ("no message came of what was said" in shown.err) == (said == "...")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--voice-sim", "/none"), Exit.REFUSED, "there is no file /none: expected a recording"),
        (("--voice-sim", str(HESITATION), "--thread", "thr_unknown"), Exit.REFUSED, "thr_unknown"),
        (("--voice-sim", str(HESITATION), "--speed", "0"), Exit.USAGE, "expected a number from 0.1 to 100, found '0'"),
        (("--speed", "2"), Exit.USAGE, "--speed goes with --voice-sim FILE"),
        (("--voice-sim", str(HESITATION), "--home", "/none"), Exit.UNREACHABLE, "no daemon runs on the home /none"),
    ],
)
def test_what_cannot_be_played_is_said_at_once(capsys: Capsys, words: tuple[str, ...], code: Exit, said: str) -> None:
    shown = typed(capsys, "chat", *words)
    assert (shown.code, shown.out) == (code, "")
    assert said in shown.err


@pytest.mark.usefixtures("here")
def test_a_recording_with_faults_is_not_begun(capsys: Capsys, tmp_path: Path) -> None:
    name = written(tmp_path / "r", [line(0, "hello", 1, "final"), {"at_ms": 3}])
    shown = _sim(capsys, name)
    assert (shown.code, shown.out) == (Exit.REFUSED, "")
    assert shown.err.startswith(f"{name}:2: this line says nothing")


def test_ctrl_c_drops_what_is_being_said_and_ends_what_came_of_it(place: Place, tmp_path: Path) -> None:
    name = written(tmp_path / "r", [line(0, "ramble", 1, "final"), line(60_000, "more", 1, "final", "b")])
    with place.begin("chat", "--voice-sim", name) as command:
        command.until("The first sentence is whole.\n")
        assert command.ended(signal.SIGINT) == Exit.CANCELLED
        assert "[stopped]" in command.complaints


def test_a_daemon_that_is_killed_in_mid_utterance_hears_each_word_once(tmp_path: Path) -> None:
    lines = [
        *(line(200 * number, f"word{number}", number, "delta") for number in range(20)),
        line(4_100, " ".join(f"word{number}" for number in range(20)), 20, "final"),
    ]
    name = written(tmp_path / "r", lines)
    with service(Script([Rule(Reply("Heard.<AGENT_DONE/>"))])) as model:
        place = Place(tmp_path / "home", **model.environ)
        with place.up() as first:
            command = place.begin("chat", "--voice-sim", name, "--json")
            with command as talk:
                talk.until('"SPEECH_PARTIAL"')
                first.process.kill()
                first.process.wait()
                with place.up():
                    assert talk.ended() == Exit.OK
    events = [json.loads(one) for one in talk.said.splitlines()]
    said = [event["data"]["text"] for event in events if event["type"] == "INPUT"]
    assert " ".join(said).split() == [f"word{number}" for number in range(20)]
