"""Words carry who said them: what is made of several is trusted as the worst of them, and a bare text as nobody."""

from __future__ import annotations

from itertools import product

import pytest

from sulla.core.words import NO_WORDS, Author, Words, agent, joined, made_of, ours, said_by, worst


def test_words_of_which_nobody_says_whose_they_are_are_from_outside() -> None:
    assert Words("hi").by is Author.OUTSIDE
    assert said_by("hi") == Words("hi")
    assert said_by(ours("hi")) == ours("hi")


def test_the_operator_a_person_and_an_agent_that_read_nothing_from_outside_are_trusted_and_nobody_else() -> None:
    assert [author for author in Author if not author.tainted] == [Author.OPERATOR, Author.PERSON, Author.AGENT]
    assert (agent(tainted=False), agent(tainted=True)) == (Author.AGENT, Author.TAINTED_AGENT)


def test_what_is_made_of_several_is_by_the_worst_of_them() -> None:
    for one, other in product(Author, Author):
        parts = (Words("a", one), Words("b", other))
        assert joined(parts, ", ") == Words("a, b", max(one, other))
        assert made_of("c", *parts) == Words("c", max(one, other))
        assert worst((one, other)) is max(one, other)


def test_what_is_made_of_nobodys_words_is_the_daemons_own() -> None:
    assert joined(()) == made_of("") == NO_WORDS == ours("")
    assert not NO_WORDS
    assert ours("x")


def test_words_that_are_cut_or_framed_are_by_the_same_author() -> None:
    assert Words("a page").but("a pa…") == Words("a pa…", Author.OUTSIDE)


@pytest.mark.parametrize("lose", [str, "{}".format, lambda words: f"{words}", "%s".__mod__])
def test_words_cannot_be_put_into_a_string_by_which_they_would_lose_their_author(lose: object) -> None:
    with pytest.raises(TypeError, match="lose who said them"):
        lose(ours("hi"))  # type: ignore[operator]  # each takes a value
