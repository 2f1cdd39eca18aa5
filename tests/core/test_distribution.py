"""The name under which Sulla is installed, wherever people are told to."""

from __future__ import annotations

import re

from sulla.core.distribution import DISTRIBUTION, install_hint
from tests.house.source import ROOT, project


def test_it_is_the_one_that_the_package_has() -> None:
    assert project()["project"]["name"] == DISTRIBUTION


def test_every_hint_names_it_and_an_extra_that_there_is() -> None:
    extras = project()["project"]["optional-dependencies"]
    texts = [
        (path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
        for folder, pattern in (("docs", "*.md"), ("sulla", "*.py"))
        for path in (ROOT / folder).rglob(pattern)
    ]
    said = [(name, *found) for name, text in texts for found in re.findall(r"install '([\w-]+)\[(\w+)\]'", text)]
    assert len(said) >= 3
    assert [one for one in said if one[1] != DISTRIBUTION or one[2] not in extras] == []
    assert install_hint("redis") == "pip install 'sulla-agent[redis]'"


def test_what_a_system_cannot_have_is_not_asked_of_it() -> None:
    wanted = project()["project"]["dependencies"]
    (uvloop,) = [one for one in wanted if one.startswith("uvloop")]
    assert uvloop.endswith("; sys_platform != 'win32'")
