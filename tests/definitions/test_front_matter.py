"""Front matter as people write it, right or wrong: something is always read, and what is odd is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.definitions.front_matter import read_front, text_of, texts_of


def test_keys_and_body_are_taken_apart() -> None:
    front = read_front("---\nname: notes\ntags: [a, b]\n---\n\n# Notes\n\n---\nmore\n")
    assert front.fields == {"name": "notes", "tags": ["a", "b"]}
    assert front.body == "# Notes\n\n---\nmore"
    assert front.warnings == ()


@pytest.mark.parametrize("text", ["\ufeff---\r\nname: x\r\n---\r\nbody", "\n\n---  \nname: x\n---\nbody"])
def test_marks_and_line_ends_of_other_systems_do_no_harm(text: str) -> None:
    front = read_front(text)
    assert (front.fields, front.body, front.warnings) == ({"name": "x"}, "body", ())


def test_a_colon_that_breaks_the_yaml_is_told_and_read_all_the_same() -> None:
    front = read_front("---\nname: x\ndescription: Use when: asked\n  more\n---\nbody")
    assert front.fields == {"name": "x", "description": "Use when: asked"}
    assert "line 2: the value of" in front.warnings[0]


@pytest.mark.parametrize(
    ("text", "said"), [("# Only Markdown", "there is no front matter"), ("---\nname: x\nbody", "does not end")]
)
def test_without_front_matter_all_is_body(text: str, said: str) -> None:
    front = read_front(text)
    assert front.fields == {}
    assert front.body == text.removeprefix("---\n")
    assert said in front.warnings[0]


def test_a_field_that_is_a_text_or_a_list_is_read_as_either() -> None:
    fields = read_front("---\none: a,  b ,\nmany: [a, 2, [x]]\nno: {a: b}\n---").fields
    assert (texts_of(fields, "one"), texts_of(fields, "many"), texts_of(fields, "no")) == (("a", "b"), ("a", "2"), ())
    assert (text_of(fields, "one"), text_of(fields, "many"), text_of(fields, "none")) == ("a, b ,", "", "")


@given(st.text(alphabet=st.sampled_from("-:\n\r \t[]{}&*!|>'\"abc#%@`,?\ufeff\x00é")))
def test_whatever_stands_there_is_read(text: str) -> None:
    front = read_front(f"---\n{text}\n---\nbody")
    assert all(isinstance(key, str) for key in front.fields)
    assert front.body.endswith("body")
