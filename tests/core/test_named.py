"""Which of some names an answer is. More of it: tests/playbooks/machine/test_decide.py."""

from __future__ import annotations

import unicodedata

import pytest

from sulla.core.named import mention_of, name_in


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("Yes", "yes"),
        ('"yes".', "yes"),
        ("`no.`", "no"),
        ("```\nno\n```", "no"),
        ("yes please", ""),
        ("yesno", ""),
        ("", ""),
    ],
)
def test_a_name_counts_with_nothing_but_quotes_a_fence_or_a_full_stop_around_it(answer: str, name: str) -> None:
    assert name_in(answer, ("yes", "no")) == name


CALLED = (
    ("gardener", "gardener"),
    ("Gärtner Jürgen", "gardener"),
    ("tech", "tech"),
    ("Tech & Co", "tech"),
    ("J", "first"),
    ("J. Garten", "second"),
    ("Ελένη", "eleni"),
    ("Straße", "street"),
    ("", "nobody"),
)


@pytest.mark.parametrize(
    ("text", "agent"),
    [
        ("@Gärtner_Jürgen hallo", "gardener"),
        (unicodedata.normalize("NFD", "@gärtner_jürgen, hallo"), "gardener"),
        ("@GÄRTNER_JÜRGEN", "gardener"),
        ("@Tech_&_Co: it is broken", "tech"),
        ("@tech_&_Cow", ""),
        ("@tech & Co", "tech"),
        ("@J._Garten.", "second"),
        ("@J. Go on", "first"),
        ("@j.doe@mail.example", ""),
        (" @Ελένη\nhello", "eleni"),
        ("@STRASSE!", "street"),
        ("@gardeners all", ""),
        ("@ hello", ""),
        ("@", ""),
        ("hello @tech", ""),
    ],
)
def test_a_name_counts_as_it_is_written_in_whatever_letters(text: str, agent: str) -> None:
    assert mention_of(text, CALLED) == agent
