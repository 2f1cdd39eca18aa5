"""README says what is there."""

from __future__ import annotations

import re

from tests.house.source import ROOT, packages

README = (ROOT / "README.md").read_text()


def _tree() -> dict[str, str]:
    """The packages in README's drawing of ``sulla/``, and what is said of each."""
    block = re.search(r"```text\nsulla/\n(.*?)```", README, re.DOTALL)
    assert block is not None, "README has no fenced block that begins with the line `sulla/`"
    rows = [re.fullmatch(r"  (\w+)/ +(\S.*)", line) for line in block[1].splitlines()]
    assert all(rows), "each line of the block is `  name/   what it is`"
    return {row[1]: row[2] for row in rows if row is not None}


def test_the_tree_is_the_real_tree() -> None:
    assert sorted(_tree()) == packages()


def test_every_link_into_the_repository_leads_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    dead = {
        f"{page.relative_to(ROOT)}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#:\s]+)\)", page.read_text())
        if not (page.parent / target).exists()
    }
    assert dead == set()


def test_the_two_commands_are_there() -> None:
    assert "./dev run" in README
    assert '.venv/bin/sulla ask "hello"' in README
