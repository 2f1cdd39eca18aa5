"""A text file is written and removed whole, and never over what a person has saved."""

from __future__ import annotations

from codecs import BOM_UTF8
from pathlib import Path

import pytest

from sulla.core.errors import Conflict, NotFound, Refused
from sulla.definitions.text_file import remove_text, save_text, text_digest


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_new_file_is_there_for_its_owner_alone_and_is_not_made_twice(tmp_path: Path) -> None:
    file = tmp_path / "sub" / "tea.yaml"
    save_text(file, "name: té\n", None)
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("name: té\n", 0o600)
    with pytest.raises(Conflict, match="is there already"):
        save_text(file, "other", None)
    assert file.read_text() == "name: té\n"
    assert names(file.parent) == ["tea.yaml"]


def test_a_file_changes_only_for_who_has_read_it(tmp_path: Path) -> None:
    file = tmp_path / "tea.yaml"
    file.write_text("one")
    save_text(file, "two", text_digest("one"))
    assert file.read_text() == "two"
    file.write_text("a person's")
    with pytest.raises(Conflict, match="changed since it was read"):
        save_text(file, "three", text_digest("two"))
    with pytest.raises(Conflict, match="changed since it was read"):
        remove_text(file, text_digest("two"))
    assert file.read_text() == "a person's"
    assert names(tmp_path) == ["tea.yaml"]


def test_who_is_about_to_save_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "tea.yaml"
    file.write_text("one")
    with file.open("a"):
        with pytest.raises(Conflict):
            save_text(file, "two", text_digest("one"))
        with pytest.raises(Conflict):
            remove_text(file, text_digest("one"))
    assert file.read_text() == "one"


def test_a_byte_order_mark_stays_and_counts_for_nothing(tmp_path: Path) -> None:
    file = tmp_path / "tea.yaml"
    file.write_bytes(BOM_UTF8 + b"one")
    save_text(file, "two", text_digest("one"))
    assert file.read_bytes() == BOM_UTF8 + b"two"


def test_a_file_is_removed_and_one_that_is_gone_is_named(tmp_path: Path) -> None:
    file = tmp_path / "tea.yaml"
    file.write_text("one")
    remove_text(file, text_digest("one"))
    assert names(tmp_path) == []
    with pytest.raises(NotFound, match=r"tea\.yaml"):
        remove_text(file, text_digest("one"))
    with pytest.raises(NotFound, match=r"tea\.yaml"):
        save_text(file, "two", text_digest("one"))


def test_a_link_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "aim").write_text("one")
    (tmp_path / "tea.yaml").symlink_to(tmp_path / "aim")
    with pytest.raises(Refused):
        save_text(tmp_path / "tea.yaml", "two", text_digest("one"))
    with pytest.raises(Refused):
        remove_text(tmp_path / "tea.yaml", text_digest("one"))
    assert (tmp_path / "aim").read_text() == "one"
