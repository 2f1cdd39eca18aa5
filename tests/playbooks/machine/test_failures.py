"""The reasons of failures are all in the table that the page is made of."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import sulla.playbooks
from sulla.playbooks.machine.failures import KINDS, REASONS, tool_reasons

SOURCES = Path(sulla.playbooks.__file__).parent


def said() -> Iterator[tuple[str, str]]:
    """Each kind and reason that is written out in code; the kind is empty where it is worked out."""
    for folder in ("machine", "run", "rehearsal"):
        for file in (SOURCES / folder).glob("*.py"):
            for call in ast.walk(ast.parse(file.read_text())):
                if not isinstance(call, ast.Call):
                    continue
                name = ast.unparse(call.func).rpartition(".")[2]
                words = [arg.value if isinstance(arg, ast.Constant) else None for arg in call.args]
                if name == "Failure" and isinstance(words[1], str):
                    yield str(words[0] or ""), words[1]
                elif name == "_wrong" and isinstance(words[1], str):
                    yield "permanent", words[1]


def test_every_reason_that_code_gives_is_told_with_its_kind() -> None:
    found = set(said())
    assert len(found) > 20
    missing = [(kind, reason) for kind, reason in found if reason not in REASONS]
    wrong = [(kind, reason) for kind, reason in found - set(missing) if kind and kind not in REASONS[reason].kinds]
    assert (missing, wrong) == ([], [])


def test_every_kind_is_told() -> None:
    assert {kind for one in REASONS.values() for kind in one.kinds} == set(KINDS)


def test_what_a_tools_step_fails_with_by_itself_is_no_other_steps() -> None:
    assert tool_reasons("context_limit") == []
    assert "upstream" not in tool_reasons("permanent")
    assert tool_reasons("tool_error") == ["tool"]
