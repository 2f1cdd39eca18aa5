"""What children came to is told in words that name those that failed, and put together as the model asked."""

from __future__ import annotations

from typing import Any

import pytest

from sulla.agent.subagents.reports import ChildFinding, Combine, combined, enough, tell
from sulla.threads.log.family import Report


def found(name: str, text: str = "", status: str = "done", **more: Any) -> ChildFinding:
    return ChildFinding(name, text, Report(status, agent="helper", **more))


BLUE, ALSO_BLUE, GREEN = found("a", "Blue."), found("b", " blue "), found("c", "Green")
LOST = found("d", "so far", "failed", reason="limit_tokens")


@pytest.mark.parametrize(
    ("finding", "words"),
    [
        (BLUE, "a (helper) is done:\nBlue."),
        (found("a"), "a (helper) is done:\nIt said nothing."),
        (LOST, "d (helper) failed (limit_tokens). What it had said so far:\nso far"),
        (
            found("d", "the part 'plan' has failed", "failed", status_report="the part 'plan' has failed"),
            "d (helper) failed (failed). the part 'plan' has failed",
        ),
        (found("a", status="cancelled"), "a (helper) was cancelled."),
        (
            found("a", "text", "blocked", blocker_reason="no key", unblock_requirements="a key"),
            "a (helper) is blocked: no key It needs: a key\ntext",
        ),
    ],
)
def test_each_end_is_told_in_words(finding: ChildFinding, words: str) -> None:
    assert tell(finding) == words


@pytest.mark.parametrize(
    ("how", "findings", "text", "failed"),
    [
        ("concat", [BLUE, LOST], "Not done: d.", False),
        ("concat", [LOST], "Not done: d.", True),
        ("all", [BLUE, LOST], "Not done: d.", True),
        ("all", [BLUE, GREEN], "Green", False),
        ("first_success", [LOST, GREEN, BLUE], "c (helper) is done:\nGreen", False),
        ("first_success", [LOST], "Not done: d.", True),
        ("vote", [BLUE, ALSO_BLUE, GREEN], "2 of 3 say:\nBlue.", False),
        ("vote", [BLUE, GREEN, LOST], "No majority: 1 of 2 each say\n- Blue.\n- Green\n\nNot done: d.", False),
        ("vote", [LOST], "Not done: d.", True),
    ],
)
def test_several_are_put_together(how: Combine, findings: list[ChildFinding], text: str, *, failed: bool) -> None:
    said, is_failure = combined(how, findings)
    assert text in said
    assert is_failure is failed


def test_only_the_first_success_makes_the_others_needless() -> None:
    assert enough("first_success", [LOST, BLUE])
    assert not enough("first_success", [LOST])
    assert not enough("all", [BLUE])
