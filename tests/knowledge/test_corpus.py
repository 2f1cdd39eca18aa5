"""How well questions are answered out of a handbook of 300 sections: `pytest -rP tests/knowledge/test_corpus.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from sulla.host.system import SystemClock
from sulla.knowledge.settings import KnowledgeSettings
from sulla.knowledge.shelf import KnowledgeShelf
from tests.knowledge.questions import ANSWERED, CORPUS, UNANSWERED

TOP = 3


async def test_questions_find_their_section_and_others_find_nothing(tmp_path: Path) -> None:
    (tmp_path / "knowledge").mkdir()
    for file in CORPUS.iterdir():
        (tmp_path / "knowledge" / file.name).write_bytes(file.read_bytes())
    shelf = KnowledgeShelf(tmp_path, KnowledgeSettings(), SystemClock())
    assert ((await shelf.read()).sections, len(ANSWERED), len(UNANSWERED)) == (300, 40, 20)

    missed, first = list[str](), 0
    for question, wanted in ANSWERED.items():
        found = [f"{hit.section.file} > {hit.section.cut.headings[-1]}" for hit in await shelf.search(question, TOP)]
        first += found[:1] == [wanted]
        missed += [] if wanted in found else [question]
    made_up = [question for question in UNANSWERED if await shelf.search(question, TOP)]

    hits = len(ANSWERED) - len(missed)
    precision = hits / (hits + len(made_up))
    print(f"recall in the top {TOP}: {hits}/{len(ANSWERED)}, first: {first}/{len(ANSWERED)}; missed: {missed}")
    print(f"nothing found where nothing is: {len(UNANSWERED) - len(made_up)}/{len(UNANSWERED)}; found: {made_up}")
    print(f"precision (questions answered that can be): {precision:.3f}")
    assert hits >= 36
    assert made_up == []


@pytest.mark.parametrize("question", [*ANSWERED])
def test_each_question_names_a_section_that_there_is(question: str) -> None:
    file, _, heading = ANSWERED[question].partition(" > ")
    assert f"\n## {heading}\n" in (CORPUS / file).read_text()
