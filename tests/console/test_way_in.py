"""Who gets in by the console, from which pages, and for how long."""

from __future__ import annotations

from dataclasses import replace

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from sulla.access.principal import OWNER, SESSION_S
from sulla.access.tokens import MOST_SESSIONS
from sulla.gateway.server.auth import WRONG_TOKENS
from sulla.testing.clock import ManualClock
from tests.console.house import FRIEND, OWNER_TOKEN, SESSION, House, Signed, opens, page, post, sign_in
from tests.gateway.peer import Peer
from tests.kits.in_turn import in_turn

pytestmark = in_turn(3)


async def test_a_ticket_becomes_a_session_that_allows_what_its_token_allows(house: House) -> None:
    signed = await sign_in(house.url, {"ticket": await house.ticket()})
    assert signed.answer["name"] == OWNER
    assert signed.answer["scopes"] == ["admin", "approve", "read", "write"]
    async with page(house, signed) as peer:
        welcome = await peer.hello(None, session=signed.key)
        assert welcome["scopes"] == signed.answer["scopes"]
        rows = (await peer.call("token.list"))["tokens"]
    (row,) = (one for one in rows if one["name"] == signed.answer["session"])
    assert (row["name"][:8], row["by"], row["expires_at"]) == ("console-", OWNER, signed.answer["expires_at"])


async def test_a_pasted_token_becomes_a_session_of_its_own_scopes(house: House) -> None:
    token = await house.token("ann", "read")
    signed = await sign_in(house.url, {"token": token})
    assert (signed.answer["name"], signed.answer["scopes"]) == ("ann", ["read"])
    async with page(house, signed) as peer:
        assert (await peer.hello(None, session=signed.key))["scopes"] == ["read"]
        assert (await peer.fail("token.list"))["data"]["code"] == "forbidden"


async def test_the_cookie_is_for_this_daemon_and_no_script_reads_it(house: House) -> None:
    signed = await sign_in(house.url, {"token": OWNER_TOKEN})
    name, *said = signed.set_cookie.split("; ")
    assert name.startswith(f"sulla_session_{house.server.port}=sulla_")
    assert said == ["HttpOnly", "SameSite=Strict", "Path=/", f"Max-Age={SESSION_S}"]
    proxy = {"Host": "localhost", "Origin": "https://localhost"}  # as behind one that speaks TLS
    over_tls = await sign_in(house.url, {"token": OWNER_TOKEN}, proxy)
    assert over_tls.set_cookie.endswith("; Secure")
    assert signed.key not in signed.set_cookie


async def test_a_stolen_ticket_is_worth_nothing_the_second_time(house: House) -> None:
    ticket = await house.ticket()
    await sign_in(house.url, {"ticket": ticket})
    again = await post(house.url, {"ticket": ticket})
    assert again.status_code == 401
    assert "it was used" in again.json()["error"]["message"]
    assert "set-cookie" not in again.headers


async def test_a_ticket_for_the_hub_is_none_for_the_console_and_the_other_way_round(house: House) -> None:
    hub = (await house.tokens.mint_ticket(house.owner)).secret
    assert (await post(house.url, {"ticket": hub})).status_code == 401
    async with httpx.AsyncClient(base_url=house.url) as client:
        upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
        key = {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
        assert (await client.get(f"/hub/{await house.ticket()}", headers=upgrade | key)).status_code == 401


async def _again(house: House, has: Signed, said: dict[str, object]) -> httpx.Response:
    """A browser that is signed in signs in once more."""
    return await post(house.url, said, {"Cookie": has.cookie, "X-Sulla-Session": has.key})


async def _stranger(house: House) -> str:
    """A ticket of somebody else's token."""
    await house.token("mallory", "read", "write")
    who = next(one.principal for one in house.tokens.known() if one.principal.name == "mallory")
    return await house.ticket_of(who)


async def test_a_ticket_of_somebody_else_s_takes_no_session_s_place_without_the_person_s_word(house: House) -> None:
    mine, ticket = await sign_in(house.url, {"token": OWNER_TOKEN}), await _stranger(house)
    asked = await _again(house, mine, {"ticket": ticket})
    assert (asked.status_code, "set-cookie" in asked.headers) == (409, False)
    assert asked.json()["signed_in"] == {"name": OWNER, "scopes": ["admin", "approve", "read", "write"]}
    assert asked.json()["would_be"] == {"name": "mallory", "scopes": ["read", "write"]}
    assert await opens(house, mine)
    said = await _again(house, mine, {"ticket": ticket, "replace": True})  # it was not used up
    assert (said.status_code, said.json()["name"]) == (200, "mallory")
    assert not await opens(house, mine)
    assert mine.answer["session"] not in [one.name for one in await house.tokens.list()]


async def test_a_ticket_of_the_same_token_leaves_the_session_as_it_is(house: House) -> None:
    mine = await sign_in(house.url, {"token": OWNER_TOKEN})
    stays = await _again(house, mine, {"ticket": await house.ticket()})
    assert (stays.status_code, stays.json()["stays"], "set-cookie" in stays.headers) == (200, True, False)
    assert await opens(house, mine)
    assert sum(one.name.startswith("console-") for one in await house.tokens.list()) == 1


@pytest.mark.parametrize("lost", ["the session", "the cookie", "the cookie and the key"])
async def test_a_ticket_of_somebody_else_s_is_asked_about_where_a_session_has_ended(house: House, lost: str) -> None:
    mine, ticket = await sign_in(house.url, {"token": OWNER_TOKEN}), await _stranger(house)
    if lost == "the session":
        await house.tokens.revoke(mine.answer["session"], house.owner)
    headers = {} if lost == "the cookie and the key" else {"X-Sulla-Session": mine.key}
    headers |= {"Cookie": mine.cookie} if lost == "the session" else {}
    asked = await post(house.url, {"ticket": ticket, "had": OWNER}, headers)
    assert (asked.status_code, "set-cookie" in asked.headers, asked.json()["signed_in"]) == (409, False, None)
    assert asked.json()["would_be"] == {"name": "mallory", "scopes": ["read", "write"]}
    own = await post(house.url, {"ticket": await house.ticket(), "had": OWNER}, headers)
    assert (own.status_code, own.json()["name"]) == (200, OWNER)
    said = await post(house.url, {"ticket": ticket, "had": OWNER, "replace": True}, headers)  # it was not used up
    assert said.json()["name"] == "mallory"


async def test_a_ticket_beside_a_key_that_is_over_is_asked_about_where_nobody_says_whose_it_was(house: House) -> None:
    over, ticket = await sign_in(house.url, {"token": OWNER_TOKEN}), await house.ticket()
    await house.tokens.revoke(over.answer["session"], house.owner)
    assert (await _again(house, over, {"ticket": ticket})).status_code == 409


async def test_a_pasted_token_ends_the_session_whose_place_it_takes(house: House) -> None:
    mine = await sign_in(house.url, {"token": OWNER_TOKEN})
    assert (await _again(house, mine, {"token": await house.token("ann", "read")})).json()["name"] == "ann"
    assert not await opens(house, mine)


async def test_a_wrong_ticket_beside_a_session_is_refused_and_counted(house: House) -> None:
    mine = await sign_in(house.url, {"token": OWNER_TOKEN})
    for number in range(WRONG_TOKENS):
        assert (await _again(house, mine, {"ticket": f"wrong {number}"})).status_code == 401
    assert "retry-after" in (await _again(house, mine, {"ticket": "wrong again"})).headers
    assert await opens(house, mine)


async def test_a_page_by_another_scheme_at_the_daemon_s_own_address_is_another_one_s(house: House) -> None:
    host = house.url.removeprefix("http://")
    answer = await post(house.url, {"token": OWNER_TOKEN}, {"Origin": f"https://{host}"})
    assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)


@pytest.mark.parametrize("origin", ["", "https://evil.test", FRIEND, "null", "http://127.0.0.1:1"])
async def test_no_page_but_the_daemon_s_own_signs_in_or_out(house: House, origin: str) -> None:
    signed = await sign_in(house.url, {"token": OWNER_TOKEN})
    answer = await post(house.url, {"token": OWNER_TOKEN}, {"Origin": origin, "Cookie": signed.cookie})
    assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)
    headers = {"Cookie": signed.cookie, "X-Sulla-Session": signed.key} | ({"Origin": origin} if origin else {})
    async with httpx.AsyncClient(base_url=house.url, headers=headers) as client:
        assert (await client.delete(SESSION)).status_code == 403
    assert await opens(house, signed)


@pytest.mark.parametrize("origin", ["https://evil.test", FRIEND, "null", "http://127.0.0.1:1"])
async def test_no_page_but_the_daemon_s_own_opens_a_socket_by_a_session(house: House, origin: str) -> None:
    signed = await sign_in(house.url, {"token": OWNER_TOKEN})
    if origin != FRIEND:
        with pytest.raises(Exception, match="403"):
            await opens(house, signed, Origin=origin)
        return
    assert not await opens(house, signed, Origin=origin)
    async with Peer.connect(house, headers={"Cookie": signed.cookie}) as without:  # no Origin at all
        assert (await without.fail("hello", **HELLO, session=signed.key))["data"]["code"] == "forbidden"


HELLO: dict[str, object] = {"client": {"name": "page", "version": "1"}, "protocol": 1}


async def test_neither_half_is_good_without_the_other(house: House) -> None:
    signed, other = [await sign_in(house.url, {"token": OWNER_TOKEN}) for _ in range(2)]
    async with page(house, signed) as peer:
        assert (await peer.fail("hello", **HELLO))["data"]["code"] == "unauthorized"
    no_cookie = replace(signed, cookie="other=1")
    assert not await opens(house, no_cookie)
    assert not await opens(house, replace(signed, key=other.key))
    assert await opens(house, signed)


async def test_cookies_that_another_page_has_planted_lock_nobody_out(house: House) -> None:
    signed = await sign_in(house.url, {"token": OWNER_TOKEN})
    name = signed.cookie.partition("=")[0]
    for number in range(WRONG_TOKENS + 1):
        assert await opens(house, replace(signed, cookie=f"{name}=evil{number}; {signed.cookie}"))
    wrong = await post(house.url, {"token": "wrong"})
    assert (wrong.status_code, "retry-after" in wrong.headers) == (401, False)
    planted = replace(signed, cookie=f"{name}=evil; {name}=worse")
    assert not await opens(house, planted)
    headers = {"Cookie": f"{name}=evil; {signed.cookie}", "Origin": house.url, "X-Sulla-Session": signed.key}
    async with httpx.AsyncClient(base_url=house.url, headers=headers) as client:
        assert (await client.delete(SESSION)).status_code == 200


async def test_rest_takes_no_session(house: House) -> None:
    signed = await sign_in(house.url, {"token": OWNER_TOKEN})
    secret = signed.cookie.partition("=")[2]
    headers = {"Cookie": signed.cookie, "Origin": house.url, "X-Sulla-Session": signed.key}
    async with httpx.AsyncClient(base_url=house.url) as client:
        for more in ({}, {"Authorization": f"Bearer {secret}"}, {"Authorization": f"Bearer {signed.key}"}):
            assert (await client.get("/api/status", headers=headers | more)).status_code == 401
            assert (await client.post("/api/threads", json={}, headers=headers | more)).status_code == 401
        assert (await client.get("/api/status", headers={"Authorization": f"Bearer {OWNER_TOKEN}"})).status_code == 200


async def test_a_token_in_hello_goes_before_a_session(house: House) -> None:
    token = await house.token("ann", "read")
    signed = await sign_in(house.url, {"token": OWNER_TOKEN})
    async with page(house, signed) as peer:
        assert (await peer.hello(token, session="wrong"))["scopes"] == ["read"]


async def test_signing_out_closes_the_page_and_ends_the_session(house: House) -> None:
    signed = await sign_in(house.url, {"token": OWNER_TOKEN})
    headers = {"Cookie": signed.cookie, "Origin": house.url}
    async with page(house, signed) as peer, httpx.AsyncClient(base_url=house.url, headers=headers) as client:
        await peer.hello(None, session=signed.key)
        assert (await client.delete(SESSION)).status_code == 401
        ended = await client.delete(SESSION, headers={"X-Sulla-Session": signed.key})
        assert (ended.status_code, ended.json()) == (200, {"ended": True})
        assert "Max-Age=0" in ended.headers["set-cookie"]
        with pytest.raises(ConnectionClosed) as closed:
            await peer.frame()
        assert closed.value.rcvd is not None
        assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (4401, "this session was ended: sign in again")
        assert (await client.delete(SESSION, headers={"X-Sulla-Session": signed.key})).status_code == 401
    assert not await opens(house, signed)


@pytest.mark.parametrize("taken", ["the session", "its token", "the owner's token"])
async def test_what_is_revoked_closes_an_open_page_at_once(house: House, taken: str) -> None:
    token = OWNER_TOKEN if taken == "the owner's token" else await house.token("ann", "read")
    signed = await sign_in(house.url, {"token": token})
    names = {"the session": signed.answer["session"], "its token": "ann", "the owner's token": OWNER}
    async with page(house, signed) as peer:
        await peer.hello(None, session=signed.key)
        await house.tokens.revoke(names[taken], house.owner)
        with pytest.raises(ConnectionClosed) as closed:
            await peer.frame()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4401
    assert not await opens(house, signed)
    assert signed.answer["session"] not in [one.name for one in await house.tokens.list()]


async def test_a_session_expires_and_so_it_does_with_its_token(house: House, wall: ManualClock) -> None:
    long, token = await sign_in(house.url, {"token": OWNER_TOKEN}), await house.token("ann", "read", expires_s=60)
    short = await sign_in(house.url, {"token": token})
    assert short.set_cookie.endswith("Max-Age=60")
    assert await opens(house, long)
    assert await opens(house, short)
    await wall.advance(61)
    assert not await opens(house, short)
    assert await opens(house, long)
    await wall.advance(SESSION_S)
    assert not await opens(house, long)


async def test_a_session_makes_no_other_session(house: House) -> None:
    signed = await sign_in(house.url, {"token": OWNER_TOKEN})
    async with page(house, signed) as peer:
        await peer.hello(None, session=signed.key)
        assert (await peer.fail("token.ticket", use="console"))["data"]["code"] == "forbidden"
        assert (await peer.call("token.ticket"))["path"].startswith("/hub/")


async def test_of_too_many_sessions_the_oldest_ends(house: House) -> None:
    first = await sign_in(house.url, {"token": OWNER_TOKEN})
    second = await sign_in(house.url, {"token": OWNER_TOKEN})
    for _ in range(MOST_SESSIONS - 1):
        await sign_in(house.url, {"token": OWNER_TOKEN})
    assert not await opens(house, first)
    assert await opens(house, second)
    assert sum(one.name.startswith("console-") for one in await house.tokens.list()) == MOST_SESSIONS


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b'{"token": "x"}', "text/plain", 415),
        (b'{"token": "x"}', "application/x-www-form-urlencoded", 415),
        (b'{"token": "x"}', "", 415),
        (b"token=x", "application/json", 400),
        (b"{}", "application/json", 400),
        (b'{"token": "x", "ticket": "x"}', "application/json", 400),
        (b'{"token": "x", "more": 1}', "application/json", 400),
        (b'{"token": ""}', "application/json", 400),
        (b'["sulla_secret"]', "application/json", 400),
        (b'{"ticket": ["sulla_secret"]}', "application/json", 400),
        (b'{"token": "sulla_secret', "application/json", 400),
        (b'{"token": "' + b"x" * 5000 + b'"}', "application/json", 413),
        (b'{"token": "x"}', "application/json; charset=utf-8", 401),
        (b'{"ticket": "x"}', "application/json", 401),
    ],
)
async def test_what_is_sent_otherwise_is_refused(house: House, body: bytes, kind: str, status: int) -> None:
    answer = await post(house.url, body, {"Content-Type": kind})
    assert (answer.status_code, "set-cookie" in answer.headers) == (status, False), answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert "sulla_secret" not in answer.text


async def test_whoever_guesses_is_locked_out_and_the_right_one_gets_in_all_the_same(house: House) -> None:
    for number in range(WRONG_TOKENS):
        said = {"ticket" if number % 2 else "token": f"wrong {number}"}
        assert "retry-after" not in (await post(house.url, said)).headers
    for name in ("token", "ticket"):
        locked = await post(house.url, {name: "wrong again"})
        assert (locked.status_code, "retry-after" in locked.headers) == (401, True)
    ticket = await house.ticket()
    await sign_in(house.url, {"ticket": ticket})


async def test_other_verbs_are_told_which_there_are(house: House) -> None:
    async with httpx.AsyncClient(base_url=house.url) as client:
        answer = await client.get(SESSION)
    assert (answer.status_code, answer.headers["allow"]) == (405, "DELETE, POST")
