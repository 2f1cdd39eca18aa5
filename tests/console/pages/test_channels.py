"""The page of the channels that people write by: who waits is let in or refused, and somebody is forgotten."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.channels.beside import Telegram, telegram_beside, with_channel
from tests.console.pages.opened import ROOM, Desk, chromium, needs_console, watched
from tests.console.pages.talking import rest, script, talking_place
from tests.daemon.running import service
from tests.kits.in_turn import in_turn
from tests.soon import until

pytestmark = [needs_console, in_turn(2)]
expect.set_options(timeout=ROOM)
HOSTILE = "<img src=x onerror=alert(1)>\u202eEve"


@pytest.fixture(scope="module")
def telegram() -> Iterator[Telegram]:
    with telegram_beside() as found:
        yield found


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, telegram: Telegram) -> Iterator[Desk]:
    with service(script()) as model:
        place = talking_place(tmp_path_factory.mktemp("channels"), model)
        assert place.run("init")[0] == 0
        with_channel(place, telegram, 'people = { "7000" = "owner" }\n')
        with place.up() as daemon, chromium() as browser:
            yield Desk(place, daemon, model, browser)


def code_of(desk: Desk, telegram: Telegram, number: int) -> str:
    """A stranger writes; the code that he is told."""
    before = len(telegram.texts(number))
    telegram.said(number, "let me in")
    until(lambda: len(telegram.texts(number)) > before)
    sender = telegram.person(number).id
    return next(str(one["code"]) for one in desk.call("channel.codes")["codes"] if one["sender"] == sender)


def test_a_stranger_is_let_in_another_refused_and_somebody_forgotten(
    desk: Desk, telegram: Telegram, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = telegram.person
    monkeypatch.setattr(telegram, "person", lambda number: type(person(1))(person(number).id, HOSTILE))
    until(lambda: desk.call("channel.list")["channels"][0]["state"] == "well")
    good, bad = code_of(desk, telegram, 1), code_of(desk, telegram, 2)
    with desk.window() as window:
        page = window.go("health/channels")
        rows = page.get_by_role("group", name="Channels").get_by_role("row")
        expect(rows.nth(1)).to_contain_text("sulla_bot")
        expect(rows.nth(1)).to_contain_text("well")
        waiting = page.get_by_role("group", name="Waiting to be let in")
        expect(waiting.get_by_role("row")).to_have_count(3)
        expect(waiting.get_by_role("row").nth(1)).to_contain_text("<img src=x onerror=alert(1)>\\u202eEve")
        people = page.get_by_role("group", name="Who may write")
        expect(people.get_by_role("row", name="owner")).to_contain_text("in sulla.toml")
        expect(page.get_by_role("button", name="Forget owner")).to_have_count(0)
        window.picture("health-channels-1280-light")
        assert window.axe() == []

        page.get_by_role("button", name=f"Refuse the code {bad}").click()
        rest(page)
        page.get_by_role("dialog").get_by_role("button", name="Refuse", exact=True).click()
        expect(page.get_by_text(f"Nobody comes in by {bad}.")).to_be_visible()
        expect(waiting.get_by_role("row")).to_have_count(2)

        page.get_by_role("button", name=f"Let in whoever has the code {good}").click()
        dialog = page.get_by_role("dialog")
        letting = dialog.get_by_role("button", name="Let in", exact=True)
        expect(letting).to_be_disabled()
        dialog.get_by_label("Who that is").fill("owner")
        expect(dialog.get_by_role("status")).to_contain_text("known already")
        dialog.get_by_label("Who that is").fill("ann")
        dialog.get_by_label("approve: answer what agents ask").uncheck()
        assert window.axe() == []
        rest(page)
        letting.click()
        expect(page.get_by_text("ann may write by tg.")).to_be_visible()
        expect(page.get_by_text("Nobody waits.")).to_be_visible()
        expect(people.get_by_role("row", name="ann")).to_contain_text("read, write")
        known = {one["person"]: one for one in desk.call("channel.people")["people"]}
        assert (known["ann"]["scopes"], known["ann"]["identities"][0]["sender"]) == (["read", "write"], person(1).id)

        page.get_by_role("button", name="Test tg").click()
        expect(page.get_by_text("tg works, as sulla_bot.")).to_be_visible()
        page.get_by_role("button", name="Forget ann").click()
        rest(page)
        page.get_by_role("dialog").get_by_role("button", name="Forget", exact=True).click()
        expect(page.get_by_text("ann may no longer write.")).to_be_visible()
        expect(people.get_by_role("row", name="ann")).to_have_count(0)
        assert [one["person"] for one in desk.call("channel.people")["people"]] == ["owner"]
        assert window.faults == []


def test_on_a_narrow_page_in_the_dark_nothing_stops_a_screen_reader_and_a_reader_sees_no_codes(
    desk: Desk, telegram: Telegram
) -> None:
    until(lambda: desk.call("channel.list")["channels"][0]["state"] == "well")
    code = code_of(desk, telegram, 3)
    with desk.window(360, color_scheme="dark") as window:
        page = window.go("health/channels")
        expect(page.get_by_role("button", name=f"Refuse the code {code}")).to_be_visible()
        assert window.axe() == []
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 360
        assert window.faults == []
    code_, out, err = desk.place.run("token", "create", "reader", "--scope", "read", "--json")
    assert code_ == 0, err
    context = desk.browser.new_context()
    reader = watched(context.new_page(), desk.daemon.url)
    page = reader.page
    page.goto(desk.daemon.url)
    page.get_by_label("Or paste a token").fill(str(json.loads(out)["token"]))
    page.get_by_role("button", name="Come in").click()
    page.get_by_role("navigation").first.wait_for()
    reader.go("health/channels")
    expect(page.get_by_text("Waiting: 1. To let somebody in, the scope admin is needed.")).to_be_visible()
    assert code not in page.content()
    assert page.get_by_role("button", name="Test tg").count() == 0
    assert reader.faults == []
    context.close()
