"""What was said before, kept in the home."""

from __future__ import annotations

import json
from pathlib import Path

from sulla.host.chat_history import MOST, MOST_CHARS, NAME, keep_history, read_history, worth_keeping


def test_what_was_said_is_there_again_for_its_owner_alone(tmp_path: Path) -> None:
    for text in (
        "one",
        "two\nlines",
        "caf\N{LATIN SMALL LETTER E WITH ACUTE}",
        "caf\N{LATIN SMALL LETTER E WITH ACUTE}",
    ):
        keep_history(tmp_path, text)
    assert read_history(tmp_path) == ["one", "two\nlines", "caf\N{LATIN SMALL LETTER E WITH ACUTE}"]
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o600


def test_it_is_bounded(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("".join(f"{json.dumps(str(number))}\n" for number in range(2 * MOST)))
    keep_history(tmp_path, "newest")
    assert len((tmp_path / NAME).read_text().splitlines()) == MOST
    assert read_history(tmp_path)[-1] == "newest"
    assert [path.name for path in tmp_path.iterdir()] == [NAME], "nothing is left beside it"
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o600


def test_a_line_that_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b'"one"\n\xff\n{"not": "a text"}\n"two"\n"cut o')
    assert read_history(tmp_path) == ["one", "two"]
    assert read_history(tmp_path / "nowhere") == []


def test_long_and_empty_messages_are_not_kept() -> None:
    assert [worth_keeping(text) for text in ("x", " ", "x" * MOST_CHARS, "x" * (MOST_CHARS + 1))] == [
        True,
        False,
        True,
        False,
    ]
