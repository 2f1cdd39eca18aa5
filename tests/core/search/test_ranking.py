"""BM25 in two parts, and which words a search goes by."""

from __future__ import annotations

from sulla.core.search.ranking import MOST_MATCHES, impacts, rarity, telling, weighed


def test_a_word_counts_more_the_oftener_it_is_said_and_less_in_a_long_note() -> None:
    once, often = impacts("kiln clay wheel glaze")["kiln"], impacts("kiln kiln kiln glaze")["kiln"]
    long = impacts("kiln " + " ".join(f"w{n}" for n in range(200)))["kiln"]
    assert long < once < often < 2.2 + 1e-9  # the formula's limit, k1 + 1


def test_a_word_that_counts_more_than_once_weighs_more_and_a_long_text_less() -> None:
    plain, prominent = weighed({"kiln": 1, "clay": 1}, 10), weighed({"kiln": 3, "clay": 1}, 10)
    assert plain["kiln"] == plain["clay"] > prominent["clay"]
    assert prominent["kiln"] > plain["kiln"]
    assert weighed({"kiln": 1, "clay": 1}, 1)["kiln"] < plain["kiln"]


def test_a_rare_word_counts_more_than_a_usual_one_and_none_less_than_nothing() -> None:
    assert rarity(1000, 1) > rarity(1000, 10) > rarity(1000, 1000) > 0
    assert rarity(1, 5) > 0  # the count of notes may lag behind


def test_a_search_goes_by_the_rarest_words_until_they_match_enough() -> None:
    having = {"usual": 40_000, "rare": 3, "middling": MOST_MATCHES - 3, "another": MOST_MATCHES}
    assert telling(["usual", "another", "rare", "nowhere", "middling"], having) == ["rare", "middling"]


def test_a_search_by_usual_words_alone_goes_by_the_rarest_of_them() -> None:
    assert telling(["usual", "common"], {"usual": 40_000, "common": 30_000}) == ["common"]
    assert telling(["nowhere"], {}) == []
