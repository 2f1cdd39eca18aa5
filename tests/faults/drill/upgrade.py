"""Another version of the program, for a rolling upgrade: of a git ref, of a wheel, or this one under another number."""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from pathlib import Path

from sulla import __version__
from tests.house.source import ROOT

_NUMBER = re.compile(r'^__version__ = "(.*)"$', re.MULTILINE)
_PARTS = ("sulla", "projects", "skills", "workflows")
"""What a program that was not installed runs from."""


def other_version(folder: Path, wanted: str) -> str:
    """Put the program into a new folder, beside nothing else.

    Args:
        folder: where; it is made.
        wanted: the name of a wheel's file, or a git ref; empty for this very program under another number.

    Returns:
        Its number, which is never the one that this program has: else nobody could tell the two apart.
    """
    folder.mkdir(parents=True)
    if wanted.endswith(".whl"):
        with zipfile.ZipFile(wanted) as wheel:
            wheel.extractall(folder)
    elif wanted:
        packed = folder / "sulla.zip"
        words = ["git", "-C", str(ROOT), "archive", "-o", str(packed), wanted, "--", *_PARTS]
        subprocess.run(words, check=True)
        shutil.unpack_archive(packed, folder)
        packed.unlink()
    else:
        for part in _PARTS:
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    file = folder / "sulla" / "__init__.py"
    found = _NUMBER.search(file.read_text(encoding="utf-8"))
    assert found is not None, f"{file} has no version"
    if found[1] != __version__:
        return found[1]
    # The same number in a git ref is usual between two releases.
    number = f"{__version__}+drill"
    file.write_text(_NUMBER.sub(f'__version__ = "{number}"', file.read_text(encoding="utf-8")), encoding="utf-8")
    return number
