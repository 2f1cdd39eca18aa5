"""Writes the table of docs/safety.md from the borders that there are.

``python -m tests.attacks.borders_page``
"""

from __future__ import annotations

from pathlib import Path

from sulla.host.borders import BORDERS, Border

PAGE = Path(__file__).resolve().parents[2] / "docs" / "safety.md"
BEGIN = "<!-- The table is written by tests/attacks/borders_page.py. -->\n"
END = "<!-- Here it ends. -->\n"
SAID = {
    "operator": "yours, or the daemon's",
    "person": "a person's",
    "caller": "those of the conversation that they come from",
    "kept": "as was kept with them",
    "files": "an agent's, unless a file is marked",
    "outside": "from outside",
}


def _row(border: Border) -> str:
    return f"| {border.words} | {border.of} | {border.into} | {SAID[border.whose]} |\n"


def wanted(page: str) -> str:
    """The page as it has to be: what people wrote, and the table."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    head = "| what | brought by | into | whose words it is there |\n| --- | --- | --- | --- |\n"
    return before + BEGIN + head + "".join(map(_row, BORDERS)) + END + after


if __name__ == "__main__":
    PAGE.write_text(wanted(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
