"""`sulla doctor` on the web."""

from __future__ import annotations

from pathlib import Path

import pytest

from sulla.daemon.doctor.web import judge_web
from sulla.daemon.settings.config import load_settings


def test_it_says_what_searches_and_what_of_the_own_network_may_be_read(tmp_path: Path) -> None:
    (plain,) = judge_web(load_settings({}, {}, tmp_path))
    assert (plain.result, "nothing searches (web.search" in plain.found) == ("ok", True)
    given = {"SULLA_WEB__SEARCH": "brave", "BRAVE_API_KEY": "secret-key-1", "SULLA_WEB__ALLOW_HOSTS": "nas.lan"}
    (full,) = judge_web(load_settings(given, {}, tmp_path))
    assert full.found == "public pages can be read, brave searches; of your own network: nas.lan"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"search": "brave"}, "web.brave_api_key"),
        ({"search": "searxng"}, "web.searxng_url"),
        ({"allow_hosts": ("no host",)}, "web.allow_hosts"),
    ],
)
def test_what_keeps_the_daemon_from_starting_is_a_fault(tmp_path: Path, given: dict[str, object], said: str) -> None:
    settings = load_settings({}, {}, tmp_path)
    (finding,) = judge_web(settings.model_copy(update={"web": settings.web.model_copy(update=given)}))
    assert (finding.result, said in finding.found) == ("fault", True)
    assert "before this is mended" in finding.remedy
