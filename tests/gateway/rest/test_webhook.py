"""Messages are taken from whoever knows the secret, and from nobody else."""

from __future__ import annotations

import hmac
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json, JsonObject
from sulla.gateway.rest.webhook import (
    SIGNATURES,
    Signed,
    challenge_of,
    is_genuine,
    is_timely,
    message_of,
    read_signed,
    sign,
    why_unread,
)
from sulla.playbooks.definition import WebhookForm

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
ID, AT_S, BODY = "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}'
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
"""The vector that the standard publishes."""
STANDARD, GITHUB, STRIPE, SLACK = (WebhookForm(signed=name) for name in ("standard", "github", "stripe", "slack"))
PLAIN = WebhookForm(signed="hmac", header="x-signature", prefix="sha256=", id="x-id")
SLASH = (
    b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar"
    b"&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com"
    b"%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14"
    b"d10d2c447fce8b6703c"
)
HELLO = {
    "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    "x-github-delivery": "d-1",
}


def headers(**changed: str) -> dict[str, str]:
    return {"webhook-id": ID, "webhook-timestamp": str(AT_S), "webhook-signature": SIGNATURE} | {
        f"webhook-{name}": value for name, value in changed.items()
    }


def made(secret: str, body: bytes = BODY) -> str:
    return "v1," + sign(STANDARD, secret, f"{ID}.{AT_S}.", body)


def signed(**changed: str) -> Signed:
    found = read_signed(STANDARD, headers(**changed))
    assert found is not None
    return found


def test_the_standards_own_vector_is_what_we_make_and_what_we_take() -> None:
    assert made(SECRET) == SIGNATURE
    assert is_genuine(STANDARD, signed(), SECRET, BODY)


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
    assert not is_genuine(STANDARD, signed(**changed), secret, body)


def test_one_good_signature_of_several_is_enough_and_only_so_many_are_looked_at() -> None:
    others = ["v1,AAAA", "v1a,BBBB", "v2,CCCC"]
    assert is_genuine(STANDARD, signed(signature=" ".join([*others, SIGNATURE])), SECRET, BODY)
    assert not is_genuine(STANDARD, signed(signature=" ".join(["v1,AAAA"] * SIGNATURES + [SIGNATURE])), SECRET, BODY)


@pytest.mark.parametrize("secret", ["sixteen letters!", "whsec_not base64!", "ключ для чайника"])
def test_a_secret_may_be_any_text(secret: str) -> None:
    header = made(secret)
    assert is_genuine(STANDARD, signed(signature=header), secret, BODY)
    assert not is_genuine(STANDARD, signed(signature=header), "another", BODY)


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_AAAA", "fifteen letters", "whsec_" + "A" * 20])
def test_with_a_secret_that_is_too_short_nothing_is_signed(secret: str) -> None:
    with pytest.raises(InvalidInput, match="at least 16 bytes"):
        made(secret)
    key = b64decode(secret.removeprefix("whsec_")) if secret.startswith("whsec_") else secret.encode()
    forged = b64encode(hmac.digest(key, f"{ID}.{AT_S}.".encode() + BODY, "sha256")).decode()
    assert not is_genuine(STANDARD, signed(signature=f"v1,{forged}"), secret, BODY)


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
    assert read_signed(STANDARD, headers(**{name: value})) is None
    assert read_signed(STANDARD, {}) is None


def test_a_letter_that_no_id_may_hold_is_named_in_letters_that_every_log_can_hold() -> None:
    assert why_unread(STANDARD, headers(id="m\xe44")).startswith(r"its id holds '\xe4'")


@pytest.mark.parametrize(("off_s", "good"), [(0, True), (300, True), (-300, True), (301, False), (-301, False)])
def test_it_has_to_have_been_sent_just_now(off_s: int, good: bool) -> None:
    assert is_timely(STANDARD, signed(), AT_S + off_s) is good


@given(st.text(min_size=16), st.binary(), st.binary())
def test_a_signature_is_good_for_its_own_body_alone(secret: str, body: bytes, other: bytes) -> None:
    one = read_signed(STANDARD, headers(signature=made(secret, body)))
    assert is_genuine(STANDARD, one, secret, body)
    assert is_genuine(STANDARD, one, secret, other) is (body == other)


def payload_of(form: WebhookForm, kind: str, body: bytes) -> Json:
    return message_of(form, Signed((b"x",)), {"content-type": kind}, b"", body).payload


@pytest.mark.parametrize(
    ("form", "headers", "secret", "body"),
    [
        (GITHUB, HELLO, "It's a Secret to Everybody", b"Hello, World!"),
        (
            SLACK,
            {
                "x-slack-request-timestamp": "1531420618",
                "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
            },
            "8f742231b10e8888abcd99yyyzzz85a5",
            SLASH,
        ),
    ],
    ids=["github", "slack"],
)
def test_the_vector_that_a_sender_publishes_is_taken(
    form: WebhookForm, headers: dict[str, str], secret: str, body: bytes
) -> None:
    found = read_signed(form, headers)
    assert is_genuine(form, found, secret, body)
    assert not is_genuine(form, found, secret, body + b" ")
    assert not is_genuine(form, found, secret + " ", body)


FORMS = [
    (GITHUB, "", lambda mark: {"x-hub-signature-256": f"sha256={mark}", "x-github-delivery": "d-1"}),
    (STRIPE, "7.", lambda mark: {"stripe-signature": f"t=7,v1=00,v1={mark},v0=ff"}),
    (SLACK, "v0:7:", lambda mark: {"x-slack-signature": f"v0={mark}", "x-slack-request-timestamp": "7"}),
    (PLAIN, "", lambda mark: {"x-signature": f"sha256={mark}", "x-id": "d-1"}),
    (WebhookForm(signed="hmac", header="x-s", encoding="base64"), "", lambda mark: {"x-s": mark}),
]
IDS = ["github", "stripe", "slack", "hmac", "base64"]


@pytest.mark.parametrize(("form", "before", "headers"), FORMS, ids=IDS)
def test_what_each_sender_signs_is_good_for_its_own_body_alone(
    form: WebhookForm, before: str, headers: Callable[[str], dict[str, str]]
) -> None:
    found = read_signed(form, headers(sign(form, SECRET, before, BODY)))
    assert is_genuine(form, found, SECRET, BODY)
    assert not is_genuine(form, found, SECRET, BODY + b" ")


@pytest.mark.parametrize(("form", "before", "headers"), FORMS, ids=IDS)
def test_a_message_that_lacks_one_of_its_headers_is_none(
    form: WebhookForm, before: str, headers: Callable[[str], dict[str, str]]
) -> None:
    given = headers(sign(form, SECRET, before, BODY))
    for name in given:
        assert read_signed(form, {other: value for other, value in given.items() if other != name}) is None


@pytest.mark.parametrize("form", [STRIPE, SLACK], ids=["stripe", "slack"])
@pytest.mark.parametrize(("off_s", "good"), [(60, True), (-60, True), (61, False), (-61, False)])
def test_a_playbook_says_how_old_a_message_may_be(form: WebhookForm, off_s: int, good: bool) -> None:
    strict = replace(form, tolerance_s=60.0)
    assert is_timely(strict, Signed((b"x",), at_s=AT_S), AT_S + off_s) is good


def test_a_secret_of_stripe_is_taken_as_it_is_written() -> None:
    secret = "whsec_test_secret_that_is_no_base64"
    mark = hmac.digest(secret.encode(), b"7." + BODY, "sha256").hex()
    assert is_genuine(STRIPE, read_signed(STRIPE, {"stripe-signature": f"t=7,v1={mark}"}), secret, BODY)


@pytest.mark.parametrize(
    ("form", "headers", "body", "name"),
    [
        (GITHUB, HELLO, b"{}", "d-1"),
        (STRIPE, {"stripe-signature": "t=7,v1=00"}, b'{"id": "evt_1"}', "evt_1"),
        (SLACK, {"x-slack-signature": "v0=00", "x-slack-request-timestamp": "7"}, b'{"event_id": "Ev1"}', "Ev1"),
        (PLAIN, {"x-signature": "sha256=00", "x-id": "d-2"}, b"{}", "d-2"),
    ],
    ids=["github", "stripe", "slack", "hmac"],
)
def test_what_names_a_message_is_what_its_sender_says_again_when_it_sends_it_again(
    form: WebhookForm, headers: dict[str, str], body: bytes, name: str
) -> None:
    found = read_signed(form, headers)
    assert found is not None
    assert message_of(form, found, headers | {"content-type": "application/json"}, b"", body).id == name


def test_where_nothing_names_a_message_what_was_signed_does() -> None:
    bare = WebhookForm(signed="hmac", header="x-s")
    first, again, other = (
        message_of(bare, Signed((b"x",)), {"date": date}, b"", body).id
        for date, body in (("Mon", b"1"), ("Tue", b"1"), ("Mon", b"2"))
    )
    assert first == again != other


def test_a_run_is_told_the_headers_and_the_query_and_nothing_that_proves_something() -> None:
    given = HELLO | {"x-github-event": "push", "authorization": "Basic Zm9v", "cookie": "a=b"}
    found = message_of(GITHUB, Signed((b"x",), id="d-1"), given, b"to=main&tag=a&tag=b&empty=", b"hi")
    assert found.headers == {"x-github-event": "push", "x-github-delivery": "d-1"}
    assert found.query == {"to": "main", "tag": ["a", "b"], "empty": ""}


@pytest.mark.parametrize(
    ("form", "kind", "body", "payload"),
    [
        (STANDARD, "application/json", b'{"a": [1]}', {"a": [1]}),
        (STANDARD, "application/vnd.git+json; charset=utf-8", b"3", 3),
        (STANDARD, "text/plain", b'{"a": 1}', '{"a": 1}'),
        (STANDARD, "", "grün".encode(), "grün"),
        (STANDARD, "application/x-www-form-urlencoded", b"a=1", "a=1"),
        (SLACK, "application/x-www-form-urlencoded", b"command=%2Fgo&text=a+b", {"command": "/go", "text": "a b"}),
        (SLACK, "application/x-www-form-urlencoded", b"payload=%7B%22a%22%3A1%7D", {"a": 1}),
    ],
)
def test_a_body_is_what_its_sender_says_it_is(form: WebhookForm, kind: str, body: bytes, payload: Json) -> None:
    assert payload_of(form, kind, body) == payload


@pytest.mark.parametrize(("kind", "body", "said"), [("application/json", b"{", "JSON"), ("", b"\xff", "UTF-8")])
def test_a_body_that_is_neither_is_named(kind: str, body: bytes, said: str) -> None:
    with pytest.raises(InvalidInput, match=f"not {said}"):
        payload_of(STANDARD, kind, body)


def test_slacks_question_whether_somebody_is_there_is_one_for_slack_alone() -> None:
    asked: JsonObject = {"type": "url_verification", "challenge": "3eZ"}
    assert challenge_of(SLACK, asked) == "3eZ"
    assert challenge_of(GITHUB, asked) is None
    assert challenge_of(SLACK, {"type": "event_callback", "challenge": "3eZ"}) is None
