"""The pages hang together: every one is on the map, links lead to headings, and what is quoted is really said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.source import ROOT

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
SOURCE = {path: path.read_text() for path in sorted((ROOT / "sulla").rglob("*.py"))}


def _anchors(page: Path) -> set[str]:
    """The headings of a page, as links name them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_is_on_the_map() -> None:
    linked = {(DOCS / one).resolve() for one in re.findall(r"\]\(([^)#]+)", (DOCS / "README.md").read_text())}
    pages = {page for page in PAGES if page.is_relative_to(DOCS) and page.parent != DOCS / "decisions"}
    assert pages - linked - {DOCS / "README.md"} == set()


def test_every_link_to_a_heading_leads_there() -> None:
    dead = {
        f"{page.relative_to(ROOT)}: {path}#{anchor}"
        for page in PAGES
        for path, anchor in re.findall(r"\]\(([^)#:\s]*)#([^)\s]+)\)", page.read_text())
        if anchor not in _anchors(page.parent / path if path else page)
    }
    assert dead == set()


def test_every_page_that_the_program_names_is_there() -> None:
    named = {name for text in SOURCE.values() for name in re.findall(r"docs/[\w/-]+\.(?:md|jsonl?)\b", text)}
    assert {name for name in named if not (ROOT / name).exists()} == set()


def test_every_word_of_the_glossary_is_used_on_another_page() -> None:
    words = re.findall(r"\*\*([^*]+)\*\*", (DOCS / "glossary.md").read_text())
    assert words == sorted(words, key=str.casefold)
    used = "\n".join(page.read_text().lower() for page in PAGES if page.name != "glossary.md")
    assert {word for word in words if word.lower() not in used} == set()


_QUOTED = re.findall(r"^### `(.+)`$", (DOCS / "troubleshooting.md").read_text(), re.MULTILINE)
_PROGRAM = re.sub(r"\s+", " ", re.sub(r'"\s*(?:#[^\n]*)?\n\s*f?"', "", "\n".join(SOURCE.values())).replace("\\'", "'"))
"""All of the source, with texts that stand on several lines in one."""


@pytest.mark.parametrize("message", _QUOTED)
def test_every_message_that_troubleshooting_quotes_is_one_of_the_program(message: str) -> None:
    parts = [part.strip() for part in re.split(r"…|failed \(|\(|\)|\[", message) if part.strip()]
    missing = [part for part in parts if part not in _PROGRAM]
    assert missing == []
