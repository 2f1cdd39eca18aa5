"""What stands near in the graph is found along, and nothing that stands near to everything."""

from __future__ import annotations

from sulla.memory.entities.graph import graph_of
from sulla.memory.entities.neighbours import HUB, MOST_CORRECTED, corrected, named_in, neighbours, note_of, said_of
from tests.memory.entities.world import named, said


def test_a_note_leads_to_the_others_of_what_it_speaks_of() -> None:
    graph = graph_of([said("Quill", source="ep_1"), said("Quill", source="ep_2"), said("Ana", source="ep_3")])
    assert [one for one, _ in neighbours(graph, {"ep_1": 0}, 5)] == ["ep_2"]
    assert neighbours(graph, {"ep_9": 0}, 5) == []
    assert neighbours(graph, {}, 5) == []


def test_it_leads_by_a_relation_too() -> None:
    graph = graph_of(
        [said("Ana", "sister of", to="Ben", source="ep_1"), *(said("Ben", source=f"ep_{n}") for n in (1, 2))]
    )
    assert [one for one, _ in neighbours(graph, {"ep_1": 0}, 5)] == ["ep_2"]


def test_what_everything_speaks_of_leads_nowhere_and_what_is_far_down_neither() -> None:
    many = graph_of([said("Ana", source=f"ep_{n}") for n in range(HUB + 1)])
    assert neighbours(many, {"ep_0": 0}, 50) == []
    two = graph_of([said("Ana", source="ep_1"), said("Ana", source="ep_2")])
    assert neighbours(two, {"ep_1": 5}, 50) == []


def test_untrusted_entities_lead_nowhere_where_only_trusted_ones_may() -> None:
    graph = graph_of([said("Eve", source="ep_1", tainted=True), said("Eve", source="ep_2", tainted=True)])
    assert neighbours(graph, {"ep_1": 0}, 5, trusted_only=True) == []
    assert neighbours(graph, {"ep_1": 0}, 5)


def test_names_are_found_in_a_text_the_longest_first_and_so_many() -> None:
    graph = graph_of([said("Ana Berg"), said("Ana"), said(named("Lund", "place")), *(said(f"P{n}") for n in range(30))])
    assert [one.name for one in named_in(graph, "Does ANA  berg live in Lünd, or Ana?")] == ["Ana Berg", "Lund", "Ana"]
    assert named_in(graph, "") == []
    assert len(named_in(graph, " ".join(f"P{n}" for n in range(30)), 5)) == 5


def test_what_a_person_corrected_is_found_by_a_name_or_by_a_note_and_is_told_as_a_fact() -> None:
    ours = said("Ana", "lives in", "Malmö", source="")
    graph = graph_of([said("Ana", "lives in", "Lund", source="ep_1"), ours, said("Ben", source="ep_2")])
    (by_name,), (by_note,) = corrected(graph, [], "where does Ana live?"), corrected(graph, ["ep_1"], "where?")
    assert by_name == by_note
    note = note_of(*by_name)
    assert (note.id, note.kind, note.text, note.tainted) == (
        *(ours.id, "fact"),
        "Ana, lives in: Malmö (a person says so: it counts for more than what was said before)",
        False,
    )
    assert corrected(graph, ["ep_2"], "Ben") == []
    many = graph_of([said("Ana", f"thing number{n}", "yes", source="") for n in range(MOST_CORRECTED + 3)])
    assert len(corrected(many, [], "Ana")) == MOST_CORRECTED


def test_a_persons_word_is_found_by_a_name_in_any_question_and_by_what_it_says() -> None:
    ours, other = said("Ana", "lives in", "Bad Aibling", source=""), said("Ben", "plays", "chess", source="")
    graph = graph_of([said("Ana", "lives in", "Lund", source="ep_1"), ours, other])
    for question in ("Write a letter to Ana please", "who is in Bad Aibling?", "ana"):
        assert [known.value for _, known in said_of(graph, question)] == ["Bad Aibling"]
    assert said_of(graph, "who is in Aibling?") == []
    many = graph_of([said("Ana", f"thing number{n}", "yes", source="") for n in range(MOST_CORRECTED + 3)])
    (best, *others) = said_of(many, "What is Ana's thing number6?")
    assert (best[1].what, len(others)) == ("thing number6", MOST_CORRECTED - 1)
