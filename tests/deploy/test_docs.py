from __future__ import annotations

import plistlib
import re

import pytest

from sulla.cli.service.texts import DaemonService, launchd_plist
from tests.house.source import ROOT

PAGE = (ROOT / "docs" / "deploy.md").read_text()


def test_the_page_names_only_files_that_are_there() -> None:
    named = set(re.findall(r"deploy/[\w./-]*[\w]", PAGE))
    assert len(named) > 8
    assert {name for name in named if not (ROOT / name).exists()} == set()


def test_the_plist_for_a_mac_without_a_session_says_what_that_of_a_session_says() -> None:
    given = plistlib.loads((ROOT / "deploy" / "launchd" / "dev.sulla.daemon.plist").read_bytes())
    session = plistlib.loads(
        launchd_plist(DaemonService("dev.sulla.daemon", ["/opt/sulla/bin/sulla"], "/opt/sulla/home", ""))
    )
    del session["EnvironmentVariables"]
    assert given == session | {"UserName": "_sulla"}


@pytest.mark.parametrize("proxy", ["Caddyfile", "nginx.conf"])
def test_a_proxy_leads_to_the_daemon_and_keeps_its_figures_to_itself(proxy: str) -> None:
    text = (ROOT / "deploy" / "proxy" / proxy).read_text()
    assert "127.0.0.1:8137" in text
    assert all(name in text for name in ("metrics", "readyz", "healthz"))
