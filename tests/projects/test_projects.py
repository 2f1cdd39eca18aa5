"""A person's edit of a project's file is never overwritten, however it comes about."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from sulla.core.errors import Conflict, CorruptRecord, InvalidInput, NotFound, PathEscape
from sulla.definitions.replace import turn
from sulla.projects.file import MOST_CHARS, add_task
from sulla.projects.projects import FILE, FoundProject, Projects
from sulla.tools.paths import open_folder

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


def changed(projects: Projects) -> FoundProject:
    """The project with one more task."""
    found = projects.change("garden", lambda text: add_task(text, "Sow"), AT)
    assert found is not None
    return found


def test_a_project_is_read_as_it_stands(projects: Projects) -> None:
    found = projects.read("garden")
    assert (found.text, found.project.title, len(found.digest)) == (TEXT, "Garden", 16)


def test_a_change_says_when_it_was(projects: Projects, file: Path) -> None:
    found = changed(projects)
    assert found.project.fields == {"last_activity_at": AT}
    assert [task.text for task in found.project.tasks] == ["Dig", "Sow"]
    assert file.read_text() == found.text


def test_what_changes_nothing_writes_nothing(projects: Projects, file: Path) -> None:
    before = file.stat().st_mtime_ns
    found = projects.change("garden", lambda text: text, AT)
    assert found is not None
    assert found.text == TEXT
    assert file.stat().st_mtime_ns == before


def test_an_edit_that_comes_in_between_is_kept_and_changed_too(projects: Projects, file: Path) -> None:
    edits = iter(["- [ ] Water\n", "- [ ] Weed\n"])

    def change(text: str) -> str:
        if (edit := next(edits, None)) is not None:
            file.write_text(file.read_text() + edit)
        return add_task(text, "Sow")

    found = projects.change("garden", change, AT)
    assert found is not None
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

    assert projects.change("garden", change, AT) is None
    assert file.read_text() == f"{TEXT}xxxxx"


def test_half_of_what_somebody_writes_is_nothing_to_go_by(projects: Projects, file: Path) -> None:
    with file.open("w") as editor:  # cut off, and not written yet
        assert projects.change("garden", lambda text: add_task(text, "Sow"), AT) is None
        editor.write(f"{TEXT}- [ ] Weed\n")
    assert [task.text for task in changed(projects).project.tasks] == ["Dig", "Weed", "Sow"]


@pytest.mark.parametrize("how", ["rename", "truncate"])
def test_a_person_who_saves_while_agents_work_loses_nothing(projects: Projects, file: Path, how: str) -> None:
    done = threading.Event()

    def edit() -> list[int]:
        lost = []
        for number in range(60):
            text = f"{TEXT}\nThought {number}.\n"
            if how == "rename":
                file.with_suffix(".draft").write_text(text)
                file.with_suffix(".draft").replace(file)
            else:
                with file.open("w") as opened:
                    opened.write(text[:20])
                    opened.flush()
                    opened.write(text[20:])
            with open_folder(file.parent, ".") as folder_fd, turn(folder_fd):  # when nobody is in the middle of it
                if f"Thought {number}." not in file.read_text():
                    lost.append(number)
        done.set()
        return lost

    def work(agent: str) -> int:
        times = 0
        while not done.is_set():
            times += 1
            projects.change("garden", partial(add_task, task=f"{agent} {times}"), AT)
        return times

    with ThreadPoolExecutor(3) as pool:
        person, *agents = pool.submit(edit), pool.submit(work, "one"), pool.submit(work, "other")
        assert person.result() == []
        assert all(agent.result() for agent in agents)
    assert [path.name for path in file.parent.iterdir()] == [FILE]


def test_of_many_agents_at_once_nobodys_work_is_lost(projects: Projects) -> None:
    def work(number: int) -> bool:
        while projects.change("garden", lambda text: add_task(text, f"task {number}"), AT) is None:
            pass
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(40)))
    tasks = {task.text for task in projects.read("garden").project.tasks}
    assert tasks == {"Dig", *(f"task {number}" for number in range(40))}


def test_a_byte_order_mark_stays_and_the_front_matter_is_seen_behind_it(projects: Projects, file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf---\r\ntitle: Mine\r\nodd: [1,\r\n---\r\n# Garden\r\n")
    assert changed(projects).project.title == "Mine"
    assert file.read_bytes() == (
        b"\xef\xbb\xbf---\r\ntitle: Mine\r\nodd: [1,\r\nlast_activity_at: '2026-11-21T18:00:00.000Z'\r\n---\r\n"
        b"# Garden\r\n\r\n## Tasks\r\n\r\n- [ ] Sow\r\n"
    )


def test_a_file_that_is_gone_is_not_made_again(projects: Projects, file: Path) -> None:
    def change(text: str) -> str:
        file.unlink()
        return add_task(text, "Sow")

    with pytest.raises(NotFound, match="no project 'garden'"):
        projects.change("garden", change, AT)
    assert list(file.parent.iterdir()) == []


def test_a_file_that_is_far_too_long_is_said_to_be(projects: Projects, file: Path) -> None:
    file.write_text("x" + "\N{SNOWMAN}\N{PEACH}" * 300_000)
    with pytest.raises(InvalidInput, match="more than 1048576 bytes"):
        projects.read("garden")
    assert [row.trouble for row in projects.all()] == [
        f"garden/{FILE} has more than 1048576 bytes: expected a file that people read"
    ]


def test_a_link_among_projects_takes_no_other_one_away(projects: Projects, file: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    file.parent.with_name("far").symlink_to(tmp_path / "elsewhere")
    file.parent.with_name("trap").mkdir()
    (file.parent.with_name("trap") / FILE).symlink_to("/etc/passwd")
    listed = {row.slug: row.trouble for row in projects.all()}
    assert listed["garden"] == ""
    assert "leads out of" in listed["trap"]


def test_the_file_keeps_its_mode_and_nothing_is_left_beside_it(projects: Projects, file: Path) -> None:
    file.chmod(0o640)
    projects.change("garden", lambda text: add_task(text, "Sow"), AT)
    assert file.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in file.parent.iterdir()] == [FILE]


def test_one_that_is_too_long_hides_no_other(projects: Projects, tmp_path: Path) -> None:
    for slug, text in (("long", "x" * (MOST_CHARS + 1)), ("longer", "x" * (4 * MOST_CHARS + 1))):
        (tmp_path / "projects" / slug).mkdir()
        (tmp_path / "projects" / slug / FILE).write_text(text)
    garden, long, longer = projects.all()
    assert (garden.slug, garden.trouble) == ("garden", "")
    assert "expected at most" in long.trouble
    assert "expected a file that people read" in longer.trouble


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
