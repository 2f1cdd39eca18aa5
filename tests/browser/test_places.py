"""What is missing is said with what to install, and what keeps Chromium in is as it has to be."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from sulla.browser import places
from sulla.browser.checks import judge_browser
from sulla.browser.keeper import arranged
from sulla.browser.places import KERNEL, NO_CHROMIUM, NO_LIBRARY, NO_SANDBOX, BrowserPlace, find, lacks
from sulla.browser.settings import BrowserSettings
from sulla.core.errors import NotAvailable

ON = BrowserSettings(enabled=True)
FOLDER = Path("/run/x")


def words(place: BrowserPlace, *, root: bool = False) -> list[str]:
    shebang, line = place.launcher(FOLDER, 3, root=root).splitlines()
    assert shebang == "#!/bin/sh"
    said = shlex.split(line)
    assert (said[0], said[-1]) == ("exec", "$@")
    return said[1:-1]


def is_said(said: list[str], *wanted: str) -> bool:
    return any(said[at : at + len(wanted)] == list(wanted) for at in range(len(said)))


def test_in_bubblewrap_it_has_no_network_no_rights_and_no_home() -> None:
    said = words(BrowserPlace("/usr/bin/chromium", "/usr/bin/bwrap", "/usr/local/sulla"), root=True)
    assert said[0] == "/usr/bin/bwrap"
    assert {"--unshare-all", "--die-with-parent", "--new-session", "--unshare-user"} <= set(said)
    assert not {"--share-net", "--disable-userns", "--bind", "--dev-bind"} & set(said)
    assert is_said(said, "--cap-drop", "ALL")
    assert is_said(said, "--uid", "65534", "--gid", "65534")
    assert is_said(said, "--remount-ro", "/")
    assert is_said(said, "--tmpfs", "/usr/local/sulla")  # lies in a folder that is shown
    for path in KERNEL:
        assert is_said(said, "--ro-bind-try", path, path)
    for path in ("/home", "/etc", "/var", "/", str(Path.home())):
        assert not is_said(said, "--ro-bind-try", path, path)


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here")
@pytest.mark.parametrize(
    "holds",
    [
        'test "$(grep -c : /proc/net/dev)" = 1',
        "! test -w /proc/sys/kernel/core_pattern",
        "! test -w /usr",
        "! test -w /run/sulla",
        'test "$(id -u)" != 0',
        "! test -e /home",
        "grep -q '^CapEff:[[:space:]]*0*$' /proc/self/status",
    ],
)
def test_what_it_is_kept_from_it_is_kept_from(holds: str, tmp_path: Path) -> None:
    bwrap = shutil.which("bwrap") or ""
    said = shlex.split(BrowserPlace("/usr/bin/true", bwrap).launcher(tmp_path, 1, root=os.geteuid() == 0))
    words = said[said.index("exec") + 1 : said.index("--")]
    done = subprocess.run([*words, "--", "sh", "-c", holds], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_as_another_user_it_stays_that_one() -> None:
    said = words(BrowserPlace("/usr/bin/chromium", "/usr/bin/bwrap"))
    assert is_said(said, "--uid", str(os.getuid()), "--gid", str(os.getgid()))


def test_a_chromium_that_lies_elsewhere_is_shown_with_its_folder_alone() -> None:
    said = words(BrowserPlace("/srv/chrome/chrome", "/usr/bin/bwrap"))
    assert is_said(said, "--ro-bind-try", "/srv/chrome", "/srv/chrome")
    assert not is_said(said, "--ro-bind-try", "/srv", "/srv")


def test_without_bubblewrap_the_keeper_runs_it() -> None:
    said = words(BrowserPlace("/usr/bin/chromium", ""))
    assert said[1:] == ["-I", "-S", *(f"{FOLDER}/{name}" for name in ("keeper.py", "life")), *said[5:]]
    assert said[5:] == ["", "0", "0", f"{FOLDER}/own", "/usr/bin/chromium"]


def test_chromium_gets_one_list_of_features_and_its_profile_where_we_want_it() -> None:
    given = ["--a", "--disable-features=X,Y", "--user-data-dir=/x", "--disable-features=Z", "--b"]
    assert arranged(given, "/own") == ["--a", "--user-data-dir=/own", "--b", "--disable-features=X,Y,Z"]
    assert arranged(["--a"], "/own") == ["--a"]


def test_what_is_missing_is_said_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {"chromium": "/usr/bin/chromium-of-a-test"}
    monkeypatch.setattr(places, "find_spec", lambda _: None)
    assert lacks(ON) == NO_LIBRARY
    monkeypatch.setattr(places, "find_spec", lambda _: object())
    monkeypatch.setattr("shutil.which", lambda name, path: there.get(name))
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert lacks(ON) == NO_SANDBOX
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert find(ON) == BrowserPlace("/usr/bin/chromium-of-a-test", "")
    (found,) = judge_browser(ON)
    assert (found.result, "shares the machine's network" in found.found) == ("warning", True)
    there.clear()
    assert lacks(ON) == NO_CHROMIUM
    assert "apt install chromium" in NO_CHROMIUM
    assert "brew install" in NO_CHROMIUM
    (found,) = judge_browser(ON)
    assert (found.result, found.found) == ("fault", "agents have no browser: there is no Chromium on this machine")
    assert found.remedy.startswith("on Debian")


def test_a_path_of_the_settings_has_to_be_a_program(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(NotAvailable, match="and no program is there"):
            find(ON.model_copy(update={"chromium": str(path)}))


def test_where_it_is_off_nothing_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def looked(*_: object) -> None:
        raise AssertionError("somebody looks for a Chromium")

    monkeypatch.setattr(places, "find_spec", looked)
    (found,) = judge_browser(BrowserSettings())
    assert found.result == "ok"
