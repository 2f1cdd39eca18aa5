"""Trust is a small file: whole after a crash, shared between processes, and nothing where it cannot be read."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sulla.core.errors import Refused
from sulla.skills.trust import MAX_TRUSTED, TrustedSkills


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "trusted.json"


def test_nobody_is_trusted_at_first_and_looking_makes_nothing(path: Path) -> None:
    assert TrustedSkills(path).read() == {}
    assert not path.parent.exists()


def test_what_one_says_another_reads(path: Path) -> None:
    TrustedSkills(path).trust("tea", "sha256:1")
    TrustedSkills(path).trust("tea", "sha256:2")
    TrustedSkills(path).trust("bread", "sha256:3")
    assert TrustedSkills(path).read() == {"tea": "sha256:2", "bread": "sha256:3"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_trust_can_be_taken_back(path: Path) -> None:
    book = TrustedSkills(path)
    book.trust("tea", "sha256:1")
    assert book.forget("tea")
    assert not book.forget("tea")
    assert book.read() == {}


def test_of_many_that_write_at_once_none_is_lost(path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: TrustedSkills(path).trust(f"s{number}", str(number)), range(40)))
    assert TrustedSkills(path).read() == {f"s{number}": str(number) for number in range(40)}


def test_the_file_is_bounded(path: Path) -> None:
    path.parent.mkdir()
    many = {f"s{number}": "x" for number in range(MAX_TRUSTED)}
    path.write_text(f'{{"skills": {str(many).replace(chr(39), chr(34))}}}')
    TrustedSkills(path).trust("last", "y")
    kept = TrustedSkills(path).read()
    assert (len(kept), "s0" in kept, kept["last"]) == (MAX_TRUSTED, False, "y")


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 100_000, '{"skills": []}', '{"other": {}}'])
def test_a_damaged_file_is_an_error_and_never_an_empty_one_to_write_over(path: Path, text: str) -> None:
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(Refused, match="mend or remove it"):
        TrustedSkills(path).read()
    with pytest.raises(Refused):
        TrustedSkills(path).trust("tea", "sha256:1")
    assert path.read_text() == text
