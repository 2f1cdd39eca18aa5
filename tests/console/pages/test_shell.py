"""The page itself: the way in, its views for whoever may see them, and no fault on any of them."""

from __future__ import annotations

import json

import pytest

from sulla.terminal.place import Door
from tests.console.pages.opened import ROOM, Desk, asked_of, needs_console, watched
from tests.console.pages.talking import rest
from tests.kits.in_turn import in_turn

pytestmark = [needs_console, in_turn(3)]
VIEWS = (
    *("live", "chat", "inbox", "playbooks", "flows", "beats", "projects"),
    *("memory", "agents", "use", "health", "voice", "settings"),
)


FULL = pytest.mark.faults
"""Shown so in `./dev faults` alone."""


@pytest.mark.parametrize(
    ("width", "scheme"),
    [(1280, "light"), (360, "dark"), pytest.param(1280, "dark", marks=FULL), pytest.param(360, "light", marks=FULL)],
)
def test_every_view_is_drawn_without_a_fault_and_nothing_stops_a_screen_reader(
    desk: Desk, width: int, scheme: str
) -> None:
    wrong: list[str] = []
    with desk.window(width, color_scheme=scheme) as window:
        for view in VIEWS:
            page = window.go(view)
            page.wait_for_load_state("networkidle")
            page.locator("main h1").first.wait_for()  # a view is loaded when it is first shown
            window.picture(f"{view}-{width}-{scheme}")
            wrong += [f"{view}: {line}" for line in window.axe()]
            if (wide := page.evaluate("() => document.documentElement.scrollWidth")) > width:
                wrong.append(f"{view}: it is {wide} px wide")
        wrong += window.faults
    assert wrong == []


def test_sign_out_is_seen_in_the_menu_of_a_narrow_page(desk: Desk) -> None:
    with desk.window(360, 740) as window:
        window.page.get_by_role("button", name="Menu").click()
        window.page.get_by_role("button", name="Sign out").click(trial=True)
        seen = window.page.get_by_role("button", name="Sign out").evaluate(
            "b => { const r = b.getBoundingClientRect(), s = b.closest('nav').getBoundingClientRect();"
            " return r.bottom <= s.bottom && b.closest('nav').scrollTop === 0 }"
        )
        assert seen


def test_a_ticket_lets_in_once_and_stays_nowhere(desk: Desk) -> None:
    address = desk.ticket()
    secret = address.partition("#ticket=")[2]
    first, second = desk.browser.new_context(), desk.browser.new_context()
    page = watched(first.new_page(), desk.daemon.url).page
    page.goto(address)
    page.get_by_role("navigation").first.wait_for(timeout=ROOM)
    assert secret not in page.url
    assert secret not in page.evaluate(
        "() => JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])"
    )
    thief = second.new_page()
    thief.goto(address)
    thief.get_by_role("alert").wait_for(timeout=ROOM)
    assert "it was used" in thief.get_by_role("alert").inner_text()
    first.close()
    second.close()


def test_an_address_of_somebody_else_s_signs_nobody_in_without_a_word(desk: Desk) -> None:
    code, out, err = desk.place.run("token", "create", "mallory", "--scope", "read", "--scope", "write", "--json")
    assert code == 0, err
    with desk.window() as window:
        page = window.page
        page.get_by_text("Signed in as owner").wait_for()
        for said in ("Stay owner", "End this session and sign in as mallory"):
            secret = asked_of(Door(desk.daemon.url, json.loads(out)["token"]), "token.ticket", use="console")["ticket"]
            page.goto(f"{desk.daemon.url}/#ticket={secret}")
            page.get_by_role("heading", name="Whose session?").wait_for()
            assert "read, write" in page.get_by_role("main").inner_text()
            assert page.get_by_role("button", name="Stay owner").evaluate("b => b === document.activeElement")
            rest(page)
            page.get_by_role("button", name=said).click()
            page.get_by_text(f"Signed in as {said.split()[-1]}").wait_for()
        assert page.get_by_role("button", name="Pause all work").count() == 0
        assert [one["by"] for one in desk.call("token.list")["tokens"] if one["name"].startswith("console-")].count(
            "mallory"
        ) == 1
    # The browser itself tells of an answer that is a refusal.
    assert [fault for fault in window.faults if "409 (Conflict)" not in fault] == []


def test_another_name_of_the_machine_has_the_session_of_the_one(desk: Desk) -> None:
    code, out, err = desk.place.run("token", "create", "trudy", "--scope", "read", "--scope", "write", "--json")
    assert code == 0, err
    secret = asked_of(Door(desk.daemon.url, json.loads(out)["token"]), "token.ticket", use="console")["ticket"]
    with desk.window() as window:
        page = window.page
        page.goto(f"{desk.daemon.url.replace('127.0.0.1', 'localhost')}/#ticket={secret}")
        page.get_by_role("heading", name="Whose session?").wait_for()
        assert page.url.startswith(desk.daemon.url)
        page.get_by_role("button", name="Stay owner").click()
        page.get_by_text("Signed in as owner").wait_for()


@pytest.mark.parametrize("began_anew", [False, True])
def test_a_page_of_another_port_that_took_the_cookie_away_signs_nobody_in_without_a_word(
    desk: Desk, began_anew: bool
) -> None:
    name = f"eve-{began_anew}".lower()
    code, out, err = desk.place.run("token", "create", name, "--scope", "read", "--scope", "write", "--json")
    assert code == 0, err
    with desk.window() as window:
        page = window.page
        for said in ("Do not sign in", f"Sign in as {name}"):
            secret = asked_of(Door(desk.daemon.url, json.loads(out)["token"]), "token.ticket", use="console")["ticket"]
            page.context.clear_cookies()
            if began_anew:  # the page has found out by itself that its key is dead
                page.goto(f"{desk.daemon.url}/?{said.count('e')}")
                page.get_by_role("heading", name="Way in").wait_for()
            page.goto(f"{desk.daemon.url}/#ticket={secret}")
            page.get_by_role("heading", name="Whose session?").wait_for()
            assert "The session of owner in this browser has ended" in page.get_by_role("main").inner_text()
            assert page.get_by_role("button", name="Do not sign in").evaluate("b => b === document.activeElement")
            rest(page)
            page.get_by_role("button", name=said, exact=True).click()
            ends = page.get_by_role("heading", name="Way in") if said == "Do not sign in" else None
            (ends or page.get_by_text(f"Signed in as {name}")).wait_for()


def test_a_pasted_token_lets_in_for_what_it_allows(desk: Desk) -> None:
    code, out, err = desk.place.run("token", "create", "reader", "--scope", "read", "--json")
    assert code == 0, err
    token = out.partition('"token":')[2].split('"')[1]
    context = desk.browser.new_context()
    window = watched(context.new_page(), desk.daemon.url)
    page = window.page
    page.goto(desk.daemon.url)
    page.get_by_label("Or paste a token").fill(token)
    page.get_by_role("button", name="Come in").click()
    page.get_by_role("navigation").first.wait_for(timeout=ROOM)
    page.get_by_role("link", name="Conversations").wait_for(timeout=ROOM)
    assert page.get_by_role("link", name="Voice").count() == 0
    assert page.get_by_role("button", name="Pause all work").count() == 0
    code, _, err = desk.place.run("token", "revoke", "reader")
    assert code == 0, err
    page.get_by_role("heading", name="Way in").wait_for(timeout=ROOM)
    context.close()


def test_the_kill_switch_is_on_every_view_and_pauses_all_work(desk: Desk) -> None:
    with desk.window() as window:
        for view in VIEWS:
            window.go(view).get_by_role("button", name="Pause all work").wait_for()
        page = window.page
        page.get_by_role("button", name="Pause all work").click()
        page.get_by_label("Reason").fill("to look at it")
        page.get_by_role("dialog").get_by_role("button", name="Pause all work").click()
        page.get_by_role("button", name="Resume work").wait_for()
        code, out, err = desk.place.run("status", "--json")
        assert (code, json.loads(out)["paused"]["reason"]) == (0, "to look at it"), err
        page.get_by_role("button", name="Resume work").click()
        page.get_by_role("button", name="Pause all work").wait_for()
    assert window.faults == []
