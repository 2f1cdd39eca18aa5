"""People look at what is known, put it right and have it forgotten; what they said holds over merges and restarts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from sulla.core.errors import InvalidInput, NotFound, QueueFull, Refused
from sulla.memory.entities import desk as module
from sulla.memory.entities.desk import EntityDesk, told
from sulla.memory.entities.graph import Known
from sulla.memory.entities.graphs import Graphs
from sulla.memory.entities.statement import Statement
from sulla.memory.note import ReadPosition
from sulla.memory.recall import Recall
from sulla.memory.sqlite import SqliteMemory
from sulla.memory.sqlite_file import open_memory
from sulla.store.sqlite.thread import SqliteThread
from sulla.testing.clock import ManualClock
from tests.memory.entities.world import named, said, turn

ADA = ["ada", ""]


class Home:
    """A memory in a file, which can be opened anew."""

    def __init__(self, path: Path, clock: ManualClock) -> None:
        self.path = path
        self.clock = clock

    async def boot(self) -> None:
        self.index = SqliteMemory(SqliteThread(self.path, 5.0, open_memory))
        await self.index.open()
        self.desk = EntityDesk(self.index.statements, self.clock)

    async def restart(self) -> None:
        await self.index.close()
        await self.boot()

    async def draw(self, *statements: Statement) -> None:
        """Keep statements, and turns that they may be from."""
        ids = {source for one in statements for source in one.source}
        threads = [f"thr_{source}" for source in ids]
        notes = [turn(f"of {source}") for source in ids]
        for thread, source, note in zip(threads, ids, notes, strict=True):
            await self.index.add([replace(note, id=source, thread_id=thread)], (thread, ReadPosition(1, tainted=False)))
        await self.index.statements.put("ada", statements)

    async def facts(self, name: str) -> list[tuple[str, str]]:
        found = await self.desk.find(ADA, name)
        return [(known.what, known.value) for known in found.entity.facts]


@pytest.fixture
async def home(tmp_path: Path, manual_clock: ManualClock) -> AsyncIterator[Home]:
    made = Home(tmp_path / "m.db", manual_clock)
    await made.boot()
    yield made
    await made.index.close()


async def test_a_correction_wins_for_ever_over_merges_and_restarts(home: Home) -> None:
    await home.draw(said("Ana", "lives in", "Lund"), said("Anna Berg", "age", "7", source="ep_2"))
    corrected = await home.desk.correct(ADA, "ana", "Lives In", "Malmö")
    assert [told(known, "Ana") for known in corrected.entity.facts] == ["Lives In: Malmö"]
    await home.draw(said("Ana", "lives at", "Oslo", source="ep_3", at_ms=10**13))
    assert await home.facts("ana") == [("Lives In", "Malmö")]
    merged = await home.desk.merge(ADA, "Ana", "Anna Berg")
    await home.restart()
    await home.draw(said("Anna Berg", "lives in", "Rome", source="ep_4", at_ms=10**14))
    assert await home.facts("Ana") == await home.facts("anna berg") == [("Lives In", "Malmö"), ("age", "7")]
    assert (await home.desk.find(ADA, "ana")).entity.id == merged.entity.id
    await home.clock.advance(1)
    await home.desk.correct(ADA, merged.entity.id, "lives in", "Kiruna")
    assert (await home.facts("Ana"))[0] == ("lives in", "Kiruna")


async def test_what_is_corrected_comes_with_what_is_recalled(home: Home) -> None:
    await home.draw(said("Ana", "lives in", "Lund"))
    await home.desk.correct(ADA, "ana", "lives in", "Malmö")
    recall = Recall(home.index, home.clock, graphs=Graphs(home.index.statements))
    (first, *_) = await recall.find(ADA, "where does Ana live?", 5)
    assert first.note.text.startswith("Ana, lives in: Malmö (a person says so")
    for question in ("where does Ana live?", "has Ana paid the electrician's invoice?", "who is in Malmö?"):
        assert [hit.note for hit in await recall.best(ADA, question, 5)] == [first.note]
    assert await recall.best(ADA, "has Bo paid the electrician's invoice?", 5) == []
    assert await recall.find(["bob", ""], "where does Ana live?", 5) == []


@pytest.mark.parametrize(
    ("what", "value"), [("", "x"), ("x", " "), ("w" * 61, "x"), ("x", "v" * 301), ("kind", "dragon"), ("name", "<b>")]
)
async def test_a_correction_that_says_nothing_is_refused(home: Home, what: str, value: str) -> None:
    await home.draw(said("Ana"))
    with pytest.raises(InvalidInput):
        await home.desk.correct(ADA, "ana", what, value)


async def test_there_is_a_bound_on_what_people_say(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_SAID", 2)
    await home.draw(said("Ana"))
    for number in range(2):
        await home.desk.correct(ADA, "ana", f"fact number{number}", "yes")
    with pytest.raises(QueueFull):
        await home.desk.correct(ADA, "ana", "one more", "yes")


async def test_who_is_meant_has_to_be_clear(home: Home) -> None:
    await home.draw(said(named("Heron", "project")), said(named("Heron", "place")), said("Ana"))
    with pytest.raises(Refused, match="ent_"):
        await home.desk.find(ADA, "heron")
    with pytest.raises(NotFound):
        await home.desk.find(["bob", ""], "Ana")
    with pytest.raises(InvalidInput):
        await home.desk.merge(ADA, "Ana", "ana")
    ids = [one.id for one in (await home.desk.graph("ada")).named("heron")]
    merged = await home.desk.merge(ADA, *ids, other_kind=True)
    assert (await home.desk.find(ADA, "heron")).entity == merged.entity


async def test_with_its_conversation_an_entity_goes_and_what_others_say_of_it_stays(home: Home) -> None:
    await home.draw(
        said("Halloran", "is", "a doctor", source="ep_1"),
        said("Ana", "age", "7", source="ep_1"),
        said("Ana", "lives in", "Lund", source="ep_2"),
        said("Ana", "patient of", to="Halloran", source="ep_1"),
    )
    await home.desk.merge(ADA, "Ana", "Halloran")
    await home.index.drop_thread("thr_ep_1")
    assert await home.facts("ana") == [("lives in", "Lund")]
    with pytest.raises(NotFound):
        await home.desk.find(ADA, "Halloran")
    assert (await home.desk.find(ADA, "ana")).entity.relations == ()
    await home.restart()
    await home.index.compact()
    await home.index.close()
    left = b"".join(file.read_bytes() for file in home.path.parent.iterdir())
    assert b"alloran" not in left
    assert b"Lund" in left
    await home.boot()


async def test_a_fact_is_forgotten_with_all_who_said_it_and_an_entity_with_all_that_is_known(home: Home) -> None:
    twice = [said("Ana", "lives in", "Lund", source=source) for source in ("ep_1", "ep_2")]
    await home.draw(*twice, said("Ana", "age", "7", source="ep_1"), said("Ben", "knows", to="Ana", source="ep_2"))
    doomed = await home.desk.doomed(ADA, twice[0].id)
    assert {one.id for one in doomed} == {one.id for one in twice}
    assert await home.desk.forget(doomed) == 2
    assert await home.facts("ana") == [("age", "7")]
    await home.desk.correct(ADA, "ana", "age", "8")
    everything = await home.desk.doomed(ADA, "ana")
    assert await home.desk.forget(everything) == len(everything) == 3
    with pytest.raises(NotFound):
        await home.desk.find(ADA, "ana")
    with pytest.raises(NotFound):
        await home.desk.doomed(ADA, twice[0].id)
    await home.restart()
    assert await home.index.statements.since("ada", 0, 10) == []


async def test_a_merge_can_be_taken_back(home: Home) -> None:
    await home.draw(said("Ana", "age", "7"), said("Ben", "age", "8"))
    merged = await home.desk.merge(ADA, "Ana", "Ben")
    (joined,) = [one for one in merged.entity.statements if one.form == "same"]
    assert await home.desk.forget(await home.desk.doomed(ADA, joined.id)) == 1
    assert await home.facts("ana") == [("age", "7")]
    assert await home.facts("ben") == [("age", "8")]


def test_how_one_stands_to_another_is_said_from_both_ends() -> None:
    def back(what: str) -> str:
        return told(Known(what, "Ana", "ent_1", back=True), "Acme")

    assert told(Known("works for", "Acme", "ent_1"), "Ana") == "works for: Acme"
    assert back("works for") == "Ana works for Acme"
    assert back("lives_in") == "Ana lives in Acme"
    assert back("married to") == "Ana is married to Acme"
    assert back("boss") == "Ana, boss: Acme"


async def test_a_fact_and_a_relation_that_say_the_same_are_one_and_go_together(home: Home) -> None:
    acme = named("Acme", "thing")
    await home.draw(
        said("Ana", "works for", to=acme, at_ms=5),
        said("Ana", "works for", "acme", source="ep_2"),
        said("Ana", "age", "7"),
    )
    ana = (await home.desk.find(ADA, "ana")).entity
    assert [told(known, "Ana") for known in (*ana.facts, *ana.relations)] == ["age: 7", "works for: Acme"]
    (works,) = ana.relations
    assert {source for one in works.said for source in one.source} == {"ep_1", "ep_2"}
    assert await home.desk.forget(await home.desk.doomed(ADA, works.said[0].id)) == 2
    assert await home.facts("ana") == [("age", "7")]


async def test_an_untrusted_relation_takes_no_trusted_fact_in(home: Home) -> None:
    acme = named("Acme", "thing")
    await home.draw(
        said("Ana", "works for", to=acme, source="ep_2", tainted=True), said("Ana", "works for", "Acme"), said(acme)
    )
    ana = (await home.desk.find(ADA, "ana")).entity
    assert [known.tainted for known in (*ana.facts, *ana.relations)] == [False, True]


async def test_an_unknown_name_is_told_the_nearest_one(home: Home) -> None:
    await home.draw(said("Ana Berg"), said("Ana Berg", alias="Anouk"))
    with pytest.raises(NotFound, match=r"'Anuk'\. Did you mean 'Anouk'"):
        await home.desk.find(ADA, "Anuk")


async def test_what_is_said_to_be_new_is_known_from_then_on(home: Home) -> None:
    with pytest.raises(NotFound):
        await home.desk.correct(ADA, "Bo", "lives in", "Lund")
    found = await home.desk.correct(ADA, "Bo", "lives in", "Lund", "person")
    assert (found.scope, found.entity.kind, found.entity.name) == ("ada", "person", "Bo")
    again = await home.desk.correct(ADA, "bo", "lives in", "Malmö", "person")
    assert again.entity.id == found.entity.id
    await home.restart()
    assert await home.facts("Bo") == [("lives in", "Malmö")]
    with pytest.raises(InvalidInput, match="is no name"):
        await home.desk.correct(ADA, "<b>", "lives in", "Lund", "person")


async def test_two_of_two_kinds_are_merged_only_where_that_is_said(home: Home) -> None:
    await home.draw(said("Ana", "age", "7"), said(named("Lund", "place")))
    with pytest.raises(Refused, match="'Ana' is a person, and 'Lund' a place"):
        await home.desk.merge(ADA, "Ana", "Lund")
    merged = await home.desk.merge(ADA, "Ana", "Lund", other_kind=True)
    assert {name for _, name in merged.entity.keys} == {"ana", "lund"}
