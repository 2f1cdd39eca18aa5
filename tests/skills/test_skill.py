"""A `SKILL.md` by the standard is read without a word; everything else is read too, and told."""

from __future__ import annotations

import pytest

from sulla.core.errors import InvalidInput
from sulla.skills.skill import MAX_DESCRIPTION, read_skill

STANDARD = """---
name: make-tea
description: Makes tea. Use it when somebody is thirsty.
license: MIT
compatibility: needs a kettle
metadata:
  author: somebody
allowed-tools: bash read_file
---

# Tea

Boil water.
"""

ORIGINAL = """---
slug: sop-tea
title: Tea
tags: [skill, kitchen]
category: kitchen
skillKey: tea
triggers:
  - make tea
  - I am thirsty
---

# Tea

## Description

Makes tea
for two.

Boil water.
"""


def test_the_standards_form_is_read_without_a_word() -> None:
    skill = read_skill("make-tea", STANDARD)
    assert (skill.name, skill.description) == ("make-tea", "Makes tea. Use it when somebody is thirsty.")
    assert (skill.license, skill.compatibility) == ("MIT", "needs a kettle")
    assert skill.tools == ("bash", "read_file")
    assert skill.metadata == (("author", "somebody"),)
    assert skill.body == "# Tea\n\nBoil water."
    assert skill.warnings == ()


def test_the_originals_form_is_read_and_told() -> None:
    skill = read_skill("sop-tea", ORIGINAL)
    assert skill.description == "Makes tea for two. Use it for: make tea, I am thirsty."
    assert ("category", "kitchen") in skill.metadata
    assert ("skillKey", "tea") in skill.metadata
    told = " ".join(skill.warnings)
    assert "no name" in told
    assert "no description" in told
    assert "keys of the original: category, skillKey, slug, tags, title, triggers" in told


@pytest.mark.parametrize(
    ("body", "description"),
    [
        ("**Goal**: Boil water.\n\nThen wait.", "Boil water."),
        ("# Title\n\n> quoted\n\nThe first sentence.\n", "The first sentence."),
        ("# Title", ""),
    ],
)
def test_without_a_description_the_text_says_what_it_is(body: str, description: str) -> None:
    assert read_skill("tea", f"---\nname: tea\n---\n{body}").description == description


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("name: other\ndescription: d", "calls itself 'other' and lies in 'tea'"),
        ("name: tea\ndescription: d\ncolour: red", "does not know: colour"),
        (f"name: tea\ndescription: {'d' * 2_000}", "2000 characters; 1024 are shown"),
        (f"name: tea\ndescription: d\ncompatibility: {'c' * 501}", "501 characters; 500 are allowed"),
        ("name: tea\ndescription: Use when: asked", "it was read line by line"),
    ],
)
def test_what_is_odd_is_told_and_bounded(head: str, said: str) -> None:
    skill = read_skill("tea", f"---\n{head}\n---\nBoil.")
    assert said in " ".join(skill.warnings)
    assert 0 < len(skill.description) <= MAX_DESCRIPTION


def test_a_text_that_is_too_long_to_be_read_at_once_is_told() -> None:
    skill = read_skill("tea", "---\nname: tea\ndescription: d\n---\n" + "line\n" * 600)
    assert skill.warnings == ("the text has 600 lines: move what is rarely needed into files beside it",)


@pytest.mark.parametrize("name", ["", "Tea", "tea--time", "-tea", "tea time", "t" * 65, "tea/pot", "tée", "tea\n"])
def test_a_folder_that_cannot_be_a_skills_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="a skill cannot be called"):
        read_skill(name, STANDARD)


def test_an_empty_file_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"SKILL\.md is empty"):
        read_skill("tea", "---\n---\n")
