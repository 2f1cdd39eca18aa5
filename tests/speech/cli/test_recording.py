"""Recordings of speech: what is read, and what is said of lines that cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sulla.core.errors import InvalidInput, NotFound, TooLarge
from sulla.speech.cli.recording import MAX_FAULTS, MAX_LINE_CHARS, MAX_LINES, Heard, read_recording, recording
from sulla.speech.turn_taking.chunk import Chunk
from tests.cli.recordings import SHIPPED, line


def test_each_form_of_line_is_read() -> None:
    lines = [
        {"at_ms": 0, "question": "Which room?"},
        line(10, "the") | {"stable_chars": 3, "question": "And which lamp?"},
        {"at_ms": 10, "do": "flush"},
        {"at_ms": 20, "do": "cancel"},
        {"at_ms": 30, "until": "speaking"},
        {"at_ms": 30, "until": "silent"},
    ]
    found = read_recording("r", [json.dumps(lines[0]), "\n", *map(json.dumps, lines[1:])])
    assert found.faults == []
    assert found.heard == [
        Heard(1, 0, None, "Which room?"),
        Heard(3, 10, Chunk("u", 1, "cumulative", "the", 3), "And which lamp?"),
        Heard(4, 10, do="flush"),
        Heard(5, 20, do="cancel"),
        Heard(6, 30, until="speaking"),
        Heard(7, 30, until="silent"),
    ]


def test_frames_of_recognizers_are_read_as_the_daemon_would_read_them() -> None:
    vosk = [{"partial": "the"}, {"partial": ""}, {"partial": "the lamp"}, {"text": "the lamp"}, {"eof": 1}]
    flux = {"type": "TurnInfo", "event": "EndOfTurn", "turn_index": 0, "transcript": "The lamp."}
    lines = [{"at_ms": 100 * number, "frame": frame} for number, frame in enumerate([*vosk, {"type": "New"}, flux])]
    found = read_recording("r", map(json.dumps, lines))
    assert found.faults == []
    said = [(heard.number, heard.at_ms, heard.chunk.kind, heard.chunk.text) for heard in found.heard if heard.chunk]
    assert said == [
        (1, 0, "cumulative", "the"),
        (3, 200, "cumulative", "the lamp"),
        (4, 300, "cumulative", "the lamp"),
        (5, 400, "final", "the lamp"),
        (7, 600, "cumulative", "The lamp."),
        (7, 600, "final", "The lamp."),
    ]
    assert [(heard.number, heard.do) for heard in found.heard if heard.do] == [(5, "flush")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"at_ms": 1, "frame": "x"}', "frame is 'x'; expected a JSON object, as the recognizer sent it"),
        ('{"at_ms": 1, "frame": {"partial": 3}}', "frame: "),
        ('{"at_ms": 1, "frame": {"hello": 3}}', "frame: got the fields"),
        ("hello", "not JSON, column 1: Expecting value; expected one JSON object in each line"),
        ("[" * 100_000, "not JSON"),
        ("[1]", "found list; expected one JSON object in each line"),
        ("{}", "without at_ms; expected a whole number of 0 or more"),
        ('{"at_ms": 1.5}', "at_ms is 1.5; expected a whole number from 0 to 2**53"),
        ('{"at_ms": true}', "at_ms is True; expected a whole number"),
        ('{"at_ms": -1}', "at_ms is -1; expected a whole number"),
        ('{"at_ms": 1}', "this line says nothing: expected a chunk (utterance_id, seq, kind, text), a recognizer"),
        ('{"at_ms": 1, "speaker": 3}', "unknown field 'speaker'; expected at_ms, question, utterance_id"),
        ('{"at_ms": 1, "question": 3}', "question is 3; expected a text"),
        ('{"at_ms": 1, "do": "stop"}', "do is 'stop'; expected 'flush' or 'cancel'"),
        ('{"at_ms": 1, "until": []}', "until is []; expected 'speaking' or 'silent'"),
        ('{"at_ms": 1, "do": "flush", "question": ""}', "this line says several things"),
        (json.dumps(line(1, "a") | {"do": "flush"}), "'do' stands beside a chunk; expected it in a line of its own"),
        ('{"at_ms": 1, "text": "a"}', "a chunk without utterance_id, seq, kind: expected a chunk"),
        (json.dumps(line(1, "a", kind="partial")), "kind is 'partial'; expected one of delta, cumulative, final"),
        (json.dumps(line(1, "a", seq=-1)), "seq is -1; expected a whole number"),
        (json.dumps(line(1, "a", name="a#2")), "utterance_id is 'a#2'; expected 1 to 64 letters"),
        (json.dumps(line(1, "a" * 16_001)), "text has 16001 characters; expected at most 16000"),
        (json.dumps(line(1, "a") | {"stable_chars": "3"}), "stable_chars is '3'; expected a whole number"),
        ('{"at_ms": 1, "question": "a\udcff"}', "character 28 is not valid UTF-8: write it in UTF-8"),
        (" " * MAX_LINE_CHARS + "{}", f"the line has {MAX_LINE_CHARS + 2} characters"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_with_what_was_expected(text: str, said: str) -> None:
    found = read_recording("talk.jsonl", [json.dumps(line(0, "the")), text])
    [fault] = found.faults
    assert fault.startswith(f"talk.jsonl:2: {said}")


def test_lines_that_run_backwards_are_refused() -> None:
    found = read_recording("r", map(json.dumps, [line(300, "a"), line(299, "a b", 2)]))
    assert found.faults == [
        "r:2: at_ms is 299, before the 300 of line 1; expected the lines in the order in which they came"
    ]


def test_all_faults_are_told_up_to_a_number() -> None:
    assert len(read_recording("r", ["x"] * 3).faults) == 3
    many = read_recording("r", ["x"] * 1_000).faults
    assert many[-2:] == [
        f"r:{MAX_FAULTS}: not JSON, column 1: Expecting value; expected one JSON object in each line",
        f"r: looked no further after {MAX_FAULTS} faults",
    ]


def test_an_empty_recording_is_no_recording() -> None:
    assert read_recording("r", ["\n"]).faults == [
        "r: there is nothing in it; expected JSON lines as docs/inside/speech.md says"
    ]


def test_a_file_of_any_length_is_not_read_without_a_bound() -> None:
    with pytest.raises(TooLarge, match=f"more than {MAX_LINES} lines"):
        read_recording("r", ("\n" for _ in range(MAX_LINES + 1)))


def test_a_file_that_is_not_there_or_no_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"there is no file .*/none"):
        recording(str(tmp_path / "none"))
    with pytest.raises(InvalidInput, match="cannot read"):
        recording(str(tmp_path))


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*")), ids=lambda path: path.name)
def test_what_comes_along_can_be_played(path: Path) -> None:
    assert recording(str(path)).faults == []
