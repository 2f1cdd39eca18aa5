"""Statements are folded to entities: names are joined with care, and a person's word counts before a model's."""

from __future__ import annotations

import random

import pytest

from sulla.core.errors import CorruptRecord
from sulla.memory.entities.graph import Entity, Graph, graph_of
from sulla.memory.entities.statement import (
    MAX_ALIASES,
    MAX_FACTS,
    Statement,
    canonical,
    slot_of,
    statement_from_json,
    statement_to_json,
)
from tests.memory.entities.world import named, said, same


def one_of(graph: Graph, name: str) -> Entity:
    (entity,) = graph.named(name)
    return entity


def facts_of(graph: Graph, name: str) -> list[tuple[str, str]]:
    return [(known.what, known.value) for known in one_of(graph, name).facts]


def test_case_accents_titles_and_signs_make_no_other_name() -> None:
    graph = graph_of([said("José Núñez"), said("jose nunez", "lives in", "Lund"), said("Dr. Jose  Nunez")])
    entity = one_of(graph, "JOSÉ-NUÑEZ")
    assert entity.name in ("José Núñez", "Dr. Jose  Nunez")
    assert [known.value for known in entity.facts] == ["Lund"]
    assert canonical("The") == "the"
    assert canonical("!?") == "!?"
    assert slot_of("lives_in") == slot_of("Lives at")


def test_one_name_of_two_kinds_is_two_entities() -> None:
    graph = graph_of([said(named("Heron", "project")), said(named("Heron", "place"))])
    assert {one.kind for one in graph.named("heron")} == {"project", "place"}
    assert [one.id for one in graph.named(graph.named("heron")[0].id)] == [graph.named("heron")[0].id]
    assert graph.named("nobody") == ()


def test_another_name_joins_what_is_known_under_both() -> None:
    graph = graph_of([said("Robert Hale", alias="Bob"), said("Bob", "lives in", "Lund"), said("Robert Hale")])
    assert facts_of(graph, "robert hale") == facts_of(graph, "bob") == [("lives in", "Lund")]
    assert one_of(graph, "bob").aliases == ("Bob",)


def test_a_name_that_two_have_joins_them_not() -> None:
    graph = graph_of([said("Ann Smith", alias="Ann"), said("Ann Jones", alias="Ann"), said("Ann", "age", "7")])
    assert one_of(graph, "ann smith").id != one_of(graph, "ann jones").id
    assert facts_of(graph, "ann smith") == facts_of(graph, "ann jones") == []


@pytest.mark.parametrize("names", [("Bob", "Robert")])
def test_an_untrusted_text_joins_no_names_and_its_facts_stand_apart(names: tuple[str, str]) -> None:
    bob, robert = names
    graph = graph_of(
        [
            said(bob, "account", "123"),
            said(robert, "account", "456"),
            said(bob, alias=robert, tainted=True),
            said(bob, "account", "666", tainted=True, at_ms=10**9),
        ]
    )
    assert one_of(graph, bob).id != one_of(graph, robert).id
    assert [(known.value, known.tainted) for known in one_of(graph, bob).facts] == [("123", False), ("666", True)]
    assert one_of(graph, bob).aliases == ()
    assert not one_of(graph, bob).tainted


def test_what_is_known_from_untrusted_text_alone_is_tainted_until_a_trusted_turn_speaks_of_it() -> None:
    stranger = said("Mallory", "phone", "1", tainted=True)
    assert one_of(graph_of([stranger]), "mallory").tainted
    graph = graph_of([stranger, said("Mallory")])
    assert not one_of(graph, "mallory").tainted
    assert one_of(graph, "mallory").facts[0].tainted


def test_a_persons_correction_counts_before_all_that_models_draw_whenever_they_do() -> None:
    ours = said("Ana", "lives in", "Malmö", source="", at_ms=5)
    drawn = [
        said("Ana", "lives in", "Lund", at_ms=1),
        said("Ana", "Lives at", "Oslo", at_ms=10**9),
        said("Ana", "lives in", to=named("Rome", "place"), at_ms=10**9),
        said("Ana", "age", "7"),
    ]
    graph = graph_of([*drawn, ours])
    assert facts_of(graph, "ana") == [("lives in", "Malmö"), ("age", "7")]
    assert one_of(graph, "ana").relations == ()
    assert one_of(graph, "rome").relations == ()
    later = said("Ana", "lives in", "Kiruna", source="", at_ms=6)
    assert facts_of(graph_of([later, *drawn, ours]), "ana")[0] == ("lives in", "Kiruna")


def test_a_correction_holds_after_a_merge_for_what_was_known_of_either() -> None:
    ours = said("Ana", "lives in", "Malmö", source="")
    one = same(named("Ana"), named("Anna Berg"), named("Berg", "thing"))
    graph = graph_of(
        [one, said("Anna Berg", "lives in", "Lund", at_ms=10**9), said(named("Berg", "thing")), said("Ana"), ours]
    )
    assert facts_of(graph, "anna berg") == facts_of(graph, "berg") == [("lives in", "Malmö")]
    assert len(graph.entities) == 1


def test_name_and_kind_can_be_corrected() -> None:
    graph = graph_of(
        [said("Jon"), said("Jon"), said("Jon", "name", "John Day", source=""), said("Jon", "kind", "place", source="")]
    )
    entity = one_of(graph, "john day")
    assert (entity.name, entity.kind, entity.aliases, entity.facts) == ("John Day", "place", ("Jon",), ())
    assert one_of(graph, "jon") == entity
    odd = graph_of([said("Jon", "kind", "dragon", source="")])
    assert one_of(odd, "jon").kind == "person"


def test_a_merge_tells_no_name_and_joins_what_there_still_is() -> None:
    one = same(named("Ana"), named("Halloran"))
    assert "halloran" not in statement_to_json(one).casefold()
    assert graph_of([one]).entities == {}
    assert one_of(graph_of([one, said("Ana")]), "ana").aliases == ()
    assert graph_of([one, said("Ana")]).named("Halloran") == ()


def test_a_relation_is_known_at_both_ends_and_its_statements_are_counted_once() -> None:
    graph = graph_of([said("Ana", "sister of", to="Ben"), said("Ana", "Sister of", to="ben", source="ep_2")])
    (of_ana,), (of_ben,) = one_of(graph, "ana").relations, one_of(graph, "ben").relations
    assert (of_ana.value, of_ana.back, len(of_ana.said)) == ("Ben", False, 2)
    assert (of_ben.value, of_ben.back) == ("Ana", True)
    assert one_of(graph, "ben").sources == ("ep_2", "ep_1")
    assert graph.by_note["ep_1"] == tuple(graph.entities)


def test_a_fact_goes_when_its_last_source_does() -> None:
    first, second = said("Ana", "lives in", "Lund"), said("Ana", "lives in", "Lund", source="ep_2")
    (known,) = one_of(graph_of([first, second]), "ana").facts
    assert {one.source for one in known.said} == {("ep_1",), ("ep_2",)}
    assert facts_of(graph_of([second]), "ana") == [("lives in", "Lund")]
    assert graph_of([]).entities == {}


def test_the_order_in_which_statements_came_plays_no_part() -> None:
    every = [
        said("Robert Hale", alias="Bob"),
        said("Bob", "lives in", "Lund"),
        said("Bob", "knows", to="Ana"),
        said("Ana", alias="Annie", tainted=True),
        said("Annie", "lives in", "Rome", tainted=True),
        same(named("Ana"), named("Cy")),
        said("Cy", "lives in", "Malmö", source=""),
        said("Cy", "lives in", "Oslo"),
    ]
    wanted = graph_of(every)
    chance = random.Random(3)
    for _ in range(50):
        chance.shuffle(every)
        got = graph_of(every)
        assert got.entities.keys() == wanted.entities.keys()
        for id_, entity in got.entities.items():
            other = wanted.entities[id_]
            assert (entity.name, entity.aliases, entity.kind) == (other.name, other.aliases, other.kind)
            assert {known.value for known in entity.facts} == {known.value for known in other.facts}


def test_what_is_told_of_one_entity_is_bounded() -> None:
    many = [said("Ana", f"fact number{n}", "yes") for n in range(MAX_FACTS + 5)]
    many += [said("Ana", alias=f"Ana {n}") for n in range(MAX_ALIASES + 5)]
    entity = one_of(graph_of(many), "ana")
    assert (len(entity.facts), len(entity.aliases)) == (MAX_FACTS, MAX_ALIASES)
    assert len(entity.statements) == len(many)


def test_a_statement_comes_back_as_it_was_and_anything_else_is_refused() -> None:
    for one in (said("Ana", "to", to=named("Rome", "place")), said("Ana", "x", "y", source=""), same(named("Ana"))):
        assert statement_from_json(statement_to_json(one)) == one
    good: Statement = said("Ana")
    unknown = statement_to_json(good).replace('"mention"', '"dream"')
    for text in ("", "[]", '{"of": {}}', unknown, unknown.replace("dream", "fact").replace("person", "dragon")):
        with pytest.raises(CorruptRecord):
            statement_from_json(text)
