from __future__ import annotations

import json

import pytest

from sulla.access.principal import OWNER, Scope, token_digest
from sulla.access.tokens import (
    EXPIRY,
    HEAD,
    KEY,
    MOST_RECORDS,
    MOST_TOKENS,
    Fact,
    TokenAdded,
    TokenFold,
    TokenWithdrawn,
    check_name,
    decode,
    encode,
)
from sulla.core.errors import Busy, Conflict, CorruptRecord, InvalidInput, NotFound
from sulla.store.sealing import seal
from sulla.store.values import Record

NOW_S = 1_800_000_000.0
NOW_MS = round(NOW_S * 1000)


def made(name: str, *, at_ms: int = NOW_MS, expires_at_ms: int | None = None, secret: str = "") -> TokenAdded:
    scopes: tuple[Scope, ...] = ("read", "write")
    return TokenAdded(name, token_digest(secret or name).hex(), scopes, expires_at_ms, OWNER, at_ms)


def taken(name: str) -> TokenWithdrawn:
    return TokenWithdrawn(name, OWNER, NOW_MS)


def book_of(*facts: Fact) -> TokenFold:
    book = TokenFold()
    for seq, fact in enumerate(facts, 1):
        book.apply(seq, fact)
    return book


def names(book: TokenFold) -> list[str]:
    return [info.name for info in book.infos(NOW_S)]


def record(fact: Fact) -> Record:
    draft = encode(fact)
    return Record(1, draft.kind, offered=True, body=draft.body)


@pytest.mark.parametrize("fact", [made("bob"), made("bob", expires_at_ms=NOW_MS), taken("bob")])
def test_a_fact_is_read_as_it_was_written(fact: Fact) -> None:
    assert decode(record(fact)) == fact


def test_no_secret_is_written() -> None:
    assert b"hush-hush" not in encode(made("bob", secret="hush-hush")).body


GOOD = {"name": "bob", "digest": "00" * 32, "scopes": ["read"], "expires_at_ms": None, "by": "owner", "at_ms": 1}


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("TOKEN_CREATED", {**GOOD, "scopes": ["read", "root"]}),
        ("TOKEN_CREATED", {**GOOD, "scopes": [{}]}),
        ("TOKEN_CREATED", {**GOOD, "digest": "00"}),
        ("TOKEN_CREATED", {**GOOD, "digest": "zz" * 32}),
        ("TOKEN_CREATED", {**GOOD, "expires_at_ms": "never"}),
        ("TOKEN_CREATED", {"name": "bob"}),
        ("TOKEN_REVOKED", {"name": 1, "by": "owner", "at_ms": 1}),
        ("TOKEN_REVOKED", []),
        ("TOKEN_NARROWED", GOOD),
    ],
)
def test_what_this_version_does_not_write_is_never_guessed_at(kind: str, value: object) -> None:
    body = seal(kind, json.dumps(value).encode())
    with pytest.raises(CorruptRecord, match=f"{KEY} record 1 "):
        decode(Record(1, kind, offered=True, body=body))


def test_a_changed_byte_is_noticed() -> None:
    whole = record(made("bob"))
    with pytest.raises(CorruptRecord, match="checksum"):
        decode(Record(1, whole.kind, offered=True, body=whole.body.replace(b'"read"', b'"admi"')))


def test_the_log_never_looks_like_work() -> None:
    assert (HEAD.status, HEAD.due_ms, HEAD.consumed) == ("idle", None, 0)
    assert HEAD.kind != "thread"
    assert ":" in KEY, "no id that a client may send has a colon"


def test_a_revoked_token_is_not_known() -> None:
    assert names(book_of(made("bob"), made("ann"), taken("bob"))) == ["ann"]


def test_a_name_may_be_used_again_after_revoking_and_is_another_token() -> None:
    before = book_of(made("bob", secret="one")).known()
    after = book_of(made("bob", secret="one"), taken("bob"), made("bob", secret="two")).known()
    assert before[0].principal.name == after[0].principal.name == "bob"
    assert before[0].principal != after[0].principal


def test_of_two_creations_of_one_name_the_first_counts() -> None:
    book = book_of(made("bob", secret="first"), made("bob", secret="second"))
    (known,) = book.known()
    assert known.digest == token_digest("first")
    assert book.made_by(1, "bob")
    assert not book.made_by(2, "bob")


def test_an_expired_token_is_known_as_such_and_its_name_is_free() -> None:
    book = book_of(made("bob", expires_at_ms=NOW_MS + 1000))
    assert not book.infos(NOW_S)[0].expired
    assert book.infos(NOW_S + 1)[0].expired
    book.check_free("bob", NOW_S + 1)
    book.apply(2, made("bob", at_ms=NOW_MS + 1000, secret="new"))
    assert book.made_by(2, "bob")


def test_that_a_token_has_expired_says_nothing_of_a_newer_one_of_its_name() -> None:
    over = TokenWithdrawn("bob", EXPIRY, NOW_MS + 1000)
    book = book_of(made("bob", expires_at_ms=NOW_MS + 1000), made("bob", at_ms=NOW_MS + 1000, secret="new"), over)
    assert not book.infos(NOW_S + 1)[0].expired
    assert book.expiring(NOW_S + 1) == []
    with pytest.raises(InvalidInput):
        check_name(EXPIRY)


def test_a_name_that_is_taken_is_refused() -> None:
    with pytest.raises(Conflict, match="'bob' already"):
        book_of(made("bob")).check_free("bob", NOW_S)


def test_the_number_of_tokens_is_bounded_also_if_two_daemons_make_the_last_one() -> None:
    book = book_of(*(made(f"n{number}") for number in range(MOST_TOKENS)))
    with pytest.raises(Busy, match=str(MOST_TOKENS)):
        book.check_free("bob", NOW_S)
    book.apply(MOST_TOKENS + 1, made("bob"))
    assert not book.made_by(MOST_TOKENS + 1, "bob")
    assert len(book.known()) == MOST_TOKENS


def test_expired_tokens_make_room() -> None:
    book = book_of(*(made(f"n{number}", expires_at_ms=NOW_MS + 1) for number in range(MOST_TOKENS)))
    book.check_free("bob", NOW_S + 1)
    book.apply(MOST_TOKENS + 1, made("bob", at_ms=NOW_MS + 1000))
    assert names(book) == ["bob"]


def test_a_log_that_is_full_still_revokes() -> None:
    book = book_of(made("bob"))
    book.seq = MOST_RECORDS
    with pytest.raises(Busy, match="only revoking"):
        book.check_free("ann", NOW_S)
    book.apply(MOST_RECORDS + 1, taken("bob"))
    assert book.known() == ()


def test_each_change_of_a_name_has_an_id_of_its_own() -> None:
    ids = [book_of(*facts).dedupe_id("create", "bob") for facts in ((), (made("bob"),), (made("bob"), taken("bob")))]
    assert len(set(ids)) == 3
    assert book_of(made("ann")).dedupe_id("create", "bob") == ids[0]


def test_a_name_that_never_was_is_told_from_one_that_was() -> None:
    book = book_of(made("bob"), made("robert"), taken("robert"))
    assert book.is_granted("bob")
    assert not book.is_granted("robert")
    with pytest.raises(NotFound, match=r"no token 'bobb'; did you mean 'bob'\?"):
        book.is_granted("bobb")


@pytest.mark.parametrize("name", ["bob", "B.o_b-2", "0", "x" * 64])
def test_a_good_name_is_taken(name: str) -> None:
    assert check_name(name) == name


BAD_NAMES = [
    *("", "../bob", "a/b", "a\\b", "..", ".bob", "bob\0", "bob\n", " bob", "b b", "x" * 65, "%2e%2e", "bob:1"),
    *("b\N{CYRILLIC SMALL LETTER O}b", "bob\N{ZERO WIDTH SPACE}", "\N{FULLWIDTH LATIN SMALL LETTER B}ob", OWNER),
]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_name_that_could_be_taken_for_another_or_for_a_path_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="name"):
        check_name(name)
