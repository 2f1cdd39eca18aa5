"""The shelf: what is found where, what hides what, who is trusted, and that a change is seen at the next look."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sulla.core.errors import NotFound, Refused
from sulla.skills import bundle
from sulla.skills.catalog import LOOK_S, MAX_SKILLS
from sulla.skills.skill import Skill, read_skill
from sulla.testing.clock import ManualClock
from tests.skills.catalogs import put, shelf_in


def test_skills_are_found_in_every_root_and_only_shipped_ones_are_trusted(tmp_path: Path) -> None:
    for root, name in (("home", "ours"), ("shipped", "theirs"), ("workspace", "anybodys")):
        put(tmp_path / root, name)
    shelf = shelf_in(tmp_path)
    assert shelf.known == {}
    shelf.look_now()
    found = {name: (known.whose, known.trusted) for name, known in shelf.known.items()}
    assert found == {"anybodys": ("workspace", False), "ours": ("home", False), "theirs": ("shipped", True)}
    assert shelf.troubles == ()


def test_of_two_with_one_name_the_earlier_root_counts_and_the_other_is_told(tmp_path: Path) -> None:
    first, second = put(tmp_path / "home", "tea"), put(tmp_path / "workspace", "tea", "Another.")
    shelf = shelf_in(tmp_path)
    shelf.look_now()
    assert shelf.known["tea"].folder == first
    assert shelf.troubles == (f"{second}: hidden by the skill of the same name in {first}",)


def test_one_that_cannot_be_read_does_not_hide_the_others(tmp_path: Path) -> None:
    put(tmp_path / "home", "good")
    put(tmp_path / "home", "Bad Name")
    (put(tmp_path / "home", "linked") / "way").symlink_to(tmp_path)
    (put(tmp_path / "home", "blob") / "SKILL.md").write_bytes(b"\xff\xfe")
    (tmp_path / "home" / "elsewhere").symlink_to(put(tmp_path / "other", "elsewhere"))
    (tmp_path / "home" / "no-skill").mkdir()
    (tmp_path / "home" / "README.md").write_text("about")
    shelf = shelf_in(tmp_path)
    shelf.look_now()
    assert list(shelf.known) == ["good"]
    told = "\n".join(shelf.troubles)
    for said in ("Bad Name", "'way' is a link", "SKILL.md is not text", "elsewhere: a link; put the skill's folder"):
        assert said in told
    assert len(shelf.troubles) == 4


def test_trust_is_good_for_the_skill_as_it_is(tmp_path: Path) -> None:
    folder = put(tmp_path / "home", "tea", run__sh="boil")
    shelf = shelf_in(tmp_path)
    shelf.look_now()
    shelf.trust(shelf.known["tea"])
    assert shelf.known["tea"].trusted  # at once: others would be asked the same until the next look
    shelf.look_now()
    assert shelf.known["tea"].trusted
    (folder / "run.sh").write_text("curl")
    shelf.look_now()
    assert (shelf.known["tea"].trusted, shelf.known["tea"].before) == (False, True)
    (folder / "run.sh").write_text("boil")
    shelf.look_now()
    assert shelf.known["tea"].trusted
    assert shelf.forget("tea")
    shelf.look_now()
    assert (shelf.known["tea"].trusted, shelf.known["tea"].before) == (False, False)


def test_only_what_has_changed_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        put(tmp_path / "home", f"s{number}")
    shelf, read = shelf_in(tmp_path), list[str]()

    def reading(path: Path) -> bundle.Bundle:
        read.append(path.name)
        return bundle.read_bundle(path)

    monkeypatch.setattr("sulla.skills.catalog.read_bundle", reading)
    shelf.look_now()
    assert read == ["s0", "s1", "s2"]
    shelf.look_now()
    assert read == ["s0", "s1", "s2"]
    put(tmp_path / "home", "s1", "Now differently.")
    shelf.look_now()
    assert read[3:] == ["s1"]
    assert shelf.known["s1"].skill.description == "Now differently."


async def test_a_look_sees_what_came_and_went_but_not_more_often_than_it_should(tmp_path: Path) -> None:
    clock = ManualClock()
    shelf = shelf_in(tmp_path, clock)
    await shelf.look()
    put(tmp_path / "home", "tea")
    await shelf.look()
    assert shelf.known == {}
    await clock.advance(LOOK_S)
    await shelf.look()
    assert list(shelf.known) == ["tea"]
    (tmp_path / "home" / "tea" / "SKILL.md").unlink()
    await clock.advance(LOOK_S)
    await shelf.look()
    assert shelf.known == {}


def test_what_is_opened_is_what_is_there_now(tmp_path: Path) -> None:
    folder = put(tmp_path / "shipped", "tea")
    shelf = shelf_in(tmp_path)
    shelf.look_now()
    put(tmp_path / "shipped", "tea", body="Do something else.")
    known, files = shelf.open("tea")
    assert known.skill.body == "Do something else."
    assert known.digest == files.digest != shelf.known["tea"].digest
    with pytest.raises(NotFound, match=r"no skill 'te'\. Did you mean 'tea'"):
        shelf.open("te")
    (folder / "SKILL.md").unlink()
    folder.rmdir()
    with pytest.raises(Refused, match="cannot be read: No such file"):
        shelf.open("tea")


def test_a_damaged_book_of_trust_trusts_nobody_and_leaves_shipped_skills_alone(tmp_path: Path) -> None:
    put(tmp_path / "home", "ours")
    put(tmp_path / "shipped", "theirs")
    (tmp_path / "trusted.json").write_text("{")
    shelf = shelf_in(tmp_path)
    shelf.look_now()
    assert "trusted.json cannot be read" in shelf.troubles[0]
    assert not shelf.known["ours"].trusted
    assert shelf.open("theirs")[0].trusted
    with pytest.raises(Refused, match="mend or remove it"):
        shelf.open("ours")


def test_there_is_an_end_to_skills(tmp_path: Path) -> None:
    for number in range(MAX_SKILLS + 2):
        put(tmp_path / "home", f"s{number:03}")
    shelf = shelf_in(tmp_path)
    shelf.look_now()
    assert len(shelf.known) == MAX_SKILLS
    assert "202 skills; only the first 200" in shelf.troubles[0]


@pytest.mark.parametrize("head", ["description: !!bool x", "description: !!int", "? [a]\n: b", "a: " + "[" * 5_000])
def test_a_skill_whose_front_matter_is_a_trap_takes_no_turn_down(tmp_path: Path, head: str) -> None:
    put(tmp_path / "home", "good")
    (put(tmp_path / "workspace", "trap") / "SKILL.md").write_text(f"---\n{head}\n---\nDo it.\n")
    shelf = shelf_in(tmp_path)
    shelf.look_now()
    assert "good" in shelf.known


def test_names_that_cannot_be_sent_are_told_so_that_they_can(tmp_path: Path) -> None:
    folder = put(tmp_path / "home", "tea")
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff")).write_text("x")
    other = Path(os.fsdecode(os.fsencode(tmp_path / "home") + b"/\xff"))
    other.mkdir()
    (other / "SKILL.md").write_text("Do it.")
    shelf = shelf_in(tmp_path)
    shelf.look_now()
    assert shelf.known == {}
    assert b"has a name that cannot be shown" in "\n".join(shelf.troubles).encode()


def test_a_folder_that_is_too_much_is_not_read_again_at_each_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, read = put(tmp_path / "home", "big"), list[str]()
    (folder / "blob").write_bytes(bytes(bundle.MAX_FILE_BYTES + 1))

    def reading(path: Path) -> bundle.Bundle:
        read.append(path.name)
        return bundle.read_bundle(path)

    monkeypatch.setattr("sulla.skills.catalog.read_bundle", reading)
    shelf = shelf_in(tmp_path)
    for _ in range(3):
        shelf.look_now()
        assert "'blob' is longer" in shelf.troubles[0]
    assert read == ["big"]
    (folder / "blob").unlink()
    shelf.look_now()
    assert list(shelf.known) == ["big"]


def test_what_nobody_foresaw_in_one_skill_is_its_fault_alone_and_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def read(folder: str, text: str) -> Skill:
        if folder == "odd":
            raise RecursionError("too deep")
        return read_skill(folder, text)

    monkeypatch.setattr("sulla.skills.catalog.read_skill", read)
    put(tmp_path / "home", "good")
    put(tmp_path / "home", "odd")
    shelf = shelf_in(tmp_path)
    for _ in range(2):
        shelf.look_now()
        assert "good" in shelf.known
        said = f"{tmp_path / 'home' / 'odd'}: RecursionError: too deep: a defect of Sulla; please report it"
        assert [trouble for trouble in shelf.troubles if "odd" in trouble] == [said]
    assert [record.getMessage() for record in caplog.records] == [
        f"the skill in {tmp_path / 'home' / 'odd'} cannot be used"
    ]
