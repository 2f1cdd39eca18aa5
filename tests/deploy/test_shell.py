from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.house.source import ROOT

SCRIPTS = sorted((ROOT / "deploy").rglob("*.sh"))


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed, so no tool judges scripts")
@pytest.mark.parametrize("script", [*SCRIPTS, ROOT / "dev"], ids=lambda path: path.name)
def test_shellcheck_finds_nothing_wrong(script: Path) -> None:
    run = subprocess.run(["shellcheck", script], capture_output=True, text=True, timeout=60, check=False)
    assert run.stdout + run.stderr == ""


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_is_one_for_any_shell_and_stops_at_what_fails(script: Path) -> None:
    text = script.read_text()
    assert text.startswith("#!/bin/sh\n")
    assert "\nset -eu\n" in text
    assert script.stat().st_mode & 0o111, "it can be run"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_says_how_it_is_used(script: Path) -> None:
    run = subprocess.run([script, "--help", "me"], capture_output=True, text=True, timeout=20, check=False)
    assert run.returncode == 2
    assert run.stderr.startswith(f"usage: {script.name}")
