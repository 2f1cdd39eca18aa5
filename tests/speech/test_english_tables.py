from __future__ import annotations

from collections import Counter

import pytest

from sulla.speech.english import adjectives, nouns, verbs
from sulla.speech.english.closed import CLASS_OF, EXPANDED
from sulla.speech.english.lexicon import ALONE, NAMED, NOUN, bits_of, lexicon

LISTS = {
    f"{module.__name__}.{name}": words.split()
    for module in (adjectives, nouns, verbs)
    for name, words in vars(module).items()
    if name.isupper() and isinstance(words, str) and name != "IRREGULAR"
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_names_each_word_once_and_in_order(name: str) -> None:
    assert LISTS[name] == sorted(set(LISTS[name]))


def test_each_irregular_verb_is_there_once_with_its_three_forms() -> None:
    verbs_of = [line.split() for line in verbs.IRREGULAR.split("/")]
    assert [forms for forms in verbs_of if len(forms) != 3] == []
    assert [base for base, count in Counter(forms[0] for forms in verbs_of).items() if count > 1] == []


def test_an_adjective_is_either_the_end_of_a_name_or_a_noun() -> None:
    assert set(adjectives.ALSO_NOUNS.split()).isdisjoint(adjectives.NOUNS_TOO.split())
    assert [word for word in adjectives.ALSO_NOUNS.split() if bits_of(word) & NOUN] == []


def test_a_side_is_an_adjective_that_can_be_the_end_of_a_name() -> None:
    assert [word for word in adjectives.SIDES.split() if not bits_of(word) & NAMED] == []


def test_what_is_said_of_somebody_is_no_small_word() -> None:
    assert set(adjectives.PREDICATES.split()).isdisjoint(CLASS_OF)


def test_a_verb_that_mostly_has_its_object_can_do_without_one() -> None:
    given = set(verbs.GIVE.split()) | set(verbs.TELL.split()) | set(verbs.PLACE.split())
    either = [word for word in verbs.MOSTLY_OBJECT.split() if not bits_of(word) & ALONE and word not in given]
    assert either == []


def test_only_verbs_that_are_listed_double_their_last_letter() -> None:
    doubled = {word: word + word[-1] + "ing" for word in verbs.DOUBLED.split()}
    assert [word for word, form in doubled.items() if form not in lexicon()] == []


def test_a_contraction_is_made_of_small_words_and_is_none() -> None:
    assert set(EXPANDED).isdisjoint(CLASS_OF)
    assert {parts[0] for parts in EXPANDED.values()} - set(CLASS_OF) == {"going", "want"}
