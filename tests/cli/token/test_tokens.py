"""`sulla token`."""

from __future__ import annotations

import asyncio
import json
import re
import stat
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from websockets.asyncio.client import connect as open_socket
from websockets.exceptions import InvalidStatus

from sulla.access.principal import ALL_SCOPES
from sulla.cli.token.commands import SCOPES
from sulla.terminal.exits import Exit
from sulla.terminal.times import zone_word
from tests.cli.typed import typed
from tests.daemon.running import Place

Capsys = pytest.CaptureFixture[str]


def test_it_is_the_one_that_the_daemon_takes(here: Place, capsys: Capsys) -> None:
    shown = typed(capsys, "token")
    assert (shown.code, shown.out, shown.err) == (Exit.OK, (here.home / "token").read_text(), "")


def test_a_new_home_gets_one_and_keeps_it(tmp_path: Path, capsys: Capsys) -> None:
    home = tmp_path / "new"
    first, second = (typed(capsys, "token", "--home", str(home)).out for _ in range(2))
    assert first == second == (home / "token").read_text()
    assert stat.S_IMODE((home / "token").stat().st_mode) == 0o600


def test_json_holds_it_for_scripts(here: Place, capsys: Capsys) -> None:
    assert json.loads(typed(capsys, "token", "--json").out) == {"token": (here.home / "token").read_text().strip()}


def test_a_home_that_cannot_be_made_is_named(tmp_path: Path, capsys: Capsys) -> None:
    (tmp_path / "file").write_text("")
    shown = typed(capsys, "token", "--home", str(tmp_path / "file"))
    assert (shown.code, shown.out) == (Exit.SETTINGS, "")
    assert shown.err.startswith(f"sulla: the home {tmp_path / 'file'} cannot be made: ")


# ------------------------------------------------------------------------------------------------------ named tokens


@pytest.fixture(params=["daemon", "store"])
def home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home whose daemon runs, and one whose does not: what is typed comes to the same."""
    place = Place(tmp_path / "home", SULLA_MODEL="offline")
    monkeypatch.setenv("SULLA_HOME", str(place.home))
    if request.param == "store":
        yield place.home
        return
    with place.up():
        yield place.home


def test_a_token_is_made_listed_and_revoked(home: Path, capsys: Capsys) -> None:
    made = typed(capsys, "token", "create", "phone", "--scope", "write", "--scope", "read", "--scope", "read")
    assert (made.code, made.err) == (Exit.OK, "token 'phone' (read, write); it is not shown again:\n")
    assert re.fullmatch(r"sulla_[A-Za-z0-9_-]{43}\n", made.out)

    listed = typed(capsys, "token", "list")
    assert [line.split()[0] for line in listed.out.splitlines()] == ["NAME", "owner", "phone"]
    assert made.out.strip() not in listed.out

    again = typed(capsys, "token", "create", "phone", "--scope", "read")
    assert (again.code, again.out) == (Exit.REFUSED, "")
    assert "there is a token 'phone' already" in again.err

    assert typed(capsys, "token", "revoke", "phone").out == "revoked phone\n"
    assert typed(capsys, "token", "revoke", "phone").out == "phone was revoked before\n"
    wrong = typed(capsys, "token", "revoke", "phoen")
    assert (wrong.code, wrong.err) == (Exit.REFUSED, "sulla: no token 'phoen'; `sulla token list` shows all\n")


def test_json_holds_everything_for_scripts(home: Path, capsys: Capsys) -> None:
    words = ("token", "create", "phone", "--scope", "read", "--expires", "30d", "--json")
    made = json.loads(typed(capsys, *words).out)
    assert (made["name"], made["scopes"]) == ("phone", ["read"])
    rows = [json.loads(line) for line in typed(capsys, "token", "list", "--json").out.splitlines()]
    assert [(row["name"], row["by"], row["expired"]) for row in rows] == [
        ("owner", "", False),
        ("phone", "owner", False),
    ]
    assert rows[1]["expires_at"] == made["expires_at"]
    lived = datetime.fromisoformat(made["expires_at"]) - datetime.fromisoformat(rows[1]["created_at"])
    assert lived == timedelta(days=30)
    assert json.loads(typed(capsys, "token", "revoke", "phone", "--json").out) == {"name": "phone", "revoked": True}


def test_the_owners_token_is_replaced(home: Path, capsys: Capsys) -> None:
    typed(capsys, "token", "create", "phone", "--scope", "read")
    old = typed(capsys, "token").out
    assert typed(capsys, "token", "revoke", "owner").code == Exit.OK
    new = typed(capsys, "token").out
    assert new != old
    assert new == (home / "token").read_text()
    assert [name.name for name in home.glob(".token*")] == []
    assert typed(capsys, "token", "list").code == Exit.OK, "the new one opens the door"


def test_what_is_done_is_in_the_audit_log(home: Path, capsys: Capsys) -> None:
    made = typed(capsys, "token", "create", "phone", "--scope", "read").out.strip()
    typed(capsys, "token", "create", "phone", "--scope", "read")
    typed(capsys, "token", "revoke", "phone")
    text = (home / "audit.jsonl").read_text()
    told = [json.loads(line) for line in text.splitlines()]
    assert [(line["token"], line["method"], line["code"]) for line in told if line["method"] != "token.list"] == [
        ("owner", "token.create", "ok"),
        ("owner", "token.create", "conflict"),
        ("owner", "token.revoke", "ok"),
    ]
    assert made not in text


@pytest.mark.parametrize("name", ["../phone", "a/b", "", "owner", "x" * 65, "ph\u043ene", "phone\n"])
def test_a_name_that_is_no_good_is_refused(home: Path, capsys: Capsys, name: str) -> None:
    made = typed(capsys, "token", "create", name, "--scope", "read")
    assert (made.code, made.out) == (Exit.REFUSED, "")
    assert "name" in made.err
    assert "Traceback" not in made.err


@pytest.mark.parametrize(
    "words",
    [
        ["create", "phone"],
        ["create", "phone", "--scope", "root"],
        ["create", "phone", "--scope", "read", "--expires", "soon"],
        ["create", "phone", "--scope", "read", "--expires", "0d"],
        ["create", "--scope", "read"],
        ["revoke"],
        ["steal"],
    ],
)
def test_a_wrong_command_line_says_what_was_expected(capsys: Capsys, words: list[str]) -> None:
    done = typed(capsys, "token", *words)
    assert (done.code, done.out) == (Exit.USAGE, "")
    assert "usage: sulla token" in done.err


def test_the_scopes_that_can_be_typed_are_those_that_there_are() -> None:
    assert set(SCOPES) == ALL_SCOPES


def test_a_store_that_is_not_there_is_not_made_by_looking(tmp_path: Path, capsys: Capsys) -> None:
    done = typed(capsys, "token", "list", "--home", str(tmp_path / "home"))
    assert (done.code, done.out) == (Exit.REFUSED, "")
    assert "nothing is kept" in done.err
    assert not (tmp_path / "home").exists()


async def test_a_ticket_is_an_address_that_opens_the_hub_once(here: Place, capsys: Capsys) -> None:
    made = await asyncio.to_thread(typed, capsys, "token", "ticket")
    assert made.code == Exit.OK
    assert re.fullmatch(rf"good once, until \d\d:\d\d:\d\d {zone_word()}; it is not shown again:\n", made.err)
    url = made.out.strip()
    assert re.fullmatch(r"ws://127\.0\.0\.1:\d+/hub/sulla_[A-Za-z0-9_-]{43}", url)
    async with open_socket(url, proxy=None) as socket:
        await socket.send('{"type":"ping","id":"1"}')
        assert json.loads(await socket.recv())["type"] == "pong"
    with pytest.raises(InvalidStatus):
        async with open_socket(url, proxy=None):
            pass


def test_json_of_a_ticket_holds_its_address(here: Place, capsys: Capsys) -> None:
    said = json.loads(typed(capsys, "token", "ticket", "--json").out)
    assert said["url"].endswith(f"/hub/{said['ticket']}")
    assert said["expires_at"].endswith("Z")


def test_a_ticket_needs_a_daemon(tmp_path: Path, capsys: Capsys) -> None:
    shown = typed(capsys, "token", "ticket", "--home", str(tmp_path / "home"))
    assert (shown.code, shown.out) == (Exit.UNREACHABLE, "")
    assert "sulla up" in shown.err


def test_times_are_those_of_the_homes_zone_or_of_ones_own(tmp_path: Path) -> None:
    place = Place(tmp_path / "home", SULLA_DAEMON__ZONE="Asia/Tokyo")
    with place.up():
        code, out, _ = place.run("token", "list")
        assert (code, out.split()[1:5]) == (Exit.OK, ["CREATED", "(JST)", "EXPIRES", "(JST)"])
        place.environ["TZ"] = "Asia/Kolkata"
        assert "CREATED (IST)" in place.run("token", "list")[1]
