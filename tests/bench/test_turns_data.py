from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from bench.turns import data
from bench.turns.data import CLASSES, COLUMNS, DataError, Line
from tests.kits.in_turn import in_turn

pytestmark = in_turn(3)

HALVES = ("dev", "heldout")
LEAST_LINES = 400
LEAST_OF_A_CLASS = 25
LEAST_OF_A_LABEL = 0.45
LATER = {"more": "m", "trial": "t"}
"""The files that were written after the halves, and what their ids begin with."""
LEAST_LATER_LINES = 340

ROW = ("h001", "hs001", "cut", "could you turn the", "", "incomplete", "400")


def _file(*rows: tuple[str, ...]) -> bytes:
    return "".join("\t".join(row) + "\n" for row in (COLUMNS, *rows)).encode()


def _row(**changes: str) -> tuple[str, ...]:
    named = dict(zip(COLUMNS, ROW, strict=True)) | changes
    return tuple(named[column] for column in COLUMNS)


def _said(text: str, source: str = "hs001") -> Line:
    return Line("h001", source, "complete", text, None, complete=True, pause_ms=None)


Halves = dict[str, tuple[Line, ...]]


@pytest.fixture(scope="module")
def halves() -> Halves:
    return {"dev": data.dev(), "heldout": data.heldout()}


def test_the_heldout_half_is_the_frozen_one() -> None:
    data.check_frozen("heldout.tsv", (Path(data.__file__).parent / "heldout.tsv").read_bytes())


def test_another_heldout_half_is_refused() -> None:
    with pytest.raises(DataError, match=r"^heldout\.tsv: SHA-256 is .*frozen"):
        data.check_frozen("heldout.tsv", _file(_row()))


@pytest.mark.parametrize("half", HALVES)
def test_a_half_is_large_and_balanced(halves: Halves, half: str) -> None:
    lines = halves[half]
    labels = Counter(line.complete for line in lines)
    assert len(lines) >= LEAST_LINES
    assert min(labels[True], labels[False]) >= LEAST_OF_A_LABEL * len(lines), labels


@pytest.mark.parametrize("half", HALVES)
def test_a_half_has_enough_of_every_class(halves: Halves, half: str) -> None:
    counts = Counter(line.kind for line in halves[half])
    assert set(counts) == set(CLASSES)
    assert min(counts.values()) >= LEAST_OF_A_CLASS, counts


def test_the_readme_counts_what_is_there(halves: Halves, later: Halves) -> None:
    readme = (Path(data.__file__).parent / "README.md").read_text()
    for half, lines in (halves | later).items():
        complete = sum(line.complete for line in lines)
        sources = len({line.source for line in lines})
        assert f"| `{half}.tsv` | {len(lines)} | {complete} | {len(lines) - complete} | {sources} |" in readme
    counts = Counter((half, line.kind, line.complete) for half, lines in halves.items() for line in lines)
    for kind in CLASSES:
        dev, heldout = (f"{counts[half, kind, True]} + {counts[half, kind, False]}" for half in HALVES)
        assert re.search(
            rf"^\| `{kind}` \| .+ \| {re.escape(dev)} \| {re.escape(heldout)} \|$", readme, re.MULTILINE
        ), kind


@pytest.mark.parametrize("half", HALVES)
def test_no_class_but_that_of_whole_sentences_gives_the_label_away(halves: Halves, half: str) -> None:
    labels = {kind: {line.complete for line in halves[half] if line.kind == kind} for kind in CLASSES}
    assert labels == {kind: {True} if kind == "complete" else {True, False} for kind in CLASSES}


@pytest.mark.parametrize("half", HALVES)
def test_most_texts_are_as_a_recognizer_without_punctuation_gives_them(halves: Halves, half: str) -> None:
    bare = [line for line in halves[half] if line.text.islower() and not set(line.text) & set(".,?!")]
    assert 0.5 <= len(bare) / len(halves[half]) <= 0.8


@pytest.mark.parametrize("half", HALVES)
def test_a_full_stop_is_no_proof(halves: Halves, half: str) -> None:
    stopped = Counter(line.complete for line in halves[half] if line.text[-1] in ".?!")
    assert stopped[False] >= 0.15 * stopped[True] > 0


@pytest.mark.parametrize("half", HALVES)
def test_no_two_lines_of_a_half_are_the_same(halves: Halves, half: str) -> None:
    said = Counter((data.words(line.text), line.context) for line in halves[half])
    assert [key for key, count in said.items() if count > 1] == []


@pytest.mark.parametrize(("ms", "share"), [(300, 0.556), (600, 0.217), (1000, 0.10), (1600, 0.05)])
@pytest.mark.parametrize("half", HALVES)
def test_pauses_are_as_long_as_the_readme_says(halves: Halves, half: str, ms: int, share: float) -> None:
    pauses = [line.pause_ms for line in halves[half] if line.pause_ms is not None]
    assert sum(pause > ms for pause in pauses) / len(pauses) == pytest.approx(share, abs=0.015)


def test_the_halves_share_no_source_and_no_id(halves: Halves) -> None:
    dev, heldout = halves["dev"], halves["heldout"]
    assert all(line.id[0] == line.source[0] == "d" for line in dev)
    assert all(line.id[0] == line.source[0] == "h" for line in heldout)


def test_the_halves_share_no_near_copy(halves: Halves) -> None:
    assert data.near_copies(halves["dev"], halves["heldout"]) == []


def test_the_halves_share_no_question(halves: Halves) -> None:
    dev, heldout = ({data.words(line.context) for line in lines if line.context} for lines in halves.values())
    assert dev & heldout == set()


@pytest.mark.parametrize("half", HALVES)
def test_texts_of_two_sources_share_no_long_run_of_words(halves: Halves, half: str) -> None:
    found = data.near_copies(halves[half], halves[half])
    assert [(one.id, other.id) for one, other, why in found if why == "5 words in a row"] == []


@pytest.fixture(scope="module")
def later() -> Halves:
    return {"more": data.more(), "trial": data.trial()}


@pytest.mark.parametrize("name", LATER)
def test_a_later_file_is_large_balanced_and_of_every_class(later: Halves, name: str) -> None:
    lines = later[name]
    labels = Counter(line.complete for line in lines)
    assert len(lines) >= LEAST_LATER_LINES
    assert min(labels[True], labels[False]) >= LEAST_OF_A_LABEL * len(lines), labels
    given = {kind: {line.complete for line in lines if line.kind == kind} for kind in CLASSES}
    assert given == {kind: {True} if kind == "complete" else {True, False} for kind in CLASSES}


@pytest.mark.parametrize("name", LATER)
def test_a_later_file_says_nothing_twice_and_its_ids_are_its_own(later: Halves, name: str) -> None:
    said = Counter((data.words(line.text), line.context) for line in later[name])
    assert [key for key, count in said.items() if count > 1] == []
    assert {line.id[0] + line.source[0] for line in later[name]} == {LATER[name] * 2}
    found = data.near_copies(later[name], later[name])
    assert [(one.id, other.id) for one, other, why in found if why == "5 words in a row"] == []


@pytest.mark.parametrize("name", LATER)
@pytest.mark.parametrize(("ms", "share"), [(300, 0.556), (600, 0.217), (1000, 0.10), (1600, 0.05)])
def test_pauses_of_a_later_file_are_as_long_as_those_of_the_halves(
    later: Halves, name: str, ms: int, share: float
) -> None:
    pauses = [line.pause_ms for line in later[name] if line.pause_ms is not None]
    assert sum(pause > ms for pause in pauses) / len(pauses) == pytest.approx(share, abs=0.015)


@pytest.mark.parametrize(("name", "other"), [("more", "dev"), ("trial", "dev"), ("more", "trial")])
def test_the_later_files_share_no_sentence_and_no_question_with_each_other_or_dev(
    halves: Halves, later: Halves, name: str, other: str
) -> None:
    lines, others = later[name], (halves | later)[other]
    assert data.near_copies(lines, others) == []
    asked, elsewhere = ({data.words(line.context) for line in half if line.context} for half in (lines, others))
    assert asked & elsewhere == set()


@pytest.mark.parametrize("name", LATER)
def test_the_later_files_share_no_sentence_with_the_held_out_half(halves: Halves, later: Halves, name: str) -> None:
    assert [one.id for one, _, _ in data.near_copies(later[name], halves["heldout"])] == []


@pytest.mark.parametrize(
    ("text", "other", "why"),
    [
        ("we walked to the old mill", "Yesterday we walked to the old pier.", "5 words in a row"),
        ("lock the car", "Lock the car!", "the same words"),
        ("book the blue room now", "now book the blue room", "mostly the same words"),
    ],
)
def test_a_planted_near_copy_is_found(text: str, other: str, why: str) -> None:
    assert [found[2] for found in data.near_copies([_said(text)], [_said(other, "ds001")])] == [why]


@pytest.mark.parametrize(("text", "other"), [("Yes.", "yes"), ("book the blue room", "paint the blue door red")])
def test_what_is_merely_short_or_alike_is_no_near_copy(text: str, other: str) -> None:
    assert data.near_copies([_said(text)], [_said(other, "ds001")]) == []


def test_a_cut_is_no_copy_of_its_own_source() -> None:
    whole = "could you turn the lamp off"
    assert data.near_copies([_said(whole)], [_said("could you turn the lamp")]) == []


def test_a_line_is_read() -> None:
    answer = _row(
        **{"id": "h002", "class": "short_answer", "text": "Yes.", "context": "Now?"}, label="complete", pause_ms=""
    )
    assert data.parse("x.tsv", _file(_row(), answer)) == (
        Line("h001", "hs001", "cut", "could you turn the", None, complete=False, pause_ms=400),
        Line("h002", "hs001", "short_answer", "Yes.", "Now?", complete=True, pause_ms=None),
    )


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"id": "x1"}, "id is 'x1'"),
        ({"source": "h001"}, "source is 'h001'"),
        ({"class": "poem"}, "class is 'poem'"),
        ({"text": ""}, "text is ''"),
        ({"text": " the"}, "text is ' the'"),
        ({"text": "a" * 201}, "at most 200 characters"),
        ({"context": "Why? "}, "context is 'Why"),
        ({"context": "b" * 201}, "at most 200 characters"),
        ({"class": "short_answer"}, "the question that the answer is to"),
        ({"label": "done"}, "expected one of complete, incomplete"),
        ({"label": "complete"}, "pause_ms is '400'"),
        ({"pause_ms": ""}, "pause_ms is ''"),
        ({"pause_ms": "0"}, "pause_ms is '0'"),
        ({"pause_ms": "10001"}, "1 to 10000"),
        ({"pause_ms": "½"}, "pause_ms is '½'"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_its_place(changes: dict[str, str], complaint: str) -> None:
    with pytest.raises(DataError) as caught:
        data.parse("x.tsv", _file(_row(), _row(**changes)))
    assert str(caught.value).startswith("x.tsv:3: ")
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "x.tsv:1: expected the columns"),
        (_file(ROW[:-1]), "x.tsv:2: 6 columns; expected 7"),
        (_file(ROW)[:-1], "x.tsv:2: expected a line feed"),
        (_file(ROW, ROW), "x.tsv:3: id h001 is there twice"),
        (_file() + b"\xff\n", "x.tsv: byte 44 is not UTF-8"),
        (_file(*[ROW] * 4001), "x.tsv: 4001 lines; expected at most 4000"),
        (b"a" * (512 * 1024 + 1), "x.tsv: 524289 bytes; expected at most 524288"),
    ],
    ids=["empty", "columns", "end", "twice", "UTF-8", "lines", "bytes"],
)
def test_a_file_that_does_not_fit_is_refused(content: bytes, complaint: str) -> None:
    with pytest.raises(DataError) as caught:
        data.parse("x.tsv", content)
    assert str(caught.value).startswith(complaint)
