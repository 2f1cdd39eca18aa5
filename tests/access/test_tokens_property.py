"""Whatever daemons do at once: the book is the same for all, and says no more than was granted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sulla.access.principal import OWNER, token_digest
from sulla.access.tokens import MOST_TOKENS, Fact, TokenAdded, TokenFold, TokenWithdrawn, decode, encode
from sulla.store.values import Record

NAMES = st.sampled_from(["ann", "bob", "eve"])
TIMES = st.integers(0, 50)


@st.composite
def facts(draw: st.DrawFn) -> list[Fact]:
    """Records in any order, as daemons with clocks of their own may write them."""
    found: list[Fact] = []
    for number in range(draw(st.integers(0, 30))):
        name, at_ms = draw(NAMES), draw(TIMES)
        if draw(st.booleans()):
            expires = draw(st.none() | st.integers(1, 60))
            found.append(TokenAdded(name, token_digest(str(number)).hex(), ("read",), expires, OWNER, at_ms))
        else:
            found.append(TokenWithdrawn(name, OWNER, at_ms))
    return found


@given(facts())
def test_of_each_name_the_first_that_counts_is_known_until_it_is_revoked(told: list[Fact]) -> None:
    book, expected = TokenFold(), dict[str, TokenAdded]()
    for seq, fact in enumerate(told, 1):
        book.apply(seq, fact)
        if isinstance(fact, TokenWithdrawn):
            expected.pop(fact.name, None)
            continue
        held = expected.get(fact.name)
        if held is None or (held.expires_at_ms is not None and fact.at_ms >= held.expires_at_ms):
            expected[fact.name] = fact
        assert {known.digest.hex() for known in book.known()} == {one.digest for one in expected.values()}
        assert len(book.known()) <= MOST_TOKENS


@given(facts(), st.integers(0, 30))
def test_a_daemon_that_reads_in_two_goes_knows_the_same(told: list[Fact], pause: int) -> None:
    at_once, later = TokenFold(), TokenFold()
    for seq, fact in enumerate(told, 1):
        at_once.apply(seq, fact)
    kept = [Record(seq, (draft := encode(fact)).kind, True, draft.body) for seq, fact in enumerate(told, 1)]
    for record in kept[:pause]:
        later.apply(record.seq, decode(record))
    for record in kept[pause:]:
        later.apply(record.seq, decode(record))
    assert (later.known(), later.seq) == (at_once.known(), at_once.seq)
    for name in ("ann", "bob", "eve", "nobody"):
        assert later.dedupe_id("create", name) == at_once.dedupe_id("create", name)


@given(facts(), NAMES)
def test_two_that_know_different_things_of_a_name_never_write_under_one_id(told: list[Fact], name: str) -> None:
    book, ids = TokenFold(), dict[str, tuple[Fact, ...]]()
    for seq, fact in enumerate(told, 1):
        book.apply(seq, fact)
        about = tuple(one for one in told[:seq] if one.name == name)
        assert ids.setdefault(book.dedupe_id("create", name), about) == about
