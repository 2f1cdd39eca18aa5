"""What anybody writes at any service costs about what it is long: whatever is looked at before, it is looked at in the
daemon's own loop, in which everybody else waits.
"""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time
from typing import Final

import pytest

from sulla.agent.approvals.literal import literal
from sulla.channels.base import Account, Arrived, Place, Sender
from sulla.channels.discord import form as discord_form
from sulla.channels.discord import reading as discord
from sulla.channels.machine.admission import command_of
from sulla.channels.machine.citing import cited_apart
from sulla.channels.machine.cutting import cut_up
from sulla.channels.machine.exact import rows
from sulla.channels.machine.legible import in_a_line, legible
from sulla.channels.machine.names import safe_name
from sulla.channels.mail import form as mail_form
from sulla.channels.matrix import form as matrix_form
from sulla.channels.matrix import reading as matrix
from sulla.channels.slack import form as slack_form
from sulla.channels.slack import reading as slack
from sulla.channels.telegram import form as telegram_form

SIZE: Final = 2_000
TIMES: Final = 10
"""By so much four times a text may cost more: four where a time grows with the length, sixteen with its square."""
LEAST_S: Final = 0.005
"""Less than this is not told from nothing."""
BOT: Final = Account("1", "sulla")
PLACE: Final = Place("p")
UNITS: Final = (
    " \t \u00a0 \u200b \u0301 \ufeff \u2028 < > | ` ~ _ * # - : ; @ [ ] ( ) ! & \\ / . = \" ' {{ __a `a``b <@ <a|"
    " ||a ```a"
    ' [a]( ![a]( **a >>> &#1 a@b a: #a <a> -- | http:// On\u00a0a <a\u00a0href="https://matrix.to/#/a'
).split(" ")
AROUND: Final = (("", "`"), ("a", ":"), ("|", "x\n> y"))


def _said(text: str) -> Arrived:
    return cited_apart(legible(Arrived(PLACE, Sender("1"), "1", text=text, quoted=text)))


def _discord(text: str) -> object:
    message = {"id": "1", "author": {"id": "2"}, "content": text, "timestamp": text, "mentions": [{"id": "1"}]}
    return discord.said(message, PLACE, BOT)


def _matrix(text: str) -> object:
    content = {"msgtype": "m.text", "body": text, "formatted_body": text}
    return matrix.is_meant({"content": content}, matrix.Me("@a:b", "a"))


READERS: Final[tuple[Callable[[str], object], ...]] = (
    _said,
    _discord,
    _matrix,
    command_of,
    lambda text: command_of(f"/stop{text}"),
    lambda text: slack.plain(text, BOT),
    lambda text: in_a_line(text, 60),
    lambda text: safe_name(text, "1", 1),
    lambda text: rows(literal(text)),
)
FORMS: Final[tuple[Callable[[str], object], ...]] = (
    discord_form.formed,
    slack_form.formed,
    telegram_form.formed,
    matrix_form.html_of,
    mail_form.page,
    lambda text: cut_up(text, 500),
)
"""At the length of one message: each is given no more than that at once."""


def seconds(work: Callable[[str], object], text: str) -> float:
    """The least processor time of three goes."""
    found = []
    for _ in range(3):
        began = thread_time()
        work(text)
        found.append(thread_time() - began)
        if found[-1] < LEAST_S:
            break
    return min(found)


def _texts(unit: str, size: int) -> list[str]:
    body = ((unit or " ") * size)[:size]
    return [f"{before}{body}{behind}" for before, behind in AROUND]


@pytest.mark.parametrize("unit", sorted({*UNITS}))
def test_what_is_read_costs_what_it_is_long(unit: str) -> None:
    for short, long in zip(_texts(unit, SIZE), _texts(unit, 4 * SIZE), strict=True):
        for number, work in enumerate(READERS):
            taken_s = seconds(work, long)
            assert taken_s < LEAST_S or taken_s < TIMES * seconds(work, short), (number, short[:40], short[-40:])


@pytest.mark.parametrize("unit", sorted({*UNITS}))
def test_what_is_written_costs_what_it_is_long(unit: str) -> None:
    """An agent says again what it has read."""
    for text in _texts(unit, SIZE):
        for number, work in enumerate(FORMS):
            assert seconds(work, text) < 100 * LEAST_S, (number, text[:40], text[-40:])
