"""How the console knows that a question leaves out part of its call."""

from __future__ import annotations

import re
from pathlib import Path

from sulla.agent.approvals.approvals import question, review
from sulla.core.ids import CallId
from sulla.core.message import ToolCall

PAGE = Path(__file__).parents[2] / "console" / "src" / "asked" / "whole.ts"


def test_the_page_finds_the_words_that_the_daemon_puts_for_what_it_leaves_out() -> None:
    found = re.search("const CUT = /(.*)/;", PAGE.read_text(encoding="utf-8"))
    assert found is not None
    long = ToolCall(CallId("c"), "post", {"body": "a" * 28_000})
    short = ToolCall(CallId("c"), "post", {"body": "a"})
    for asked in (question(long, "it is outward", "0" * 64)[0], review(long, 1).prompt):
        assert re.search(found[1], asked)
    assert not re.search(found[1], question(short, "it is outward", "0" * 64)[0])
