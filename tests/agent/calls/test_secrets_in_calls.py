"""A call does not carry a secret out: whole, encoded twice, or a piece at a time."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Mapping
from random import Random

import pytest

from sulla.agent.calls.secrets import carries_secret
from sulla.core.ids import CallId, MessageId
from sulla.core.jsontypes import Json
from sulla.core.message import Message, ToolCall
from sulla.core.redact import Redactor
from sulla.threads.log.transcript import Transcript

SECRET = "sk-live-7Hq2vX9mKd4Rw8Zt"
HELD = Redactor([SECRET])
WIDE = {code: code + 0xFEE0 for code in range(ord("!"), ord("~") + 1)}


SPELLED = {
    "code points in braces": "".join(f"\\u{{{ord(one):x}}}" for one in SECRET),
    "code points in braces, long": "".join(f"\\u{{{ord(one):06X}}}" for one in SECRET),
    "numbers": " ".join(f"0x{ord(one):02x}" for one in SECRET),
    "numbers of an array": ", ".join(f"0x{ord(one):02X}" for one in SECRET),
    "one number": f"0x{SECRET.encode().hex()}",
    "quoted-printable": "".join(f"={ord(one):02X}" for one in SECRET),
    "eight digits": "".join(f"\\U{ord(one):08x}" for one in SECRET),
    "several notations": "".join(
        (f"\\u{ord(one):04x}", f"%{ord(one):02x}", f"&#{ord(one)};", one)[at % 4] for at, one in enumerate(SECRET)
    ),
    "one letter spelled": f"{SECRET[:9]}\\x{ord(SECRET[9]):02x}{SECRET[10:]}",
    "title case": SECRET.title(),
    "exchanged": SECRET.swapcase(),
    "exchanged and backwards": SECRET.swapcase()[::-1],
    **{
        f"{name} of {code}": write(SECRET.encode(code))
        for code in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be")
        for name, write in (
            ("hex", bytes.hex),
            ("HEX", lambda raw: raw.hex().upper()),
            ("Base64", lambda raw: base64.b64encode(raw).decode()),
            ("Base64 for URLs", lambda raw: base64.urlsafe_b64encode(raw).decode()),
        )
    },
}


def carried(*calls: Mapping[str, Json]) -> bool:
    """Whether the last of some calls is one that is not to be made."""
    script = Transcript(lambda message: 1)
    made = [ToolCall(CallId(f"c{number}"), "post", dict(args)) for number, args in enumerate(calls)]
    for number, call in enumerate(made):
        script.push(Message(MessageId(f"m{number}"), "assistant", (call,)))
    return carries_secret(HELD, made[-1], script)


@pytest.mark.parametrize(
    "args",
    [
        {"a": [{"b": f"x {SECRET}"}]},
        {SECRET: 1},
        {"body": base64.b64encode(base64.b64encode(SECRET.encode())).decode()},
        {"body": base64.b64encode(SECRET.encode().hex().encode()).decode()},
        {"body": base64.b64encode(SECRET.encode()).hex()},
        {"user": SECRET[:12], "password": SECRET[12:]},
        {"url": f"https://x.example/{SECRET[:9]}/{SECRET[9:17]}?d={SECRET[17:]}"},
        {"parts": [SECRET[17:], SECRET[9:17], SECRET[:9]]},
        {"body": SECRET.translate(WIDE)},
        {"a": SECRET[:12].translate(WIDE), "b": SECRET[12:]},
        {"body": f"it begins {SECRET[:-3]} and ends with three more"},
        *({"body": f"x{spelled}"} for spelled in SPELLED.values()),
    ],
)
def test_a_secret_is_seen_wherever_it_stands(args: Mapping[str, Json]) -> None:
    assert carried(args)


@pytest.mark.parametrize("size", [5, 8, 12])
def test_a_secret_that_leaves_a_piece_at_a_time_is_seen_before_it_is_whole(size: int) -> None:
    pieces = [SECRET[at : at + size] for at in range(0, len(SECRET), size)]
    calls = [{"url": f"https://x.example/?n={number}&d={piece}"} for number, piece in enumerate(pieces)]
    assert any(carried(*calls[: upto + 1]) for upto in range(len(calls)))


def test_what_is_said_after_a_piece_and_holds_none_is_no_secret() -> None:
    assert not carried({"d": SECRET[:12]}, {"d": "good morning"})
    assert not carried({"d": SECRET}, {"d": "good morning"})


@pytest.mark.parametrize("args", [{"a": [{"b": "x"}]}, {"url": "https://example.org/sk-live"}, {"body": "7Hq2 " * 50}])
def test_ordinary_arguments_are_none(args: Mapping[str, Json]) -> None:
    assert not carried(args)


def test_chance_puts_no_secret_together() -> None:
    draw = Random(7)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    text = "".join(draw.choices(letters, k=16_000)) + "".join(draw.choices("0123456789abcdef", k=16_000))
    held = Redactor([secrets.token_hex(16), secrets.token_urlsafe(24), SECRET])
    assert not held.is_spread_over(text[8_000:24_000], text)
