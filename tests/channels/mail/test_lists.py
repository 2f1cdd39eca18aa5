"""Lists that somebody typed in a program that writes a text and a page are his own."""

from __future__ import annotations

from email.message import EmailMessage
from time import perf_counter

import pytest

from sulla.channels.base import Arrived
from sulla.channels.mail.reading import Own, read

LONG = "a long item that goes on and on, so that the program breaks it somewhere"
ITEMS = {
    "Gmail's": ("   - milk\n   - eggs", "<ul><li style='margin-left:15px'>milk</li><li>eggs</li></ul>"),
    "with numbers": ("   1. milk\n   2. eggs", "<ol><li>milk</li><li>eggs</li></ol>"),
    "within one": ("   - milk\n      - eggs", "<ul><li>milk</li><ul><li>eggs</li></ul></ul>"),
    "in bold": ("   - *milk* and\n   - eggs", "<ul><li><b>milk</b> and</li><li>eggs</li></ul>"),
    "broken": (f"   - {LONG[:40]}\n   {LONG[40:]}\n   - eggs", f"<ul><li>{LONG}</li><li>eggs</li></ul>"),
}
EVES = {
    "cited": "<blockquote><ul><li>milk</li><li>eggs</li></ul></blockquote>",
    "by a class": "<div class='gmail_quote'><ul><li>milk</li><li>eggs</li></ul></div>",
    "below a bar": "<hr><ul><li>milk</li><li>eggs</li></ul>",
    "moved in": "<div style='margin-left:40px'><ul><li>milk</li><li>eggs</li></ul></div>",
    "hidden": "<ul hidden><li>milk</li><li>eggs</li></ul>",
    "not there": "<p>else</p>",
    "a part of a word": "<ul><li>milkman</li><li>no eggs</li></ul>",
}


def said(text: str, page: str) -> Arrived:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "ann@x.example", "sulla@home.example", "Hi"
    mail["Authentication-Results"] = "mx; dmarc=pass header.from=x.example"
    mail.set_content(text)
    if page:
        mail.add_alternative(page, subtype="html")
    found = read(mail.as_bytes(), "7.1", Own("sulla@home.example", "mx"))
    assert isinstance(found, Arrived)
    return found


@pytest.mark.parametrize(("text", "page"), ITEMS.values())
def test_a_list_that_the_page_has_among_his_words_is_his(text: str, page: str) -> None:
    found = said(f"Please buy:\n\n{text}\n\nBest, Ann\n", f"<div>Please buy:</div>{page}<div>Best, Ann</div>")
    assert found.quoted == ""
    assert [line.strip() for line in found.text.split("\n")[2:] if line] == [
        line.strip() for line in ("Please buy:", *text.split("\n"), "Best, Ann")
    ]


@pytest.mark.parametrize("page", EVES.values())
def test_what_the_page_sets_apart_as_well_is_not(page: str) -> None:
    found = said("Look:\n\n   - milk\n   - eggs\n", f"<div>Look:</div>{page}")
    assert (found.text, "milk" in found.quoted, "eggs" in found.quoted) == ("Hi\n\nLook:", True, True)


def test_without_a_page_an_indent_cites() -> None:
    assert said("Look:\n\n   - milk\n", "").quoted == "   - milk"


def test_what_has_no_mark_before_it_is_cited_all_the_same() -> None:
    found = said("Look:\n\n    milk\n   > - eggs\n   - more\n", "<p>Look:</p><p>milk</p><p>eggs</p><li>more</li>")
    assert (found.text, found.quoted) == ("Hi\n\nLook:\n\n- more", "    milk\n- eggs")


def test_no_list_takes_long() -> None:
    began = perf_counter()
    for text in ("   - a\n   a\n" * 20_000, "   - " + "a " * 50_000 + "\n", "   - a\n" + "   a\n" * 40_000):
        said(text, "<ul>" + "<li>b</li>" * 10_000 + "</ul>")
    assert perf_counter() - began < 20
