"""The queue of wishes on a real PostgreSQL: what is wanted twice is done once, and what is over is forgotten."""

from __future__ import annotations

from collections.abc import AsyncIterator

import psycopg
import pytest

from sulla.core.errors import StoreUnavailable
from sulla.work.dbos.line import unavailable
from sulla.work.dbos.queue import WishQueue
from sulla.work.dbos.wishes import Wish
from tests.kits.in_turn import in_turn
from tests.kits.work_kit import CLOCK

pytestmark = in_turn(3)


@pytest.fixture
async def queue(url: str) -> AsyncIterator[WishQueue]:
    made = WishQueue(url, "here", 0.1)
    await made.open(4)
    yield made
    await made.close()


def _jobs(url: str) -> dict[str, str]:
    """All of them, by their ids, with where they have got to."""
    with psycopg.connect(url) as line:
        return dict(line.execute("SELECT workflow_uuid, status FROM sulla_dbos.workflow_status").fetchall())


def _now(url: str, status: str, executor: str = "one") -> None:
    with psycopg.connect(url) as line:
        line.execute(
            "UPDATE sulla_dbos.workflow_status SET status = %s, executor_id = %s, completed_at = 1", (status, executor)
        )


async def test_a_wish_that_waits_is_one_however_often_it_is_sent(queue: WishQueue, url: str) -> None:
    for _ in range(3):
        await queue.send(Wish("a", 7))
    assert _jobs(url) == {"a:7": "ENQUEUED"}
    assert await queue.wanted() == {"a"}


@pytest.mark.parametrize("status", ["PENDING", "SUCCESS", "ERROR"])
async def test_a_wish_that_comes_after_a_job_began_or_ended_is_one_of_its_own(
    queue: WishQueue, url: str, status: str
) -> None:
    await queue.send(Wish("a", 7))
    _now(url, status)
    for _ in range(3):
        await queue.send(Wish("a", 7))
    assert _jobs(url) == {"a:7": status, "a:7:2": "ENQUEUED"}


async def test_what_a_process_has_taken_can_be_given_back_to_all(queue: WishQueue, url: str) -> None:
    await queue.send(Wish("a", 7))
    _now(url, "PENDING", "dead")
    assert await queue.taken_by("one") == {}
    assert await queue.taken_by("dead") == {"a:7": "a"}
    await queue.give_back(["a:7"])
    assert _jobs(url) == {"a:7": "ENQUEUED"}
    assert await queue.taken_by("dead") == {}


async def test_what_is_over_is_forgotten_after_a_while_and_nothing_else(queue: WishQueue, url: str) -> None:
    await queue.send(Wish("a", 7))
    _now(url, "SUCCESS")
    await queue.send(Wish("b", 1))
    await queue.forget(CLOCK.now() - 300.0)
    assert _jobs(url) == {"b:1": "ENQUEUED"}


async def test_a_queue_whose_server_is_away_says_so_at_once_and_shows_no_password() -> None:
    queue = WishQueue("postgresql://u:s3cret-word@127.0.0.1:1/d", "postgresql://u@127.0.0.1:1/d", 0.1)
    with pytest.raises(
        StoreUnavailable,
        match=r"the PostgreSQL postgresql://u@127\.0\.0\.1:1/d, by which .*database_url, or .*: start the server, or",
    ) as told:
        await queue.open(4)
    assert "s3cret" not in str(told.value)


@pytest.mark.parametrize(
    ("said", "remedy"),
    [
        ('FATAL:  password authentication failed for user "u"', "check the user and the password in the URL"),
        ("failed to resolve host 'nowhere'", "check the host in the URL"),
    ],
)
def test_a_failure_of_the_queues_postgresql_names_the_setting_and_what_to_do(said: str, remedy: str) -> None:
    told = unavailable("postgresql://u@h/d", psycopg.OperationalError(said)).message
    where = "the PostgreSQL postgresql://u@h/d, by which work is shared (work.database_url, or the store where that is"
    assert told == f"{where} empty): {remedy} ({' '.join(said.split())})"


def test_a_user_without_rights_in_the_queues_postgresql_is_told_what_it_wants() -> None:
    told = unavailable("postgresql://u@h/d", psycopg.errors.InsufficientPrivilege("permission denied")).message
    assert "this user may not do that: make it the owner of the database, or of the schema (permission" in told
