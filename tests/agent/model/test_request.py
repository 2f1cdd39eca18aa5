"""What tells one request from another."""

from __future__ import annotations

from dataclasses import replace

from sulla.agent.model.request import request_hash
from tests.kits.provider_kit import OTHER, TOOL, ask


def test_a_request_that_has_to_be_answered_by_a_tool_is_another_one() -> None:
    free = ask("hello", tools=(TOOL, OTHER))
    forced = [replace(free, force=name) for name in ("", "choose", "get_time_date")]
    assert len({request_hash(request) for request in forced}) == 3
    assert request_hash(free) == request_hash(forced[0])


def test_a_forced_tool_is_not_taken_for_one_more_that_is_offered() -> None:
    assert request_hash(ask("x", tools=(TOOL, OTHER))) != request_hash(ask("x", tools=(TOOL,), force="choose"))


def test_what_identifies_a_request_is_what_logs_of_earlier_versions_have() -> None:
    assert request_hash(ask("hello \ud800", tools=(TOOL, OTHER))) == "64c21ea5e7f1f6b0"
