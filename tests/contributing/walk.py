"""The steps of CONTRIBUTING.md, as a person would carry them out."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.house.source import ROOT

PAGE = ROOT / "CONTRIBUTING.md"
_BLOCK = re.compile(r"^`(sulla/[^`]+)`(, one more line)?:\n\n```(?:python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Edit:
    """What is done to one file."""

    path: str
    text: str
    adds: bool
    """Whether the text is added before the line that closes the file's table; else it is the whole file."""

    def carry_out(self, root: Path) -> None:
        """Do it below a folder."""
        file = root / self.path
        if self.adds:
            before, closing, after = file.read_text(encoding="utf-8").partition("\n)\n")
            assert closing, f"{self.path} has no table to add to"
            file.write_text(f"{before}\n{self.text.rstrip()}{closing}{after}", encoding="utf-8")
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(self.text, encoding="utf-8")


def steps() -> list[tuple[str, list[Edit]]]:
    """Each step's title and what is done in it."""
    page = PAGE.read_text(encoding="utf-8").partition("## A capability, step by step")[2].partition("**7. ")[0]
    parts = re.split(r"^\*\*(\d+\. [^*]+)\*\*", page, flags=re.MULTILINE)
    return [(title, list(_edits(text))) for title, text in zip(parts[1::2], parts[2::2], strict=True)]


def copied(folder: Path) -> Path:
    """A copy of the product, to be changed; with what is compiled of it, or each process would compile it anew."""
    under_way = shutil.ignore_patterns("*.pyc.*")  # whoever else runs may be writing it
    shutil.copytree(ROOT / "sulla", folder / "sulla", ignore=under_way)
    for beside in ("skills", "projects", "workflows"):
        shutil.copytree(ROOT / beside, folder / beside)
    return folder


def installed(folder: Path) -> Path:
    """The whole walk as a package of its own, as an installer leaves it."""
    for _, edits in steps():
        for edit in edits:
            if edit.path == "sulla/capabilities.py":
                continue
            own = edit.text.replace("sulla.counter", "counted_apart")
            Edit(edit.path.replace("sulla/counter", "counted_apart"), own, edit.adds).carry_out(folder)
    info = folder / "counted_apart-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: counted-apart\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[sulla.capabilities]\ncounter = counted_apart.capability:CAPABILITY\n")
    return folder


def _edits(text: str) -> Iterator[Edit]:
    for path, adds, code in _BLOCK.findall(text):
        yield Edit(path, code, bool(adds))
