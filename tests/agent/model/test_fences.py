from __future__ import annotations

import re

import pytest

from sulla.agent.model.fences import Fences


def places(text: str) -> str:
    """For each line where its ``?`` stands: p(rose), i(nline) or f(enced)."""
    fences = Fences()
    found = ""
    for token in re.findall(r"[^`~\n?]+|`+|~+|\n|\?", text):
        if token[0] != fences.run:
            fences.settle()
        if token == "?":
            found += fences.where[0]
        if token[0] in "`~":
            fences.feed_run(token[0], len(token))
        elif token == "\n":
            fences.feed_newline()
        else:
            fences.feed_text(token)
    return found


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("?", "p"),
        ("`?` ?", "ip"),
        ("`` ? ` ? `` ?", "iip"),
        ("` ?\n?", "ip"),
        ("a ``` ? ``` ?", "ip"),
        ("```?``` ?", "fp"),
        ("```\n?\n```\n?", "fp"),
        ("```py ?\n?\n```\n?", "ffp"),
        ("```\n?\n  ```  \n?", "fp"),
        ("```\n``` ?\n?\n```\n?", "ffp"),
        ("````\n```\n?\n````\n?", "fp"),
        ("```\n````\n?", "p"),
        ("```\n~~~\n?", "f"),
        ("~~~ `x` ?\n?\n~~~\n?", "ffp"),
        ("~~ ?", "p"),
        ("a ~~~ ?\n?", "pp"),
        ("    ```\n?", "f"),
        ("- ```\n?", "f"),
        ("12. ```\n?", "f"),
        ("* - > ```\n?", "f"),
        ("> ```\n> ?\n> ```\n?", "fp"),
        ("-```?", "i"),
        ("12```?", "i"),
        ("12x ```?", "i"),
        ("** ```?", "i"),
        ("```\n- ```\n?", "f"),
    ],
)
def test_code_is_told_from_prose(text: str, where: str) -> None:
    assert places(text) == where


def test_a_run_may_come_in_pieces() -> None:
    fences = Fences()
    for _ in range(3):
        fences.feed_run("`", 1)
    assert fences.run == "`"
    fences.settle()
    assert (fences.run, fences.where) == ("", "fenced")


def test_a_run_without_a_partner_makes_the_rest_of_its_line_prose() -> None:
    fences = Fences()
    fences.feed_text("a ")
    fences.feed_run("`", 1)
    fences.settle()
    seen = [fences.where]
    fences.give_up_inline()
    fences.feed_run("`", 1)
    fences.settle()
    seen.append(fences.where)
    fences.feed_newline()
    fences.feed_run("`", 1)
    fences.settle()
    seen.append(fences.where)
    assert seen == ["inline", "prose", "inline"]
