"""What draws and edits at a terminal is loaded where there is one, and nowhere else."""

from __future__ import annotations

import subprocess
import sys

import pytest

_HEAVY = ("prompt_toolkit", "rich", "markdown_it", "pygments")


@pytest.mark.parametrize("modules", ["sulla.cli.main", "sulla.cli.ask, sulla.cli.chat, sulla.terminal.attend"])
def test_commands_are_read_without_it(modules: str) -> None:
    program = f"import sys, {modules}; print([one for one in {_HEAVY} if one in sys.modules])"
    said = subprocess.run((sys.executable, "-c", program), capture_output=True, text=True, check=True)
    assert said.stdout == "[]\n"
