from __future__ import annotations

import pytest

from sulla.access.principal import (
    ALL_SCOPES,
    KnownToken,
    NewToken,
    Principal,
    owner_token,
    token_digest,
)
from sulla.core.redact import hide_tokens
from sulla.host.system import random_token

SECRET = "sulla_" + "aB3-_" * 8 + "xyz"


def test_a_token_expires_at_its_moment() -> None:
    known = KnownToken(b"", Principal("bob", frozenset()), 2000)
    assert (known.expired(1.999), known.expired(2.0)) == (False, True)
    assert not KnownToken(b"", Principal("bob", frozenset())).expired(1e12)


def test_the_owner_may_do_everything_and_a_new_token_is_another_principal() -> None:
    assert owner_token("one").principal.scopes == ALL_SCOPES
    assert owner_token("one").principal != owner_token("two").principal
    assert b"one" not in owner_token("one").digest


def test_a_new_token_does_not_show_its_secret_by_accident() -> None:
    assert SECRET not in repr(NewToken("bob", SECRET, ALL_SCOPES, None))


def test_tokens_are_of_the_form_by_which_they_are_hidden() -> None:
    for secret in (SECRET, random_token()):
        assert hide_tokens(f"/x?t={secret}&u") == "/x?t=[redacted]&u"


@pytest.mark.parametrize("text", ["sulla_", "sulla_agent", "sulla_" + "x" * 42, "nothing"])
def test_nothing_else_is_hidden(text: str) -> None:
    assert hide_tokens(text) == text


def test_a_digest_takes_any_text() -> None:
    assert len(token_digest("\udc80")) == 32
