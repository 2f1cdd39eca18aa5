"""Messages are taken from whoever knows the secret, and from nobody else."""

from __future__ import annotations

import hmac
from base64 import b64decode, b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json
from sulla.gateway.rest.webhook import SIGNATURES, Signed, is_genuine, is_timely, payload_of, read_signed, sign

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
ID, AT_S, BODY = "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}'
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
"""The vector that the standard publishes."""


def headers(**changed: str) -> dict[str, str]:
    return {"webhook-id": ID, "webhook-timestamp": str(AT_S), "webhook-signature": SIGNATURE} | {
        f"webhook-{name}": value for name, value in changed.items()
    }


def signed(**changed: str) -> Signed:
    found = read_signed(headers(**changed))
    assert found is not None
    return found


def test_the_standards_own_vector_is_what_we_make_and_what_we_take() -> None:
    assert sign(SECRET, ID, AT_S, BODY) == SIGNATURE
    assert is_genuine(signed(), SECRET, BODY)


@pytest.mark.parametrize(
    ("changed", "secret", "body"),
    [
        ({}, SECRET, BODY + b" "),
        ({}, SECRET.replace("M", "N", 1), BODY),
        ({}, SECRET.removeprefix("whsec_"), BODY),
        ({"id": "msg_2"}, SECRET, BODY),
        ({"timestamp": str(AT_S + 1)}, SECRET, BODY),
        ({"signature": SIGNATURE.replace("g", "h", 1)}, SECRET, BODY),
        ({"signature": "v1,"}, SECRET, BODY),
    ],
)
def test_whatever_is_changed_makes_it_worth_nothing(changed: dict[str, str], secret: str, body: bytes) -> None:
    assert not is_genuine(signed(**changed), secret, body)


def test_one_good_signature_of_several_is_enough_and_only_so_many_are_looked_at() -> None:
    others = ["v1,AAAA", "v1a,BBBB", "v2,CCCC"]
    assert is_genuine(signed(signature=" ".join([*others, SIGNATURE])), SECRET, BODY)
    assert not is_genuine(signed(signature=" ".join(["v1,AAAA"] * SIGNATURES + [SIGNATURE])), SECRET, BODY)


@pytest.mark.parametrize("secret", ["sixteen letters!", "whsec_not base64!", "ключ для чайника"])
def test_a_secret_may_be_any_text(secret: str) -> None:
    made = sign(secret, ID, AT_S, BODY)
    assert is_genuine(signed(signature=made), secret, BODY)
    assert not is_genuine(signed(signature=made), "another", BODY)


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_AAAA", "fifteen letters", "whsec_" + "A" * 20])
def test_with_a_secret_that_is_too_short_nothing_is_signed(secret: str) -> None:
    with pytest.raises(InvalidInput, match="at least 16 bytes"):
        sign(secret, ID, AT_S, BODY)
    key = b64decode(secret.removeprefix("whsec_")) if secret.startswith("whsec_") else secret.encode()
    forged = b64encode(hmac.digest(key, f"{ID}.{AT_S}.".encode() + BODY, "sha256")).decode()
    assert not is_genuine(signed(signature=f"v1,{forged}"), secret, BODY)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("id", ""),
        ("id", "a b"),
        ("id", "x" * 257),
        ("timestamp", ""),
        ("timestamp", "-1"),
        ("timestamp", "1e9"),
        ("timestamp", "٣"),
        ("timestamp", "9" * 13),
        ("signature", ""),
        ("signature", "v2,AAAA"),
        ("signature", "v1,\xe9"),
    ],
)
def test_headers_of_another_form_are_none(name: str, value: str) -> None:
    assert read_signed(headers(**{name: value})) is None
    assert read_signed({}) is None


@pytest.mark.parametrize(("off_s", "good"), [(0, True), (300, True), (-300, True), (301, False), (-301, False)])
def test_it_has_to_have_been_sent_just_now(off_s: int, good: bool) -> None:
    assert is_timely(signed(), AT_S + off_s) is good


@given(st.text(min_size=16), st.binary(), st.binary())
def test_a_signature_is_good_for_its_own_body_alone(secret: str, body: bytes, other: bytes) -> None:
    made = Signed(ID, AT_S, (sign(secret, ID, AT_S, body).removeprefix("v1,"),))
    assert is_genuine(made, secret, body)
    assert is_genuine(made, secret, other) is (body == other)


@pytest.mark.parametrize(
    ("kind", "body", "payload"),
    [
        ("application/json", b'{"a": [1]}', {"a": [1]}),
        ("application/vnd.git+json; charset=utf-8", b"3", 3),
        ("text/plain", b'{"a": 1}', '{"a": 1}'),
        ("", "grün".encode(), "grün"),
    ],
)
def test_a_body_is_json_where_it_is_said_to_be_that_and_text_elsewhere(kind: str, body: bytes, payload: Json) -> None:
    assert payload_of(kind, body) == payload


@pytest.mark.parametrize(("kind", "body", "said"), [("application/json", b"{", "JSON"), ("", b"\xff", "UTF-8")])
def test_a_body_that_is_neither_is_named(kind: str, body: bytes, said: str) -> None:
    with pytest.raises(InvalidInput, match=f"not {said}"):
        payload_of(kind, body)
