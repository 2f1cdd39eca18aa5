from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import sulla.speech.english
from sulla.speech.english.lexicon import ALONE, NAMED, NOUN
from tests.speech.streams import ENGLISH

WORDS = ENGLISH.vocabulary
FOLDER = Path(sulla.speech.english.__file__).parent
LISTS = {
    f"{file}.{section.partition(']')[0]}": re.sub(r"(?m)^#.*$", "", section.partition("]")[2]).split()
    for file in ("verbs", "nouns", "adjectives")
    for section in (FOLDER / "data" / f"{file}.txt").read_text("utf-8").split("\n[")[1:]
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_names_each_word_once_and_in_order(name: str) -> None:
    assert LISTS[name] == sorted(set(LISTS[name]))


def test_each_list_is_there_that_a_rule_looks_for_and_none_that_none_does() -> None:
    code = "".join(path.read_text("utf-8") for path in FOLDER.glob("*.py"))
    data = "".join(path.read_text("utf-8") for path in (FOLDER / "data").glob("*.txt"))
    wanted = set(re.findall(r'\ben\["(\w+)"\]|\bself\["(\w+)"\]', code))
    lists = {name or other for name, other in wanted} | set(re.findall(r"(?<!\S)\+(\w+)", data))
    assert [name for name in lists if not WORDS[name]] == []
    phrases = set(re.findall(r'\.phrases\["(\w+)"\]', code))
    assert phrases == set(WORDS.phrases)
    by_name = {name for name in WORDS.names() if name.startswith(("alone_", "ended_by_"))}
    tables = set(re.findall(r'(?m)^    "(\w+)": lex\.', code))
    assert set(WORDS.names()) - lists - by_name == tables


def test_every_word_that_a_rule_looks_for_at_the_end_is_among_those_that_lead_on() -> None:
    last = {phrase[-1] for name in ("pairs", "open_pairs", "open_triples") for phrase in WORDS.phrases[name]}
    assert last - WORDS["leading"] == set()


def test_each_irregular_verb_is_there_once_with_its_three_forms() -> None:
    lines = (FOLDER / "data" / "irregular_verbs.txt").read_text("utf-8").splitlines()
    verbs_of = [line.split() for line in lines if line and not line.startswith("#")]
    assert [forms for forms in verbs_of if len(forms) != 3] == []
    assert [base for base, count in Counter(forms[0] for forms in verbs_of).items() if count > 1] == []
    assert len(verbs_of) == len(WORDS.irregular)


def test_an_adjective_is_either_the_end_of_a_name_or_a_noun() -> None:
    assert WORDS["also_nouns"].isdisjoint(WORDS["nouns_too"])
    assert [word for word in WORDS["also_nouns"] if WORDS.bits_of(word) & NOUN] == []


def test_a_side_is_an_adjective_that_can_be_the_end_of_a_name() -> None:
    assert [word for word in WORDS["sides"] if not WORDS.bits_of(word) & NAMED] == []


def test_what_is_said_of_somebody_is_no_small_word() -> None:
    assert WORDS["predicates"].isdisjoint(WORDS.class_of)


def test_a_verb_that_mostly_has_its_object_can_do_without_one() -> None:
    given = WORDS["give"] | WORDS["tell"] | WORDS["place"]
    either = [word for word in WORDS["mostly_object"] if not WORDS.bits_of(word) & ALONE and word not in given]
    assert either == []


def test_only_verbs_that_are_listed_double_their_last_letter() -> None:
    doubled = {word: word + word[-1] + "ing" for word in WORDS["doubled"]}
    assert [word for word, form in doubled.items() if form not in WORDS.listed] == []


def test_a_contraction_is_made_of_small_words_and_is_none() -> None:
    assert set(WORDS.expanded).isdisjoint(WORDS.class_of)
    assert {parts[0] for parts in WORDS.expanded.values()} - set(WORDS.class_of) == {"going", "want"}
