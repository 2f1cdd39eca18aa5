"""Every error becomes the HTTP answer that it deserves."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

import sulla.core.errors as known
from sulla.core.errors import LimitReached, NotFound, StoreUnavailable, SullaError, Unavailable
from sulla.gateway import rpc
from sulla.gateway.problems import DEFECT, STORE_AWAY, Malformed, no_such_path, no_such_verb, problem_of, told_to
from sulla.gateway.rest.models import Failure


def tree(root: type[SullaError] = SullaError) -> Iterator[type[SullaError]]:
    if root.__module__ == known.__name__:
        yield root
    for below in root.__subclasses__():
        yield from tree(below)


@pytest.mark.parametrize("kind", sorted(set(tree()) - {LimitReached}, key=str))
def test_the_status_tells_whose_fault_it_is_and_agrees_with_the_protocol(kind: type[SullaError]) -> None:
    problem = problem_of(kind("why"))
    assert 400 <= problem.status < 600
    assert (problem.code, problem.retryable) == (kind.code, kind.retryable)
    last_two = -rpc.code_of(kind) % 100
    if rpc.code_of(kind) in range(-32099, -32000) and kind.code != "not_available":
        assert problem.status in (400 + last_two, 450 + last_two)  # 53 stands for 503
    if problem.status < 500:
        assert kind.fault == "caller"


def test_the_body_has_its_form_and_the_headers_say_when_to_come_back() -> None:
    problem = problem_of(Unavailable("away", retry_after_s=0.2))
    assert Failure.model_validate(json.loads(problem.body())).error.retry_after_s == 0.2
    assert problem.headers() == [(b"retry-after", b"1")]


def test_who_is_not_known_is_told_how_to_be() -> None:
    assert (b"www-authenticate", b"Bearer") in problem_of(known.Unauthorized("who?")).headers()


def test_the_verbs_that_there_are_are_named() -> None:
    problem = no_such_verb("PATCH" * 100, "/api/threads", ("GET", "POST"))
    assert problem.headers() == [(b"allow", b"GET, POST")]
    assert problem.message == "'/api/threads' does not take PATCHPATCHPATCHPATCH: it takes GET and POST"


def test_a_long_path_is_not_repeated_whole() -> None:
    assert len(no_such_path("/" + "x" * 10_000).message) < 200


def test_what_is_wrong_as_http_keeps_its_own_words() -> None:
    assert problem_of(Malformed(415, "unsupported_media_type", "no")).status == 415
    assert (DEFECT.status, DEFECT.code) == (500, "internal")


def test_where_the_store_is_and_what_to_do_about_it_is_told_to_those_who_run_the_daemon() -> None:
    error = StoreUnavailable("the store postgresql://sulla@host/db: start the server (refused)", retry_after_s=1)
    assert told_to(error, ("admin", "read")) is error
    told = told_to(error, ("read", "write", "approve"))
    assert (told.message, told.code, told.retry_after_s) == (STORE_AWAY, "store_unavailable", 1)
    other = NotFound("no thread 'x'")
    assert told_to(other, ()) is other
