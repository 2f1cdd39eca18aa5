"""`sulla mcp list` against a real daemon without servers (tests/mcp/test_build.py: with some)."""

from __future__ import annotations

import json

import pytest

from sulla.terminal.exits import Exit
from tests.cli.typed import typed
from tests.daemon.running import Place


def test_without_a_server_it_says_how_to_name_one(here: Place, capsys: pytest.CaptureFixture[str]) -> None:
    shown = typed(capsys, "mcp", "list")
    assert (shown.code, shown.err) == (Exit.OK, "")
    assert "[mcp.servers.<name>]" in shown.out


def test_for_scripts_there_is_an_empty_list(here: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(typed(capsys, "mcp", "list", "--json").out) == []
