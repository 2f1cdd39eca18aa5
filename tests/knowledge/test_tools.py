"""`grounded_lookup` quotes what stands there and says whose it is, or is an error that says what there is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sulla.core.control import Control
from sulla.core.ids import CallId, RunId, ThreadId
from sulla.core.message import ToolCall
from sulla.core.words import Author
from sulla.host.system import SystemClock
from sulla.knowledge.cutting import PIECE_CHARS
from sulla.knowledge.origins import KnowledgeOrigins
from sulla.knowledge.shelf import KnowledgeShelf, Shelved
from sulla.knowledge.tools import GROUNDED_LOOKUP, knowledge_tool
from sulla.tools.base import Done, Tool, ToolContext
from sulla.tools.call import MAX_RESULT_BYTES, MAX_STEP_BYTES, run_call
from sulla.tools.registry import Toolbox
from tests.knowledge.shelves import Marked, put, shelf_of


def tool_of(home: Path, marked: Marked | None = None, workspace: str = "work") -> Tool:
    shelf = shelf_of(home)
    return knowledge_tool(shelf, KnowledgeOrigins(shelf.folder, home / workspace, marked or Marked()), 3)


async def call(tool: Tool, question: str, *, by: Author = Author.PERSON, whole: bool = False) -> Done:
    context = ToolContext(
        ThreadId("thr"), RunId("run"), CallId("call"), "key", Path("work"), SystemClock(), Control(lambda: None),
        lambda note: None, by=by, whole_bytes=MAX_STEP_BYTES if whole else 0,
    )  # fmt: skip
    result = await run_call(
        Toolbox((tool,)), ToolCall(CallId("call"), GROUNDED_LOOKUP, {"question": question}), context
    )
    assert isinstance(result, Done)
    return result


async def test_passages_are_quoted_as_they_stand_with_where_they_stand(tmp_path: Path) -> None:
    put(tmp_path, "a/returns.md", "# Returns\n\n- within **30** days\n- unused\n\n```\n# code\n```\n")
    put(tmp_path, "b.txt", "Returns are free of charge.")
    result = await call(tool_of(tmp_path), "returns")
    assert result.text == (
        "[1] a/returns.md, Returns, line 3:\n\n- within **30** days\n- unused\n\n```\n# code\n```\n\n"
        "[2] b.txt, line 1:\n\nReturns are free of charge."
    )
    assert (result.is_error, result.origin, result.data) == (False, "file", None)


async def test_a_playbook_gets_them_as_values_too(tmp_path: Path) -> None:
    put(tmp_path, "returns.md", "# Returns\n\n## Refunds\nTo the card.")
    tool = tool_of(tmp_path)
    result = await call(tool, "refunds", whole=True)
    row = {"file": "returns.md", "headings": ["Returns", "Refunds"], "page": 0, "line": 4, "text": "To the card."}
    assert result.data == {"passages": [row], "text": result.text}
    assert {*tool.gives} == {"passages"}


async def test_the_most_that_is_quoted_fits_into_a_result(tmp_path: Path) -> None:
    for number in range(5):
        put(tmp_path, f"{number}.md", "# Kiln\n" + "\U00020000" * (PIECE_CHARS - 1))
    shelf = shelf_of(tmp_path)
    tool = knowledge_tool(shelf, KnowledgeOrigins(shelf.folder, tmp_path / "work", Marked()), 5)
    result = await call(tool, "kiln")
    assert result.text.count("\U00020000") == 5 * (PIECE_CHARS - 1)
    assert len(result.text.encode()) < MAX_RESULT_BYTES


async def test_where_nothing_fits_it_is_an_error_that_says_what_there_is(tmp_path: Path) -> None:
    put(tmp_path, "returns.md")
    put(tmp_path, "broken.md", b"\xff")
    result = await call(tool_of(tmp_path), "Who won the world cup?")
    assert (result.is_error, result.refused, result.passing, result.tainted) == (True, True, False, False)
    assert result.text == (
        "Nothing in the knowledge of this home answers 'Who won the world cup?'. There is: returns.md. 1 more could "
        "not be read: `sulla doctor` says why. Ask in the words that will stand there, or say that it is not known."
    )


async def test_names_from_outside_are_counted_and_not_told(tmp_path: Path) -> None:
    for name in ("good.md", "evil.md", "evil folder/good.md"):
        put(tmp_path, name)
    told = (await call(tool_of(tmp_path, Marked(names=("evil.md", "evil folder"))), "world cup")).text
    assert "There is: good.md, 2 more." in told
    assert "evil" not in told
    told = (await call(tool_of(tmp_path, Marked(names=("good.md", "evil.md"))), "world cup")).text
    assert "There is: 3 files." in told


async def test_an_empty_folder_is_an_error_too(tmp_path: Path) -> None:
    result = await call(tool_of(tmp_path), "refunds")
    assert result.is_error
    assert "There is: no file that can be read." in result.text


@pytest.mark.parametrize("by", [Author.PERSON, Author.TAINTED_AGENT])
async def test_the_words_are_the_owners_whoever_asks(tmp_path: Path, by: Author) -> None:
    put(tmp_path, "returns.md")
    assert (await call(tool_of(tmp_path), "refunds", by=by)).words.by is Author.OPERATOR


async def test_where_agents_write_the_words_are_an_agents(tmp_path: Path) -> None:
    put(tmp_path, "returns.md")
    assert (await call(tool_of(tmp_path, workspace="."), "refunds")).words.by is Author.AGENT


async def test_of_a_marked_file_they_are_from_outside_and_only_then(tmp_path: Path) -> None:
    put(tmp_path, "returns.md")
    put(tmp_path, "kettles.md", "# Kettles\nBoil water.")
    tool = tool_of(tmp_path, Marked(files=("kettles.md",)))
    assert (await call(tool, "kettles")).words.by is Author.OUTSIDE
    assert (await call(tool, "refunds")).words.by is Author.OPERATOR


async def test_words_that_stand_there_no_more_are_from_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = put(tmp_path, "returns.md")
    whole = KnowledgeShelf.read

    async def then_written(shelf: KnowledgeShelf) -> Shelved:
        shelved = await whole(shelf)
        file.write_text("trusted words in the place of others")
        return shelved

    monkeypatch.setattr(KnowledgeShelf, "read", then_written)
    result = await call(tool_of(tmp_path), "refunds")
    assert "Refunds go to the card." in result.text
    assert result.words.by is Author.OUTSIDE


async def test_a_folder_that_takes_too_long_can_be_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def late(shelf: KnowledgeShelf) -> Shelved:
        raise TimeoutError

    monkeypatch.setattr(KnowledgeShelf, "read", late)
    result = await call(tool_of(tmp_path), "refunds")
    assert (result.is_error, result.passing) == (True, True)
    assert "still being read" in result.text


async def test_whoever_uses_it_says_whether_it_is_the_whole_reply(tmp_path: Path) -> None:
    shelf = shelf_of(tmp_path)
    origins = KnowledgeOrigins(shelf.folder, tmp_path / "work", Marked())
    direct = knowledge_tool(shelf, origins, 3, return_direct=True)
    assert direct.return_direct
    assert not replace(direct, return_direct=False).return_direct
    assert not knowledge_tool(shelf, origins, 3).return_direct
    assert (direct.effect, direct.reach, direct.missing) == ("pure", "inward", "")


async def test_a_question_has_bounds(tmp_path: Path) -> None:
    tool = tool_of(tmp_path)
    assert (await call(tool, "")).nothing_read
    assert (await call(tool, "x" * 2001)).nothing_read
