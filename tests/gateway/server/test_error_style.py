"""Each family of paths is told whose token it is in its own way, and by no other."""

from __future__ import annotations

import pytest

from sulla.core.errors import Unauthorized
from sulla.gateway.problems import Problem
from sulla.gateway.server.error_style import PLAIN, ErrorStyle, ErrorStyles

KEYED = ErrorStyle(lambda problem: problem.message.encode(), key_header="x-api-key")
OPEN = ErrorStyle(own_door=True)
FOUND = ErrorStyles([("/v1/chat", lambda: KEYED), ("/v1", lambda: OPEN), ("/hub/", lambda: KEYED)])


@pytest.mark.parametrize(
    ("path", "manner"),
    [("/v1/chat", KEYED), ("/v1/chat/x", KEYED), ("/hub", PLAIN), ("/hub/x", KEYED), ("/v1x", PLAIN), ("/", PLAIN)],
)
def test_a_path_has_the_manner_of_the_longest_beginning_that_is_whole(path: str, manner: ErrorStyle) -> None:
    assert FOUND.of(path) == manner


def test_what_is_not_below_the_longest_has_that_of_the_next() -> None:
    assert FOUND.of("/v1/models").own_door


@pytest.mark.parametrize(
    ("headers", "token"),
    [
        ([], None),
        ([(b"authorization", b"Bearer one")], "one"),
        ([(b"authorization", b"bearer  one ")], "one"),
        ([(b"x-api-key", b" one ")], "one"),
        ([(b"x-api-key", b"one"), (b"authorization", b"Bearer one")], "one"),
        ([(b"cookie", b"one")], None),
    ],
)
def test_the_token_is_where_the_manner_says(headers: list[tuple[bytes, bytes]], token: str | None) -> None:
    assert KEYED.token(headers) == token


@pytest.mark.parametrize(
    "headers",
    [
        [(b"authorization", b"one")],
        [(b"authorization", b"Bearer one"), (b"authorization", b"Bearer one")],
        [(b"x-api-key", b"one"), (b"x-api-key", b"one")],
        [(b"authorization", b"Bearer one"), (b"x-api-key", b"two")],
        [(b"authorization", b"Basic b25l"), (b"x-api-key", b"one")],
    ],
)
def test_two_tokens_or_one_of_another_form_are_refused(headers: list[tuple[bytes, bytes]]) -> None:
    with pytest.raises(Unauthorized):
        KEYED.token(headers)


def test_a_key_in_a_header_counts_only_where_the_manner_says_so() -> None:
    assert PLAIN.token([(b"x-api-key", b"one")]) is None


def test_an_error_has_the_manners_form() -> None:
    problem = Problem(400, "invalid_input", "no")
    assert KEYED.body(problem) == b"no"
    assert PLAIN.body(problem) == problem.body()
