"""In a daemon: off unless somebody turns it on, and nothing of it is loaded before the first page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sulla.agent.spec import SULLA
from sulla.browser import build as built
from sulla.browser.build import OFF, build
from sulla.browser.settings import BrowserSettings
from sulla.core.errors import SettingsError
from sulla.core.jsontypes import Json
from sulla.daemon.core import offline_core
from sulla.daemon.settings.config import load_settings
from sulla.host.host import Host
from sulla.testing.clock import ManualClock
from sulla.tools.policy import targets_of
from sulla.tools.web.browse import usable
from tests.house.source import ROOT

NAMES = {f"browser_{word}" for word in ("navigate", "read", "click", "type", "screenshot")}


def host_of(home: Path, **given: Json) -> Host:
    flags = {("browser", name): value for name, value in given.items()}
    return offline_core(load_settings({}, flags, home), ManualClock()).host


def test_it_is_off_unless_somebody_turns_it_on(tmp_path: Path) -> None:
    host = host_of(tmp_path)
    found = build(host)
    assert {tool.name: tool.missing for tool in found.tools} == dict.fromkeys(NAMES, OFF)
    assert not NAMES & {tool.name for tool in usable(host.tools.now(SULLA))}
    assert (found.tasks, found.close, found.take_up) == ({}, None, None)


def test_what_is_missing_keeps_models_from_being_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(built, "lacks", lambda _: "there is no Chromium")
    found = build(host_of(tmp_path, enabled=True))
    assert {tool.missing for tool in found.tools} == {"there is no Chromium"}
    monkeypatch.setattr(built, "lacks", lambda _: "")
    found = build(host_of(tmp_path, enabled=True))
    assert {tool.name for tool in usable(found.tools)} == NAMES
    assert list(found.tasks) == ["browser"]


def test_what_the_policy_has_to_know_of_the_tools_is_declared(tmp_path: Path) -> None:
    tools = {tool.name.removeprefix("browser_"): tool for tool in build(host_of(tmp_path)).tools}
    assert {name: (tool.effect, tool.quotes, tool.asks is not None) for name, tool in tools.items()} == {
        "navigate": ("pure", True, True),
        "read": ("pure", True, False),
        "click": ("once", False, True),
        "type": ("once", False, True),
        "screenshot": ("idempotent", False, False),
    }
    # A page leads on to anywhere, so a yes to its host would be one to all of the web.
    (target,) = targets_of(tools["navigate"], {"url": "https://example.org/x"})
    assert target.startswith("args:")


def test_hosts_of_the_own_network_are_taken_up_by_a_reload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(built, "lacks", lambda _: "")
    found = build(host_of(tmp_path, enabled=True))
    (go,) = (tool for tool in found.tools if tool.name == "browser_navigate")
    assert go.refuses is not None
    assert found.take_up is not None
    assert "port 3000" in go.refuses({"url": "http://nas.lan:3000/"})
    found.take_up(load_settings({}, {("web", "allow_hosts"): ["nas.lan:3000"]}, tmp_path))()
    assert go.refuses({"url": "http://nas.lan:3000/"}) == ""
    with pytest.raises(SettingsError, match=r"web.allow_hosts"):
        found.take_up(load_settings({}, {("web", "allow_hosts"): ["http://x"]}, tmp_path))


def test_playwright_is_not_loaded_before_the_first_page(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from sulla.daemon.core import offline_core; "
        "from sulla.daemon.settings.config import load_settings; from sulla.testing.clock import ManualClock; "
        f"offline_core(load_settings({{}}, {{('browser', 'enabled'): True}}, Path({str(tmp_path)!r})), ManualClock()); "
        "print([name for name in sys.modules if name.startswith(('playwright', 'greenlet', 'sulla.browser.session'))])"
    )
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


def test_its_settings_have_bounds() -> None:
    for wrong in (
        {"conversations": 0},
        {"conversations": 51},
        {"pages": 0},
        {"idle_s": 1},
        {"load_s": 0},
        {"load_mb": 0},
    ):
        with pytest.raises(ValueError, match="should be"):
            BrowserSettings.model_validate(wrong)
