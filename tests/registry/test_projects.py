"""A person's edit of a project's file is never overwritten, however it comes about."""

from __future__ import annotations

from pathlib import Path

import pytest

from sulla.core.errors import Conflict, CorruptRecord, InvalidInput, NotFound, PathEscape
from sulla.registry.project_file import add_task
from sulla.registry.projects import FILE, Projects

AT = "2026-11-21T18:00:00.000Z"
TEXT = "# Garden\n\n- [ ] Dig\n"


@pytest.fixture
def projects(tmp_path: Path) -> Projects:
    made = Projects(tmp_path / "projects")
    made.create("garden", TEXT)
    return made


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "projects" / "garden" / FILE


def test_a_project_is_read_as_it_stands(projects: Projects) -> None:
    found = projects.read("garden")
    assert (found.text, found.project.title, len(found.digest)) == (TEXT, "Garden", 16)


def test_a_change_says_when_it_was(projects: Projects, file: Path) -> None:
    found = projects.change("garden", lambda text: add_task(text, "Sow"), AT)
    assert found.project.fields == {"last_activity_at": AT}
    assert [task.text for task in found.project.tasks] == ["Dig", "Sow"]
    assert file.read_text() == found.text


def test_what_changes_nothing_writes_nothing(projects: Projects, file: Path) -> None:
    before = file.stat().st_mtime_ns
    assert projects.change("garden", lambda text: text, AT).text == TEXT
    assert file.stat().st_mtime_ns == before


def test_an_edit_that_comes_in_between_is_kept_and_changed_too(projects: Projects, file: Path) -> None:
    edits = iter(["- [ ] Water\n", "- [ ] Weed\n"])

    def change(text: str) -> str:
        if (edit := next(edits, None)) is not None:
            file.write_text(file.read_text() + edit)
        return add_task(text, "Sow")

    found = projects.change("garden", change, AT)
    assert sorted(task.text for task in found.project.tasks) == ["Dig", "Sow", "Water", "Weed"]


def test_a_change_of_what_was_read_before_an_edit_is_refused(projects: Projects, file: Path) -> None:
    read = projects.read("garden")
    file.write_text("# Garden\n\nMine.\n")
    with pytest.raises(Conflict, match="changed since it was read"):
        projects.change("garden", lambda text: "", AT, read.digest)
    assert file.read_text() == "# Garden\n\nMine.\n"


def test_somebody_who_writes_all_the_time_wins(projects: Projects, file: Path) -> None:
    def change(text: str) -> str:
        file.write_text(f"{file.read_text()}x")
        return add_task(text, "Sow")

    with pytest.raises(Conflict, match="all the time"):
        projects.change("garden", change, AT)
    assert file.read_text() == f"{TEXT}xxxxx"


def test_the_file_keeps_its_mode_and_nothing_is_left_beside_it(projects: Projects, file: Path) -> None:
    file.chmod(0o640)
    projects.change("garden", lambda text: add_task(text, "Sow"), AT)
    assert file.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in file.parent.iterdir()] == [FILE]


def test_all_are_listed_by_name_and_what_cannot_be_read_says_why(projects: Projects, tmp_path: Path) -> None:
    root = tmp_path / "projects"
    projects.create("attic", "---\ntitle: The attic\n---\n")
    (root / "notes").mkdir()
    (root / "broken").mkdir()
    (root / "broken" / FILE).write_bytes(b"\xff")
    (root / "Not A Slug").mkdir()
    listed = {row.slug: (row.project.title if row.project else row.trouble) for row in projects.all()}
    assert listed == {"attic": "The attic", "broken": f"broken/{FILE}: byte 0 is not UTF-8", "garden": "Garden"}
    with pytest.raises(CorruptRecord):
        projects.read("broken")


def test_a_home_without_projects_has_none(tmp_path: Path) -> None:
    projects = Projects(tmp_path / "nothing")
    assert projects.all() == []
    with pytest.raises(NotFound, match="no project 'garden'"):
        projects.read("garden")


@pytest.mark.parametrize("slug", ["", "../garden", "a/b", "Garden", ".hidden", "x" * 65, "g\0", "gärten"])
def test_a_name_is_a_name(projects: Projects, slug: str) -> None:
    with pytest.raises(InvalidInput, match="expected a project"):
        projects.read(slug)
    with pytest.raises(InvalidInput):
        projects.create(slug, TEXT)


def test_a_link_leads_nowhere_else(projects: Projects, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (tmp_path / "projects" / "trap").mkdir()
    (tmp_path / "projects" / "trap" / FILE).symlink_to(tmp_path / "secret")
    with pytest.raises(PathEscape):
        projects.read("trap")


def test_a_project_is_made_once(projects: Projects) -> None:
    with pytest.raises(Conflict, match="already"):
        projects.create("garden", TEXT)
