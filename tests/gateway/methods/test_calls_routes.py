"""Routes are tried, and what became of them is read and forgotten, over a real socket."""

from __future__ import annotations

from tests.gateway.conftest import Connect


async def test_whoever_may_read_tries_a_message_and_is_told_the_words_that_were_found(connect: Connect) -> None:
    reader = await connect(token="reader")
    found = await reader.call("route.try", text="I want my money back.")
    assert found == {
        "route": "refunds",
        "kind": "grounded",
        "gate": "money_back",
        "why": ["money back"],
    }
    assert (await reader.call("route.try", text="Hello"))["route"] == ""


async def test_turns_that_took_a_route_are_listed_since_a_moment(connect: Connect) -> None:
    reader = await connect(token="reader")
    (row,) = (await reader.call("route.audit"))["rows"]
    assert (row["route"], row["at"], row["mode"], row["thread_id"]) == (
        "refunds",
        "2027-01-15T08:00:00.000Z",
        "tool",
        "thr_1",
    )
    assert await reader.call("route.audit", since_ms=1_800_000_000_001, limit=1) == {"rows": []}


async def test_only_an_admin_has_them_forgotten(connect: Connect) -> None:
    owner = await connect()
    assert await owner.call("route.purge", before_ms=1_800_000_000_001) == {"rows": 1}
    reader = await connect(token="reader")
    error = await reader.fail("route.purge", before_ms=1)
    assert error["data"]["code"] == "forbidden"
