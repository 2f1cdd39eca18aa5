"""The playbooks of a home: what is there is found, what is wrong is told, and nothing leads out of the folder."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from sulla.core.errors import InvalidInput, NotFound
from sulla.playbooks import catalog as module
from sulla.playbooks.catalog import PlaybookCatalog, read_text
from sulla.playbooks.definition import Definition, Trigger
from sulla.playbooks.file import check_within
from sulla.playbooks.file.check import Checked, check_playbook
from sulla.playbooks.file.check_known import KnownNames, KnownTool
from sulla.playbooks.file.check_names import Names
from sulla.playbooks.file.form import MAX_PLAYBOOK_BYTES
from sulla.playbooks.file.read import mentioned
from sulla.playbooks.playbook_rows import listed, trigger_told

GOOD = "name: {name}\ndescription: What {name} is for.\nsteps:\n  - {{id: a, wait: 3s}}\n"


def put(folder: Path, name: str, text: str = GOOD, file: str = "") -> Path:
    path = folder / (file or f"{name}.yaml")
    path.write_text(text.format(name=name) if text is GOOD else text)
    return path


@pytest.fixture
def catalog(tmp_path: Path) -> PlaybookCatalog:
    return PlaybookCatalog((tmp_path,), KnownNames)


def test_what_is_there_is_found_by_the_name_that_it_gives_itself(tmp_path: Path, catalog: PlaybookCatalog) -> None:
    put(tmp_path, "tea")
    put(tmp_path, "bread", file="b.yml")
    put(tmp_path, "hidden", file=".hidden.yaml")
    put(tmp_path, "tests", file="tea.test.yaml")
    put(tmp_path, "notes", file="notes.txt")
    catalog.look_now()
    assert list(catalog.playbooks) == ["bread", "tea"]
    kept = catalog.get("bread")
    assert (kept.file, kept.definition.name) == (tmp_path / "b.yml", "bread")
    assert kept.source == GOOD.format(name="bread")
    assert catalog.troubles == ()


def test_without_a_folder_there_are_none(tmp_path: Path) -> None:
    catalog = PlaybookCatalog((tmp_path / "nowhere",), KnownNames)
    catalog.look_now()
    assert (dict(catalog.playbooks), catalog.troubles) == ({}, ())


async def test_only_what_has_changed_is_read_again(
    tmp_path: Path, catalog: PlaybookCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "tea")
    put(tmp_path, "bread")
    read: list[str] = []
    checked: list[str] = []

    def reading(file: Path) -> str:
        read.append(file.name)
        return read_text(file)

    def checking(text: str, known: KnownNames) -> Checked:
        checked.append(text)
        return check_playbook(text, known)

    monkeypatch.setattr("sulla.playbooks.catalog.read_text", reading)
    monkeypatch.setattr("sulla.playbooks.file.check.check_playbook", checking)
    await catalog.look()
    await catalog.look()
    assert (sorted(read), len(checked)) == (["bread.yaml", "tea.yaml"], 2)
    put(tmp_path, "tea", "name: tea\nsteps:\n  - {id: other, wait: 3s}\n")
    await catalog.look()
    assert read[2:] == ["tea.yaml"]
    assert len(checked) == 3
    assert catalog.get("tea").definition.steps[0].id == "other"
    (tmp_path / "bread.yaml").unlink()
    await catalog.look()
    assert list(catalog.playbooks) == ["tea"]


def test_all_are_checked_again_where_what_they_name_has_changed(tmp_path: Path) -> None:
    known = KnownNames(tools={})
    catalog = PlaybookCatalog((tmp_path,), lambda: known)
    put(tmp_path, "tea", "name: tea\nsteps:\n  - {id: a, tool: boil}\n")
    catalog.look_now()
    with pytest.raises(InvalidInput, match=r"tea\.yaml:3:19: error: there is no tool 'boil'"):
        catalog.get("tea")
    known = KnownNames(tools={"boil": KnownTool({"type": "object"})})
    catalog.look_now()
    assert catalog.get("tea").definition.name == "tea"


def test_its_own_playbooks_are_known_to_each_other(tmp_path: Path, catalog: PlaybookCatalog) -> None:
    outer = "name: outer\nsteps:\n  - {{id: a, playbook: {inner}, with: {{n: 3}}}}\n"
    put(tmp_path, "outer", outer.format(inner="inner"))
    put(tmp_path, "inner", "name: inner\ninputs: {n: integer}\nsteps:\n  - {id: a, wait: 3s}\n")
    catalog.look_now()
    assert catalog.get("outer").definition.name == "outer"
    put(tmp_path, "inner", "name: inner\ninputs: {n: string}\nsteps:\n  - {id: a, wait: 3s}\n")
    catalog.look_now()
    with pytest.raises(InvalidInput, match="n: expected string, got 3"):
        catalog.get("outer")
    put(tmp_path, "outer", outer.format(inner="iner"))
    catalog.look_now()
    with pytest.raises(InvalidInput, match="Did you mean 'inner'"):
        catalog.get("outer")


def test_what_playbooks_call_is_followed_anew_only_where_one_has_changed(
    tmp_path: Path, catalog: PlaybookCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    followed: list[int] = []
    known_with = check_within.known_with

    def counting(known: KnownNames, more: Mapping[str, Definition | None]) -> KnownNames:
        followed.append(len(more))
        return known_with(known, more)

    monkeypatch.setattr(check_within, "known_with", counting)
    put(tmp_path, "brew")
    for _ in range(3):
        catalog.look_now()
    assert followed == [1]
    put(tmp_path, "bake")
    catalog.look_now()
    assert followed == [1, 2]


def test_faults_are_listed_and_told_with_their_places(tmp_path: Path, catalog: PlaybookCatalog) -> None:
    steps = "".join(f"  - {{id: s{number}, wiat: 3s}}\n" for number in range(8))
    put(tmp_path, "tea", f"name: tea\ndescription: Hot.\nsteps:\n{steps}")
    catalog.look_now()
    with pytest.raises(InvalidInput, match=r"tea\.yaml:4:14: error: .*Did you mean 'wait'.* and 3 more"):
        catalog.get("tea")
    row = listed(catalog.find("tea"))
    assert (row.playbook, row.description, row.digest) == ("tea", "Hot.", "")
    assert row.trouble.startswith("tea.yaml:4:14")
    assert row.trouble.endswith("(and 7 more)")


def test_a_warning_keeps_nothing_from_being_run(tmp_path: Path, catalog: PlaybookCatalog) -> None:
    put(tmp_path, "tea", "name: tea\nsecrets: [key]\nsteps:\n  - {id: a, wait: 3s}\n")
    catalog.look_now()
    assert [fault.rule for fault in catalog.find("tea").faults] == ["secret-unused"]
    assert listed(catalog.find("tea")).trouble == ""
    assert catalog.get("tea").definition.name == "tea"


def test_a_row_says_what_it_takes_and_what_starts_it(tmp_path: Path, catalog: PlaybookCatalog) -> None:
    text = (
        'name: tea\non: [manual, {schedule: "0 9 * * *", zone: Europe/Berlin}]\ninputs: '
        "{cups: {type: integer, default: 2}}\nsteps:\n  - {id: l, loop: {count: 2, steps: [{id: a, wait: 3s}]}}\n"
    )
    put(tmp_path, "tea", text)
    catalog.look_now()
    row = listed(catalog.find("tea"))
    assert (row.steps, row.on) == (2, ("manual", "schedule 0 9 * * * (Europe/Berlin)"))
    assert row.inputs == {"cups": {"type": "integer", "required": False, "default": 2, "description": ""}}
    assert trigger_told(Trigger("chat", "tea")) == "chat tea"


def test_a_file_that_is_no_yaml_is_listed_by_its_name(tmp_path: Path, catalog: PlaybookCatalog) -> None:
    put(tmp_path, "broken", "name: [")
    catalog.look_now()
    assert listed(catalog.find("broken")).trouble.startswith("broken.yaml:2:1: error: ")


def test_of_two_with_one_name_neither_is_run(tmp_path: Path, catalog: PlaybookCatalog) -> None:
    put(tmp_path, "tea", file="one.yaml")
    put(tmp_path, "tea", file="two.yaml")
    catalog.look_now()
    with pytest.raises(InvalidInput, match=r"one\.yaml: .*two\.yaml is called 'tea' too"):
        catalog.get("tea")
    (tmp_path / "two.yaml").unlink()
    catalog.look_now()
    assert catalog.get("tea").file == tmp_path / "one.yaml"


def test_an_unknown_name_is_told_with_the_nearest(tmp_path: Path, catalog: PlaybookCatalog) -> None:
    put(tmp_path, "tea")
    catalog.look_now()
    with pytest.raises(NotFound, match=r"there is no playbook 'tee'\. Did you mean 'tea'"):
        catalog.get("tee")


@pytest.mark.parametrize("what", ["link", "pipe", "folder"])
def test_nothing_but_a_file_is_read(tmp_path: Path, what: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    file = home / "tea.yaml"
    if what == "link":
        file.symlink_to(put(tmp_path, "tea"))
    elif what == "pipe":
        os.mkfifo(file)
    else:
        file.mkdir()
    catalog = PlaybookCatalog((home,), KnownNames)
    catalog.look_now()
    assert dict(catalog.playbooks) == {}
    assert catalog.troubles == (f"{file}: it is a link or no file at all: put the file itself there",)


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"#" * (MAX_PLAYBOOK_BYTES + 1), "it is longer than 524288 bytes"), (b"name: \xff", "byte 6 cannot be read")],
)
def test_a_file_that_is_too_long_or_no_text_is_told(
    tmp_path: Path, catalog: PlaybookCatalog, data: bytes, said: str
) -> None:
    (tmp_path / "tea.yaml").write_bytes(data)
    put(tmp_path, "bread")
    catalog.look_now()
    assert list(catalog.playbooks) == ["bread"]
    assert [said in trouble for trouble in catalog.troubles] == [True]


def test_a_folder_of_very_many_is_cut_and_that_is_told(
    tmp_path: Path, catalog: PlaybookCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_PLAYBOOKS", 3)
    for number in range(5):
        put(tmp_path, f"p{number}")
    catalog.look_now()
    assert list(catalog.playbooks) == ["p0", "p1", "p2"]
    assert catalog.troubles == (f"{tmp_path}: 5 playbooks; only the first 3 are looked at",)


@pytest.mark.parametrize("name", [b"tea\x1b[2J.yaml", b"tea\xff.yaml"])
def test_a_name_that_cannot_be_shown_is_told_and_left_alone(
    tmp_path: Path, catalog: PlaybookCatalog, name: bytes
) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text(GOOD.format(name="tea"))
    catalog.look_now()
    assert dict(catalog.playbooks) == {}
    assert [trouble.isprintable() and "cannot be shown" in trouble for trouble in catalog.troubles] == [True]
    catalog.troubles[0].encode()  # it can be sent


def test_a_text_from_elsewhere_is_held_against_the_same(tmp_path: Path, catalog: PlaybookCatalog) -> None:
    put(tmp_path, "tea")
    catalog.look_now()
    assert catalog.check("name: x\nsteps:\n  - {id: a, playbook: tea}\n").faults == ()
    assert [fault.rule for fault in catalog.check("name: x\nsteps:\n  - {id: a, playbook: tee}\n").faults] == [
        "unknown-playbook"
    ]


def test_the_playbooks_that_a_text_names_are_known_without_checking_it() -> None:
    loop = "{id: l, loop: {count: 2, steps: [{id: a, playbook: tea}]}}"
    text = f"name: x\nsteps:\n  - {loop}\n  - {{id: t, transfer: bread}}\n"
    assert mentioned(text) == ("tea", "bread")
    assert mentioned("name: [") == ()
    away = "name: esc\nsteps:\n- {id: a, playbook: ../../tea}\n- {id: b, playbook: tea}\n"
    assert mentioned(away) == ("tea",)  # what is no name leads nowhere


async def test_what_names_are_held_against_is_asked_where_it_is_kept(tmp_path: Path) -> None:
    asked: list[int] = []

    def known() -> KnownNames:
        asked.append(threading.get_ident())
        return KnownNames()

    await PlaybookCatalog((tmp_path,), known).look()
    assert asked == [threading.get_ident()]


async def test_what_a_file_does_to_the_check_is_a_fault_of_that_file_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def check(of: Names) -> None:
        if "tea" in of._sketch.text:
            raise RecursionError("too deep")
        sound(of)

    sound = Names.check
    monkeypatch.setattr(Names, "check", check)
    known = KnownNames()
    catalog = PlaybookCatalog((tmp_path,), lambda: known)
    put(tmp_path, "tea")
    put(tmp_path, "bread")
    await catalog.look()
    assert catalog.get("bread").definition.name == "bread"
    with pytest.raises(
        InvalidInput, match=r"tea\.yaml:1:1: error: this file cannot be checked \(RecursionError: too deep"
    ):
        catalog.get("tea")
    assert catalog.check("name: tea\nsteps:\n  - {id: a, wait: 3s}\n").faults[0].rule == "defect"
    known = KnownNames(tools={})
    await catalog.look()
    assert [record.getMessage().split(": ")[0] for record in caplog.records] == ["a playbook cannot be used"]
    assert str(tmp_path / "tea.yaml") in caplog.text
    put(tmp_path, "tea", "name: tea\nsteps:\n  - {id: other, wait: 30s}\n")
    await catalog.look()
    assert len(caplog.records) == 2  # it is another file by now


def test_what_a_file_does_to_the_reader_is_a_fault_of_that_file(
    tmp_path: Path, catalog: PlaybookCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: str) -> None:
        raise KeyError("float")

    monkeypatch.setattr("sulla.playbooks.file.read._read", fail)
    put(tmp_path, "tea")
    catalog.look_now()
    (fault,) = catalog.find("tea").faults
    assert fault.told("f").startswith(
        "f:1:1: error: this file cannot be checked (KeyError: 'float' in test_catalog.py:"
    )
    assert fault.told("f").endswith("a defect of Sulla; please report it with the file [defect]")
    assert mentioned("name: tea") == ()


@pytest.mark.parametrize(
    ("triggers", "looked"),
    [
        ("manual", False),
        ("{webhook: kettle}", False),
        ("{schedule: 30m}", True),
        ("{event: run.finished}", True),
        ('{"sch\\u0065dule": 30m}', True),
        ('{"sched\\\n  ule": 30m}', True),
        ("manual]  # [{schedule: 30m}", False),
        ("manual]\n# {schedule: 30m}\n#[", False),
        ("manual]\n# no break\u2028on: [{schedule: 30m}", True),
        ("{schedule", True),
        ("{", False),
    ],
)
async def test_playbooks_are_read_at_rest_only_where_one_may_begin_by_itself(
    triggers: str, looked: bool, tmp_path: Path
) -> None:
    (tmp_path / "brew.yaml").write_text(f"name: brew\non: [{triggers}]\nsteps: [{{respond: tea}}]\n")
    catalog = PlaybookCatalog((tmp_path,), KnownNames)
    await catalog.look_for_triggers()
    assert list(catalog.playbooks) == (["brew"] if looked else [])
    await catalog.known_at_all()
    assert list(catalog.playbooks) == ["brew"]


async def test_once_somebody_needed_the_playbooks_all_changes_are_seen(tmp_path: Path) -> None:
    catalog = PlaybookCatalog((tmp_path,), KnownNames)
    await catalog.known_at_all()
    (tmp_path / "brew.yaml").write_text("name: brew\nsteps: [{respond: tea}]\n")
    await catalog.look_for_triggers()
    assert list(catalog.playbooks) == ["brew"]
