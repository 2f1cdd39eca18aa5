"""`sulla notify`, typed as a person would, against a door without a daemon."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sulla.terminal.exits import Exit
from tests.cli.stage import Stage
from tests.cli.typed import typed

Capsys = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    made = Stage(tmp_path / "home")
    monkeypatch.setenv("SULLA_HOME", str(made.home))
    with made.open():
        yield made


def test_the_channels_are_listed_also_without_a_word(capsys: Capsys) -> None:
    for words in (("notify",), ("notify", "list")):
        done = typed(capsys, *words)
        assert done.code == Exit.OK, done.err
        assert [line.split() for line in done.out.splitlines()] == [
            ["CHANNEL", "LEVEL", "WAITING", "KINDS", "STATE"],
            ["mail", "normal", "0", "notice", "well"],
        ]
    assert json.loads(typed(capsys, "notify", "list", "--json").out)["channel"] == "mail"


def test_a_channel_is_tried(capsys: Capsys) -> None:
    done = typed(capsys, "notify", "test", "mail")
    assert (done.code, "mail took it" in done.err) == (Exit.OK, True), done.err
    done = typed(capsys, "notify", "test", "post")
    assert (done.code, "there are: mail" in done.err) == (Exit.REFUSED, True), done.err
