"""Exact counts come from the ranks that are shipped, or not at all."""

from __future__ import annotations

import gzip
import subprocess
import sys
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.errors import RanksUnusable
from sulla.core.ids import MessageId
from sulla.core.message import Message, Text
from sulla.models.tokens.estimate import estimate_text
from sulla.models.tokens.ranks import BUNDLED, SHA256, Ranks, load_ranks, pieces
from tests.house.source import ROOT

DATA = Path(__file__).parent / "data"
COUNTED = {
    "chinese.txt": 566,
    "code.txt": 586,
    "english.txt": 364,
    "german.txt": 503,
    "json_compact.json": 414,
    "json_wide.json": 644,
}
"""Tokens of the samples as the published encoding counts them."""


@pytest.fixture(scope="module")
def ranks() -> Ranks:
    return load_ranks()


@pytest.mark.parametrize("sample", COUNTED)
def test_it_counts_like_the_published_encoding(ranks: Ranks, sample: str) -> None:
    assert ranks.count_text((DATA / sample).read_text()) == COUNTED[sample]


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("hello world", 2), ("<|endoftext|>", 7), ("    indented", 3), ("1234567", 3), ("\ud800", 1)],
)
def test_small_texts(ranks: Ranks, text: str, count: int) -> None:
    assert ranks.count_text(text) == count


def test_a_message_has_borders_beside_its_text(ranks: Ranks) -> None:
    assert ranks.count_tokens(Message(MessageId("m"), "user", (Text("hello world"),))) == 6


@pytest.mark.parametrize("sample", ["english.txt", "german.txt", "code.txt", "json_wide.json"])
def test_counts_of_pieces_add_up(ranks: Ranks, sample: str) -> None:
    text = (DATA / sample).read_text()
    cut = list(pieces(text, 400))
    assert len(cut) > 2
    assert all(piece.startswith(" ") for piece in cut[1:])
    assert sum(map(ranks.count_text, cut)) == COUNTED[sample]


@given(st.text(alphabet="ab ü中.\n1", max_size=300), st.integers(min_value=4, max_value=50))
def test_pieces_lose_nothing_and_are_short(text: str, limit_chars: int) -> None:
    cut = list(pieces(text, limit_chars))
    assert "".join(cut) == text
    assert all(0 < len(piece) <= limit_chars for piece in cut) or cut == [""]


@given(text=st.text(alphabet="ab ü中.\n1'", max_size=200))
def test_a_cut_before_a_single_blank_changes_no_count(ranks: Ranks, text: str) -> None:
    whole = ranks.count_text(text)
    places = [i for i, (a, b) in enumerate(pairwise(text), 1) if b == " " and not a.isspace()]
    for place in (place for place in places if not text[place + 1 : place + 2].isspace()):
        assert ranks.count_text(text[:place]) + ranks.count_text(text[place:]) == whole


@pytest.mark.parametrize("text", ["a" * 40_000, "^" * 40_000, " " * 40_000, "\n" * 40_000, "中" * 20_000])
def test_text_without_words_is_counted_in_pieces_all_the_same(ranks: Ranks, text: str) -> None:
    expected = sum(ranks.count_text(text[start : start + 8192]) for start in range(0, len(text), 8192))
    assert ranks.count_text(text) == expected


@pytest.mark.parametrize("sample", COUNTED)
def test_the_estimate_stays_near(ranks: Ranks, sample: str) -> None:
    text = (DATA / sample).read_text()
    for piece in pieces(text, 500):
        assert estimate_text(piece) >= 0.85 * ranks.count_text(piece) - 3  # a short piece may be odd


def test_the_file_that_is_shipped_is_the_published_one() -> None:
    assert sha256(gzip.decompress(BUNDLED.read_bytes())).hexdigest() == SHA256
    assert BUNDLED.stat().st_size < 800_000


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RanksUnusable, match=r"nowhere\.gz.*cannot be read.*install Sulla again"):
        load_ranks(tmp_path / "nowhere.gz")


def _damaged(kind: str) -> bytes:
    packed = BUNDLED.read_bytes()
    return {
        "empty": b"",
        "cut": packed[:-1000],
        "not packed": b"IQ== 0\n",
        "another byte": packed[:5000] + bytes([packed[5000] ^ 1]) + packed[5001:],
        "other ranks": gzip.compress(b"IQ== 0\nIg== 1\n"),
        "a bomb": gzip.compress(bytes(5_000_000)),
    }[kind]


@pytest.mark.parametrize("kind", ["empty", "cut", "not packed", "another byte", "other ranks", "a bomb"])
def test_a_damaged_file_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "ranks.gz"
    path.write_bytes(_damaged(kind))
    with pytest.raises(RanksUnusable, match="counts stay estimates"):
        load_ranks(path)


def test_loading_reaches_for_no_network_and_no_downloader() -> None:
    line = (
        "import socket, sys\n"
        "from sulla.models.tokens.ranks import load_ranks\n"
        "def refuse(*_, **__): raise SystemExit('reached out')\n"
        "socket.socket = socket.getaddrinfo = refuse\n"
        "print(load_ranks().count_text('hello world'), 'requests' in sys.modules, 'urllib3' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", line], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.stdout.split() == ["2", "False", "False"], run.stderr


def test_the_door_loads_no_tokenizer() -> None:
    line = "import sys, sulla.models; print('tiktoken' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", line], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
