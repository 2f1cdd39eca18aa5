"""The texts of the repository: what they must say and what they must not."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import sulla
from tests.house.source import ROOT, python_files

NOT_OURS = {
    "a path of one machine": re.compile(r"(?<![\w.}])/(?:work|root|home/\w+|tmp/\w+)\b[/\w.-]*"),
    "a registry's host": re.compile(r"\b(?:pypi|pythonhosted|npmjs|debian)\.(?:org|com)\b"),
    "talk of the tools it was written with": re.compile(
        r"\b(?:Claude Code|ChatGPT|Copilot|Codex|Cursor AI|co-authored-by|(?:AI|machine)[- ]generated)\b", re.IGNORECASE
    ),
}
ALLOWED = {"uv.lock": {"a registry's host"}}
"""uv.lock says where each package was found, with its hash."""

TEXT = {
    "",
    ".py",
    ".md",
    ".toml",
    ".lock",
    ".yaml",
    ".yml",
    ".json",
    ".jsonl",
    ".sse",
    ".txt",
    ".sh",
    ".html",
    ".js",
    ".css",
}
OURS = ("sulla", "tests", "bench", "docs", "workflows", "skills", "projects", "web", "deploy", ".ci")
"""Folders of the repository; anything else beside them is not kept."""


def _texts() -> list[Path]:
    candidates = [*ROOT.iterdir(), *(path for folder in OURS for path in (ROOT / folder).rglob("*"))]
    return [path for path in candidates if path.is_file() and path.suffix in TEXT and path != Path(__file__)]


@pytest.mark.parametrize("what", NOT_OURS)
def test_the_repository_speaks_of_the_project_alone(what: str) -> None:
    found = {
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"
        for path in _texts()
        if what not in ALLOWED.get(path.name, set())
        for text in [path.read_text()]
        for match in NOT_OURS[what].finditer(text)
    }
    assert found == set()


def test_the_changelog_knows_this_version() -> None:
    headings = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings, "CHANGELOG.md has no version headings"
    assert headings[0] in {"Unreleased", sulla.__version__}


def test_decisions_are_numbered_without_holes() -> None:
    names = sorted(path.name for path in (ROOT / "docs/decisions").glob("*.md"))
    assert [name[:3] for name in names] == [f"{number:03}" for number in range(1, len(names) + 1)]
    assert all(re.fullmatch(r"\d{3}-[a-z0-9-]+\.md", name) for name in names)


@pytest.mark.parametrize("path", sorted((ROOT / "docs/decisions").glob("*.md")), ids=lambda path: path.stem)
def test_a_decision_says_what_it_costs_and_how_a_mistake_would_show(path: Path) -> None:
    headings = re.findall(r"^## (.+)$", path.read_text(), re.MULTILINE)
    assert headings == ["Context", "Choice", "Cost", "How we would notice that it was wrong"]


def test_a_silenced_checker_is_told_why() -> None:
    bare = re.compile(
        r"#[ \t]*(?:type: ignore(?:\[[\w, -]+\])?|noqa(?:: [A-Z]+\d+(?:, ?[A-Z]+\d+)*)?)[ \t]*$", re.MULTILINE
    )
    found = {
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}"
        for path in python_files("sulla", "tests", "bench")
        for text in [path.read_text()]
        for match in bare.finditer(text)
    }
    assert found == set()


def test_dev_is_posix_sh() -> None:
    dev = ROOT / "dev"
    text = dev.read_text()
    assert text.startswith("#!/bin/sh\n")
    subprocess.run(["sh", "-n", dev], check=True)
    bashisms = re.compile(
        r"\[\[|<<<|\$'|&>|\$\{\w+(?:\^|,|/|:\d)|(?<!\$)\(\(|\becho -[ne]|\b(?:function|local|declare|source|pipefail)\b"
    )
    assert [line for line in text.splitlines() if bashisms.search(line) and not line.lstrip().startswith("#")] == []


@pytest.mark.parametrize("name", ["dev", ".ci/run"])
def test_a_script_can_be_run(name: str) -> None:
    assert (ROOT / name).stat().st_mode & 0o111 == 0o111


def test_ci_runs_what_people_run() -> None:
    assert "./dev check" in (ROOT / ".ci/run").read_text()


def test_an_unknown_verb_is_refused_and_changes_nothing() -> None:
    run = subprocess.run([ROOT / "dev", "frobnicate"], capture_output=True, text=True, check=False)
    assert run.returncode != 0
    assert "no such verb: frobnicate" in run.stderr
