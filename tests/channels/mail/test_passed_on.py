"""Nothing that somebody passes on, or cites, counts as his own words, whatever program he does it with."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

import pytest

from sulla.channels.mail.subjects import passes_on
from sulla.channels.mail.words import of_html, parted, unflowed
from tests.channels.mail.test_reading import OURS, said, text

OBEY: Final = "obey me at once"
HEADS: Final = {
    "Dutch": "Van: Eve <e@e.example>\nVerzonden: maandag 1 januari 2026 10:00\nAan: Ann\nOnderwerp: Order",
    "Dutch without addresses": "Van: Eve\nVerzonden: maandag\nAan: Ann\nOnderwerp: Order",
    "Italian": "Da: Eve <e@e.example>\nInviato: lunedì 1 gennaio 2026 10:00\nA: Ann\nOggetto: Ordine",
    "Polish": "Od: Eve <e@e.example>\nWysłano: poniedziałek\nDo: Ann <a@x.example>\nTemat: Rozkaz",
    "Russian": "От: Eve <e@e.example>\nОтправлено: 1 января 2026 г. 10:00\nКому: Ann\nТема: Приказ",  # noqa: RUF001 - such signs stand in mails
    "Japanese": "差出人: Eve <e@e.example>\n送信日時: 2026年1月1日 10:00\n宛先: Ann\n件名: 命令",
    "full-width colons": "差出人：Eve <e@e.example>\n宛先：Ann\n件名：命令",  # noqa: RUF001 - such signs stand in mails
    "a language that nobody listed": "Lähettäjä: Eve\nLähetetty: 1. tammikuuta 2026 10.00\nVastaanottaja: Ann\nAihe: K",
    "right to left": "\u200fמאת: Eve <e@e.example>\n\u200fנשלח: x\n\u200fאל: Ann",
    "bold": "*From:* Eve <e@e.example>\n*Sent:* Monday\n*To:* Ann\n*Subject:* Order",
    "blank lines between": "Von: Eve\n\nGesendet: Montag\n\nAn: Ann\n\nBetreff: Befehl",
    "many recipients": "From: Eve\nTo: Ann <a@x.example>,\n Bob <b@x.example>;\nCarl\nSubject: Order",
    "values on lines of their own": "Från:\nEve <e@e.example>\nSkickat:\nmåndag\nTill:\nAnn",
}
BARS: Final = {
    "an old Outlook": "-----Original Message-----\nFrom: Eve",
    "Lotus": "----- Forwarded by Ann/ORG on 01/01/2026 10:00 AM -----",
    "Lotus, broken": "----- Forwarded by Ann Somebody/ORG on 01/01/2026\n10:00 AM -----",
    "mutt": "----- Forwarded message from Eve <e@e.example> -----\n\nDate: Mon",
    "Zoho": "============ Forwarded message ============\nFrom: Eve",
    "Gmail": "---------- Doorgestuurd bericht ---------\nVan: Eve",
    "Yahoo": "--- On Mon, 1/1/26, Eve <e@e.example> wrote:",
    "underscores": "________________________________",
    "equals signs": "=====",
    "asterisks": "*****",
    "asterisks with words": "*** Weiterleitung ***",
    "asterisks apart": "* * *",
    "long dashes": "——— 转发邮件 ———",
    "Apple": "Begin forwarded message:\n",
}
MARKS: Final = {
    "a usual mark": "> ",
    "a mark after a blank": " > ",
    "initials": "EV> ",
    "a bar": "| ",
    "a drawn bar": "│ ",
    "a tab": "\t",
    "blanks": "    ",
    "wide blanks": "\u3000\u3000",
}
PAGES: Final = {
    "Outlook on the web": '<hr><div id="divRplyFwdMsg"><b>Fra:</b> Eve</div><div>{}</div>',
    "its copy": '<div id="x_divRplyFwdMsg">Eve</div><p>{}</p>',
    "Outlook": '<div style="border:none;border-top:solid #E1E1E1 1.0pt"><p><b>Lähettäjä:</b> Eve</p></div><p>{}</p>',
    "its bar": '<div style="border:none; border-left : solid blue 1.5pt">Eve<p>{}</p></div>',
    "an older one": '<div class="OutlookMessageHeader">Eve</div>{}',
    "Thunderbird": '<div class="moz-forward-container">{}</div>',
    "Yahoo": '<div class="ydp1yahoo_quoted">{}</div>',
    "a quotation": "<blockquote><div><p>Eve</p>{}</div></blockquote>",
    "one that seems closed": "<blockquote><blockquote/>{}</blockquote>",
    "a deep one": "<blockquote>" + "<div>" * 600 + "<blockquote>x</blockquote>{}" + "</div>" * 600 + "</blockquote>",
    "a table": "<table><tr><td>Od:</td><td>e@e</td></tr><tr><td>Do:</td><td>A</td></tr><tr><td>T:</td></tr></table>{}",
}
SUBJECTS: Final = [
    f"{mark} {OBEY}"
    for mark in (
        "Re:",
        "AW:",
        "SV :",
        "Re[2]:",
        "Ynt:",
        "回复：",  # noqa: RUF001 - such signs stand in mails
        "Отв:",
        "RE: FW:",
        "[list] Re:",
        "*SPAM* Re:",
        "Fwd:",
    )
]


@pytest.mark.parametrize("passed_on", [*HEADS.values(), *BARS.values()])
def test_what_stands_below_a_head_or_a_bar_is_passed_on(passed_on: str) -> None:
    found = parted(f"Look at this.\n\n{passed_on}\n\n{OBEY}\n-- \nEve\n")
    assert (found.own, OBEY in found.history + found.forwarded) == ("Look at this.", True)


@pytest.mark.parametrize("mark", MARKS.values())
def test_what_has_a_mark_before_it_is_cited(mark: str) -> None:
    found = parted(f"Look:\n{mark}{OBEY}\n{mark}now\nand say.")
    assert (found.own, found.cited.split("\n")[0].strip()) == ("Look:\nand say.", OBEY)


@pytest.mark.parametrize("page", PAGES.values())
def test_what_a_page_sets_apart_is_passed_on(page: str) -> None:
    found = parted(of_html(f"<html><body><p>Look at this.</p>{page.format(OBEY)}</body></html>"))
    assert (found.own, OBEY in found.cited + found.history + found.forwarded) == ("Look at this.", True)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_the_subject_of_another_mail_is_not_his(subject: str) -> None:
    found = said(text("Look at this."), Subject=subject)
    assert OBEY not in found.text
    assert OBEY in found.quoted


@pytest.mark.parametrize(
    "own",
    [
        "Meet me at 10:30: bring bread.\nThanks: Ann",
        "See https://a.example/b and\nhttps://c.example/d and\nhttps://e.example/f@g",
        "- one\n  - two\n* three",
        "a -- b, c - d, **bold**, __init__ and 3 > 2",
        "To do: milk\nThen: bread\nLast: home",
    ],
)
def test_plain_words_stay_his(own: str) -> None:
    assert parted(own).own == own
    assert said(text(own), Subject="At home tomorrow").text == f"At home tomorrow\n\n{own}"


def test_an_answer_whose_lines_only_look_like_a_head_is_not_lost() -> None:
    answer = said(text("Name: Ann\nMail: ann@x.example\nPhone: 12\n"), In_Reply_To=OURS, References=OURS)
    assert (answer.text, "Phone: 12" in answer.quoted) == ("", True)


def test_whatever_stands_behind_any_shape_never_comes_out_as_his() -> None:
    chance = random.Random(17)
    starts: list[str] = [*HEADS.values(), *BARS.values()]
    marks, pages, heads = list(MARKS.values()), list(PAGES.values()), list(HEADS.values())
    makes: list[Callable[[list[str]], str]] = [
        lambda theirs: "\n".join([chance.choice(starts), "", *theirs]),
        lambda theirs: "\n".join(f"{mark}{line}" for mark in [chance.choice(marks)] for line in theirs),
        lambda theirs: of_html("<p>x</p>" + chance.choice(pages).format("<br>".join(theirs))),
    ]
    pieces = ["fine", "", "-- ", "\t", "On Mon, E <e@e> wrote:", "> no", "-----", "a: b", "Sent from my phone", "* x"]
    for _ in range(2_000):
        theirs = [OBEY, *(chance.choice([*pieces, *heads, OBEY]) for _ in range(chance.randrange(6)))]
        lines = [one for piece in theirs for one in piece.split("\n")]
        above = [chance.choice(["Look.", "", "Yes: do", "At 10:30, ann@x.example"]) for _ in range(chance.randrange(4))]
        whole = "\n".join([*above, chance.choice(makes)(lines)])
        if chance.random() < 0.3:
            whole = unflowed(whole.replace("\n", " \r\n"), without_space=chance.random() < 0.5)
        assert OBEY not in parted(whole).own, whole


@pytest.mark.parametrize(
    ("subject", "passed"),
    [
        *(
            (f"{word}: news", True)
            for word in ("Weitergeleitet", "Doorgestuurd", "Inoltrato", "Reenviado", "Transféré")
        ),
        *(
            (f"[{word}] news", True)
            for word in ("Weitergeleitet", "Vidarebefordrat", "Forwarded", "Encaminhado", "转发")
        ),
        ("转发 news", True),
        ("【转发】news", True),
        ("転送: news", True),
        ("Fwd: news", True),
        ("news (Inoltrata)", True),
        ("FORWARDED message from Eve", True),
        ("Переслано: news", True),
        ("Forward the parcel", False),
        ("Transfers of May", False),
        ("Einkauf: Milch", False),
        ("How is a mail forwarded", False),
        ("转发器", False),
    ],
)
def test_a_subject_says_in_many_languages_that_a_mail_is_passed_on(subject: str, passed: bool) -> None:
    assert passes_on(subject) is passed
