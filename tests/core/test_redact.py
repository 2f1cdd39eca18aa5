"""Secrets are found by their exact value, however they are spelled, and nothing else is touched."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.jsontypes import Json
from sulla.core.redact import MARK, MIN_CHARS, TOKEN_PREFIX, Redactor

KEY = "sk-ant-0123456789"
ODD = 'pä"ss\\w/ord\n€%'
"""Spelled otherwise almost everywhere."""

SPELLINGS = {
    "as it is": ODD,
    "in JSON": json.dumps(ODD, ensure_ascii=False)[1:-1],
    "in JSON with escapes only": json.dumps(ODD)[1:-1],
    "in JSON in JSON": json.dumps(json.dumps(ODD)[1:-1])[1:-1],
    "as Python shows it": repr(ODD)[1:-1],
    "in a URL": quote(ODD, safe=""),
    "in a URL in small letters": quote(ODD, safe="").replace("%C3%A4", "%c3%a4").replace("%E2%82%AC", "%e2%82%ac")
    .replace("%5C", "%5c").replace("%2F", "%2f").replace("%0A", "%0a"),
    "backwards": ODD[::-1],
    "in hexadecimal digits": ODD.encode().hex(),
    "in Base32": base64.b32encode(ODD.encode()).decode().rstrip("="),
    "in Base85": base64.b85encode(ODD.encode()).decode(),
}  # fmt: skip


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_secret_is_found_however_it_is_spelled(spelling: str) -> None:
    assert Redactor([ODD]).text(f"a {SPELLINGS[spelling]} b") == f"a {MARK} b"


@pytest.mark.parametrize("before", range(3))
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode], ids=["plain", "urlsafe"])
@pytest.mark.parametrize("charset", ["utf-8", "utf-16-le", "utf-16-be"])
def test_a_secret_is_found_at_any_place_in_data_in_base64(
    before: int, encode: Callable[[bytes], bytes], charset: str
) -> None:
    text = encode(b"x" * before + ODD.encode(charset) + b"and so on").decode()
    shown = Redactor([ODD]).text(text)
    assert MARK in shown
    assert len(shown.replace(MARK, "")) < len(text) - len(ODD)


@pytest.mark.parametrize("secret", [KEY, "x" * MIN_CHARS, "x" * MIN_CHARS * 10])
def test_a_text_that_is_no_longer_than_a_secret_is_looked_through(secret: str) -> None:
    assert Redactor([KEY, secret]).text(secret) == MARK


def test_every_place_is_found_in_keys_and_values_at_any_depth() -> None:
    value: Json = {"a": [KEY, {f"x{KEY}": f"{KEY}{KEY}"}], "n": 12, "none": None, "yes": True}
    assert Redactor([KEY]).json(value) == {
        "a": [MARK, {f"x{MARK}": f"{MARK}{MARK}"}],
        "n": 12,
        "none": None,
        "yes": True,
    }


def test_what_was_given_is_not_changed() -> None:
    value: Json = {"a": [KEY]}
    Redactor([KEY]).json(value)
    assert value == {"a": [KEY]}


def test_a_number_is_left_alone_even_if_it_looks_like_a_secret() -> None:
    assert Redactor(["12345678"]).json({"seq": 12345678}) == {"seq": 12345678}


def test_a_secret_inside_another_one_leaves_nothing_of_either() -> None:
    url = f"postgres://me:{KEY}@host/db"
    for secrets in ([url, KEY], [KEY, url]):
        assert Redactor(secrets).text(f"at {url}, with {KEY}") == f"at {MARK}, with {MARK}"


def test_a_value_that_is_an_ordinary_word_is_not_hidden_and_that_is_said() -> None:
    redactor = Redactor()
    assert not redactor.learn("")
    assert not redactor.learn("x" * (MIN_CHARS - 1))
    assert redactor.learn("x" * MIN_CHARS)
    assert redactor.text("ollama " + "x" * MIN_CHARS) == f"ollama {MARK}"


def test_what_is_learned_later_is_hidden_from_then_on() -> None:
    redactor = Redactor()
    assert redactor.text(KEY) == KEY
    redactor.learn(KEY)
    assert redactor.text(KEY) == MARK


@given(secret=st.text(min_size=MIN_CHARS, max_size=20), before=st.text(max_size=5), after=st.text(max_size=5))
def test_no_text_keeps_a_secret(secret: str, before: str, after: str) -> None:
    shown = Redactor([secret]).text(before + secret + after)
    assert secret not in shown or secret in MARK


def test_a_named_token_is_known_by_its_form_though_nobody_keeps_its_value() -> None:
    token = f"{TOKEN_PREFIX}{'aB3-_' * 8}xyz"
    redactor = Redactor()
    assert redactor.text(f"Bearer {token}.") == f"Bearer {MARK}."
    assert redactor.json({token: [token]}) == {MARK: [MARK]}
    for other in (token[:-1], TOKEN_PREFIX, "sulla_work_threads", token.upper()):
        assert redactor.text(other) == other


@given(st.text(st.characters(min_codepoint=1, exclude_categories=["Cs"]), min_size=MIN_CHARS))
def test_a_secret_is_found_in_the_base_85_of_the_standard_library(secret: str) -> None:
    for encode in (base64.b85encode, base64.a85encode):
        assert MARK in Redactor([secret]).text(encode(secret.encode()).decode())
