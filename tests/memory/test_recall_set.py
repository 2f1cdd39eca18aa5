"""What is labelled in recall_set is found, and nothing is told of what nobody knows. ``pytest -rP`` shows the figures;
so does ``./dev bench recall``."""

from __future__ import annotations

import sys
from collections import Counter

import pytest

from tests.kits.in_turn import in_turn
from tests.memory import recalling
from tests.memory.embedder import TELLING, embed
from tests.memory.recalling import Score
from tests.memory.world import make_index

pytestmark = in_turn(3)
OTHER, NOTHING, TWO = "other words", "nothing known", "two hops"


@pytest.fixture(scope="module")
def labelled() -> dict[str, recalling.Labelled]:
    return {one.ask: one for one in recalling.questions()}


def test_the_set_is_as_large_as_is_promised_and_its_labels_are_notes(labelled: dict[str, recalling.Labelled]) -> None:
    known = {note.id for note in recalling.notes()}
    assert len(known) >= 2_000
    assert len(labelled) == len(recalling.questions()) >= 300
    kinds = Counter(one.kind for one in labelled.values())
    assert set(kinds) == {"same words", OTHER, "two hops", "dates", "changed facts", *recalling.UNKNOWN}
    assert all(bool(one.want) == (one.kind not in recalling.UNKNOWN) for one in labelled.values())
    assert all(one.want <= known for one in labelled.values())
    # What figures were chosen by is measured nowhere.
    assert not labelled.keys() & {one.ask for one in recalling.questions("trial")}


async def test_meaning_finds_what_words_do_not_and_nobody_is_told_of_what_nobody_knows() -> None:
    index = make_index()
    await index.open()
    await recalling.fill(index, embed)
    found: dict[str, dict[str, Score]] = {}
    for way, find in recalling.ways(index, embed, TELLING).items():
        found[way] = await recalling.measured(find, recalling.questions())
    await index.close()
    sys.stdout.write("\n".join(recalling.table(found)) + "\n")
    words, both, told = found["found by words"], found["found by both"], found["told by both"]
    assert both[OTHER].recall >= words[OTHER].recall + 0.15
    assert told[NOTHING].recall >= 0.95
    # What belongs together is found along, and nothing else is pushed out or told with it.
    linked, whole = found["found, both+graph"], found["told, both+graph"]
    assert linked[TWO].recall >= both[TWO].recall + 0.10
    assert whole[TWO].recall >= told[TWO].recall + 0.20
    assert all(linked[kind].recall >= both[kind].recall for kind in both)
    assert all(whole[kind].recall >= told[kind].recall for kind in told)
    alone, led = found["found by words"], found["found, words+graph"]
    assert led[TWO].recall > alone[TWO].recall
    assert all(led[kind].recall >= alone[kind].recall for kind in alone)
    # What is found by the same words is not lost among what is found by meaning.
    assert both["same words"].recall >= words["same words"].recall - 0.02
    assert both["dates"].recall >= words["dates"].recall - 0.02
