"""`load_skill`: the text and the files, in pieces; and nothing of a skill that no person has allowed as it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sulla.core.ids import CallId
from sulla.core.jsontypes import Json
from sulla.core.message import ToolCall
from sulla.skills.catalog import SkillCatalog
from sulla.skills.found import question
from sulla.skills.load_skill import MAX_SHOWN, skill_tools
from sulla.tools.base import Done
from sulla.tools.call import run_call
from sulla.tools.registry import Toolbox
from tests.skills.catalogs import put, shelf_in
from tests.tools.contexts import context_in


async def _load(shelf: SkillCatalog, /, approved: str = "", names: tuple[str, ...] | None = None, **args: Json) -> Done:
    """A call as an agent makes it, after a person said yes to `approved`."""
    call = ToolCall(CallId("call_1"), "load_skill", dict(args))
    context = replace(context_in(Path("/nowhere")), approved=approved)
    result = await run_call(Toolbox(skill_tools(shelf, names)), call, context)
    assert isinstance(result, Done)
    return result


def _asked(shelf: SkillCatalog, names: tuple[str, ...] | None = None, **args: Json) -> str:
    asks = skill_tools(shelf, names)[0].asks
    assert asks is not None
    return asks(dict(args), context_in(Path("/nowhere")))


def _looked(place: Path) -> SkillCatalog:
    shelf = shelf_in(place)
    shelf.look_now()
    return shelf


async def test_a_shipped_skill_is_read_without_a_question(tmp_path: Path) -> None:
    put(tmp_path / "shipped", "tea", body="Boil water.", cups__md="Two cups.")
    shelf = _looked(tmp_path)
    assert _asked(shelf, name="tea") == ""
    done = await _load(shelf, name="tea")
    assert not done.is_error
    assert done.text.startswith(f"The skill tea ({shelf.known['tea'].digest}):\n\nBoil water.")
    assert "- cups.md (9 bytes)" in done.text
    assert (await _load(shelf, name="tea", file="cups.md")).text == "cups.md of the skill tea:\n\nTwo cups."


async def test_a_long_text_comes_in_pieces_and_says_how_to_go_on(tmp_path: Path) -> None:
    put(tmp_path / "shipped", "tea", body="x" * MAX_SHOWN + "the end")
    shelf = _looked(tmp_path)
    first = await _load(shelf, name="tea")
    assert first.text.endswith(f"… 7 more characters: go on with offset={MAX_SHOWN}")
    assert first.cut.endswith(f"go on with offset={MAX_SHOWN}")
    assert (await _load(shelf, name="tea", offset=MAX_SHOWN)).text.endswith(":\n\nthe end")


async def test_without_a_name_all_are_listed(tmp_path: Path) -> None:
    assert (await _load(_looked(tmp_path))).text == "There are no skills."
    put(tmp_path / "shipped", "tea")
    put(tmp_path / "home", "bread", "Says: obey.")
    listed = (await _load(_looked(tmp_path))).text
    assert listed == "- bread: (a person is asked before its first use)\n- tea: Does it."


async def test_a_list_with_names_that_nobody_trusts_is_from_outside(tmp_path: Path) -> None:
    put(tmp_path / "shipped", "tea")
    assert not (await _load(_looked(tmp_path))).tainted
    put(tmp_path / "workspace", "then-send-everything-to-eve")
    assert (await _load(_looked(tmp_path))).tainted
    assert (await _load(_looked(tmp_path), name="send-everything-to-eve")).tainted, "it is named as the nearest"


async def test_a_wrong_name_or_file_is_an_error_that_helps(tmp_path: Path) -> None:
    put(tmp_path / "shipped", "tea")
    shelf = _looked(tmp_path)
    assert (await _load(shelf, name="te")).text == "There is no skill 'te'. Did you mean 'tea'?"
    outside = await _load(shelf, name="tea", file="../../trusted.json")
    assert (outside.is_error, "there are: SKILL.md" in outside.text) == (True, True)


async def test_an_agent_reads_only_the_skills_of_its_list(tmp_path: Path) -> None:
    for name in ("tea", "bread", "bread-rolls"):
        put(tmp_path / "shipped", name)
    shelf = _looked(tmp_path)
    assert (await _load(shelf, names=("bread*",), name="tea")).is_error
    assert not (await _load(shelf, names=("bread*",), name="bread-rolls")).is_error
    assert "tea" not in (await _load(shelf, names=("bread*",))).text


async def test_a_skill_that_nobody_allowed_is_asked_about_and_not_a_word_of_it_is_told(tmp_path: Path) -> None:
    put(tmp_path / "home", "tea", body="SECRET PLAN", other__md="SECRET TOO")
    shelf = _looked(tmp_path)
    assert _asked(shelf, name="tea") == question(shelf.known["tea"])
    for file in ("", "other.md"):
        done = await _load(shelf, name="tea", file=file)
        assert done.is_error
        assert "SECRET" not in done.text
        assert "sulla skills trust tea" in done.text
    assert not (tmp_path / "trusted.json").exists()


async def test_after_a_persons_yes_it_is_read_and_not_asked_about_again(tmp_path: Path) -> None:
    put(tmp_path / "home", "tea", body="Boil water.")
    shelf = _looked(tmp_path)
    assert "Boil water." in (await _load(shelf, approved=_asked(shelf, name="tea"), name="tea")).text
    again = _looked(tmp_path)
    assert _asked(again, name="tea") == ""
    assert "Boil water." in (await _load(again, name="tea")).text


async def test_a_yes_is_worth_nothing_for_a_skill_that_changed_meanwhile(tmp_path: Path) -> None:
    put(tmp_path / "home", "tea")
    shelf = _looked(tmp_path)
    yes = _asked(shelf, name="tea")
    put(tmp_path / "home", "tea", body="SOMETHING ELSE")
    done = await _load(shelf, approved=yes, name="tea")
    assert (done.is_error, "SOMETHING" in done.text) == (True, False)
    shelf.look_now()
    assert _asked(shelf, name="tea") != yes


async def test_a_yes_to_another_skill_is_worth_nothing(tmp_path: Path) -> None:
    put(tmp_path / "home", "tea")
    put(tmp_path / "home", "bread")
    shelf = _looked(tmp_path)
    assert (await _load(shelf, approved=_asked(shelf, name="bread"), name="tea")).is_error


async def test_a_trusted_skill_that_changes_is_asked_about_again(tmp_path: Path) -> None:
    put(tmp_path / "home", "tea")
    shelf = _looked(tmp_path)
    await _load(shelf, approved=_asked(shelf, name="tea"), name="tea")
    put(tmp_path / "home", "tea", body="CHANGED")
    # Not even looked at again: what is read is judged, not what was known.
    assert "CHANGED" not in (await _load(shelf, name="tea")).text
    shelf.look_now()
    assert "It has changed since it was allowed" in _asked(shelf, name="tea")
