"""The folder that a daemon owns."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from sulla.core.errors import HomeInUse, SettingsError
from sulla.host.home import Home, Whereabouts

WHERE = Whereabouts("http://127.0.0.1:4711", 4711)

_OWNER = """
import sys
from pathlib import Path
from sulla.host.home import Home, Whereabouts
home = Home(Path(sys.argv[1]))
home.lock()
home.announce(Whereabouts("http://127.0.0.1:4711", 4711))
print("locked", flush=True)
sys.stdin.read()
"""


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A home that does not exist yet."""
    return tmp_path / "below" / "home"


@contextmanager
def _claimed(folder: Path) -> Iterator[Home]:
    home = Home(folder)
    home.lock()
    try:
        yield home
    finally:
        home.unlock()


# ----------------------------------------------------------------------------------------------------------- lock


def test_a_home_is_made_for_its_owner_alone(folder: Path) -> None:
    with _claimed(folder):
        assert _mode(folder) == 0o700


def test_a_second_daemon_is_refused_and_told_who_the_first_one_is(folder: Path) -> None:
    with _claimed(folder) as first:
        first.announce(WHERE)
        with pytest.raises(HomeInUse) as raised:
            Home(folder).lock()
        assert first.whereabouts() == WHERE
    assert raised.value.message == (
        f"another daemon (pid 4711, http://127.0.0.1:4711) runs on the home {folder}; "
        "stop it, or start this one with --home DIR"
    )


def test_a_second_daemon_is_refused_also_while_the_first_one_starts(folder: Path) -> None:
    with _claimed(folder), pytest.raises(HomeInUse, match=rf"another daemon runs on the home {folder}"):
        Home(folder).lock()


def test_a_home_that_was_given_back_can_be_claimed_again(folder: Path) -> None:
    for _ in range(2):
        with _claimed(folder):
            pass


def test_giving_back_what_was_never_claimed_does_nothing(folder: Path) -> None:
    Home(folder).unlock()
    assert not folder.exists()


def test_who_claims_a_home_is_known_from_then_on_and_until_it_gives_it_back(folder: Path) -> None:
    home = Home(folder)
    assert home.claimed_by() == 0
    home.lock()
    assert Home(folder).claimed_by() == 0, "who only looks does not say so"
    home.say_who()
    assert Home(folder).claimed_by() == os.getpid()
    home.unlock()
    assert Home(folder).claimed_by() == 0
    (folder / "lock").write_text("999999999\n")
    assert Home(folder).claimed_by() == 0, "it was killed"


def test_a_killed_daemon_leaves_neither_lock_nor_whereabouts(folder: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _OWNER, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"locked\n"
        assert Home(folder).whereabouts() == WHERE
        with pytest.raises(HomeInUse):
            Home(folder).lock()
        owner.send_signal(signal.SIGKILL)
    assert (folder / "daemon.json").exists()
    assert Home(folder).whereabouts() is None
    with _claimed(folder) as heir:
        heir.announce(WHERE)
        assert Home(folder).whereabouts() == WHERE


# ---------------------------------------------------------------------------------------------------- whereabouts


def test_whereabouts_are_known_while_the_daemon_runs(folder: Path) -> None:
    assert Home(folder).whereabouts() is None
    with _claimed(folder) as home:
        assert Home(folder).whereabouts() is None
        home.announce(WHERE)
        assert json.loads((folder / "daemon.json").read_text()) == {"url": WHERE.url, "pid": WHERE.pid, "zone": ""}
        assert _mode(folder / "daemon.json") == 0o600
        assert [Home(folder).whereabouts() for _ in range(3)] == [WHERE] * 3
    assert Home(folder).whereabouts() is None
    assert not (folder / "daemon.json").exists()


def test_an_announcement_replaces_a_left_over_one_as_a_whole(folder: Path) -> None:
    with _claimed(folder) as home:
        (folder / "daemon.json").write_text('{"url": "http://127.0.0.1:1"')
        (folder / ".daemon.json.new").write_text("x" * 500)
        before = (folder / "daemon.json").stat().st_ino
        home.announce(WHERE)
        assert (folder / "daemon.json").stat().st_ino != before
        assert Home(folder).whereabouts() == WHERE
        assert not (folder / ".daemon.json.new").exists()


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"url": 1, "pid": 2}', '{"url": "http://x"}', "\xff"])
def test_a_file_that_no_daemon_wrote_says_nothing(folder: Path, text: str) -> None:
    folder.mkdir(parents=True)
    (folder / "daemon.json").write_text(text, encoding="latin-1")
    assert Home(folder).whereabouts() is None


def test_looking_for_a_daemon_changes_nothing(folder: Path) -> None:
    home = Home(folder)
    assert (home.whereabouts(), home.known_token()) == (None, None)
    assert not folder.exists()


# ----------------------------------------------------------------------------------------------- identity and token


def test_the_identity_is_made_once(folder: Path) -> None:
    number = count(1)
    ids = {Home(folder).identity(lambda prefix: f"{prefix}_{next(number)}") for _ in range(3)}
    assert ids == {"home_1"}


def test_the_token_is_made_once_and_is_for_the_owner_alone(folder: Path) -> None:
    number = count(1)
    tokens = {Home(folder).token(lambda: f"secret{next(number)}") for _ in range(3)}
    assert tokens == {"secret1"}
    assert Home(folder).known_token() == "secret1"
    assert _mode(folder / "token") == 0o600


def test_a_token_that_others_can_read_is_closed_to_them(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "token").write_text("given\n")
    (folder / "token").chmod(0o644)
    assert Home(folder).token(lambda: "new") == "given"
    assert _mode(folder / "token") == 0o600


def test_a_renewed_token_takes_the_place_of_the_old_one_as_a_whole(folder: Path) -> None:
    home = Home(folder)
    assert home.token(lambda: "old") == "old"
    assert home.renew_token(lambda: "new") == "new"
    assert home.known_token() == home.token(lambda: "another") == "new"
    assert _mode(folder / "token") == 0o600
    assert [path.name for path in folder.iterdir()] == ["token"]


def test_a_crash_of_the_machine_does_not_bring_back_a_token_that_was_renewed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, kept = Home(folder), list[tuple[bool, str]]()
    home.token(lambda: "old")
    sync = os.fsync

    def fsync(handle: int) -> None:
        kept.append((stat.S_ISDIR(os.fstat(handle).st_mode), (folder / "token").read_text().strip()))
        sync(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    home.renew_token(lambda: "new")
    assert kept == [(False, "old"), (True, "new")]


def test_a_token_that_cannot_be_renewed_stays(folder: Path) -> None:
    home = Home(folder)
    home.token(lambda: "old")
    (folder / ".token.new").mkdir()
    with pytest.raises(SettingsError, match="'token'"):
        home.renew_token(lambda: "new")
    assert home.known_token() == "old"


def test_a_token_that_a_crash_left_empty_is_made_anew(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "token").write_text("\n")
    assert Home(folder).known_token() is None
    assert Home(folder).token(lambda: "new") == "new"
    assert Home(folder).known_token() == "new"


def test_two_that_make_the_token_at_once_get_the_same_one(folder: Path) -> None:
    inner = list[str]()

    def make() -> str:
        # Here a second process would be: it has to wait for the first one, or take its token.
        with (folder / "token").open() as file:
            inner.append(file.read())
            with pytest.raises(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return "first"

    assert Home(folder).token(make) == "first"
    assert inner == [""]
    assert Home(folder).token(lambda: "second") == "first"


# ------------------------------------------------------------------------------------------------ unusable homes


def test_a_home_that_cannot_be_made_is_refused_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for home in (Home(tmp_path / "file"), Home(tmp_path / "file" / "home")):
        with pytest.raises(SettingsError, match=rf"{home.path} cannot be made: .*SULLA_HOME or --home DIR"):
            home.lock()
        with pytest.raises(SettingsError, match="cannot be made"):
            home.token(lambda: "secret")
        assert (home.whereabouts(), home.known_token()) == (None, None)


@pytest.mark.parametrize(("name", "said"), [("lock", "written to"), ("token", "used"), ("daemon.json", "written")])
def test_a_file_that_cannot_be_written_is_named(folder: Path, name: str, said: str) -> None:
    (folder / name / "in the way").mkdir(parents=True)
    home = Home(folder)
    with pytest.raises(SettingsError, match=rf"home {folder} cannot be {said}: Is a directory; name another"):
        _claim_all(home)
    home.unlock()


def _claim_all(home: Home) -> None:
    home.lock()
    home.token(lambda: "secret")
    home.announce(WHERE)


def test_a_damaged_token_is_not_used(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "token").write_bytes(b"\xff\xfe")
    assert Home(folder).known_token() is None
    with pytest.raises(SettingsError, match=rf"{folder / 'token'} is damaged: remove it"):
        Home(folder).token(lambda: "new")


def test_a_home_remembers_the_last_stores_by_their_places(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.lock()
    assert home.known_store("sqlite:///a") == ""
    for number in range(20):
        home.remember_store(f"sqlite:///{number}", f"store_{number}")
    home.remember_store("sqlite:///18", "store_new")
    assert home.known_store("sqlite:///18") == "store_new"
    assert home.last_store() == "sqlite:///18"
    assert home.known_store("sqlite:///19") == "store_19"
    assert home.known_store("sqlite:///1") == ""
    (tmp_path / "home" / "stores.json").write_text("damaged")
    assert home.known_store("sqlite:///18") == ""
    assert home.last_store() == ""
    home.unlock()


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.ENOSPC, "free some space there, at least a few MiB: what is kept in this home is in no other one"),
        (errno.EDQUOT, "free some space there, at least a few MiB: what is kept in this home is in no other one"),
        (errno.EROFS, "its disk is mounted for reading alone: mount it for writing, then start again"),
        (errno.EACCES, "name another with SULLA_HOME or --home DIR"),
    ],
)
def test_a_home_that_cannot_be_written_to_says_what_helps(
    folder: Path, monkeypatch: pytest.MonkeyPatch, number: int, remedy: str
) -> None:
    folder.mkdir(parents=True)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(SettingsError) as told:
        Home(folder).lock()
    assert told.value.message == f"the home {folder} cannot be written to: {os.strerror(number)}; {remedy}"
